//! Embeds the page that `web/` builds. Without a built page, a stub that says how to build it,
//! so that the daemon builds without Node.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use sha2::{Digest, Sha256};

fn main() -> io::Result<()> {
    let crate_dir = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let dist = crate_dir.join("../../web/dist");
    let stub = crate_dir.join("stub");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", stub.display());
    // Cargo takes a path that is not there for changed, and would build this crate every time:
    // watch the nearest folder that is there.
    let watched = [dist.clone(), crate_dir.join("../../web"), crate_dir.join("../..")];
    let there = dist.join("index.html").is_file();
    if there {
        println!("cargo::rerun-if-changed={}", dist.display());
    } else if let Some(folder) = watched[1..2].iter().find(|folder| folder.is_dir()) {
        println!("cargo::rerun-if-changed={}", folder.display());
    }
    let root = if there { dist } else { stub };
    let mut files = vec![];
    collect(&root, &mut files)?;
    files.sort();
    let mut table = String::from("&[\n");
    for file in &files {
        let bytes = fs::read(file)?;
        let path = file.strip_prefix(&root).unwrap_or(file).to_string_lossy().replace('\\', "/");
        let mut tag = String::new();
        for byte in Sha256::digest(&bytes).iter().take(16) {
            let _ = write!(tag, "{byte:02x}");
        }
        let source = fs::canonicalize(file)?;
        let _ = writeln!(
            table,
            "    File {{ path: {path:?}, etag: \"\\\"{tag}\\\"\", bytes: include_bytes!({source:?}) }},"
        );
    }
    table.push(']');
    fs::write(out.join("page.rs"), table)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let path = entry.path();
        if kind.is_dir() {
            collect(&path, files)?;
        } else if kind.is_file() && path.extension().is_none_or(|extension| extension != "map") {
            files.push(path);
        }
    }
    Ok(())
}
