//! Streams as programs could write them, and worse.

use proptest::{collection::vec, prelude::*, sample::select, test_runner::RngSeed};

/// Cases that are the same in every run, and other ones with `PROPTEST_CASES`: a run must not
/// fail by the luck of the draw for a corner that is known and listed in the crate's own words.
pub fn config() -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() {
        return config;
    }
    ProptestConfig { rng_seed: RngSeed::Fixed(7), ..config }
}

/// Bytes that a failing test prints readably.
#[derive(Clone)]
pub struct Bytes(pub Vec<u8>);

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "b\"{}\"", self.0.escape_ascii())
    }
}

/// A piece of a stream that makes sense by itself.
pub fn token() -> impl Strategy<Value = Bytes> {
    prop_oneof![
        12 => "[ -~]{1,30}".prop_map(String::into_bytes),
        4 => text(),
        4 => Just(b"\r\n".to_vec()),
        2 => select(vec!["\n", "\r", "\x08", "\t", "\x0b", "\x0e", "\x0f", "\x07", "\x00", "\x7f"])
            .prop_map(|s| s.as_bytes().to_vec()),
        6 => sgr(),
        8 => csi(),
        3 => escape(),
        3 => mode(),
        2 => osc(),
        1 => string(),
    ]
    .prop_map(Bytes)
}

/// Several pieces, one after another.
pub fn tokens(most: usize) -> impl Strategy<Value = Vec<Bytes>> {
    vec(token(), 0..most)
}

pub fn concat(tokens: &[Bytes]) -> Vec<u8> {
    tokens.iter().flat_map(|token| token.0.iter().copied()).collect()
}

/// Bytes without any sense.
pub fn noise() -> impl Strategy<Value = Bytes> {
    let byte = prop_oneof![
        3 => any::<u8>(),
        2 => Just(0x1b),
        2 => select(b"[]P_X^k?;:0123456789mHJKABCDr\\\x07\x18 hl".to_vec()),
        1 => 0x80..=0xffu8,
    ];
    vec(byte, 0..300).prop_map(Bytes)
}

/// Characters that are not ASCII: wide, combining, joined, with selectors, unknown ones.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let one = select(vec![
        "é",
        "漢",
        "字",
        "─",
        "█",
        "e\u{301}",
        "\u{301}",
        "👩",
        "👩\u{200d}💻",
        "❤\u{fe0f}",
        "⚠\u{fe0f}",
        "🇩🇪",
        "\u{200d}",
        "\u{200b}",
        "👍🏽",
        "\u{1fae8}",
        "\u{85}",
        "한",
        "ｆ",
        "\u{e0b0}",
        "a",
        " ",
        "1",
    ]);
    vec(one, 1..8).prop_map(|parts| parts.concat().into_bytes())
}

/// Without overline, which tmux captures as `5:3`, and without underline colours, which it does not
/// change where they are all that changes.
fn captured_sgr() -> impl Strategy<Value = Vec<u8>> {
    sgr().prop_filter("not captured", |sgr| !sgr.windows(2).any(|w| w == b"53" || w == b"58"))
}

/// Without a joiner that has nothing to join: tmux keeps it for the next character to come.
fn followed_text() -> impl Strategy<Value = Vec<u8>> {
    text().prop_filter("joiner at the end", |text| {
        let text = String::from_utf8_lossy(text);
        text.split('\u{200d}').skip(1).all(|rest| rest.starts_with('💻'))
    })
}

fn sgr() -> impl Strategy<Value = Vec<u8>> {
    let one = prop_oneof![
        4 => (0..110u16).prop_map(|n| n.to_string()),
        1 => Just(String::new()),
        2 => (select(vec![38, 48, 58]), any::<u8>()).prop_map(|(k, n)| format!("{k};5;{n}")),
        2 => (select(vec![38, 48, 58]), any::<[u8; 3]>())
            .prop_map(|(k, [r, g, b])| format!("{k};2;{r};{g};{b}")),
        1 => (select(vec![38, 48, 58]), any::<[u8; 3]>())
            .prop_map(|(k, [r, g, b])| format!("{k}:2::{r}:{g}:{b}")),
        1 => (0..7u8).prop_map(|n| format!("4:{n}")),
        1 => select(vec!["38", "48;2;1", "38;2;300;1;1", "58:5", "4:3:1", "99999999999"])
            .prop_map(str::to_owned),
    ];
    vec(one, 0..4).prop_map(|list| format!("\x1b[{}m", list.join(";")).into_bytes())
}

fn csi() -> impl Strategy<Value = Vec<u8>> {
    let number = prop_oneof![
        3 => Just(String::new()),
        6 => (0..14u32).prop_map(|n| n.to_string()),
        1 => select(vec![65536u32, 4294967295, 100, 2147483647]).prop_map(|n| n.to_string()),
    ];
    let last = select(b"@ABCDEFGHJKLMPSTXZ`bdfgrsuHHJKr".to_vec());
    prop_oneof![
        14 => (vec(number, 0..3), last).prop_map(|(list, last)| {
            let erases_history = last == b'J' && list.first().is_some_and(|n| n == "3");
            let last = if erases_history { b'K' } else { last };
            [b"\x1b[", list.join(";").as_bytes(), &[last]].concat()
        }),
        1 => Just(b"\x1b[2J\x1b[3J\x1b[H".to_vec()),
        1 => select(vec!["\x1b[>1u", "\x1b[<u", "\x1b[=5;2u", "\x1b[>4;1m", "\x1b[22;2t", "\x1b[23;0t",
            "\x1b[3 q", "\x1b[ q", "\x1b[1 q", "\x1b[c", "\x1b[6n", "\x1b[?u", "\x1b[14t"])
            .prop_map(|s| s.as_bytes().to_vec()),
    ]
}

