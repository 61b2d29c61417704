//! An authority for one home. It can vouch for this machine's name and for private addresses and
//! no others: a phone that trusts it is no easier to deceive about the rest of the world.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use qd_core::{Code, Millis, Problem};
use rcgen::{
    BasicConstraints, CertificateParams, CidrSubnet, DnType, ExtendedKeyUsagePurpose,
    GeneralSubtree, IsCa, Issuer, KeyPair, KeyUsagePurpose, NameConstraints, SanType,
};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use sha2::{Digest as _, Sha256};
use time::OffsetDateTime;

use super::{names, refused, validity};

const DAY: i64 = 24 * 60 * 60 * 1000;
/// How long the authority is valid, in milliseconds: as long as a phone is kept, and longer.
const AUTHORITY_LASTS: i64 = 10 * 365 * DAY;
/// With so little left another one is made, in milliseconds.
const AUTHORITY_ENDS: i64 = 90 * DAY;
/// How long a certificate is valid, in milliseconds. Phones take none of more than 825 days.
const CERTIFICATE_LASTS: i64 = 90 * DAY;
/// Clocks of other devices may be behind, in milliseconds.
const BEFORE: i64 = DAY;
/// Ends of names that exist in private networks only.
const PRIVATE_DOMAINS: [&str; 5] = ["localhost", "local", "lan", "internal", "home.arpa"];

/// A certificate that the authority of a home has made.
pub(crate) struct Issued {
    /// The certificate alone; who trusts the authority has that already.
    pub(crate) chain: Vec<CertificateDer<'static>>,
    pub(crate) key: PrivateKeyDer<'static>,
    /// The names in it.
    pub(crate) names: Vec<String>,
    /// The authority's own certificate, and its file.
    pub(crate) authority: CertificateDer<'static>,
    pub(crate) file: PathBuf,
}

struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: CertificateDer<'static>,
    file: PathBuf,
    /// The name that the machine had when it was made.
    host: String,
}

/// Makes a certificate for those of the names that the authority may vouch for.
///
/// # Errors
/// `tls_refused` when the authority's files are damaged; `home_not_writable`.
pub(crate) fn issue(home: &Path, wanted: &[String], now: Millis) -> Result<Issued, Problem> {
    let authority = Authority::of(home, now)?;
    let may = |name: &&String| authority.may_vouch_for(name);
    let names: Vec<String> = wanted.iter().filter(may).cloned().collect();
    let make = || -> Result<Issued, rcgen::Error> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::default();
        for name in &names {
            params.subject_alt_names.push(match name.parse::<IpAddr>() {
                Ok(ip) => SanType::IpAddress(ip),
                Err(_) => SanType::DnsName(name.as_str().try_into()?),
            });
        }
        params.distinguished_name = rcgen::DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, "Quarterdeck");
        params.use_authority_key_identifier_extension = true;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.not_before = at(now.0 - BEFORE);
        params.not_after = at(now.0 + CERTIFICATE_LASTS);
        let certificate = params.signed_by(&key, &authority.issuer)?;
        Ok(Issued {
            chain: vec![certificate.der().clone()],
            key: PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der())),
            names: names.clone(),
            authority: authority.certificate.clone(),
            file: authority.file.clone(),
        })
    };
    make().map_err(|error| not_made(&error))
}

impl Authority {
    /// The authority of a home, made when there is none or when it ends soon.
    fn of(home: &Path, now: Millis) -> Result<Self, Problem> {
        let folder = home.join("tls");
        let (file, key_file) = (folder.join("ca.pem"), folder.join("ca.key"));
        let there = match fs::read_to_string(&key_file) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(damaged(&key_file, &error.to_string())),
        };
        if let Some(text) = there {
            keep_private(&key_file)?;
            let key = KeyPair::from_pem(&text).map_err(|e| damaged(&key_file, &e.to_string()))?;
            let certificate = CertificateDer::from_pem_file(&file)
                .map_err(|error| damaged(&file, &error.to_string()))?;
            let host = fs::read_to_string(folder.join("ca.host")).unwrap_or_default();
            let left = validity::of(&certificate).map_or(0, |valid| valid.until.0 - now.0);
            if !holds(&certificate, &key) {
                return Err(damaged(&file, "it is not that of the key beside it"));
            }
            if left > AUTHORITY_ENDS {
                let issuer = Issuer::new(params(&key, &host, now), key);
                return Ok(Self { issuer, certificate, file, host });
            }
            tracing::warn!("the authority of the home ends; another is made, to be installed anew");
        }
        let host = names::host().unwrap_or_default();
        let make = || -> Result<(KeyPair, CertificateParams, rcgen::Certificate), rcgen::Error> {
            let key = KeyPair::generate()?;
            let params = params(&key, &host, now);
            let certificate = params.self_signed(&key)?;
            Ok((key, params, certificate))
        };
        let (key, params, made) = make().map_err(|error| not_made(&error))?;
        let write = || -> std::io::Result<()> {
            DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
            write_private(&folder.join("ca.host"), &host)?;
            write_private(&file, &made.pem())?;
            // The key last: while it is not there, all is made again.
            write_private(&key_file, &key.serialize_pem())
        };
        write().map_err(|error| {
            Problem::new(
                Code::HomeNotWritable,
                format!("{} cannot be written: {error}.", folder.display()),
                "Mend its permissions, or name another home with `--home DIR`.",
            )
        })?;
        let certificate = made.der().clone();
        Ok(Self { issuer: Issuer::new(params, key), certificate, file, host })
    }

    fn may_vouch_for(&self, name: &str) -> bool {
        match name.parse::<IpAddr>() {
            Ok(ip) => private_networks().iter().any(|(net, prefix)| within(ip, *net, *prefix)),
            Err(_) => {
                let under = |domain: &str| {
                    name.strip_suffix(domain).is_some_and(|n| n.is_empty() || n.ends_with('.'))
                };
                PRIVATE_DOMAINS.into_iter().any(under)
                    || (!self.host.is_empty() && under(&self.host))
            }
        }
    }
}

