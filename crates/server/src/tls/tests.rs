use std::os::unix::fs::PermissionsExt as _;

use rustls::RootCertStore;
use rustls::client::verify_server_cert_signed_by_trust_anchor;
use rustls::pki_types::{ServerName, UnixTime};
use rustls::server::ParsedCertificate;

use super::*;

const NOW: Millis = Millis(1_800_000_000_000);
const DAY: i64 = 24 * 60 * 60 * 1000;

fn names() -> Vec<String> {
    ["localhost", "192.168.1.7", "::1", "laptop.local", "203.0.113.9", "bank.example"]
        .map(str::to_owned)
        .to_vec()
}

/// Whether a client that trusts the authority of the home takes what is shown, for a name.
fn trusted(home: &Path, shown: &Shown, name: &str) -> Result<(), rustls::Error> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(home.join("tls/ca.pem")).unwrap()).unwrap();
    let certificate = ParsedCertificate::try_from(&shown.key.cert[0])?;
    let now = UnixTime::since_unix_epoch(std::time::Duration::from_millis(NOW.0.unsigned_abs()));
    let algorithms = provider().signature_verification_algorithms;
    verify_server_cert_signed_by_trust_anchor(&certificate, &roots, &[], now, algorithms.all)?;
    let name = ServerName::try_from(name.to_owned()).unwrap();
    rustls::client::verify_server_name(&certificate, &name)
}

#[test]
fn the_authority_of_a_home_is_made_once_is_private_and_vouches_for_private_names_only() {
    let home = tempfile::tempdir().unwrap();
    let source = TlsSource::Authority(home.path().to_owned());
    let first = load(&source, &names(), NOW).unwrap();
    assert_eq!(first.view.names, ["localhost", "192.168.1.7", "::1", "laptop.local"]);
    for name in ["localhost", "192.168.1.7", "::1", "laptop.local"] {
        trusted(home.path(), &first, name).unwrap();
    }
    assert!(trusted(home.path(), &first, "bank.example").is_err());
    let mode = |name: &str| {
        std::fs::metadata(home.path().join(name)).unwrap().permissions().mode() & 0o777
    };
    assert_eq!((mode("tls"), mode("tls/ca.key"), mode("tls/ca.pem")), (0o700, 0o600, 0o600));
    // A key that others could read is taken back.
    let key = home.path().join("tls/ca.key");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
    let second = load(&source, &names(), NOW).unwrap();
    assert_eq!(mode("tls/ca.key"), 0o600);
    assert_eq!(second.view.ca_sha256, first.view.ca_sha256);
    assert_ne!(second.view.sha256, first.view.sha256);
    trusted(home.path(), &second, "localhost").unwrap();
    // Before it ends there is another, and not sooner.
    let authority =
        |days: i64| load(&source, &names(), Millis(NOW.0 + days * DAY)).unwrap().view.ca_sha256;
    assert_eq!(authority(3559), first.view.ca_sha256);
    assert_ne!(authority(3561), first.view.ca_sha256);
}

/// Even with its key in hand, nobody is deceived about other sites.
#[test]
fn what_the_authority_signs_for_other_names_is_not_believed() {
    let home = tempfile::tempdir().unwrap();
    let source = TlsSource::Authority(home.path().to_owned());
    let mut shown = load(&source, &names(), NOW).unwrap();
    let pem = std::fs::read_to_string(home.path().join("tls/ca.key")).unwrap();
    let key = rcgen::KeyPair::from_pem(&pem).unwrap();
    let mut params = rcgen::CertificateParams::default();
    let name = format!("Quarterdeck {}", short(key.public_key_raw()));
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(rcgen::DnType::CommonName, name);
    let issuer = rcgen::Issuer::new(params, key);
    for (name, taken) in [("localhost", true), ("bank.example", false)] {
        let own = rcgen::KeyPair::generate().unwrap();
        let params = rcgen::CertificateParams::new(vec![name.to_owned()]).unwrap();
        let forged = params.signed_by(&own, &issuer).unwrap();
        let key = PrivateKeyDer::try_from(own.serialize_der()).unwrap();
        let certified = CertifiedKey::from_der(vec![forged.der().clone()], key, &provider());
        shown.key = Arc::new(certified.unwrap());
        assert_eq!(trusted(home.path(), &shown, name).is_ok(), taken, "{name}");
    }
}

fn short(key: &[u8]) -> String {
    Sha256::digest(key).iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_certificate_that_cannot_be_shown_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let pair = |name: &str, from: i64, until: i64| {
        let key = rcgen::KeyPair::generate().unwrap();
        let mut params = rcgen::CertificateParams::new(vec!["x.example".to_owned()]).unwrap();
        let time = |days: i64| {
            time::OffsetDateTime::from_unix_timestamp((NOW.0 + days * DAY) / 1000).unwrap()
        };
        (params.not_before, params.not_after) = (time(from), time(until));
        let certificate = params.self_signed(&key).unwrap();
        std::fs::write(at(&format!("{name}.pem")), certificate.pem()).unwrap();
        std::fs::write(at(&format!("{name}.key")), key.serialize_pem()).unwrap();
    };
    pair("good", -1, 1);
    pair("other", -1, 1);
    pair("old", -2, -1);
    pair("early", 1, 2);
    std::fs::write(at("empty"), "").unwrap();
    std::fs::write(at("odd"), "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
        .unwrap();
    let load = |certificate: &str, key: &str| {
        let source = TlsSource::Files { certificate: at(certificate), key: at(key) };
        load(&source, &[], NOW)
    };
    let good = load("good.pem", "good.key").unwrap();
    assert_eq!((good.view.ca_file, good.until), (None, Millis(NOW.0 + DAY)));
    for (certificate, key, words) in [
        ("good.pem", "other.key", "The key is not that of the certificate"),
        ("old.pem", "old.key", "was valid until 2027-01-14T"),
        ("early.pem", "early.key", "is not valid before 2027-01-16T"),
        ("none.pem", "good.key", "none.pem cannot be read: No such file"),
        ("good.pem", "none.key", "none.key cannot be read: No such file"),
        ("empty", "good.key", "There is no certificate in"),
        ("good.pem", "empty", "There is no private key in"),
        ("good.pem", "good.pem", "There is no private key in"),
        ("odd", "good.key", "holds no certificate that can be read"),
    ] {
        let problem = load(certificate, key).unwrap_err();
        assert_eq!(problem.code, Code::TlsRefused);
        assert!(problem.message.contains(words), "{certificate} {key}: {}", problem.message);
        assert!(!problem.hint.is_empty());
    }
}

#[test]
fn a_damaged_authority_is_told_and_not_replaced() {
    let home = tempfile::tempdir().unwrap();
    let source = TlsSource::Authority(home.path().to_owned());
    load(&source, &names(), NOW).unwrap();
    let file = home.path().join("tls/ca.pem");
    let key = rcgen::KeyPair::generate().unwrap();
    let params = rcgen::CertificateParams::new(vec!["x".to_owned()]).unwrap();
    for text in [params.self_signed(&key).unwrap().pem(), "x".to_owned()] {
        std::fs::write(&file, &text).unwrap();
        let problem = load(&source, &names(), NOW).unwrap_err();
        assert_eq!(problem.code, Code::TlsRefused);
        assert!(problem.hint.contains("move the folder"), "{problem}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    }
}
