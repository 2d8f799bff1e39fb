//! Escaping of foreign text: file names, strings of policies, texts of transcripts. Each output
//! format has one function, listed in [`SINKS`].
//!
//! All functions make hidden characters, terminal controls and direction marks visible. Credentials
//! are masked before escaping, since escapes would hide them.

use piggyback::transcript::channels;
use std::borrow::Cow;
use std::fmt::Write as _;

use piggyback::envelope::secrets::redacted;

/// An output format.
#[derive(Debug, Clone, Copy)]
pub struct OutputSink {
    pub name: &'static str,
    pub escape: fn(&str) -> String,
}

#[rustfmt::skip] // One row for each format.
pub const SINKS: &[OutputSink] = &[
    OutputSink { name: "terminal", escape: terminal },
    OutputSink { name: "line", escape: line },
    OutputSink { name: "markdown", escape: markdown },
    OutputSink { name: "markdown-cell", escape: markdown_cell },
    OutputSink { name: "code-span", escape: code_span },
    OutputSink { name: "markdown-code", escape: markdown_code },
    OutputSink { name: "markdown-fence", escape: markdown_fence },
    OutputSink { name: "html", escape: html },
    OutputSink { name: "html-line", escape: html_line },
    OutputSink { name: "xml", escape: xml },
    OutputSink { name: "xml-line", escape: xml_line },
    OutputSink { name: "github-message", escape: github_message },
    OutputSink { name: "github-property", escape: github_property },
    OutputSink { name: "mermaid", escape: mermaid },
    OutputSink { name: "dot", escape: dot },
    OutputSink { name: "csv", escape: csv },
    OutputSink { name: "prometheus", escape: prometheus },
];

/// True for characters that control a terminal, change the text direction or are invisible. Line
/// ends and tabs are not hidden.
#[must_use]
pub fn is_hidden(char: char) -> bool {
    match char {
        '\n' | '\t' => false,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{feff}' | '\u{3164}' | '\u{ffa0}' => true,
        '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' => true,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' => true,
        '\u{e0000}'..='\u{e0fff}' => true,
        char => char.is_control(),
    }
}

/// A visible sign for a hidden character: the picture of a control character, or U+FFFD.
#[must_use]
pub fn sign(char: char) -> char {
    match char {
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + u32::from(char)).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\u{7f}' => '\u{2421}',
        _ => char::REPLACEMENT_CHARACTER,
    }
}

fn shown(char: char) -> char {
    if is_hidden(char) { sign(char) } else { char }
}

/// One line of a terminal. Line ends and tabs become signs.
#[must_use]
pub fn terminal(text: &str) -> String {
    let show = |char: char| if matches!(char, '\n' | '\t') { sign(char) } else { shown(char) };
    redacted(text).chars().map(show).collect()
}

/// One line of text. Line ends and tabs become spaces.
#[must_use]
pub fn line(text: &str) -> String {
    let show = |char: char| if matches!(char, '\n' | '\t' | '\r') { ' ' } else { shown(char) };
    redacted(text).chars().map(show).collect()
}

/// Several lines of text.
#[must_use]
pub fn lines(text: &str) -> String {
    redacted(text).chars().map(shown).collect()
}

/// Text of a log with both channels. Continuation lines start with a tab, and hidden characters are
/// written as numbers.
#[must_use]
pub fn channel(text: &str) -> String {
    let text = redacted(text);
    let mut out = String::with_capacity(text.len());
    for (at, char) in text.char_indices() {
        let is_escape = || text.get(at..).is_some_and(|rest| rest.starts_with(channels::ESCAPE));
        match char {
            '\n' => out.push_str(&format!("\n{}", channels::CONTINUED)),
            '\\' if is_escape() => out.push_str(&format!("{}5c}}", channels::ESCAPE)),
            char if is_hidden(char) => out.push_str(&format!("{}{:x}}}", channels::ESCAPE, u32::from(char))),
            char => out.push(char),
        }
    }
    out
}

/// Words in a line of Markdown.
///
/// Words that renderers interpret are written as code spans: bare links, mentions, emoji names,
/// issue numbers, formulas. Renderers interpret them after they resolve escapes, so escapes do not
/// help. Text between backticks is also code.
#[must_use]
pub fn markdown(text: &str) -> String {
    words(&line(text), span)
}

/// Words in a cell of a Markdown table.
#[must_use]
pub fn markdown_cell(text: &str) -> String {
    words(&line(text), cell_span)
}

