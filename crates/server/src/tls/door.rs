use std::io;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// The first byte of a TLS connection: a handshake record.
const HANDSHAKE: u8 = 0x16;
/// How long a connection may take until it is one.
const WITHIN: Duration = Duration::from_secs(10);
/// What who speaks plain HTTP is told.
const PLAIN: &str = concat!(
    "HTTP/1.1 400 Bad Request\r\nContent-Type: application/problem+json\r\n",
    "Connection: close\r\nCache-Control: no-store\r\n",
    "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'; sandbox\r\n",
    "X-Content-Type-Options: nosniff\r\n\r\n",
    r#"{"type":"about:blank","title":"This port takes HTTPS only.","status":400,"#,
    r#""code":"bad_request","hint":"Begin the address with https://."}"#,
    "\n"
);

/// A listener whose connections are TLS.
pub(crate) struct TlsDoor {
    tcp: TcpListener,
    acceptor: TlsAcceptor,
}

/// A connection before its handshake.
pub(crate) struct Arriving {
    tcp: TcpStream,
    acceptor: TlsAcceptor,
}

impl TlsDoor {
    pub(crate) fn new(tcp: TcpListener, acceptor: TlsAcceptor) -> Self {
        Self { tcp, acceptor }
    }

    pub(crate) async fn next(&self) -> io::Result<Arriving> {
        let (tcp, _) = self.tcp.accept().await?;
        Ok(Arriving { tcp, acceptor: self.acceptor.clone() })
    }
}

impl Arriving {
    pub(crate) fn tcp(&self) -> &TcpStream {
        &self.tcp
    }

    /// Shakes hands; none when that failed or took too long.
    pub(crate) async fn shaken(self) -> Option<TlsStream<TcpStream>> {
        match timeout(WITHIN, self.shake()).await {
            Ok(Ok(stream)) => Some(stream),
            Ok(Err(error)) => {
                tracing::debug!(%error, "no TLS came about");
                None
            }
            Err(_) => None,
        }
    }

    async fn shake(mut self) -> io::Result<TlsStream<TcpStream>> {
        let mut first = [0];
        if self.tcp.peek(&mut first).await? == 1 && first[0] != HANDSHAKE {
            self.tcp.write_all(PLAIN.as_bytes()).await?;
            self.tcp.shutdown().await?;
            // Closed with bytes unread, the answer would be thrown away on its way.
            let mut rest = [0; 4096];
            while tokio::io::AsyncReadExt::read(&mut self.tcp, &mut rest).await? > 0 {}
            return Err(io::Error::other("plain HTTP"));
        }
        self.acceptor.accept(self.tcp).await
    }
}
