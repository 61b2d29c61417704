use std::time::Instant;

use super::Setting;
use crate::bar::Sheet;
use crate::daemon::Daemon;
use crate::ending::Place;
use crate::fault::{Result, fault};
use crate::fixture;
use crate::statistics::{median, percentile};

/// The list of sessions, with 0, 50 and 500 on record.
pub fn run(setting: &Setting, sheet: &mut Sheet) -> Result<()> {
    let asks = setting.pick(200, 50);
    for count in [0, 50, 500] {
        let place = Place::new()?;
        fixture::write(place.path(), count)?;
        let start = Instant::now();
        let mut daemon = Daemon::start_in(&setting.qd, place)?;
        let started = start.elapsed().as_secs_f64() * 1e3;
        let found = daemon.http.json("/sessions")?.as_array().map_or(0, Vec::len);
        if found != count {
            return fault(format!("{count} sessions are on record, {found} are listed"));
        }
        let (mut times, mut bytes) = (vec![], 0);
        for _ in 0..asks {
            let start = Instant::now();
            bytes = daemon.http.get("/sessions")?.len();
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
        let measure = sheet.lower(&format!("list: {count} sessions"), median(&times), "ms");
        measure
            .note(format!("GET sessions on one Unix connection, {bytes} bytes, median of {asks}"));
        if count == 500 {
            measure.bar(5.0);
        }
        sheet.lower(&format!("list: p95 of {count} sessions"), percentile(&times, 95.0), "ms");
        sheet.lower(&format!("list: start with {count} sessions"), started, "ms");
    }
    Ok(())
}