/// A code span in Markdown. Its fence is longer than any run of backticks in the text.
#[must_use]
pub fn code_span(text: &str) -> String {
    span(&line(text))
}

/// [`code_span`] in a table cell: a bar ends a cell even inside a code span.
#[must_use]
pub fn markdown_code(text: &str) -> String {
    cell_span(&line(text))
}

fn span(line: &str) -> String {
    if line.is_empty() {
        return "(nothing)".to_owned();
    }
    let fence = "`".repeat(longest_run(line) + 1);
    let is_open = line.starts_with(['`', ' ']) || line.ends_with(['`', ' ']);
    let space = if is_open { " " } else { "" };
    format!("{fence}{space}{line}{space}{fence}")
}

fn cell_span(line: &str) -> String {
    // A backslash before a bar would combine with the escape of the bar.
    span(&line.replace("\\|", "\\ |")).replace('|', "\\|")
}

/// A part of a line: a text word, a code word, or the gap between words.
enum Atom<'l> {
    Word(&'l str),
    Code(&'l str),
    Gap(&'l str),
}

/// The parts of a line. An unclosed run of backticks is code.
fn atoms(line: &str) -> Vec<Atom<'_>> {
    let mut atoms = Vec::new();
    let mut rest = line;
    while let Some((before, behind)) = rest.split_once('`') {
        split_words(before, &mut atoms);
        match behind.split_once('`') {
            Some((code, after)) if !code.is_empty() => {
                atoms.extend([Atom::Gap("`"), Atom::Code(code), Atom::Gap("`")]);
                rest = after;
            }
            _ => {
                atoms.push(Atom::Code("`"));
                rest = behind;
            }
        }
    }
    split_words(rest, &mut atoms);
    atoms
}

fn split_words<'l>(text: &'l str, atoms: &mut Vec<Atom<'l>>) {
    for piece in text.split_inclusive(' ') {
        let word = piece.trim_end_matches(' ');
        if !word.is_empty() {
            let is_first = !atoms.iter().any(|atom| !matches!(atom, Atom::Gap(_)));
            atoms.push(if is_word(word, is_first) { Atom::Word(word) } else { Atom::Code(word) });
        }
        if word.len() < piece.len() {
            atoms.push(Atom::Gap(" "));
        }
    }
}

/// Formats a line with a span for each code word. Adjacent code words share a span, because
/// adjacent spans would be parsed incorrectly.
fn words(line: &str, span: fn(&str) -> String) -> String {
    let (mut out, mut code, mut gap) = (String::new(), String::new(), String::new());
    let blank = |gap: &str| if gap.contains(' ') { " " } else { "" };
    for atom in atoms(line) {
        match atom {
            Atom::Gap(between) => gap.push_str(between),
            Atom::Code(word) => {
                let is_quoted = gap.contains('`');
                if !(code.is_empty() || is_quoted && gap.contains(' ')) {
                    code.push_str(&gap);
                } else {
                    if !code.is_empty() {
                        out.push_str(&span(&std::mem::take(&mut code)));
                    }
                    out.push_str(blank(&gap));
                }
                gap.clear();
                code.push_str(word);
            }
            Atom::Word(word) => {
                if !code.is_empty() {
                    out.push_str(&span(&std::mem::take(&mut code)));
                }
                out.push_str(blank(&gap));
                gap.clear();
                out.push_str(word);
            }
        }
    }
    if !code.is_empty() {
        out.push_str(&span(&code));
    }
    out.push_str(blank(&gap));
    out
}

/// True for a word that every Markdown renderer treats as text. `is_first` is true if the word can
/// start a line.
fn is_word(word: &str, is_first: bool) -> bool {
    const BEFORE: [char; 5] = ['(', '"', '\'', '\u{201c}', '\u{2018}'];
    const BEHIND: [char; 12] = [')', '"', '\'', '\u{201d}', '\u{2019}', ',', ';', '.', ':', '?', '!', '%'];
    const SIGNS: [&str; 13] =
        [",", ";", ".", ":", "?", "-", "+", "=", "/", "\u{2013}", "\u{2014}", "\u{2026}", "\u{b7}"];
    if SIGNS.contains(&word) {
        return !is_first;
    }
    let core = word.trim_start_matches(BEFORE).trim_end_matches(BEHIND).trim_end_matches('\u{2026}');
    if core.is_empty() {
        return false;
    }
    let is_decimal = core.split_once('.').is_some_and(|(whole, part)| is_digits(whole) && is_digits(part));
    // Renderers link revisions and issue numbers.
    let is_revision = core.len() >= 7 && core.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_issue = core.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("gh-"));
    // A number with punctuation starts a list item.
    let is_item = is_first && is_digits(core) && word.len() > core.len();
    let is_text = |char: char| char.is_alphanumeric() || matches!(char, '-' | '\'' | '\u{2019}');
    (is_decimal || core.chars().all(is_text) && !core.starts_with('-') && !core.contains("--"))
        && !is_revision
        && !is_issue
        && !is_item
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A Markdown code block with a line end.
#[must_use]
pub fn markdown_fence(text: &str) -> String {
    let text = lines(text);
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}text\n{text}{end}{fence}\n")
}

