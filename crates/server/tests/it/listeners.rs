use crate::served::{Served, listens, read};

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