/// What the authority's certificate says. The name follows from the key, so that it is the same
/// whenever it is asked for.
fn params(key: &KeyPair, host: &str, now: Millis) -> CertificateParams {
    let mut params = CertificateParams::default();
    let of_key = Sha256::digest(key.public_key_raw());
    let tail: String = of_key.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, format!("Quarterdeck {tail}"));
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let own = (!host.is_empty()).then_some(host);
    let domains = PRIVATE_DOMAINS.into_iter().chain(own);
    let mut permitted: Vec<_> =
        domains.map(|domain| GeneralSubtree::DnsName(domain.to_owned())).collect();
    permitted.extend(private_networks().iter().map(|(net, prefix)| {
        GeneralSubtree::IpAddress(CidrSubnet::from_addr_prefix(*net, *prefix))
    }));
    params.name_constraints =
        Some(NameConstraints { permitted_subtrees: permitted, excluded_subtrees: vec![] });
    params.not_before = at(now.0 - BEFORE);
    params.not_after = at(now.0 + AUTHORITY_LASTS);
    params
}

/// Addresses that nobody has on the open network: loopback, RFC 1918, 3927, 6598 (as in meshes),
/// 4193, 4291.
fn private_networks() -> [(IpAddr, u8); 9] {
    let v4 = |a, b, c, d| IpAddr::V4(Ipv4Addr::new(a, b, c, d));
    let v6 = |first| IpAddr::V6(Ipv6Addr::new(first, 0, 0, 0, 0, 0, 0, 0));
    [
        (v4(127, 0, 0, 0), 8),
        (v4(10, 0, 0, 0), 8),
        (v4(172, 16, 0, 0), 12),
        (v4(192, 168, 0, 0), 16),
        (v4(169, 254, 0, 0), 16),
        (v4(100, 64, 0, 0), 10),
        (IpAddr::V6(Ipv6Addr::LOCALHOST), 128),
        (v6(0xfc00), 7),
        (v6(0xfe80), 10),
    ]
}

fn within(ip: IpAddr, net: IpAddr, prefix: u8) -> bool {
    let prefix = u32::from(prefix);
    match (ip, net) {
        (IpAddr::V4(ip), IpAddr::V4(net)) => {
            (ip.to_bits() ^ net.to_bits()).leading_zeros() >= prefix
        }
        (IpAddr::V6(ip), IpAddr::V6(net)) => {
            (ip.to_bits() ^ net.to_bits()).leading_zeros() >= prefix
        }
        _ => false,
    }
}

/// Whether a certificate is for this key: its public half stands in it as it is.
fn holds(certificate: &[u8], key: &KeyPair) -> bool {
    let public = key.public_key_raw();
    certificate.windows(public.len()).any(|window| window == public)
}

fn at(millis: i64) -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp(millis.div_euclid(1000))
        .unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

fn keep_private(file: &Path) -> Result<(), Problem> {
    let mend = || -> std::io::Result<()> {
        if fs::metadata(file)?.mode() & 0o077 != 0 {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(file, fs::Permissions::from_mode(0o600))?;
        }
        Ok(())
    };
    mend().map_err(|error| damaged(file, &error.to_string()))
}

/// Writes a file that only its owner may read, whole or not at all.
fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    let half = path.with_extension(format!("half-{}", std::process::id()));
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&half)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&half, path)
}

fn damaged(file: &Path, why: &str) -> Problem {
    refused(
        format!("{} cannot be used: {why}.", file.display()),
        "Put the file back, or move the folder `tls` of the home away: another authority is made \
         then, and devices have to install it.",
    )
}

fn not_made(error: &rcgen::Error) -> Problem {
    refused(
        format!("A certificate could not be made: {error}."),
        "Give one of your own with --tls-cert and --tls-key.",
    )
}
