//! Formatting is done after one pass, whatever the bytes: control characters, mixed line ends, marks in the middle, open
//! strings and comments. Short texts are tried exhaustively, longer ones with seeds.

use crate::support;

use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::format::{Formatting, Style, format};
use support::Random;

/// What hostile texts are made of.
const PIECES: &[&str] = &[
    "#",
    "# a",
    "#b",
    " ",
    "\t",
    "\n",
    "\r",
    "\r\n",
    "\0",
    "\u{1}",
    "\u{1a}",
    "\u{b}",
    "\u{c}",
    "\u{7f}",
    "\u{85}",
    "\u{a0}",
    "\u{2028}",
    "\u{2029}",
    "\u{200b}",
    "\u{202e}",
    "\u{feff}",
    "\u{fffd}",
    "é",
    "𝄞",
    "\"",
    "'",
    "`",
    "\\",
    "\"a\"",
    "b\"",
    "/*",
    "*/",
    "//",
    "p(1).",
    "q( 2 ).",
    "p(X):-q(X),",
    "r(X).",
    ":-",
    "|>",
    ",",
    ".",
    "!",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "Decl p(X)",
    "bound [/a]",
    "Decl q(X)\n  descr [].",
    "do fn:group_by(X)",
    "let Y = 1",
    "Package a!",
    "/a",
    "1.5",
    "TAXONOMY: /a > /b",
    "INTENT:",
    "# mangle-ls: format off",
    "# mangle-ls: format on",
    "# mangle-ls: format skip",
];

/// The few that make the shortest surprises.
const SHORT: &[&str] =
    &["#", " ", "\n", "\r", "\0", "\u{c}", "\u{b}", "\u{feff}", "\u{2028}", "a", "p(1).", "\"", "/*"];

/// Those that decide where comments and lines end.
const LINES: &[&str] = &["#", " ", "\n", "\r", "\0"];

fn formatted(text: &str, style: Style) -> (String, Formatting) {
    let formatting = format(&SourceFile::parse(text.into()), style, None);
    (formatting.apply(text), formatting)
}

/// What is wrong with how a text is formatted.
fn wrong(text: &str, style: Style) -> Option<String> {
    let (new, formatting) = formatted(text, style);
    let bare = |text: &str| -> String {
        text.chars().filter(|char| !char.is_ascii_whitespace() && *char != ',').collect()
    };
    if bare(text) != bare(&new) {
        return Some(format!("{text:?} became {new:?}"));
    }
    if !formatting.distrusted.is_empty() {
        return Some(format!("{text:?} fails the formatter's own check"));
    }
    let (again, _) = formatted(&new, style);
    (again != new).then(|| format!("{text:?} became {new:?} and then {again:?}"))
}

fn check(texts: impl Iterator<Item = String>) {
    let styles = [Style::default(), Style { indent: 2, width: 20 }];
    let mut count = 0;
    let mut all: Vec<String> = Vec::new();
    for text in texts {
        count += 1;
        all.extend(styles.iter().filter_map(|style| wrong(&text, *style)));
        if all.len() >= 20 {
            break;
        }
    }
    all.sort_by_key(String::len);
    assert!(all.is_empty(), "of {count} texts:\n{}", all.join("\n"));
}

#[test]
fn short_texts_are_formatted_in_one_pass() {
    check(all_texts(SHORT, 3).chain(all_texts(LINES, depth(6))));
}

fn depth(usual: usize) -> usize {
    std::env::var("FORMAT_DEPTH").ok().and_then(|depth| depth.parse().ok()).unwrap_or(usual)
}

/// All texts of up to so many pieces.
fn all_texts(pieces: &'static [&'static str], most: usize) -> impl Iterator<Item = String> {
    let count = |len: usize| pieces.len().pow(u32::try_from(len).unwrap());
    let text = move |len: usize, mut number: usize| {
        let mut text = String::new();
        for _ in 0..len {
            text.push_str(pieces[number % pieces.len()]);
            number /= pieces.len();
        }
        text
    };
    (0..=most).flat_map(move |len| (0..count(len)).map(move |number| text(len, number)))
}

#[test]
fn long_texts_are_formatted_in_one_pass() {
    let seeds: u64 = std::env::var("FORMAT_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(4_000);
    check((0..seeds).map(|seed| {
        let mut random = Random(seed);
        let len = 2 + random.below(14);
        (0..len).map(|_| PIECES[random.below(PIECES.len())]).collect()
    }));
}

/// Files of old programs: a lone carriage return ends their lines.
#[test]
fn texts_with_lone_returns_are_formatted_in_one_pass() {
    check((0..2_000).map(|seed| {
        let mut random = Random(seed);
        let len = 2 + random.below(8);
        let pieces: Vec<_> = (0..len).map(|_| PIECES[random.below(PIECES.len())]).collect();
        let end = ["\r", "\r\n", "\n\r"][random.below(3)];
        pieces.join(end).replace('\n', end)
    }));
}

#[test]
fn known_cases_are_formatted_in_one_pass() {
    let texts = [
        "# \0\n#",
        "p(1).\rq( 2 ).\r",
        "# a\rp(\r# b\rq(",
        "\u{feff}\u{feff}p(1).",
        "p(1).\u{2028}q( 1 ).",
        ":-\r# a",
        "\r\n# a\r\n# b\n:-",
    ];
    check(texts.into_iter().map(str::to_owned));
}
