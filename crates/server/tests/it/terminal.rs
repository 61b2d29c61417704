use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::served::{PATIENCE, Served};

type Socket = WebSocketStream<TcpStream>;

async fn open(
    served: &Served,
    id: &str,
    protocols: &str,
    origin: Option<&str>,
) -> Result<Socket, Error> {
    let url = format!("ws://{}/api/v1/sessions/{id}/terminal", served.addr);
    let mut request = url.into_client_request().unwrap();
    request.headers_mut().insert("sec-websocket-protocol", protocols.parse().unwrap());
    if let Some(origin) = origin {
        request.headers_mut().insert("origin", origin.parse().unwrap());
    }
    let stream = TcpStream::connect(served.addr).await.unwrap();
    let (socket, response) = client_async(request, stream).await?;
    assert_eq!(response.headers()["sec-websocket-protocol"], "qd.terminal.v1");
    Ok(socket)
}

async fn seated(served: &Served, id: &str, token: &str) -> Socket {
    open(served, id, &format!("qd.terminal.v1, qd.bearer.{token}"), None).await.unwrap()
}

async fn next(socket: &mut Socket) -> Option<Message> {
    timeout(PATIENCE, socket.next()).await.expect("a frame in time").map(Result::unwrap)
}

/// The JSON frames until the close, and its code.
async fn end(socket: &mut Socket) -> (Vec<Value>, u16) {
    let mut frames = vec![];
    loop {
        match next(socket).await {
            Some(Message::Text(text)) => frames.push(serde_json::from_str(&text).unwrap()),
            Some(Message::Close(Some(close))) => return (frames, close.code.into()),
            Some(Message::Close(None)) | None => panic!("closed without a code: {frames:?}"),
            Some(_) => {}
        }
    }
}

async fn say(socket: &mut Socket, frame: &Value) {
    socket.send(Message::text(frame.to_string())).await.unwrap();
}

fn attach() -> Value {
    json!({ "type": "attach", "from": null, "cols": 80, "rows": 24 })
}

#[tokio::test]
async fn who_may_not_is_told_so_by_the_close_code() {
    let served = Served::start().await;
    let id = served.session("t").await;
    for protocols in ["qd.terminal.v1", "qd.terminal.v1, qd.bearer.nonsense"] {
        let mut socket = open(&served, &id, protocols, None).await.unwrap();
        let (frames, code) = end(&mut socket).await;
        assert_eq!((frames[0]["type"].as_str(), code), (Some("error"), 4401), "{protocols}");
    }
    let mut socket = seated(&served, "zzzzzzzzzzzz", &served.token).await;
    assert_eq!(end(&mut socket).await.1, 4404);

    let good = format!("qd.terminal.v1, qd.bearer.{}", served.token);
    let status =
        async |protocols: &str, origin: Option<&str>| match open(&served, &id, protocols, origin)
            .await
        {
            Err(Error::Http(response)) => response.status().as_u16(),
            other => panic!("{other:?}"),
        };
    assert_eq!(status(&good, Some("http://evil.example")).await, 403);
    assert_eq!(status(&good, Some("null")).await, 403);
    assert_eq!(status(&format!("qd.bearer.{}", served.token), None).await, 400);
    let ours = format!("http://{}", served.addr);
    drop(open(&served, &id, &good, Some(&ours)).await.unwrap());
    served.end().await;
}

#[tokio::test]
async fn frames_out_of_turn_are_named_and_closed() {
    let served = Served::start().await;
    let id = served.session("t").await;
    for first in [
        Message::text("hello"),
        Message::text(r#"{"type":"dance"}"#),
        Message::text(r#"{"type":"ack","seq":1}"#),
        Message::binary(&b"x"[..]),
    ] {
        let mut socket = seated(&served, &id, &served.token).await;
        socket.send(first.clone()).await.unwrap();
        let (frames, code) = end(&mut socket).await;
        assert_eq!((frames[0]["code"].as_str(), code), (Some("bad_request"), 1008), "{first:?}");
    }
    let mut socket = seated(&served, &id, &served.token).await;
    say(&mut socket, &attach()).await;
    let Some(Message::Text(first)) = next(&mut socket).await else { panic!("no snapshot") };
    assert_eq!(serde_json::from_str::<Value>(&first).unwrap()["type"], "snapshot");
    say(&mut socket, &attach()).await;
    assert_eq!(end(&mut socket).await.1, 1008);
    served.end().await;
}

#[tokio::test]
async fn the_daemons_end_and_a_revoked_device_close_with_their_codes() {
    let served = Served::start().await;
    let id = served.session("t").await;
    let code = served.ask("POST", "/api/v1/login-codes", None).await.body["code"].clone();
    let login = served.ask("POST", "/api/v1/login", Some(&json!({ "code": code }))).await;
    let mut device = seated(&served, &id, login.body["token"].as_str().unwrap()).await;
    let mut owner = seated(&served, &id, &served.token).await;
    for socket in [&mut device, &mut owner] {
        say(socket, &attach()).await;
        next(socket).await.unwrap();
    }
    let path = format!("/api/v1/devices/{}", login.body["device"].as_str().unwrap());
    assert_eq!(served.ask("DELETE", &path, None).await.status, 204);
    assert_eq!(end(&mut device).await.1, 4401);

    let (ended, ()) = tokio::join!(end(&mut owner), served.end());
    assert_eq!(ended.1, 1001);
}

#[tokio::test]
async fn a_device_that_was_revoked_before_it_attached_gets_no_seat() {
    let served = Served::start().await;
    let id = served.session("t").await;
    let code = served.handle.login_code().await.unwrap();
    let login = served.handle.login(&code, Some("phone".into())).await.unwrap();
    let mut socket = seated(&served, &id, &login.token).await;
    served.handle.revoke(&login.device).await.unwrap();
    say(&mut socket, &attach()).await;
    let (frames, code) = end(&mut socket).await;
    assert_eq!((frames[0]["code"].as_str(), code), (Some("token_wrong"), 4401), "{frames:?}");
    served.end().await;
}
