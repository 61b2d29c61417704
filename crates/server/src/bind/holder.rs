//! Who listens on a port, as far as this user may see.

use std::fs;
use std::path::Path;

/// A process that listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Holder {
    pub(super) pid: u32,
    /// As the kernel calls it; at most 15 characters.
    pub(super) name: String,
}

/// The process that listens on a TCP port of this machine; none when it is another user's, or
/// there is no `/proc`.
pub(super) fn of_port(port: u16) -> Option<Holder> {
    let proc = Path::new("/proc");
    let inodes: Vec<u64> = ["net/tcp", "net/tcp6"]
        .iter()
        .filter_map(|table| fs::read_to_string(proc.join(table)).ok())
        .flat_map(|table| listening_inodes(&table, port))
        .collect();
    if inodes.is_empty() {
        return None;
    }
    fs::read_dir(proc).ok()?.flatten().find_map(|entry| {
        let pid = entry.file_name().to_str()?.parse::<u32>().ok()?;
        if !holds(&entry.path(), &inodes) {
            return None;
        }
        let name = fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
        // Another program chose its name: what a terminal could obey does not get through.
        let name = name.trim_end().replace(|c: char| c.is_control(), "?");
        Some(Holder { pid, name })
    })
}

fn holds(process: &Path, inodes: &[u64]) -> bool {
    let Ok(descriptors) = fs::read_dir(process.join("fd")) else { return false };
    descriptors.flatten().filter_map(|entry| fs::read_link(entry.path()).ok()).any(|target| {
        let inode = target
            .to_str()
            .and_then(|text| text.strip_prefix("socket:["))
            .and_then(|rest| rest.strip_suffix(']'))
            .and_then(|number| number.parse::<u64>().ok());
        inode.is_some_and(|inode| inodes.contains(&inode))
    })
}

/// The inodes of the sockets that listen on a port, from a table such as `/proc/net/tcp`.
fn listening_inodes(table: &str, port: u16) -> Vec<u64> {
    const LISTEN: &str = "0A";
    let suffix = format!(":{port:04X}");
    let rows = table.lines().skip(1).map(|row| row.split_whitespace().collect::<Vec<_>>());
    rows.filter(|row| {
        row.get(1).is_some_and(|local| local.ends_with(&suffix)) && row.get(3) == Some(&LISTEN)
    })
    .filter_map(|row| row.get(9)?.parse().ok())
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_listener_in_the_kernels_table() {
        let table = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:128B 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4242 1 0 100 0 0 10 0
   1: 0100007F:128B 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1000        0 4243 1 0 20 4 30 10 -1
   2: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4244 1 0 100 0 0 10 0
";
        assert_eq!(listening_inodes(table, 4747), [4242]);
        assert_eq!(listening_inodes(table, 8080), [4244]);
        assert_eq!(listening_inodes(table, 1), Vec::<u64>::new());
        assert_eq!(listening_inodes("", 4747), Vec::<u64>::new());
    }
}
