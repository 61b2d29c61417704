/// The middle of some values; 0 when there are none.
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    percentile(values, 50.0)
}

/// The value below which `percent` of the values lie, interpolated; 0 when there are none.
#[must_use]
pub fn percentile(values: &[f64], percent: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let place = percent / 100.0 * last as f64;
    let (below, above) = (place.floor() as usize, (place.ceil() as usize).min(last));
    sorted[below] + (sorted[above] - sorted[below]) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_interpolated() {
        assert!((median(&[3.0, 1.0, 2.0]) - 2.0).abs() < 1e-9);
        assert!((median(&[4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < 1e-9);
        assert!((percentile(&[0.0, 10.0], 99.0) - 9.9).abs() < 1e-9);
        assert!(median(&[]).abs() < 1e-9);
    }
}
