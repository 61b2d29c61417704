//! Making a commit of its bytes anew with the person's signature.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;

use super::Store;
use crate::Oid;
use crate::command::Kind;
use crate::error::{GitError, Result};

impl Store {
    /// Has git make and sign a commit like this one. Within the time of a hook: what signs may ask
    /// the person, and there may be nobody to answer.
    pub(crate) async fn sign(&self, commit: &[u8]) -> Result<Oid> {
        let unreadable = || GitError::unexpected("cat-file", "a commit without an author");
        let parts = Parts::read(commit).ok_or_else(unreadable)?;
        let mut call = self.call("commit-tree").kind(Kind::Hook);
        if let Some(encoding) = parts.encoding {
            call = call.arg("-c").arg(format!("i18n.commitEncoding={encoding}"));
        }
        let call = call
            .env("LC_ALL", "C")
            .env("GIT_AUTHOR_NAME", OsString::from_vec(parts.name.to_vec()))
            .env("GIT_AUTHOR_EMAIL", OsString::from_vec(parts.email.to_vec()))
            .env("GIT_AUTHOR_DATE", format!("@{}", parts.date))
            .args(["commit-tree", "-S", "-F", "-"])
            .args(parts.parents.iter().flat_map(|parent| ["-p", parent]))
            .arg(parts.tree)
            .stdin(parts.message.to_vec());
        let output = self.repo().git.run(call).await?;
        if !output.ok() {
            let said = output.said();
            return Err(if said.contains("sign") {
                GitError::SigningFailed { said }
            } else {
                output.into_error(self.repo().top())
            });
        }
        let line = output.line()?;
        Oid::parse(&line).ok_or_else(|| GitError::unexpected("commit-tree", line))
    }
}

/// What `git commit-tree` is told of a commit.
struct Parts<'a> {
    tree: &'a str,
    parents: Vec<&'a str>,
    name: &'a [u8],
    email: &'a [u8],
    date: &'a str,
    encoding: Option<&'a str>,
    message: &'a [u8],
}

impl<'a> Parts<'a> {
    fn read(commit: &'a [u8]) -> Option<Self> {
        let end = commit.windows(2).position(|pair| pair == b"\n\n")?;
        let header = |name: &[u8]| {
            let lines = commit[..end].split(|&byte| byte == b'\n');
            lines.filter_map(|line| line.strip_prefix(name)).next()
        };
        let text = |name: &[u8]| str::from_utf8(header(name)?).ok();
        let parents = commit[..end]
            .split(|&byte| byte == b'\n')
            .filter_map(|line| line.strip_prefix(b"parent "))
            .map(|parent| str::from_utf8(parent).ok());
        let author = header(b"author ")?;
        let open = author.iter().position(|&byte| byte == b'<')?;
        let close = author.iter().rposition(|&byte| byte == b'>')?;
        Some(Self {
            tree: text(b"tree ")?,
            parents: parents.collect::<Option<_>>()?,
            name: author[..open].trim_ascii(),
            email: author.get(open + 1..close)?,
            date: str::from_utf8(author[close + 1..].trim_ascii()).ok()?,
            encoding: text(b"encoding "),
            message: &commit[end + 2..],
        })
    }
}
