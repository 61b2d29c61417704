use futures_util::future::join_all;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::served::{Answer, Served, read, until};

async fn create(served: &Served, title: &str, key: &str) -> Answer {
    let body = served.new_session(title);
    let mut request = served.request("POST", "/api/v1/sessions", Some(&body));
    request.headers_mut().insert("idempotency-key", key.parse().unwrap());
    read(served.send(request).await).await
}

#[tokio::test]
async fn one_key_at_many_hands_is_one_session_and_one_answer() {
    let served = Served::start().await;
    let answers = join_all((0..20).map(|_| create(&served, "once", "key-1"))).await;
    for answer in &answers {
        assert_eq!(answer.status, 201, "{answer:?}");
        assert_eq!(answer.body, answers[0].body);
        assert_eq!(answer.headers["etag"], answers[0].headers["etag"]);
        assert_eq!(answer.headers["location"], answers[0].headers["location"]);
    }
    let fresh = answers.iter().filter(|a| !a.headers.contains_key("idempotency-replayed")).count();
    assert_eq!(fresh, 1);
    let listed = served.ask("GET", "/api/v1/sessions", None).await;
    assert_eq!(listed.body.as_array().unwrap().len(), 1);

    let other = create(&served, "another", "key-1").await;
    assert_eq!((other.status.as_u16(), other.code()), (409, "idempotency_key_reused"));
    assert_eq!(create(&served, "another", "key-2").await.status, 201);
    served.end().await;
}

#[tokio::test]
async fn a_client_that_hangs_up_has_asked_all_the_same() {
    let served = Served::start().await;
    let body = served.new_session("left").to_string();
    let request = format!(
        "POST /api/v1/sessions HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        served.addr,
        served.token,
        body.len()
    );
    let mut stream = TcpStream::connect(served.addr).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    drop(stream);
    until("the session", async || {
        let listed = served.ask("GET", "/api/v1/sessions", None).await;
        listed.body.as_array().unwrap().iter().any(|s| s["title"] == "left").then_some(())
    })
    .await;
    served.end().await;
}