/// The length of the longest run of backticks.
#[must_use]
pub fn longest_run(text: &str) -> usize {
    text.split(|char| char != '`').map(str::len).max().unwrap_or(0)
}

/// Text in HTML, including attribute values.
#[must_use]
pub fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in redacted(text).chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            char if is_hidden(char) => out.push(char::REPLACEMENT_CHARACTER),
            char => out.push(char),
        }
    }
    out
}

/// Text in HTML without line ends. In Markdown files, a blank line ends an HTML block.
#[must_use]
pub fn html_line(text: &str) -> String {
    html(&line(text))
}

/// Text between XML tags.
#[must_use]
pub fn xml(text: &str) -> String {
    escaped_xml(text, false)
}

/// One-line text in XML: names and attribute values. Line ends and tabs are written as references,
/// because attributes normalize them.
#[must_use]
pub fn xml_line(text: &str) -> String {
    escaped_xml(text, true)
}

fn escaped_xml(text: &str, is_line: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for char in redacted(text).chars() {
        let reference = match char {
            '<' => "&lt;",
            '>' => "&gt;",
            '&' => "&amp;",
            '\'' => "&apos;",
            '"' => "&quot;",
            '\t' if is_line => "&#9;",
            '\n' if is_line => "&#10;",
            '\r' if is_line => "&#13;",
            '\u{fffe}' | '\u{ffff}' => "\u{fffd}",
            char if is_hidden(char) => "\u{fffd}",
            char => {
                out.push(char);
                continue;
            }
        };
        out.push_str(reference);
    }
    out
}

/// The message of a GitHub Actions workflow command, after the second `::`.
#[must_use]
pub fn github_message(text: &str) -> String {
    // The older syntax of commands is recognized in the middle of a line.
    lines(text).replace('%', "%25").replace('\n', "%0A").replace("##[", "## [")
}

/// The value of a property of a workflow command.
#[must_use]
pub fn github_property(text: &str) -> String {
    github_message(text).replace(':', "%3A").replace(',', "%2C")
}

/// A quoted Mermaid string. Characters with a meaning in Mermaid or HTML are written as entities.
#[must_use]
pub fn mermaid(text: &str) -> String {
    let mut out = String::from("\"");
    for char in line(text).chars() {
        match char {
            '"' | '#' | '<' | '>' | '&' | '`' | '\\' | ';' | '%' => {
                let _ = write!(out, "#{};", u32::from(char));
            }
            _ => out.push(char),
        }
    }
    out.push('"');
    out
}

/// A quoted DOT string.
#[must_use]
pub fn dot(text: &str) -> String {
    format!("\"{}\"", line(text).replace('\\', "\\\\").replace('"', "\\\""))
}

