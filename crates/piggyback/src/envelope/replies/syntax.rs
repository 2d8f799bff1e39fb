//! Rules for JSON syntax errors and invalid Unicode in an envelope, and fixes of syntax errors.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::envelope::edits::{self, quoted};
use crate::envelope::json::{Json, JsonKind, JsonProblem, JsonProblemKind, NodeId, plain_space};
use crate::envelope::survey::{ObjectRole, Subject, Survey, ends_inside};
use crate::envelope::{Object, Sink};
use mangle_syntax::lint::{Finding, Fix, Rule, rule};
use mangle_syntax::text::{TextRange, TextSize, size};

/// Reports JSON syntax errors.
pub static JSON_SYNTAX: Rule = rule!("json-syntax.md");

/// Reports bytes and escapes that the decoder replaces with U+FFFD.
pub static BAD_UNICODE: Rule = rule!("bad-unicode.md");

/// The maximum number of syntax errors that are reported per object.
const MAX_ERRORS: usize = 20;

pub(super) fn check(survey: &Survey<'_>, sink: &mut Sink) {
    for role in [ObjectRole::Envelope, ObjectRole::Json, ObjectRole::Truncated] {
        for (_, object) in survey.with_role(role) {
            let problems = object.json.problems.iter().filter(|problem| is_shown(problem, object, role));
            for group in groups(&object.json, problems).into_iter().take(MAX_ERRORS) {
                problem(object, &group, sink);
            }
        }
    }
}

fn is_shown(problem: &JsonProblem, object: &Object<'_>, role: ObjectRole) -> bool {
    let text = object.json.text().get(..object.range.end).unwrap_or(&[]);
    // PB026 reports the missing parts of truncated text.
    let is_of_the_end = || problem.range.end() >= size(text.trim_ascii_end().len());
    let is_said = role == ObjectRole::Truncated
        && (problem.kind == JsonProblemKind::Unclosed || is_of_the_end() || ends_inside(object));
    // PB027 reports excessive nesting.
    !is_said && problem.kind != JsonProblemKind::TooDeep
}

/// Groups problems by cause, in the order of their first positions.
fn groups<'p>(json: &Json<'_>, problems: impl Iterator<Item = &'p JsonProblem>) -> Vec<Vec<&'p JsonProblem>> {
    let mut groups: Vec<Vec<&JsonProblem>> = Vec::new();
    let mut known: FxHashMap<Cause, usize> = FxHashMap::default();
    for problem in problems {
        let Some(cause) = Cause::new(json, problem) else {
            groups.push(vec![problem]);
            continue;
        };
        let at = *known.entry(cause).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.push(problem),
            None => groups.push(vec![problem]),
        }
    }
    groups
}

