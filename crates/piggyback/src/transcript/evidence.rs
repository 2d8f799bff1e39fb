//! Check that a fix preserves the evidence in a captured reply.
//!
//! A fix must not remove words or numbers, and may add only keys of the protocol. Changes of
//! escapes, quotes, brackets, commas, full stops and the order of elements are allowed.

use std::collections::BTreeMap;

use crate::envelope::json::{self, Json, JsonKind, is_any_space};
use crate::envelope::{JSON_SYNTAX, edits, table};
use mangle_syntax::lint::{Anchor, Applicability, Edit, Finding, Fix};

/// Maximum number of bytes before and after an edit that are examined to complete words.
const MAX_CONTEXT: usize = 128;

/// Maximum nesting of strings whose escapes are decoded.
const LEVELS: usize = 6;

/// Turns a fix that would change the evidence into a suggestion.
pub(super) fn preserve(mut finding: Finding, text: &[u8]) -> Finding {
    match finding.fix.take() {
        Some(fix) if !(keeps(text, &fix) || finding.rule == &JSON_SYNTAX && is_space(text, &fix)) => {
            finding.help = Some(fix.title);
        }
        Some(mut fix) => {
            if fix.applicability == Applicability::Safe && !strings_are_preserved(text, &fix) {
                fix.applicability = Applicability::Unsafe;
            }
            finding.fix = Some(fix);
        }
        fix => finding.fix = fix,
    }
    finding
}

/// True if a fix only replaces white space with white space. The JSON rule does so only outside of
/// strings, because zero-width characters can hide text in a string.
fn is_space(text: &[u8], fix: &Fix) -> bool {
    fix.edits.iter().all(|edit| {
        let range = usize::from(edit.span.range.start())..usize::from(edit.span.range.end());
        let old = text.get(range).and_then(|old| std::str::from_utf8(old).ok());
        old.is_some_and(is_any_space) && edit.text.trim_ascii().is_empty()
    })
}

/// True if `text` has the same words and numbers after a fix.
#[must_use]
pub(super) fn keeps(text: &[u8], fix: &Fix) -> bool {
    let mut change = Change::default();
    for edit in fix.edits.iter().filter(|edit| !matches!(edit.span.anchor, Anchor::Statement(..))) {
        change.add_edit(text, edit);
    }
    change.keeps_evidence()
}

/// Tokens that a fix adds and removes.
#[derive(Debug, Default)]
struct Change {
    /// Number of occurrences of each token after the fix, minus the number before.
    tokens: BTreeMap<Token, i64>,
}

/// Content of a text. Most punctuation is not a token.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Token {
    /// A word or a number.
    Word(String),
    /// A word before a colon.
    Key(String),
    /// The backticks or tildes of a code fence.
    Fence,
    /// A symbol, or an invisible character.
    Mark(char),
    /// An empty string, list or object, or `null`.
    Blank,
}

impl Change {
    fn add_edit(&mut self, text: &[u8], edit: &Edit) {
        let at = |offset: mangle_syntax::text::TextSize| usize::from(offset).min(text.len());
        let (start, end) = (at(edit.span.range.start()), at(edit.span.range.end()));
        let part = |from: usize, to: usize| text.get(from..to).unwrap_or(&[]);
        let (before, behind) = (word_bytes_before(part(0, start)), word_bytes_after(part(end, text.len())));
        let (before, behind) = (part(start - before, start), part(end, end + behind));
        self.count(&[before, part(start, end), behind].concat(), -1);
        self.count(&[before, edit.text.as_bytes(), behind].concat(), 1);
    }

    fn count(&mut self, text: &[u8], by: i64) {
        for token in tokens(&decoded(&String::from_utf8_lossy(text))) {
            *self.tokens.entry(token).or_default() += by;
        }
    }

    fn keeps_evidence(mut self) -> bool {
        self.respell();
        self.rename();
        self.tokens.iter().all(|(token, count)| match (token, count) {
            (_, 0) => true,
            (Token::Key(word), 1..) => table::is_key(word),
            // Closing a fence is allowed.
            (Token::Fence | Token::Blank, 1..) => true,
            _ => false,
        })
    }