/// The first characters of spreadsheet formulas, including full-width forms.
const FORMULA: [char; 10] = ['=', '+', '-', '@', '|', '%', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// A CSV cell that spreadsheets do not interpret as a formula. The CSV writer escapes quotes and
/// commas.
#[must_use]
pub fn csv(text: &str) -> String {
    let text = lines(text);
    let is_number = text.parse::<f64>().is_ok();
    let begins = text.trim_start().starts_with(FORMULA) || text.starts_with(['\t', '\n']);
    if begins && !is_number { format!("'{text}") } else { text }
}

/// The value of a Prometheus label, without quotes.
#[must_use]
pub fn prometheus(text: &str) -> String {
    lines(text).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Replaces hidden characters in serialized JSON by escapes. They occur only in strings.
#[must_use]
pub fn json(written: &str) -> Cow<'_, str> {
    let is_raw = |char: char| is_hidden(char) && char >= '\u{7f}';
    if !written.contains(is_raw) && !written.contains("##") {
        return written.into();
    }
    let mut out = String::with_capacity(written.len() + 16);
    for char in written.chars() {
        if is_raw(char) {
            for unit in char.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(char);
        }
    }
    // These commands are recognized in the middle of a line.
    let escape = |out: String, (command, _): &(&str, &str)| {
        out.replace(command, &command.replacen("##", "#\\u0023", 1))
    };
    COMMANDS.iter().fold(out, escape).into()
}

/// Text for a terminal or build log. The writers already escape their text; this function makes
/// remaining hidden characters visible. CRLF is kept, and colors are kept if `has_colours`.
#[must_use]
pub fn stream(written: &str, has_colours: bool) -> String {
    let mut out = String::with_capacity(written.len());
    let mut rest = written;
    while let Some(at) = rest.find(is_hidden) {
        let (before, behind) = rest.split_at(at);
        out.push_str(before);
        let len = match behind.strip_prefix("\x1b[") {
            Some(tail) => color_len(tail).filter(|_| has_colours).map_or(0, |len| len + 2),
            None => usize::from(behind.starts_with("\r\n")),
        };
        let char = behind.chars().next().unwrap_or_default();
        match behind.get(..len).filter(|kept| !kept.is_empty()) {
            Some(kept) => out.push_str(kept),
            None => out.push(sign(char)),
        }
        rest = behind.get(len.max(char.len_utf8())..).unwrap_or("");
    }
    out.push_str(rest);
    out
}

/// The length of the rest of a color escape sequence.
fn color_len(tail: &str) -> Option<usize> {
    let len = tail.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b';').count();
    (tail.as_bytes().get(len) == Some(&b'm')).then_some(len + 1)
}

/// The prefixes of commands of other build servers, which are recognized anywhere in a line, with
/// replacements.
const COMMANDS: [(&str, &str); 3] = [("##[", "## ["), ("##vso[", "## vso["), ("##teamcity[", "## teamcity[")];

/// Text without commands of build servers; colors are ignored. The mark of another file in an
/// excerpt is not a command.
#[must_use]
pub fn without_commands(text: &str) -> String {
    if !text.contains("::") && !text.contains("##") {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let start = line.len() - after_colours(line).len();
        let (before, inner) = line.split_at(start);
        out.push_str(before);
        match inner.strip_prefix("::").filter(|rest| !rest.starts_with(':') || rest.contains("::")) {
            Some(rest) => {
                out.push('\u{2237}');
                out.push_str(rest);
            }
            None => out.push_str(inner),
        }
    }
    COMMANDS.iter().fold(out, |out, (command, text)| out.replace(command, text))
}

