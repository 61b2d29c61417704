use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

/// The names and addresses by which a listener at `bound` is reached, those of loopback first; an
/// IPv6 address without brackets.
pub(crate) fn of(bound: IpAddr) -> Vec<String> {
    let mut names = ["localhost", "127.0.0.1", "::1"].map(ToOwned::to_owned).to_vec();
    if !bound.is_loopback() {
        let mut addresses = BTreeSet::from([bound]);
        if bound.is_unspecified() {
            addresses = self::addresses();
            // All addresses of IPv6 are those of IPv4, too; not the other way round.
            addresses.retain(|ip| ip.is_ipv4() || bound.is_ipv6());
        }
        // The first is what a phone is led to: that of the way out comes before the others.
        let out = out().filter(|ip| addresses.contains(ip));
        names.extend(out.iter().chain(&addresses).map(ToString::to_string));
        if let Some(host) = host() {
            if !host.contains('.') {
                names.push(format!("{host}.local"));
            }
            names.push(host);
        }
    } else {
        names.push(bound.to_string());
    }
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// The machine's own name, in lower case, when it can stand in a certificate.
pub(crate) fn host() -> Option<String> {
    let name = rustix::system::uname().nodename().to_str().ok()?.to_ascii_lowercase();
    let fits = |label: &str| {
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        !label.is_empty() && label.len() < 64 && label.bytes().all(plain)
    };
    (name != "localhost" && name.len() < 200 && name.split('.').all(fits)).then_some(name)
}

/// Whether a name leads to this machine only.
pub(crate) fn is_loopback(name: &str) -> bool {
    name == "localhost" || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Addresses of this machine, as far as it tells: loopback and those of one cable are left out.
fn addresses() -> BTreeSet<IpAddr> {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let mut found = in_fib_trie(&read("/proc/net/fib_trie"));
    found.extend(in_if_inet6(&read("/proc/net/if_inet6")));
    found.extend(out());
    found.retain(|ip| !ip.is_loopback() && !ip.is_unspecified());
    found
}

/// The address that a packet to elsewhere leaves with. Nothing is sent: the address is one for
/// documents, and connecting a UDP socket only looks up the way.
fn out() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    Some(socket.local_addr().ok()?.ip()).filter(|ip| !ip.is_unspecified())
}

/// Linux: an address stands on one line and `/32 host LOCAL` below it.
fn in_fib_trie(text: &str) -> BTreeSet<IpAddr> {
    let lines = text.lines().zip(text.lines().skip(1));
    lines
        .filter(|(_, below)| below.trim() == "/32 host LOCAL")
        .filter_map(|(line, _)| line.trim().strip_prefix("|-- ")?.parse().ok())
        .collect()
}

/// Linux: the address in 32 digits, number, length, scope (0 is global), flags, device.
fn in_if_inet6(text: &str) -> BTreeSet<IpAddr> {
    let address = |line: &str| {
        let mut words = line.split_whitespace();
        let digits = u128::from_str_radix(words.next()?, 16).ok()?;
        (words.nth(2)? == "00").then_some(IpAddr::V6(Ipv6Addr::from_bits(digits)))
    };
    text.lines().filter_map(address).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_tables_are_read() {
        let trie = "Main:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 192.168.1.0\n        /24 link UNICAST\n     \
            |-- 192.168.1.7\n        /32 host LOCAL\n     |-- 192.168.1.255\n        /32 link BROADCAST\n";
        assert_eq!(in_fib_trie(trie), BTreeSet::from(["192.168.1.7".parse().unwrap()]));
        let table = "00000000000000000000000000000001 01 80 10 80       lo\n\
            fd000000000000000000000000000007 02 40 00 80     eth0\n\
            fe800000000000000000000000000001 02 40 20 80     eth0\n";
        assert_eq!(in_if_inet6(table), BTreeSet::from(["fd00::7".parse().unwrap()]));
    }

    #[test]
    fn a_listener_is_reached_by_what_it_is_bound_to() {
        let names = of("10.1.2.3".parse().unwrap());
        assert_eq!(names[..4], ["localhost", "127.0.0.1", "::1", "10.1.2.3"]);
        assert!(!names[3..].iter().any(|name| is_loopback(name)));
        assert!(of("127.0.0.1".parse().unwrap()).iter().all(|name| is_loopback(name)));
        assert_eq!(of("127.0.0.2".parse().unwrap()).len(), 4);
        // At all addresses of IPv4 nobody answers to one of IPv6.
        let all = of("0.0.0.0".parse().unwrap());
        assert!(!all[3..].iter().any(|name| name.contains(':')), "{all:?}");
    }
}
