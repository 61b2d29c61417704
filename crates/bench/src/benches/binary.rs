use std::path::Path;
use std::time::Instant;

use super::Setting;
use crate::bar::Sheet;
use crate::daemon::serve;
use crate::ending::Place;
use crate::fault::Result;
use crate::http::Http;
use crate::process;
use crate::statistics::{median, percentile};

/// The size of the program, and how long it takes from its start until it serves.
pub fn run(setting: &Setting, sheet: &mut Sheet) -> Result<()> {
    let rounds = setting.pick(10, 4);
    let bytes = std::fs::metadata(&setting.qd)?.len();
    sheet.lower("binary: size", bytes as f64 / 1e6, "MB").bar(30.0).note("with the page in it");

    let warm = Place::new()?;
    start(&setting.qd, warm.path())?;
    let (mut warms, mut firsts) = (vec![], vec![]);
    for _ in 0..rounds {
        warms.push(start(&setting.qd, warm.path())?);
        let first = Place::new()?;
        firsts.push(start(&setting.qd, first.path())?);
    }
    let how = format!("exec to the first answer on its socket; median of {rounds}");
    sheet.lower("binary: start in a home in use", median(&warms), "ms").bar(100.0).note(&how);
    sheet.lower("binary: p95 start in a home in use", percentile(&warms, 95.0), "ms");
    sheet.lower("binary: first start in a new home", median(&firsts), "ms").bar(100.0).note(how);
    Ok(())
}

/// Starts it, waits for an answer, ends it; milliseconds until the answer.
fn start(qd: &Path, home: &Path) -> Result<f64> {
    let start = Instant::now();
    let (mut child, serving) = serve(qd, home)?;
    let socket = serving["socket"].as_str().unwrap_or_default().to_owned();
    let answer = Http::open(Path::new(&socket)).and_then(|mut http| http.get("/sessions"));
    let took = start.elapsed().as_secs_f64() * 1e3;
    process::end(&mut child);
    answer.map(|_| took)
}