/// A line without leading white space and colors.
fn after_colours(line: &str) -> &str {
    let mut rest = line.trim_start();
    while let Some(len) = rest.strip_prefix("\x1b[").and_then(color_len) {
        rest = rest.get(len + 2..).unwrap_or("").trim_start();
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::junit::{JunitSuite, document};

    /// Texts that exploit the syntax of output formats.
    const HOSTILE: [&str; 19] = [
        "\x1b[31mred\x1b[0m",
        "\x1b]8;;http://evil.example\x07link\x1b]8;;\x07",
        "\u{9b}31mc1\u{9d}0;t\u{9c}",
        "a\rb\x08\x07\x00\x7f",
        "\u{202e}txt.exe\u{202c} \u{2066}x\u{2069}",
        "ze\u{200b}ro\u{200d}wi\u{feff}dth\u{2060}\u{ad}\u{e0041}",
        "x\n::error file=a::b\n##[error]c",
        "=cmd|' /C calc'!A0",
        "+1+1",
        "-2+3",
        "@SUM(1)",
        "<script>alert('1')</script>&\"",
        "[a](http://x) ![b](javascript:1) <http://y>",
        "``` ```` `",
        "\"];\nevil [label=\"x\"];\n\\",
        "a|b\n| c |",
        "\u{fffe}\u{ffff}\u{2028}\u{2029}",
        "# h\n- l\n***b***",
        "x\u{34f}\u{3164}\u{180b}\u{e0101}y",
    ];

    #[test]
    fn no_sink_lets_hidden_characters_through() {
        for OutputSink { name, escape } in SINKS {
            for text in HOSTILE {
                let out = escape(text);
                assert!(!out.contains(is_hidden), "{name}: {out:?}");
                assert!(!out.contains('\x1b') && !out.contains('\r'), "{name}: {out:?}");
            }
        }
    }

    #[test]
    fn single_lines_stay_single() {
        let several = ["markdown-fence", "html", "xml", "csv"];
        for OutputSink { name, escape } in SINKS.iter().filter(|sink| !several.contains(&sink.name)) {
            for text in HOSTILE {
                let out = escape(text);
                assert!(!out.contains('\n'), "{name}: {out:?}");
            }
        }
    }

    #[test]
    fn names_in_xml_stay_on_their_line_and_stay_true() {
        for text in HOSTILE.into_iter().chain(["a\r\n\tb", "\u{f8f1}::error"]) {
            let suite = JunitSuite {
                name: xml_line(text),
                properties: vec![("name", xml_line(text))],
                cases: Vec::new(),
            };
            let written = document("x", None, &[suite]);
            assert!(!written.lines().any(|line| line.trim_start().starts_with("::")), "{written}");
            let parsed = roxmltree::Document::parse(&written);
            let parsed = parsed.as_ref().map(|document| document.descendants());
            let names = parsed.into_iter().flatten().filter(|node| node.has_tag_name("testsuite"));
            let names: Vec<_> = names.filter_map(|node| node.attribute("name")).collect();
            let is_allowed =
                |char: &char| *char == '\r' || !(is_hidden(*char) || matches!(char, '\u{fffe}' | '\u{ffff}'));
            let plain: String =
                text.chars().map(|char| if is_allowed(&char) { char } else { '\u{fffd}' }).collect();
            assert_eq!(names, [plain]);
        }
    }

    #[test]
    fn markup_is_text() {
        for text in HOSTILE {
            assert!(!html(text).contains(['<', '>', '"', '\'']), "{}", html(text));
            let span = code_span(text);
            let fence = span.len() - span.trim_start_matches('`').len();
            let inner = span.get(fence..span.len() - fence).unwrap_or("");
            assert!(span == "(nothing)" || longest_run(inner) < fence, "{span}");
            let block = markdown_fence(text);
            let fence = block.len() - block.trim_start_matches('`').len();
            let inner = block.get(fence..block.len() - fence - 1).unwrap_or("");
            assert!(longest_run(inner) < fence, "{block}");
        }
    }

    #[test]
    fn strings_of_graphs_and_metrics_end_where_they_should() {
        for text in HOSTILE {
            let inner = |out: String| out.get(1..out.len() - 1).unwrap_or("").to_owned();
            assert!(!inner(mermaid(text)).contains(['"', '<', '`']), "{}", mermaid(text));
            for out in [inner(dot(text)), prometheus(text)] {
                let bare = out.replace("\\\\", "").replace("\\\"", "");
                assert!(!bare.contains('"') && !bare.ends_with('\\'), "{out}");
            }
        }
    }

    #[test]
    fn no_cell_is_a_formula() {
        for text in HOSTILE {
            assert!(!csv(text).starts_with(['=', '+', '-', '@', '\t']), "{}", csv(text));
        }
        assert_eq!([csv("-5"), csv("+1.5"), csv("a-b")], ["-5", "+1.5", "a-b"]);
    }

    #[test]
    fn commands_stay_on_their_line() {
        for text in HOSTILE {
            let out = github_property(text);
            assert!(!out.contains([':', ',', '\n']) && !out.contains("##["), "{out}");
            assert!(!github_message(text).contains("##["));
        }
    }

    #[test]
    fn json_says_the_same_without_hidden_characters() {
        for text in HOSTILE {
            let written = serde_json::to_string(text).unwrap_or_default();
            let out = json(&written);
            assert!(!out.contains(is_hidden), "{out:?}");
            assert_eq!(serde_json::from_str::<String>(&out).ok().as_deref(), Some(text));
        }
    }

    #[test]
    fn streams_keep_colours_and_nothing_else() {
        for text in HOSTILE {
            let out = without_commands(&stream(&format!("x {text}\n\x1b[1m{text}\x1b[0m"), true));
            let bare = anstream::adapter::strip_str(&out).to_string();
            assert!(!bare.contains("##["), "{bare:?}");
            assert!(!bare.contains(is_hidden), "{bare:?}");
            assert!(!bare.lines().any(|line| line.trim_start().starts_with("::")), "{bare:?}");
        }
        assert_eq!(stream("\x1b[1;31ma\x1b[0m\r\nb\rc", true), "\x1b[1;31ma\x1b[0m\r\nb\u{240d}c");
        assert_eq!(stream("\x1b[8ma", false), "\u{241b}[8ma");
    }
}
