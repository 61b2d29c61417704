use clap::Args;
use qd_api::{PairLink, Pairing};
use qd_core::Code;

use crate::context::Context;
use crate::failure::Failure;
use crate::output;

/// Light around the code, in modules: scanners need it.
const MARGIN: usize = 4;

/// Show a QR code that logs a phone or another device in
#[derive(Debug, Args)]
#[command(after_help = "The code is good for ten minutes, once. `qd devices` lists the devices \
    that came in, `qd devices revoke ID` takes one's right away.\n\n\
    Example: qd pair\n\
    Example: qd pair --address https://192.168.1.7:4747")]
pub struct Arguments {
    /// Which of the daemon's addresses the link leads to [default: the first that it tells]
    #[arg(long, value_name = "URL")]
    address: Option<String>,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    let mut pairing = context.client().pair().await?;
    if let Some(wanted) = &arguments.address {
        let wanted = wanted.trim_end_matches('/');
        let Some(at) = pairing.links.iter().position(|link| link.address == wanted) else {
            let known: Vec<&str> = pairing.links.iter().map(|link| link.address.as_str()).collect();
            return Err(Failure::new(
                Code::FieldInvalid,
                format!("The daemon is not reached by {}.", output::one_line(wanted)),
                format!("It is reached by {}.", output::one_line(&known.join(", "))),
            ));
        };
        pairing.links.swap(0, at);
    }
    if context.json {
        return output::json(&pairing);
    }
    output::raw(text(&pairing, output::colours()).as_bytes())
}

fn text(pairing: &Pairing, colours: bool) -> String {
    let Some((first, others)) = pairing.links.split_first() else { return String::new() };
    let mut text = drawn(first, colours);
    text.push_str(&format!("\n{}\n", output::plain(&first.link)));
    text.push_str("Good for ten minutes, once. Scan it with the camera of the phone.\n");
    for other in others {
        text.push_str(&format!("Or by {}, with --address.\n", output::plain(&other.address)));
    }
    let authority = pairing.tls.as_ref().filter(|tls| tls.ca_file.is_some());
    if let Some(tls) = authority.filter(|_| first.address.starts_with("https://")) {
        text.push_str(&format!(
            "\nOnce on each device, before that, it has to trust the daemon's authority:\n\
             1. Open {}/api/v1/ca.pem there, and go on past the warning.\n\
             2. iPhone: Settings, Profile Downloaded, Install; then General, About, Certificate \
             Trust Settings, switch it on.\n   Android: Settings, Security, Install a certificate, \
             CA certificate.\n\
             3. Its SHA-256 is to be {}\n",
            output::plain(&first.address),
            output::plain(tls.ca_sha256.as_deref().unwrap_or_default()),
        ));
    }
    text
}

/// The code in half blocks, two rows in one line. With colours black on white; without it is made
/// for a dark background, where what is printed is the light.
fn drawn(link: &PairLink, colours: bool) -> String {
    let size = link.qr.len();
    let dark = |x: usize, y: usize| {
        let row = y.checked_sub(MARGIN).and_then(|y| link.qr.get(y));
        row.and_then(|row| row.as_bytes().get(x.checked_sub(MARGIN)?)) == Some(&b'1')
    };
    let mut text = String::new();
    for y in (0..size + 2 * MARGIN).step_by(2) {
        if colours {
            text.push_str("\u{1b}[30;107m");
        }
        for x in 0..size + 2 * MARGIN {
            let (upper, lower) = (dark(x, y) == colours, dark(x, y + 1) == colours);
            text.push(match (upper, lower) {
                (true, true) => '\u{2588}',
                (true, false) => '\u{2580}',
                (false, true) => '\u{2584}',
                (false, false) => ' ',
            });
        }
        text.push_str(if colours { "\u{1b}[0m\n" } else { "\n" });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_rows_stand_in_one_line_with_light_around() {
        let link = PairLink {
            address: "https://x".into(),
            link: "https://x/login#c".into(),
            qr: vec!["10".into(), "01".into()],
        };
        let lines: Vec<String> = drawn(&link, false).lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), 5);
        assert!(lines[0].chars().all(|c| c == '\u{2588}'));
        assert_eq!(
            lines[2],
            "\u{2588}\u{2588}\u{2588}\u{2588}\u{2584}\u{2580}\u{2588}\u{2588}\u{2588}\u{2588}"
        );
        let lines: Vec<String> = drawn(&link, true).lines().map(str::to_owned).collect();
        assert_eq!(lines[2], "\u{1b}[30;107m    \u{2580}\u{2584}    \u{1b}[0m");
    }
}
