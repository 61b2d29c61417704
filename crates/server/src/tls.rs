//! TLS of our own: with a certificate that is given, or with one of an authority of the home.

mod authority;
mod door;
mod names;
mod renew;
mod validity;

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use qd_api::{TlsView, rfc3339};
use qd_core::{Code, Millis, Problem};
use qd_daemon::Clock;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::{Error as PemError, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use sha2::{Digest as _, Sha256};

pub(crate) use door::{Arriving, TlsDoor};
pub(crate) use renew::Renewal;

/// Where the certificate comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TlsSource {
    /// An authority of our own, in the folder `tls` of this home; it is made when it is not there.
    Authority(PathBuf),
    /// Files in PEM: the certificate with those that lead to its root, and its key.
    Files {
        /// The certificate, and after it its chain.
        certificate: PathBuf,
        /// The key of the certificate.
        key: PathBuf,
    },
}

/// What a server shows to who connects, until it is renewed.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    pub(crate) key: Arc<CertifiedKey>,
    /// When it is not valid any more.
    pub(crate) until: Millis,
    pub(crate) view: TlsView,
}

/// A certificate that was found good, and how to get the next one.
#[derive(Clone, Debug)]
pub struct Tls {
    source: TlsSource,
    names: Vec<String>,
    clock: Clock,
    shown: Shown,
}

impl Tls {
    /// Reads the certificate, or has one made for the names that a listener at `bound` is reached
    /// by.
    ///
    /// # Errors
    /// `tls_refused` when a file cannot be read or is none, the key is of another certificate, or
    /// the certificate is not valid now; `home_not_writable`.
    pub fn load(source: TlsSource, bound: IpAddr, clock: Clock) -> Result<Self, Problem> {
        let names = names::of(bound);
        let shown = load(&source, &names, clock.now())?;
        Ok(Self { source, names, clock, shown })
    }

    /// What is told of it: fingerprints, names, files.
    #[must_use]
    pub fn view(&self) -> &TlsView {
        &self.shown.view
    }

    /// The certificate of our own authority, in PEM.
    pub(crate) fn ca_pem(&self) -> Option<String> {
        std::fs::read_to_string(self.shown.view.ca_file.as_ref()?).ok()
    }

    /// The names by which others reach the listener; of our own certificate those in it.
    pub(crate) fn public_names(&self) -> Vec<String> {
        let told = &self.shown.view.names;
        let vouched = |name: &&String| told.is_empty() || told.contains(name);
        let others = self.names.iter().filter(|name| !names::is_loopback(name));
        others.filter(vouched).cloned().collect()
    }

    /// The names that the listener is reached by, those of loopback included.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }
}

/// The provider of all cryptography, named where it is used: none is chosen by what is linked.
pub(crate) fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

fn load(source: &TlsSource, names: &[String], now: Millis) -> Result<Shown, Problem> {
    match source {
        TlsSource::Authority(home) => {
            let issued = authority::issue(home, names, now)?;
            let file = Some(issued.file.display().to_string());
            let mut shown = shown(issued.chain, issued.key, &issued.file, now)?;
            shown.view.ca_file = file;
            shown.view.ca_sha256 = Some(fingerprint(&issued.authority));
            shown.view.names = issued.names;
            Ok(shown)
        }
        TlsSource::Files { certificate, key } => {
            let chain: Result<Vec<_>, _> =
                CertificateDer::pem_file_iter(certificate).and_then(Iterator::collect);
            let chain = chain.map_err(|error| unreadable(certificate, "certificate", &error))?;
            let private = PrivateKeyDer::from_pem_file(key)
                .map_err(|error| unreadable(key, "private key", &error))?;
            shown(chain, private, certificate, now)
        }
    }
}

/// Judges a certificate and its key.
fn shown(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    file: &Path,
    now: Millis,
) -> Result<Shown, Problem> {
    let Some(first) = chain.first() else {
        return Err(unreadable(file, "certificate", &PemError::NoItemsFound));
    };
    let validity = validity::of(first).ok_or_else(|| {
        refused(
            format!("{} holds no certificate that can be read.", file.display()),
            "Give the certificate in PEM, and after it those that lead to its root.",
        )
    })?;
    if now >= validity.until {
        return Err(refused(
            format!(
                "The certificate in {} was valid until {}.",
                file.display(),
                rfc3339(validity.until)
            ),
            "Renew it, then start again; or leave out --tls-cert and --tls-key, and take --tls.",
        ));
    }
    if now < validity.from {
        return Err(refused(
            format!(
                "The certificate in {} is not valid before {}.",
                file.display(),
                rfc3339(validity.from)
            ),
            "Compare the clock of this machine, or give a certificate that is valid now.",
        ));
    }
    let sha256 = fingerprint(first);
    let certified = CertifiedKey::from_der(chain, key, &provider()).map_err(|error| match error {
        rustls::Error::InconsistentKeys(_) => refused(
            format!("The key is not that of the certificate in {}.", file.display()),
            "Give the key with which that certificate was asked for.",
        ),
        other => refused(
            format!("The certificate in {} and its key cannot be used: {other}.", file.display()),
            "Give a certificate with an RSA, ECDSA or Ed25519 key, in PEM and without a password.",
        ),
    })?;
    Ok(Shown {
        key: Arc::new(certified),
        until: validity.until,
        view: TlsView {
            sha256,
            expires_at: rfc3339(validity.until),
            names: vec![],
            ca_file: None,
            ca_sha256: None,
        },
    })
}

/// As phones and browsers show it: pairs of hexadecimal digits with colons between.
fn fingerprint(certificate: &[u8]) -> String {
    let pairs = Sha256::digest(certificate).iter().map(|b| format!("{b:02X}")).collect::<Vec<_>>();
    pairs.join(":")
}

pub(crate) fn refused(message: String, hint: &str) -> Problem {
    Problem::new(Code::TlsRefused, message, hint).on("tls")
}

fn unreadable(file: &Path, what: &str, error: &PemError) -> Problem {
    match error {
        PemError::Io(error) => refused(
            format!("The {what} {} cannot be read: {error}.", file.display()),
            "Give a file that you may read; the key is to be readable by you only.",
        ),
        PemError::NoItemsFound => refused(
            format!("There is no {what} in {}.", file.display()),
            "Give it in PEM: text that has -----BEGIN in it, and for a key no password.",
        ),
        other => refused(
            format!("{} holds no {what} that can be read: {other}.", file.display()),
            "Give it in PEM: text that has -----BEGIN in it, and for a key no password.",
        ),
    }
}

#[cfg(test)]
mod tests;
