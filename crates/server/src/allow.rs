use std::net::{IpAddr, SocketAddr};

use qd_core::{Code, Problem};

/// The hosts and origins that a request may name. Made once, before the first request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AllowLists {
    /// `name:port`, and `name` alone where the port is the scheme's own.
    hosts: Vec<String>,
    /// `scheme://name:port`, and without the port where it is the scheme's own.
    origins: Vec<String>,
}

impl AllowLists {
    /// The lists for a listener at `bound` that is also reached by `public_urls`; with TLS by
    /// `names`, too.
    ///
    /// # Errors
    /// `field_invalid` when a public URL is not `http://HOST[:PORT]` or `https://HOST[:PORT]`.
    pub(crate) fn new(
        bound: Option<SocketAddr>,
        names: Option<&[String]>,
        public_urls: &[String],
    ) -> Result<Self, Problem> {
        let mut lists = Self::default();
        if let Some(addr) = bound {
            let scheme = if names.is_some() { "https" } else { "http" };
            for name in ["127.0.0.1", "localhost", "[::1]"] {
                lists.admit(scheme, name, addr.port());
            }
            if !addr.ip().is_unspecified() {
                lists.admit(scheme, &host_of(addr.ip()), addr.port());
            }
            for name in names.unwrap_or_default() {
                let host = name.parse().map_or_else(|_| name.clone(), host_of);
                lists.admit(scheme, &host, addr.port());
            }
        }
        for url in public_urls {
            let (scheme, host, port) = parse_public_url(url)?;
            lists.admit(scheme, &host, port);
        }
        Ok(lists)
    }

    /// Whether a `Host` header is on the list.
    pub(crate) fn host(&self, header: &str) -> bool {
        let header = header.to_ascii_lowercase();
        self.hosts.contains(&header)
    }

    /// Whether an `Origin` header is on the list. `null` is not, whatever the list says.
    pub(crate) fn origin(&self, header: &str) -> bool {
        let header = header.to_ascii_lowercase();
        self.origins.contains(&header)
    }

    fn admit(&mut self, scheme: &str, host: &str, port: u16) {
        let mut add = |authority: String| {
            let origin = format!("{scheme}://{authority}");
            if !self.origins.contains(&origin) {
                self.origins.push(origin);
            }
            if !self.hosts.contains(&authority) {
                self.hosts.push(authority);
            }
        };
        add(format!("{host}:{port}"));
        if port == default_port(scheme) {
            add(host.to_owned());
        }
    }
}

fn host_of(ip: IpAddr) -> String {
    match ip {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    }
}

fn default_port(scheme: &str) -> u16 {
    if scheme == "https" { 443 } else { 80 }
}

/// Whether a text can be the address of a proxy or tunnel that leads here.
///
/// # Errors
/// `field_invalid` when it is not `http://HOST[:PORT]` or `https://HOST[:PORT]`.
pub fn check_public_url(url: &str) -> Result<(), Problem> {
    parse_public_url(url).map(drop)
}

fn parse_public_url(url: &str) -> Result<(&'static str, String, u16), Problem> {
    let refuse = || {
        Problem::new(
            Code::FieldInvalid,
            format!("\u{201c}{url}\u{201d} cannot be a public URL."),
            "Give the address that the browser shows, such as https://qd.example.org, with no path.",
        )
        .on("public_url")
    };
    let lower = url.to_ascii_lowercase();
    let (scheme, rest) = if let Some(rest) = lower.strip_prefix("https://") {
        ("https", rest)
    } else if let Some(rest) = lower.strip_prefix("http://") {
        ("http", rest)
    } else {
        return Err(refuse());
    };
    let authority = rest.strip_suffix('/').unwrap_or(rest);
    // A port follows the last colon that is not inside the brackets of an IPv6 address.
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => {
            (host, port.parse::<u16>().ok().filter(|p| *p != 0).ok_or_else(refuse)?)
        }
        _ => (authority, default_port(scheme)),
    };
    let named = !host.is_empty()
        && host.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_'));
    let bracketed = host
        .strip_prefix('[')
        .and_then(|h| h.strip_suffix(']'))
        .is_some_and(|h| h.parse::<std::net::Ipv6Addr>().is_ok());
    if named || bracketed { Ok((scheme, host.to_owned(), port)) } else { Err(refuse()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists(public: &[&str]) -> AllowLists {
        let public: Vec<String> = public.iter().map(ToString::to_string).collect();
        AllowLists::new(Some("127.0.0.1:4747".parse().unwrap()), None, &public).unwrap()
    }

    #[test]
    fn loopback_names_need_our_port() {
        let lists = lists(&[]);
        for host in ["127.0.0.1:4747", "localhost:4747", "LOCALHOST:4747", "[::1]:4747"] {
            assert!(lists.host(host), "{host}");
            assert!(lists.origin(&format!("http://{host}")), "{host}");
        }
        for host in [
            "",
            "localhost",
            "localhost:3000",
            "evil.example",
            "evil.example:4747",
            "localhost.evil.example:4747",
            "127.0.0.1.evil.example:4747",
            "localhost.:4747",
            "0.0.0.0:4747",
            "127.0.0.2:4747",
            "localhost:4747@evil.example",
            " localhost:4747",
        ] {
            assert!(!lists.host(host), "{host}");
        }
        for origin in [
            "null",
            "",
            "http://localhost:3000",
            "https://localhost:4747",
            "http://localhost:4747/",
            "http://evil.example",
            "localhost:4747",
        ] {
            assert!(!lists.origin(origin), "{origin}");
        }
    }

    #[test]
    fn a_public_url_adds_its_name_with_and_without_the_schemes_port() {
        let lists = lists(&["https://QD.example.org/", "http://laptop:8000", "http://[fd00::1]"]);
        for host in [
            "qd.example.org",
            "qd.example.org:443",
            "laptop:8000",
            "[fd00::1]",
            "[fd00::1]:80",
            "127.0.0.1:4747",
        ] {
            assert!(lists.host(host), "{host}");
        }
        assert!(lists.origin("https://qd.example.org"));
        assert!(!lists.origin("http://qd.example.org"));
        assert!(lists.origin("http://laptop:8000"));
        assert!(!lists.host("laptop"));
    }

    #[test]
    fn with_tls_the_names_are_those_of_https_and_of_nothing_else() {
        let names = ["localhost", "192.168.1.7", "fd00::7", "laptop.local"].map(str::to_owned);
        let bound = Some("0.0.0.0:4747".parse().unwrap());
        let lists = AllowLists::new(bound, Some(&names), &[]).unwrap();
        for host in ["localhost:4747", "192.168.1.7:4747", "[fd00::7]:4747", "laptop.local:4747"] {
            assert!(lists.host(host), "{host}");
            assert!(lists.origin(&format!("https://{host}")), "{host}");
            assert!(!lists.origin(&format!("http://{host}")), "{host}");
        }
        for host in ["0.0.0.0:4747", "192.168.1.8:4747", "laptop.local", "laptop.local:443"] {
            assert!(!lists.host(host), "{host}");
        }
    }

    #[test]
    fn a_public_url_that_is_more_than_an_origin_is_refused() {
        for bad in [
            "qd.example.org",
            "ftp://x",
            "http://",
            "http://x/path",
            "http://u@x",
            "http://x:0",
            "http://x:99999",
            "http://x y",
            "http://*.x",
            "null",
        ] {
            let problem = AllowLists::new(None, None, &[bad.to_owned()]).unwrap_err();
            assert_eq!(problem.code, Code::FieldInvalid, "{bad}");
            assert_eq!(check_public_url(bad), Err(problem), "{bad}");
        }
    }
}