/// A cause that several problems of an object may share.
#[derive(PartialEq, Eq, Hash)]
enum Cause {
    /// Control characters in this string.
    Control(NodeId),
    /// Unescaped quotes in this string.
    Quotes(NodeId),
    /// A wrong quote character of one kind.
    Character(JsonProblemKind, char),
    SingleQuotes,
    /// A literal of another language, for example `True`.
    Literal(&'static str),
}

impl Cause {
    fn new(json: &Json<'_>, problem: &JsonProblem) -> Option<Self> {
        let around = || json.string_around(problem.range.start());
        match problem.kind {
            JsonProblemKind::RawControl => around().map(Self::Control),
            JsonProblemKind::UnescapedQuote => around().map(Self::Quotes),
            JsonProblemKind::WrongQuote | JsonProblemKind::WrongSpace | JsonProblemKind::WrongSign => {
                let text = String::from_utf8_lossy(slice(json, problem.range));
                text.chars().next().map(|first| Self::Character(problem.kind, first))
            }
            JsonProblemKind::SingleQuotes => Some(Self::SingleQuotes),
            JsonProblemKind::Word if !is_key(json, problem.range) => {
                literal(&String::from_utf8_lossy(slice(json, problem.range))).map(Self::Literal)
            }
            _ => None,
        }
    }
}

fn problem(object: &Object<'_>, group: &[&JsonProblem], sink: &mut Sink) {
    let Some(first) = group.first() else { return };
    let json = &object.json;
    let message = json.problem_message(first, group.len());
    let mut finding = Finding::new(&JSON_SYNTAX, json.problem_range(first), message)
        .note("the runtime reads nothing of an object with a syntax error");
    match first.kind {
        JsonProblemKind::Word => {
            let note = "keys and strings need double quotes; the only words are `true`, `false` and `null`";
            finding = finding.note(note);
        }
        JsonProblemKind::BadNumber if has_separator(slice(json, first.range)) => {
            finding = finding.note("numbers of JSON have no separators, no units and no decimal comma");
        }
        _ => {}
    }
    let fix = group_fix(json, group);
    finding.fix = fix.filter(|fix| is_improvement(object, fix, sink));
    if first.kind == JsonProblemKind::UnescapedQuote && finding.fix.is_none() {
        finding = finding.help("write `\\\"` for each quote that belongs to the text");
    }
    sink.push(finding);
}

/// Returns a fix for several problems with the same cause.
fn group_fix(json: &Json<'_>, group: &[&JsonProblem]) -> Option<Fix> {
    let first = *group.first()?;
    let titled = |one: &'static str, many: &'static str| if group.len() == 1 { one } else { many };
    let base = match first.kind {
        JsonProblemKind::RawControl => return controls(json, group),
        JsonProblemKind::UnescapedQuote => quotes_fix(json, titled("escape the quote", "escape the quotes"))?,
        JsonProblemKind::WrongSpace => Fix::safe("use spaces"),
        JsonProblemKind::WrongSign => quotes_fix(json, "use the sign of JSON")?,
        JsonProblemKind::WrongQuote | JsonProblemKind::SingleQuotes => quotes_fix(json, "use double quotes")?,
        _ => Fix::safe(""),
    };
    let mut fix = base;
    let partners = paired_quotes(json, group);
    for problem in group.iter().copied().chain(partners) {
        let text = String::from_utf8_lossy(slice(json, problem.range)).into_owned();
        let range = problem.range;
        fix = match problem.kind {
            JsonProblemKind::UnescapedQuote => fix.insert(range.start(), "\\"),
            JsonProblemKind::WrongQuote => fix.replace(range, "\""),
            JsonProblemKind::WrongSign => fix.replace(range, if text == "：" { ":" } else { "," }),
            JsonProblemKind::WrongSpace => {
                fix.replace(range, text.chars().map(plain_space).collect::<String>())
            }
            JsonProblemKind::SingleQuotes => fix.replace(range, double_quoted(&text)?),
            JsonProblemKind::Word if literal(&text).is_some() && !is_key(json, range) => {
                let word = literal(&text)?;
                let edits = std::mem::take(&mut fix.edits);
                let mut new = Fix::safe(format!("write `{word}`"));
                new.edits = edits;
                new.replace(range, word)
            }
            _ => return single_fix(json, problem, &text),
        };
    }
    Some(fix)
}

/// Returns the other wrong quotes of the same strings. Both quotes of a string must be replaced
/// together.
fn paired_quotes<'j>(json: &'j Json<'_>, group: &[&JsonProblem]) -> Vec<&'j JsonProblem> {
    let is_wrong = |problem: &&JsonProblem| problem.kind == JsonProblemKind::WrongQuote;
    let string = |problem: &JsonProblem| json.string_around(problem.range.start());
    let own: FxHashSet<_> = group.iter().copied().filter(|one| is_wrong(one)).filter_map(string).collect();
    let of_strings = |problem: &&JsonProblem| string(problem).is_some_and(|string| own.contains(&string));
    let is_other = |problem: &&JsonProblem| !group.contains(problem);
    json.problems.iter().filter(is_wrong).filter(of_strings).filter(is_other).collect()
}

/// Returns a safe fix if the roles of all quotes are unambiguous.
fn quotes_fix(json: &Json<'_>, title: &'static str) -> Option<Fix> {
    json.is_certain.then(|| Fix::safe(title))
}

fn single_fix(json: &Json<'_>, problem: &JsonProblem, text: &str) -> Option<Fix> {
    let (range, start) = (problem.range, problem.range.start());
    Some(match problem.kind {
        JsonProblemKind::NoComma => {
            quotes_fix(json, "insert a comma")?.insert(json.problem_range(problem).end(), ",")
        }
        JsonProblemKind::NoColon => {
            quotes_fix(json, "insert a colon")?.insert(json.problem_range(problem).end(), ":")
        }
        JsonProblemKind::NoBracket => {
            Fix::guess("insert a bracket").insert(json.problem_range(problem).end(), "]")
        }
        JsonProblemKind::NoQuote if json.is_certain && !is_listed(json, start) => {
            Fix::guess("insert a quote").insert(start, "\"")
        }
        JsonProblemKind::ExtraComma => Fix::safe("delete the comma").replace(range, ""),
        JsonProblemKind::Comment => Fix::safe("delete the comment").replace(range, ""),
        JsonProblemKind::Word => word(json, range, text)?,
        JsonProblemKind::BadNumber => {
            Fix::safe("write the number as JSON does").replace(range, number(text)?)
        }
        JsonProblemKind::BadEscape if text == "\\'" => Fix::safe("delete the backslash").replace(range, "'"),
        JsonProblemKind::BadEscape => Fix::guess("double the backslash").insert(start, "\\"),
        JsonProblemKind::Stray => Fix::guess("delete it").replace(range, ""),
        _ => return None,
    })
}

/// True if a colon follows the range.
fn is_key(json: &Json<'_>, range: TextRange) -> bool {
    slice_from(json, range.end()).trim_ascii_start().first() == Some(&b':')
}

/// True if a string without an opening quote is a list element. Such words may be notes, so they
/// have no fix.
fn is_listed(json: &Json<'_>, start: TextSize) -> bool {
    let text = json.text().get(..usize::from(start)).unwrap_or(&[]);
    let before = text.trim_ascii_end().last();
    let is_first = json.string_around(start).is_some_and(|node| json.range(node).start() == start);
    is_first && before != Some(&b':') && !is_member_key(json, start)
}

/// True if a key begins at this offset.
fn is_member_key(json: &Json<'_>, start: TextSize) -> bool {
    let mut members = json.nodes().flat_map(|node| json.members(node));
    members.any(|member| json.range(member.key).start() == start)
}

/// Returns the JSON equivalent of a literal of another language.
fn literal(text: &str) -> Option<&'static str> {
    match text {
        "True" | "TRUE" => Some("true"),
        "False" | "FALSE" => Some("false"),
        "None" | "NULL" | "Null" | "nil" | "undefined" => Some("null"),
        _ => None,
    }
}