fn escape() -> impl Strategy<Value = Vec<u8>> {
    select(vec![
        "\x1b7", "\x1b8", "\x1b7", "\x1b8", "\x1bD", "\x1bM", "\x1bM", "\x1bE", "\x1bH", "\x1b=",
        "\x1b>", "\x1b(0", "\x1b(B", "\x1b)0", "\x1b)B", "\x1b#8", "\x1bc", "\x1b(A",
    ])
    .prop_map(|s| s.as_bytes().to_vec())
}

fn mode() -> impl Strategy<Value = Vec<u8>> {
    let private = select(vec![
        1, 3, 6, 6, 7, 7, 12, 25, 47, 1000, 1002, 1003, 1004, 1005, 1006, 1007, 1016, 1047, 1049,
        1049, 2004, 2026, 9999,
    ]);
    let on = select(vec!['h', 'l']);
    prop_oneof![
        8 => (private, on.clone()).prop_map(|(n, c)| format!("\x1b[?{n}{c}").into_bytes()),
        2 => (select(vec![4, 20, 34]), on).prop_map(|(n, c)| format!("\x1b[{n}{c}").into_bytes()),
    ]
}

fn osc() -> impl Strategy<Value = Vec<u8>> {
    let body = select(vec![
        "0;title ⠋ one",
        "2;two",
        "8;;https://example.org/a",
        "8;id=x;https://example.org/b",
        "8;;",
        "52;c;aGVsbG8=",
        "52;c;?",
        "4;1;rgb:ff/00/80",
        "10;#ffffff",
        "11;?",
        "104",
        "110",
        "7;file:///tmp",
        "133;A",
        "9;done",
        "8;;bad\x01uri",
        "x",
        "",
    ]);
    (body, select(vec!["\x07", "\x1b\\", "\x18"]))
        .prop_map(|(body, end)| format!("\x1b]{body}{end}").into_bytes())
}

fn string() -> impl Strategy<Value = Vec<u8>> {
    select(vec![
        "\x1bPq#0;1~\x1b\\",
        "\x1b_Gi=1;AAAA\x1b\\",
        "\x1bXsos\x1b\\",
        "\x1b^pm\x1b\\",
        "\x1bkname\x1b\\",
        "\x1bP\x1bx\x1b\\",
    ])
    .prop_map(|s| s.as_bytes().to_vec())
}

/// Pieces without wide characters, which tmux leaves in halves, and without what tmux ignores.
pub fn ascii_tokens(most: usize) -> impl Strategy<Value = Vec<Bytes>> {
    let token = prop_oneof![
        12 => "[ -~]{1,30}".prop_map(String::into_bytes),
        4 => Just(b"\r\n".to_vec()),
        2 => select(vec!["\n", "\r", "\x08", "\t", "\x0b", "\x07", "\x00", "\x7f", "é", "─"])
            .prop_map(|s| s.as_bytes().to_vec()),
        6 => captured_sgr(),
        8 => csi(),
        3 => escape(),
        3 => mode(),
        1 => string(),
    ];
    let token = token.prop_filter("followed differently, see the crate's documentation", |token| {
        // ED 3, ICH that reaches the end of the row, and 1016, which hides 1006 in our answer.
        !token.windows(3).any(|w| w == b"[3J")
            && (!token.ends_with(b"@") || token == b"\x1b[@")
            && !token.starts_with(b"\x1b[?1016")
    });
    vec(token.prop_map(Bytes), 0..most)
}

/// All kinds of characters, written over each other.
pub fn text_tokens(most: usize) -> impl Strategy<Value = Vec<Bytes>> {
    let token = prop_oneof![
        6 => "[ -~]{1,30}".prop_map(String::into_bytes),
        12 => followed_text(),
        4 => Just(b"\r\n".to_vec()),
        4 => captured_sgr(),
        // Not to column 2: tmux leaves the left half of what is cut in two there.
        6 => (0..9u8, prop_oneof![0..2u8, 3..32u8])
            .prop_map(|(y, x)| format!("\x1b[{y};{x}H").into_bytes()),
        1 => select(vec!["\x1b[?7l", "\x1b[?7h", "\x1b[2J", "\x1b[2K", "\x1b[L", "\x1b[M", "\x1b[3;6r", "\x1b[r"])
            .prop_map(|s| s.as_bytes().to_vec()),
    ];
    vec(token.prop_map(Bytes), 0..most)
}

/// What fills a screen and a history from top to bottom. Not the alternate screen: when that has
/// been resized, tmux moves some of it into the history on leaving it. Nor wide characters: where one
/// does not fit at the end of a line's last row but one, tmux cuts the line in two.
pub fn flow_tokens(most: usize) -> impl Strategy<Value = Vec<Bytes>> {
    let narrow = select(vec!["é", "─", "e\u{301}", "⚠\u{fe0f}", "🇩🇪"])
        .prop_map(|text| text.as_bytes().to_vec());
    let token = prop_oneof![
        12 => "[ -~]{1,90}".prop_map(String::into_bytes),
        3 => narrow,
        8 => Just(b"\r\n".to_vec()),
        3 => captured_sgr(),
        1 => select(vec!["\x1b[2J\x1b[H", "\x1b[K", "\x1b[A", "\x1b[5;5H"])
            .prop_map(|s| s.as_bytes().to_vec()),
    ];
    vec(token.prop_map(Bytes), 0..most)
}
