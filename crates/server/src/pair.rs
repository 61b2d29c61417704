use qd_api::PairLink;
use qd_core::{Code, Problem};
use qrcode::{Color, EcLevel, QrCode};

/// Most links: a machine with many networks has many addresses, and nobody reads all of them.
const MOST: usize = 6;

/// The login link of each address, with its QR code.
///
/// # Errors
/// `internal` when an address is longer than a QR code can be.
pub(crate) fn links(addresses: &[String], code: &str) -> Result<Vec<PairLink>, Problem> {
    addresses.iter().take(MOST).map(|address| link(address, code)).collect()
}

/// The refusal of a link that no other device could follow.
pub(crate) fn only_loopback() -> Problem {
    Problem::new(
        Code::OnlyLoopback,
        "Only this machine reaches the daemon, so that no other device can be paired.",
        "Run `qd serve --replace --detach --tls --listen 0.0.0.0:4747` to be reached from your \
         network, or name a proxy or tunnel with --public-url. No session ends.",
    )
}

/// The answer when the certificate is not of an authority of ours.
pub(crate) fn no_authority() -> Problem {
    Problem::new(
        Code::UnknownRoute,
        "The daemon has no authority of its own, so that there is nothing to install.",
        "With `qd serve --tls` it has one.",
    )
}

fn link(address: &str, code: &str) -> Result<PairLink, Problem> {
    let link = format!("{address}/login#{code}");
    let drawn = QrCode::with_error_correction_level(&link, EcLevel::M).map_err(|error| {
        Problem::new(
            Code::Internal,
            format!("{address} cannot be drawn: {error}."),
            "Copy the login link that `qd` prints to the other device.",
        )
    })?;
    let digit = |color: &Color| if *color == Color::Dark { '1' } else { '0' };
    let modules = drawn.to_colors();
    let rows = modules.chunks(drawn.width()).map(|row| row.iter().map(digit).collect());
    let qr = rows.collect();
    Ok(PairLink { address: address.to_owned(), link, qr })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_a_square_with_its_three_corners() {
        let addresses = vec!["https://192.168.1.7:4747".to_owned(); 9];
        let links = links(&addresses, &"a".repeat(32)).unwrap();
        assert_eq!(links.len(), MOST);
        let PairLink { link, qr, .. } = &links[0];
        assert_eq!(*link, format!("https://192.168.1.7:4747/login#{}", "a".repeat(32)));
        let size = qr.len();
        assert!(qr.iter().all(|row| row.len() == size), "{qr:?}");
        for (row, at) in [(0, 0), (0, size - 7), (size - 7, 0)] {
            assert_eq!(&qr[row][at..at + 7], "1111111");
            assert_eq!(&qr[row + 1][at..at + 7], "1000001");
        }
        assert_ne!(&qr[size - 7][size - 7..], "1111111", "there is no fourth");
    }
}