/// True if a number has digit separators.
fn has_separator(number: &[u8]) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    !number.iter().all(is_plain)
}

/// Returns the fix for an unquoted word that is a key or the whole value of a member. Other words
/// may be notes and have no fix.
fn word(json: &Json<'_>, range: TextRange, text: &str) -> Option<Fix> {
    if is_key(json, range) {
        return Some(Fix::safe("put the key in quotes").replace(range, quoted(text)));
    }
    let before = json.text().get(..usize::from(range.start())).unwrap_or(&[]).trim_ascii_end().last();
    let behind = slice_from(json, range.end()).trim_ascii_start().first();
    let is_value = before == Some(&b':') && matches!(behind, Some(b',' | b'}'));
    is_value.then(|| Fix::guess("put it in quotes").replace(range, quoted(text)))
}

/// Converts a number to JSON syntax.
fn number(text: &str) -> Option<String> {
    let (sign, rest) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let rest = rest.strip_prefix('+').unwrap_or(rest);
    let (whole, rest) = rest.split_at(rest.find(|char: char| !char.is_ascii_digit()).unwrap_or(rest.len()));
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let rest = if rest == "." { "" } else { rest };
    let new = format!("{sign}{whole}{rest}");
    (Json::parse(new.as_bytes()).is_valid_to_the_end() && new != text).then_some(new)
}

/// Converts a single-quoted string to a double-quoted string.
fn double_quoted(text: &str) -> Option<String> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?.replace("\\'", "'");
    let mut out = String::from("\"");
    let mut is_escaped = false;
    for char in inner.chars() {
        if char == '"' && !is_escaped {
            out.push('\\');
        }
        is_escaped = char == '\\' && !is_escaped;
        out.push(char);
    }
    out.push('"');
    Some(out)
}