    /// Cancels out literals of other languages that become the JSON literal.
    fn respell(&mut self) {
        for (json, others) in LITERALS {
            for other in *others {
                let wanted = self.occurrences(json);
                if let Some(gone) =
                    self.tokens.get_mut(&Token::Word((*other).into())).filter(|gone| **gone < 0)
                {
                    let pairs = (-*gone).min(wanted.max(0));
                    *gone += pairs;
                    *self.tokens.entry(literal(json)).or_default() -= pairs;
                }
            }
        }
    }

    /// Cancels out keys that are replaced by keys of the protocol.
    fn rename(&mut self) {
        let is_new = |(token, count): (&Token, &i64)| match token {
            Token::Key(word) if *count > 0 && table::is_key(word) => *count,
            _ => 0,
        };
        let mut new: i64 = self.tokens.iter().map(is_new).sum();
        for (token, count) in &mut self.tokens {
            if matches!(token, Token::Key(_)) && *count < 0 {
                let pairs = (-*count).min(new);
                *count += pairs;
                new -= pairs;
            }
        }
    }

    fn occurrences(&self, word: &str) -> i64 {
        self.tokens.get(&literal(word)).copied().unwrap_or(0)
    }
}

/// Returns the token of a JSON literal.
fn literal(word: &str) -> Token {
    if word == "null" { Token::Blank } else { Token::Word(word.into()) }
}

/// JSON literals and their spellings in other languages.
const LITERALS: &[(&str, &[&str])] = &[
    ("true", &["True", "TRUE"]),
    ("false", &["False", "FALSE"]),
    ("null", &["None", "NULL", "Null", "nil", "undefined"]),
];

/// Returns the number of bytes at the end of a text that belong to a word crossing the edit.
fn word_bytes_before(text: &[u8]) -> usize {
    text.iter().rev().take(MAX_CONTEXT).take_while(|byte| is_inner(**byte)).count()
}

/// Returns the number of bytes at the start of a text that belong to a word crossing the edit,
/// including a following colon.
fn word_bytes_after(text: &[u8]) -> usize {
    let word = text.iter().take(MAX_CONTEXT).take_while(|byte| is_inner(**byte)).count();
    let rest = text.get(word..).unwrap_or(&[]);
    let is_border = |byte: &&u8| matches!(byte, b'"' | b'\'' | b':' | b'\\') || byte.is_ascii_whitespace();
    word + rest.iter().take(MAX_CONTEXT).take_while(is_border).count()
}

/// True if a byte can occur inside a word or an escape.
fn is_inner(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'_' | b'.' | b'-' | b'+' | b'\\' | b'`' | b'~')
        || byte >= 0x80
}

/// Returns a text with JSON escapes decoded, through nested strings.
fn decoded(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..LEVELS {
        if !text.contains('\\') {
            break;
        }
        text = unescaped(&text);
    }
    text
}

fn unescaped(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, behind)) = rest.split_once('\\') {
        out.push_str(before);
        let mut chars = behind.chars();
        rest = match chars.next() {
            Some('n' | 'r' | 't' | 'b' | 'f') => {
                out.push(' ');
                chars.as_str()
            }
            Some('u') => match unit(chars.as_str()) {
                Some((char, tail)) => {
                    out.push(char);
                    tail
                }
                None => behind,
            },
            Some(char) => {
                out.push(char);
                chars.as_str()
            }
            None => behind,
        };
    }
    out.push_str(rest);
    out
}

/// Decodes the digits after `\u`. Returns the character and the rest of the text.
fn unit(text: &str) -> Option<(char, &str)> {
    let digits = |text: &str| u16::from_str_radix(text.get(..4)?, 16).ok();
    let (first, rest) = (digits(text)?, text.get(4..)?);
    let second = rest.strip_prefix("\\u").and_then(digits);
    let pair = second.and_then(|second| char::decode_utf16([first, second]).next()?.ok());
    match pair.filter(|_| (0xd800..0xdc00).contains(&first)) {
        Some(char) => Some((char, rest.get(6..)?)),
        None => Some((char::from_u32(first.into()).unwrap_or(char::REPLACEMENT_CHARACTER), rest)),
    }
}

