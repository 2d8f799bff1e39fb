//! What is wrong with the JSON of an envelope.

use crate::envelope::Object;
use crate::envelope::edits::{self, quoted};
use crate::envelope::json::{Json, JsonProblem, JsonProblemKind};
use crate::envelope::sink::Sink;
use crate::envelope::survey::{ObjectRole, Survey, ends_inside};
use mangle_syntax::lint::{Applicability, Finding, Fix, Rule, rule};
use mangle_syntax::text::{TextRange, TextSize, size};

pub(super) static JSON_SYNTAX: Rule = rule!("json-syntax.md");

/// More slips than this in one object help nobody.
const MOST: usize = 20;

pub(super) fn check(survey: &Survey<'_>, sink: &mut Sink) {
    for role in [ObjectRole::Envelope, ObjectRole::Json, ObjectRole::Truncated] {
        for (_, object) in survey.with_role(role) {
            let problems = object.json.problems.iter().filter(|problem| is_shown(problem, object, role));
            for group in groups(&object.json, problems).into_iter().take(MOST) {
                problem(object, &group, sink);
            }
        }
    }
}

fn is_shown(problem: &JsonProblem, object: &Object<'_>, role: ObjectRole) -> bool {
    let text = object.json.text().get(..object.range.end).unwrap_or(&[]);
    // PB026 says what a text lacks that ends too early.
    let is_of_the_end = || problem.range.end() >= size(text.trim_ascii_end().len());
    let is_said = role == ObjectRole::Truncated
        && (problem.kind == JsonProblemKind::Unclosed || is_of_the_end() || ends_inside(object));
    // PB027 says that something is too deep.
    !is_said && problem.kind != JsonProblemKind::TooDeep
}

/// Problems of one cause together: the control characters of a string.
fn groups<'p>(json: &Json<'_>, problems: impl Iterator<Item = &'p JsonProblem>) -> Vec<Vec<&'p JsonProblem>> {
    let mut groups: Vec<Vec<&JsonProblem>> = Vec::new();
    for problem in problems {
        let same = groups.last_mut().filter(|group| {
            let last = group.last().filter(|last| {
                last.kind == JsonProblemKind::RawControl && problem.kind == JsonProblemKind::RawControl
            });
            let between = last.and_then(|last| {
                json.text().get(usize::from(last.range.end())..usize::from(problem.range.start()))
            });
            between.is_some_and(|between| !between.contains(&b'"'))
        });
        match same {
            Some(group) => group.push(problem),
            None => groups.push(vec![problem]),
        }
    }
    groups
}

fn problem(object: &Object<'_>, group: &[&JsonProblem], sink: &mut Sink) {
    let Some(first) = group.first() else { return };
    let json = &object.json;
    let text = String::from_utf8_lossy(slice(json, first.range)).into_owned();
    let fix = if first.kind == JsonProblemKind::RawControl {
        controls(json, group)
    } else {
        fix(json, first, &text)
    };
    let message = json.said(first, group.len());
    let mut finding = Finding::new(&JSON_SYNTAX, json.place(first), message)
        .note("the runtime reads nothing of an object with a syntax error");
    if first.kind == JsonProblemKind::Word {
        let note = "keys and strings need double quotes; the only words are `true`, `false` and `null`";
        finding = finding.note(note);
    }
    finding.fix = fix.filter(|fix| mends(object, fix, sink));
    sink.push(finding);
}

fn fix(json: &Json<'_>, problem: &JsonProblem, text: &str) -> Option<Fix> {
    let (range, start) = (problem.range, problem.range.start());
    Some(match problem.kind {
        JsonProblemKind::NoComma => Fix::safe("insert a comma").insert(json.place(problem).end(), ","),
        JsonProblemKind::NoColon => Fix::safe("insert a colon").insert(json.place(problem).end(), ":"),
        JsonProblemKind::ExtraComma => Fix::safe("delete the comma").replace(range, ""),
        JsonProblemKind::Comment => Fix::safe("delete the comment").replace(range, ""),
        JsonProblemKind::Word => word(json, range, text),
        JsonProblemKind::BadNumber => {
            Fix::safe("write the number as JSON does").replace(range, number(text)?)
        }
        JsonProblemKind::SingleQuotes => Fix::safe("use double quotes").replace(range, double_quoted(text)?),
        JsonProblemKind::BadEscape if text == "\\'" => Fix::safe("delete the backslash").replace(range, "'"),
        JsonProblemKind::BadEscape => Fix::guess("double the backslash").insert(start, "\\"),
        JsonProblemKind::Stray => Fix::guess("delete it").replace(range, ""),
        _ => return None,
    })
}

fn word(json: &Json<'_>, range: TextRange, text: &str) -> Fix {
    let is_key = slice_from(json, range.end()).trim_ascii_start().first() == Some(&b':');
    let known = match text {
        "True" | "TRUE" => Some("true"),
        "False" | "FALSE" => Some("false"),
        "None" | "NULL" | "Null" | "nil" | "undefined" => Some("null"),
        _ => None,
    };
    match known {
        Some(word) if !is_key => Fix::safe(format!("write `{word}`")).replace(range, word),
        _ if is_key => Fix::safe("put the key in quotes").replace(range, quoted(text)),
        _ => Fix::guess("put it in quotes").replace(range, quoted(text)),
    }
}

/// A number as JSON writes it.
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

/// A string in single quotes in double ones.
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

/// Whether the string around a control character is followed by what may follow a string. Otherwise a quote is missing,
/// and the line break may be one between values.
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

/// Whether there is less wrong after a fix than before.
fn mends(object: &Object<'_>, fix: &Fix, sink: &mut Sink) -> bool {
    let (text, before) = (object.json.text(), object.json.problems.len());
    if !sink.may_read(2 * text.len()) {
        return false;
    }
    let Some(new) = edits::applied(text, fix) else { return false };
    let end = (object.range.end + new.len()).checked_sub(text.len());
    let is_better = |end| {
        let after = Json::parse_part(&new, object.range.start..end);
        after.problems.len() < before
            || fix.applicability == Applicability::Unsafe && after.problems.is_empty()
    };
    end.is_some_and(is_better)
}

fn slice<'t>(json: &Json<'t>, range: TextRange) -> &'t [u8] {
    json.text().get(usize::from(range.start())..usize::from(range.end())).unwrap_or(&[])
}

fn slice_from<'t>(json: &Json<'t>, start: TextSize) -> &'t [u8] {
    json.text().get(usize::from(start)..).unwrap_or(&[])
}