fn controls(json: &Json<'_>, group: &[&JsonProblem]) -> Option<Fix> {
    let title = if group.len() == 1 { "escape it" } else { "escape them" };
    let mut fix = if ends_well(json, group.last()?) { Fix::safe(title) } else { Fix::guess(title) };
    for problem in group {
        let char = slice(json, problem.range).first().copied().map(char::from)?;
        let literal = quoted(char.encode_utf8(&mut [0; 4]));
        fix = fix.replace(problem.range, literal.trim_matches('"'));
    }
    Some(fix)
}

/// True if a comma, a bracket or a colon follows the string around a control character.
///
/// Otherwise a closing quote is missing, and the line break may separate two values.
fn ends_well(json: &Json<'_>, problem: &JsonProblem) -> bool {
    let mut rest = slice_from(json, problem.range.end()).iter().copied();
    loop {
        match rest.next() {
            Some(b'\\') => drop(rest.next()),
            Some(b'"') => break,
            Some(_) => {}
            None => return false,
        }
    }
    rest.find(|byte| !byte.is_ascii_whitespace()).is_none_or(|byte| b",:}]".contains(&byte))
}

/// True if the object has fewer problems and the same content after the fix.
fn is_improvement(object: &Object<'_>, fix: &Fix, sink: &mut Sink) -> bool {
    let (text, before) = (object.json.text(), object.json.problems.len());
    if !sink.may_read(2 * text.len()) {
        return false;
    }
    let Some(new) = edits::applied(text, fix) else { return false };
    let end = (object.range.end + new.len()).checked_sub(text.len());
    end.is_some_and(|end| {
        let after = Json::parse_damaged(&new, object.range.start..end);
        after.problems.len() < before && object.json.has_content_of(&after)
    })
}

fn slice<'t>(json: &Json<'t>, range: TextRange) -> &'t [u8] {
    json.text().get(usize::from(range.start())..usize::from(range.end())).unwrap_or(&[])
}

fn slice_from<'t>(json: &Json<'t>, start: TextSize) -> &'t [u8] {
    json.text().get(usize::from(start)..).unwrap_or(&[])
}

pub(super) fn check_unicode(subject: &Subject<'_>, sink: &mut Sink) {
    let json = subject.json;
    let text = subject.reply.raw.get(subject.object.range.clone()).unwrap_or(&[]);
    let has_surrogates =
        memchr::memmem::find(text, b"\\ud").is_some() || memchr::memmem::find(text, b"\\uD").is_some();
    if !has_surrogates && std::str::from_utf8(text).is_ok() {
        return;
    }
    for node in json.nodes().filter(|node| json.kind(*node) == JsonKind::Escaped) {
        if sink.is_full(&BAD_UNICODE) {
            return;
        }
        let Some((range, count)) = invalid_sequences(json, node) else { continue };
        let (message, note) = if slice(json, range).first() == Some(&b'\\') {
            ("escape is half of a surrogate pair", "the runtime reads U+FFFD in its place")
        } else {
            (
                "string contains bytes that are not UTF-8",
                "the runtime reads U+FFFD in place of each such byte",
            )
        };
        let mut finding = Finding::new(&BAD_UNICODE, range, message).note(note);
        if count > 1 {
            finding = finding.note(format!("the string contains {count} of them"));
        }
        sink.push(finding);
    }
}

/// Returns the first invalid sequence of a string and the number of invalid sequences.
fn invalid_sequences(json: &Json<'_>, node: NodeId) -> Option<(TextRange, usize)> {
    let (value, map) = json.string_with_map(node)?;
    let (mut first, mut count) = (None, 0);
    for (at, found) in value.match_indices(char::REPLACEMENT_CHARACTER) {
        let source = map.to_source(TextRange::at(size(at), size(found.len())));
        let written = slice(json, source);
        // A replacement character in the source is valid text.
        if written == found.as_bytes() || written.eq_ignore_ascii_case(b"\\ufffd") {
            continue;
        }
        count += 1;
        first = first.or(Some(source));
    }
    Some((first?, count))
}
