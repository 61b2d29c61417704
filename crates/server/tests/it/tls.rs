//! TLS of the daemon's own, by a client that trusts its authority and nothing else.

use std::sync::Arc;

use futures_util::{SinkExt as _, StreamExt as _};
use http_body_util::BodyExt as _;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::served::{PATIENCE, Served, exchange, read};

/// What a phone that installed the authority has: the answer of its address, and no other root.
async fn client(served: &Served) -> TlsConnector {
    let answer = served.send_by_socket(served.plain("GET", "/api/v1/ca.pem", None)).await;
    assert_eq!(answer.headers()["content-type"], "application/x-x509-ca-cert");
    let pem = answer.into_body().collect().await.unwrap().to_bytes();
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(&pem).unwrap()).unwrap();
    trusting(roots)
}

fn trusting(roots: rustls::RootCertStore) -> TlsConnector {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    TlsConnector::from(Arc::new(config))
}

async fn connect(
    served: &Served,
    client: &TlsConnector,
    name: &str,
) -> std::io::Result<TlsStream<TcpStream>> {
    let tcp = TcpStream::connect(served.addr).await.unwrap();
    let name = ServerName::try_from(name.to_owned()).unwrap();
    timeout(PATIENCE, client.connect(name, tcp)).await.expect("a handshake in time")
}

#[tokio::test]
async fn https_is_spoken_to_who_trusts_the_authority() {
    let served = Served::secure().await;
    let client = client(&served).await;
    for name in ["localhost", "127.0.0.1"] {
        let stream = connect(&served, &client, name).await.unwrap();
        let answer =
            read(exchange(stream, served.request("GET", "/api/v1/sessions", None)).await).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    let stream = connect(&served, &client, "localhost").await.unwrap();
    let answer = read(exchange(stream, served.plain("GET", "/api/v1/sessions", None)).await).await;
    assert_eq!((answer.status.as_u16(), answer.code()), (401, "token_missing"));
    // Another name than those in it, and nobody to trust.
    assert!(connect(&served, &client, "laptop.example").await.is_err());
    let nobody = trusting(rustls::RootCertStore::empty());
    assert!(connect(&served, &nobody, "localhost").await.is_err());
    served.end().await;
}

#[tokio::test]
async fn host_and_origin_are_those_of_https() {
    let served = Served::secure().await;
    let client = client(&served).await;
    let port = served.addr.port();
    for (host, origin, status) in [
        (format!("localhost:{port}"), format!("https://localhost:{port}"), 200),
        (format!("localhost:{port}"), format!("http://localhost:{port}"), 403),
        (format!("localhost:{port}"), "https://localhost".to_owned(), 403),
        (format!("evil.example:{port}"), format!("https://localhost:{port}"), 403),
    ] {
        let mut request = served.request("GET", "/api/v1/sessions", None);
        request.headers_mut().insert("host", host.parse().unwrap());
        request.headers_mut().insert("origin", origin.parse().unwrap());
        let stream = connect(&served, &client, "localhost").await.unwrap();
        let answer = read(exchange(stream, request).await).await;
        assert_eq!(answer.status.as_u16(), status, "{host} {origin}: {answer:?}");
    }
    served.end().await;
}

#[tokio::test]
async fn a_terminal_opens_over_tls() {
    let served = Served::secure().await;
    let client = client(&served).await;
    let request = served.plain("POST", "/api/v1/sessions", Some(&served.new_session("over TLS")));
    let made = read(served.send_by_socket(request).await).await;
    let id = made.body["id"].as_str().unwrap().to_owned();
    let port = served.addr.port();
    let open = async |origin: String| {
        let url = format!("wss://localhost:{port}/api/v1/sessions/{id}/terminal");
        let mut request = url.into_client_request().unwrap();
        let protocols = format!("qd.terminal.v1, qd.bearer.{}", served.token);
        request.headers_mut().insert("sec-websocket-protocol", protocols.parse().unwrap());
        request.headers_mut().insert("origin", origin.parse().unwrap());
        let stream = connect(&served, &client, "localhost").await.unwrap();
        client_async(request, stream).await
    };
    let refused = open(format!("http://localhost:{port}")).await;
    assert!(matches!(refused, Err(Error::Http(ref answer)) if answer.status() == 403));
    let (mut socket, _) = open(format!("https://localhost:{port}")).await.unwrap();
    let attach = json!({ "type": "attach", "from": null, "cols": 80, "rows": 24 });
    socket.send(Message::text(attach.to_string())).await.unwrap();
    let first = timeout(PATIENCE, socket.next()).await.expect("a frame in time");
    let Some(Ok(Message::Text(text))) = first else { panic!("no frame: {first:?}") };
    assert!(text.contains("\"type\""), "{text}");
    drop(socket);
    served.end().await;
}

#[tokio::test]
async fn plain_http_is_answered_and_whoever_is_silent_keeps_nobody_out() {
    let served = Served::secure().await;
    let client = client(&served).await;
    let mut plain = TcpStream::connect(served.addr).await.unwrap();
    plain.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    timeout(PATIENCE, plain.read_to_string(&mut answer)).await.expect("an answer").unwrap();
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["code"], "bad_request");
    assert!(body["hint"].as_str().unwrap().contains("https://"), "{body}");

    let silent = TcpStream::connect(served.addr).await.unwrap();
    let stream = connect(&served, &client, "localhost").await.unwrap();
    let answer =
        read(exchange(stream, served.request("GET", "/api/v1/sessions", None)).await).await;
    assert_eq!(answer.status, 200);
    served.end().await;
    drop(silent);
}
