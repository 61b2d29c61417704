use http_body_util::BodyExt as _;
use qd_server::ServeOptions;

use crate::served::{PATIENCE, Served, listens, read};

#[tokio::test]
async fn the_socket_needs_no_token_and_no_host() {
    let served = Served::start().await;
    let mut request = served.plain("GET", "/api/v1/sessions", None);
    request.headers_mut().insert("host", "anything".parse().unwrap());
    let answer = read(served.send_by_socket(request).await).await;
    assert_eq!(answer.status, 200, "{answer:?}");

    let mut request = served.plain("GET", "/api/v1/sessions", None);
    request.headers_mut().insert("origin", "http://evil.example".parse().unwrap());
    let answer = read(served.send_by_socket(request).await).await;
    assert_eq!((answer.status.as_u16(), answer.code()), (403, "origin_refused"));
    served.end().await;
}

#[tokio::test]
async fn a_request_to_stop_is_answered_and_then_nobody_listens() {
    let served = Served::start().await;
    let (addr, socket) = (served.addr, served.socket.clone());
    assert!(listens(&socket).await);
    let answer = served.ask("POST", "/api/v1/stop", Some(&serde_json::json!({}))).await;
    assert_eq!(answer.status, 204, "{answer:?}");
    served.end().await;
    assert!(tokio::net::TcpStream::connect(addr).await.is_err());
    assert!(!socket.exists());
}

#[tokio::test]
async fn an_idle_connection_does_not_hold_the_end() {
    let served = Served::start().await;
    let idle = tokio::net::TcpStream::connect(served.addr).await.unwrap();
    served.end().await;
    drop(idle);
}

#[tokio::test]
async fn whoever_says_nothing_keeps_nobody_out() {
    let served = Served::with(ServeOptions { connections: 4, ..ServeOptions::default() }).await;
    let mut idle = vec![];
    for _ in 0..8 {
        idle.push(tokio::net::TcpStream::connect(served.addr).await.unwrap());
    }
    // The Unix socket has room of its own, and the port makes some.
    let request = served.plain("GET", "/api/v1/sessions", None);
    assert_eq!(read(served.send_by_socket(request).await).await.status, 200);
    assert_eq!(served.ask("GET", "/api/v1/sessions", None).await.status, 200);
    served.end().await;
}

#[tokio::test]
async fn who_has_proven_who_they_are_stays_when_others_want_in() {
    let served = Served::with(ServeOptions { connections: 2, ..ServeOptions::default() }).await;
    let stream = served.send(served.request("GET", "/api/v1/events", None)).await;
    assert_eq!(stream.status(), 200);
    for _ in 0..3 {
        let idle = tokio::net::TcpStream::connect(served.addr).await.unwrap();
        assert_eq!(served.ask("GET", "/api/v1/sessions", None).await.status, 200);
        drop(idle);
    }
    let mut body = stream.into_body();
    served.session("seen by the stream").await;
    let frame = tokio::time::timeout(PATIENCE, async {
        loop {
            let frame = body.frame().await.expect("the stream goes on").unwrap();
            if String::from_utf8_lossy(frame.data_ref().unwrap()).contains("seen by the stream") {
                return;
            }
        }
    });
    frame.await.expect("news in time");
    served.end().await;
}