/// Counts the empty strings, lists and objects of a text.
fn blanks(text: &str) -> usize {
    let is_blank = |at: usize| {
        let before = text.get(..at).unwrap_or("").trim_end().chars().next_back();
        let behind = text.get(at + 2..).unwrap_or("").trim_start().chars().next();
        before.is_none_or(|char| "[{(,:\n".contains(char))
            && behind.is_none_or(|char| "]}),:.".contains(char))
    };
    ["\"\"", "''", "[]", "{}"]
        .iter()
        .flat_map(|blank| text.match_indices(blank))
        .filter(|(at, _)| is_blank(*at))
        .count()
}

fn tokens(text: &str) -> Vec<Token> {
    let mut out = vec![Token::Blank; blanks(text)];
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let len = match first {
            '`' | '~' => run(rest, |char| char == first),
            _ if is_part(first) || is_sign(rest) => run(rest, is_number_part),
            _ => first.len_utf8(),
        };
        let (part, tail) = rest.split_at(len);
        match first {
            '`' | '~' if len >= 3 => out.push(Token::Fence),
            _ if is_part(first) || is_sign(rest) => words(part, tail, &mut out),
            _ if is_mark(first) => out.push(Token::Mark(first)),
            _ => {}
        }
        rest = tail;
    }
    out
}

fn run(text: &str, is: impl Fn(char) -> bool) -> usize {
    text.find(|char| !is(char)).unwrap_or(text.len())
}

fn is_part(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

fn is_number_part(char: char) -> bool {
    is_part(char) || matches!(char, '.' | '-' | '+')
}

/// True if the text starts with a number that has a sign or a leading decimal point.
fn is_sign(text: &str) -> bool {
    let rest = text.trim_start_matches(['-', '+', '.']);
    rest.len() < text.len() && rest.starts_with(|char: char| char.is_ascii_digit())
}

/// True if a character that is not alphanumeric is content: symbols and invisible characters.
/// Quotes and white space are not content.
fn is_mark(char: char) -> bool {
    let is_beyond = !char.is_ascii() && !char.is_alphanumeric();
    let is_sign = matches!(char, '，' | '、' | '：');
    !char.is_whitespace() && !is_foreign_quote(char) && !is_sign && (char.is_control() || is_beyond)
}

/// True if a character is a typographic quote.
fn is_foreign_quote(char: char) -> bool {
    let mut buffer = [0; 4];
    !char.is_ascii() && json::quote_len(char.encode_utf8(&mut buffer).as_bytes()).is_some()
}

/// Splits a run of letters, digits, points and signs into words. A number is one word.
fn words(part: &str, tail: &str, out: &mut Vec<Token>) {
    if let Some(number) = number(part.trim_end_matches('.')) {
        out.push(Token::Word(number));
        return;
    }
    let is_quote = |char: char| matches!(char, '"' | '\'') || is_foreign_quote(char);
    let is_key = tail.trim_start_matches(is_quote).trim_start().starts_with([':', '：']);
    let pieces = part.split(['.', '-', '+']).filter(|piece| !piece.is_empty());
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        let is_last = pieces.peek().is_none();
        out.push(match is_key && is_last {
            true => Token::Key(piece.to_owned()),
            false => literal(piece),
        });
    }
}

/// Returns the canonical form of a number, so that equal numbers compare equal.
fn number(text: &str) -> Option<String> {
    let unsigned = text.trim_start_matches(['-', '+']);
    let sign = if text.starts_with('-') { "-" } else { "" };
    if !unsigned.starts_with(|char: char| char.is_ascii_digit() || char == '.') {
        return None;
    }
    if unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        let digits = unsigned.trim_start_matches('0');
        return Some(format!("{sign}{}", if digits.is_empty() { "0" } else { digits }));
    }
    let value: f64 = unsigned.parse().ok()?;
    Some(format!("{sign}{value}"))
}

