use serde_json::Value;

use super::Setting;
use crate::bar::Sheet;
use crate::daemon::Daemon;
use crate::fault::Result;
use crate::program::{BURST_CODE, argv};
use crate::text;
use crate::waiting::until;

/// Bytes that are printed just before the end.
const BYTES: usize = 185_000;

/// A program that prints much and ends at once: what it printed and how it ended.
pub fn run(setting: &Setting, sheet: &mut Sheet) -> Result<()> {
    let times = setting.pick(200, 20);
    let program = argv(&["burst", &BYTES.to_string()])?;
    let words: Vec<&str> = program.iter().map(String::as_str).collect();
    let lines = text::numbered(BYTES);
    let raw = lines.join("\r\n");
    let mut daemon = Daemon::start(&setting.qd)?;
    let folder = daemon.folder("burst")?;
    let (mut short_screens, mut short_logs, mut wrong_codes) = (0, 0, 0);
    for _ in 0..times {
        let id = daemon.session(&folder, &words)?;
        let view = until("the session has ended", || {
            let view = daemon.http.json(&format!("/sessions/{id}"))?;
            Ok((view["state"] == "exited").then_some(view))
        })?;
        let screen = daemon.http.json(&format!("/sessions/{id}/screen?history=true"))?;
        let shown: Vec<&str> =
            screen["lines"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let logs = daemon.http.get(&format!("/sessions/{id}/logs"))?;
        short_screens +=
            u32::from(!shown.iter().zip(&lines).all(|(a, b)| a == b) || shown.len() < lines.len());
        short_logs += u32::from(logs != raw.as_bytes());
        wrong_codes += u32::from(view["exit"]["code"] != BURST_CODE);
        daemon.http.delete(&format!("/sessions/{id}"))?;
    }
    let how = format!("of {times} programs that print 185 kB and end at once");
    sheet
        .lower("exit tail: lines missing on screen and history", short_screens.into(), "runs")
        .bar(0.0)
        .note(&how);
    sheet
        .lower("exit tail: bytes missing in the log", short_logs.into(), "runs")
        .bar(0.0)
        .note(&how);
    sheet.lower("exit tail: exit code not known", wrong_codes.into(), "runs").bar(0.0).note(how);
    Ok(())
}
