use std::sync::Arc;
use std::time::Duration;

use qd_core::Millis;
use rustls::ServerConfig;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::{Shown, Tls, TlsSource, load, provider, refused};

/// How often the certificate is looked at.
const LOOK: Duration = Duration::from_secs(60 * 60);
/// With so little left a certificate of our own is made anew, in milliseconds.
const SOON: u64 = 30 * 24 * 60 * 60 * 1000;

/// Who renews the certificate of a running server: of our own authority when it ends soon, from
/// files when another stands there.
pub(crate) struct Renewal {
    tls: Tls,
    tell: watch::Sender<Arc<CertifiedKey>>,
}

#[derive(Debug)]
struct Latest(watch::Receiver<Arc<CertifiedKey>>);

impl ResolvesServerCert for Latest {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.0.borrow()))
    }
}

impl Renewal {
    /// What answers to handshakes with the latest certificate, and who keeps it the latest.
    pub(crate) fn new(tls: Tls) -> Result<(Self, TlsAcceptor), qd_core::Problem> {
        let (tell, latest) = watch::channel(Arc::clone(&tls.shown.key));
        let mut config = ServerConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .map_err(|error| {
                refused(format!("TLS cannot be offered: {error}."), "Serve without --tls.")
            })?
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(Latest(latest)));
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok((Self { tls, tell }, TlsAcceptor::from(Arc::new(config))))
    }

    /// Looks at the certificate again and again until the server stops.
    pub(crate) async fn run(mut self, stopping: CancellationToken) {
        loop {
            tokio::select! {
                () = stopping.cancelled() => return,
                () = tokio::time::sleep(LOOK) => {}
            }
            // Reading and making one takes a few milliseconds, once an hour at most.
            self.look(self.tls.clock.now());
        }
    }

    fn look(&mut self, now: Millis) {
        let Tls { source, names, shown, .. } = &mut self.tls;
        if matches!(source, TlsSource::Authority(_)) && shown.until.since(now) > SOON {
            return;
        }
        match load(source, names, now) {
            Ok(next) if next.view.sha256 != shown.view.sha256 => {
                tracing::info!(sha256 = next.view.sha256, "another certificate is shown");
                self.tell.send_replace(Arc::clone(&next.key));
                *shown = next;
            }
            Ok(Shown { .. }) => {}
            Err(problem) => {
                tracing::warn!(%problem, "the certificate stays as it is until {:?}", shown.until);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qd_daemon::Clock;

    #[test]
    fn a_certificate_is_made_anew_before_it_ends_and_by_the_same_authority() {
        let home = tempfile::tempdir().unwrap();
        let source = TlsSource::Authority(home.path().to_owned());
        let tls = Tls::load(source, "127.0.0.1".parse().unwrap(), Clock::System).unwrap();
        let first = tls.view().clone();
        let now = tls.clock.now();
        let (mut renewal, _) = Renewal::new(tls).unwrap();
        let day = 24 * 60 * 60 * 1000;
        renewal.look(Millis(now.0 + 50 * day));
        assert_eq!(renewal.tls.view(), &first);
        renewal.look(Millis(now.0 + 61 * day));
        let second = renewal.tls.view();
        assert_ne!(second.sha256, first.sha256);
        assert_eq!(second.ca_sha256, first.ca_sha256);
        assert_eq!(renewal.tell.borrow().cert[0].len(), renewal.tls.shown.key.cert[0].len());
    }
}