/// Maximum length in bytes of replies that are compared. For longer replies, the rules themselves
/// check their fixes.
const MAX_COMPARED_LEN: usize = 32 << 10;

/// Words of a string, or of a scalar outside of strings.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Leaf {
    is_string: bool,
    words: Vec<Token>,
}

/// True if the text of each string stays in one string, and text outside of strings stays outside.
/// Only checked for damaged objects.
fn strings_are_preserved(text: &[u8], fix: &Fix) -> bool {
    let Some(start) = memchr::memchr(b'{', text).filter(|_| text.len() <= MAX_COMPARED_LEN) else {
        return true;
    };
    let is_inside = fix.edits.iter().all(|edit| usize::from(edit.span.range.start()) > start);
    let before = Json::parse(text.get(start..).unwrap_or(&[]));
    // In an undamaged object, edits replace whole values.
    if !is_inside || before.problems.is_empty() {
        return true;
    }
    let Some(new) = edits::applied(text, fix) else { return false };
    let leaves = |text: &[u8]| leaves(&Json::parse_damaged(text, start..text.len()));
    let (mut left, after) = (leaves(text), leaves(&new));
    let is_new = |leaf: &Leaf| match left.get_mut(leaf).filter(|count| **count > 0) {
        Some(count) => {
            *count -= 1;
            false
        }
        None => true,
    };
    let new: Vec<_> = after.into_iter().flat_map(|(leaf, count)| vec![leaf; count]).filter(is_new).collect();
    left.retain(|_, count| *count > 0);
    let is_lost = |leaf: &Leaf| !new.iter().any(|other| is_respelled(leaf, other));
    new.iter().all(|leaf| is_key_leaf(leaf) || left.keys().any(|other| is_respelled(other, leaf)))
        && left.keys().all(|leaf| is_key_leaf(leaf) || !is_lost(leaf))
}

/// Returns the strings, numbers and words of a value with their counts. Blank ones are omitted.
fn leaves(json: &Json<'_>) -> BTreeMap<Leaf, usize> {
    let mut leaves = BTreeMap::new();
    for node in json.nodes() {
        let leaf = match json.kind(node) {
            JsonKind::Plain | JsonKind::Escaped => {
                Leaf { is_string: true, words: string_tokens(&json.string(node).unwrap_or_default()) }
            }
            JsonKind::Array | JsonKind::Object => continue,
            _ => Leaf { is_string: false, words: string_tokens(&String::from_utf8_lossy(json.raw(node))) },
        };
        if leaf.words.iter().any(|word| *word != Token::Blank) {
            *leaves.entry(leaf).or_default() += 1;
        }
    }
    leaves
}

fn string_tokens(text: &str) -> Vec<Token> {
    tokens(&text.replace('\\', " "))
}

/// True if one leaf is another spelling of the second: a key without quotes, a literal of another
/// language, or a number in quotes.
fn is_respelled(one: &Leaf, other: &Leaf) -> bool {
    let word = |leaf: &Leaf| match leaf.words.as_slice() {
        [Token::Word(word) | Token::Key(word)] => Some(word.to_lowercase()),
        _ => None,
    };
    let is_literal = |word: &str| {
        let is_name = matches!(word, "true" | "false" | "none" | "nil" | "undefined");
        is_name || word.parse::<f64>().is_ok()
    };
    let is_spelled = word(one).is_some_and(|word| is_literal(&word)) && word(one) == word(other);
    one.words == other.words && (one.is_string == other.is_string || is_key_leaf(one) || is_key_leaf(other))
        || is_spelled
        || other.words.is_empty()
}

