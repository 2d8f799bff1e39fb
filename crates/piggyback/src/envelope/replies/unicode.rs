//! Rule for invalid Unicode in strings: unpaired surrogates and bytes that are not UTF-8.

use crate::envelope::json::{Json, JsonKind, NodeId};
use crate::envelope::sink::Sink;
use crate::envelope::subject::Subject;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::text::{TextRange, TextSize, size};

/// Reports bytes and escapes that the decoder replaces with U+FFFD.
pub static BAD_UNICODE: Rule = rule!("bad-unicode.md");

pub(super) fn check(subject: &Subject<'_>, sink: &mut Sink) {
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
        let Some((range, count)) = bad(json, node) else { continue };
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
fn bad(json: &Json<'_>, node: NodeId) -> Option<(TextRange, usize)> {
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

fn slice<'t>(json: &Json<'t>, range: TextRange) -> &'t [u8] {
    json.text().get(usize::from(range.start())..usize::from(range.end().max(TextSize::new(0)))).unwrap_or(&[])
}