/// True if a leaf is a key of the protocol.
fn is_key_leaf(leaf: &Leaf) -> bool {
    matches!(leaf.words.as_slice(), [Token::Word(word) | Token::Key(word)] if table::is_key(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mangle_syntax::lint::Fix;
    use mangle_syntax::text::{TextRange, size};

    /// True if a fix that replaces `from` with `to` in `text` keeps the words.
    fn check(text: &str, from: &str, to: &str) -> bool {
        let at = text.find(from).unwrap_or(text.len());
        let fix = Fix::safe("x").replace(TextRange::at(size(at), size(from.len())), to);
        keeps(text.as_bytes(), &fix)
    }

    #[test]
    fn punctuation_and_escapes_may_change() {
        for (text, from, to) in [
            (r#"["p(/a)"]"#, ")\"", ").\""),
            (r#"["p(/a)"]"#, "]", "],"),
            (r#"["p(done)"]"#, "done", "/done"),
            (r#"{'a': 1}"#, "'a'", "\"a\""),
            (r#"{a: 1}"#, "a", "\"a\""),
            ("{\"a\": \"x\ny\"}", "\n", "\\n"),
            (r#"{"a": "C:\qux"}"#, "\\q", "\\\\q"),
            (r#"{"a": "{\"b\": 1}"}"#, r#""{\"b\": 1}""#, r#"{"b": 1}"#),
            (r#"{"a": .5}"#, ".5", "0.5"),
            (r#"{"a": 007}"#, "007", "7"),
            (r#"{"a": "0.5"}"#, "\"0.5\"", "0.5"),
            (r#"{"a": True}"#, "True", "true"),
            (r#"{"a": None}"#, "None", "null"),
            (r#"{"a": null}"#, "null", "[]"),
            (r#"{"mangle_update": []}"#, "mangle_update", "mangle_updates"),
            (r#"{}"#, "{", "{\"mangle_updates\": []"),
            ("```json\n{}", "", "\n```\n"),
        ] {
            assert!(check(text, from, to), "{text}: `{from}` becomes `{to}`");
        }
    }

    #[test]
    fn words_and_numbers_neither_come_nor_go() {
        for (text, from, to) in [
            (r#"{"a": 1}"#, "1", "-1"),
            (r#"{"a": 95}"#, "95", "0.95"),
            (r#"{"a": 95}"#, "5", "5.5"),
            (r#"{"a": false}"#, "false", "true"),
            (r#"{"a": ""}"#, "\"\"", "\"none\""),
            (r#"{"a": "fix"}"#, "fix", "fixed"),
            (r#"{"a": "fix"}"#, "i", "o"),
            (r#"{"a": null}"#, "null", "0"),
            (r#"{"a": "x"}"#, "\"x\"", "\"\""),
            (r#"["p(/a).", "p(/a)."]"#, "\"p(/a).\", ", ""),
            (r#"Sure! {}"#, "Sure! ", ""),
            ("```json\n{}\n```", "```json\n", ""),
            (r#"{"a": 1 /* why */}"#, " /* why */", ""),
            (r#"{"control": {}}"#, "{", "{\"piggyback_version\": \"1.1.0\","),
            (r#"["p(/a).", ""]"#, ", \"\"", ""),
            (r#"[null, {}]"#, "null, ", ""),
            ("{\"a\": \"x\u{202e}y\"}", "\u{202e}", ""),
            (r#"{"a": "x\u202ey"}"#, "\\u202e", ""),
        ] {
            assert!(!check(text, from, to), "{text}: `{from}` becomes `{to}`");
        }
    }

    fn check_strings(text: &str, from: &str, to: &str) -> bool {
        let at = text.find(from).unwrap_or(text.len());
        strings_are_preserved(
            text.as_bytes(),
            &Fix::safe("x").replace(TextRange::at(size(at), size(from.len())), to),
        )
    }

    #[test]
    fn strings_are_not_split_and_take_up_nothing() {
        let text = r#"{"surface_response": "to the "dictator", waiting", "a": [1,000.5, True]}"#;
        assert!(check_strings(text, "True", "true"));
        let split = r#"the", "b": "dictator", "c": "waiting""#;
        assert!(!check_strings(text, "the \"dictator\", waiting", split));
        assert!(!check_strings(text, "1,000.5", "1,0.5"));
        let text = r#"{"mangle_updates": ["p(/a)." # what
            , "q(/b)."]}"#;
        assert!(!check_strings(text, "# what", ", \"what\""));
        assert!(check_strings(r#"{control_packet: {"a": 1}}"#, "control_packet", "\"control_packet\""));
    }
}
