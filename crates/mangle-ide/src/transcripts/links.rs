//! Links to files named in packets (targets and affected files), and references from the Mangle
//! texts of a transcript. Callers check that a file exists and is inside the workspace.

use memchr::memmem;

use super::TranscriptView;
use super::outline::{is_key, updates};
use crate::subject::Subject;
use mangle_engine::program::Program;
use mangle_syntax::text::{TextRange, slice};
use piggyback::envelope::json::{Json, JsonKind, NodeId};
use piggyback::envelope::plain;

/// Maximum number of paths, because each path costs a disk access.
const MAX_PATHS: usize = 500;

/// Maximum length of a path in bytes.
const MAX_LEN: usize = 256;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathLink {
    /// Byte range in the file.
    pub range: TextRange,
    /// Relative path with `/` separators.
    pub path: String,
}

/// Packet members that contain file names.
const MEMBERS: [&str; 6] = ["target", "files_affected", "tests_impacted", "path", "file", "file_path"];

/// Returns the paths of all packets, in source order.
#[must_use]
pub fn links(opened: TranscriptView<'_>) -> Vec<PathLink> {
    let mut found = Vec::new();
    for entry in opened.records.list() {
        let bytes = opened.records.bytes(entry);
        for turn in entry.body.turns.iter().filter(|turn| turn.is_reply()) {
            let reply = turn.reply(bytes, opened.settings);
            let Some(object) = reply.picked_object() else { continue };
            let mut add = |range: TextRange, path: String| {
                found.push(PathLink { range: entry.place(turn.place(range)), path });
            };
            of_members(&object.json, object.json.root(), false, &mut add);
            updates(&object.json).into_iter().for_each(|node| of_update(&object.json, node, &mut add));
        }
        if found.len() >= MAX_PATHS {
            found.truncate(MAX_PATHS);
            break;
        }
    }
    found
}

/// Collects strings in members with file names, at any depth. `names` is true if the value belongs
/// to such a member.
fn of_members(json: &Json<'_>, node: NodeId, names: bool, add: &mut impl FnMut(TextRange, String)) {
    match json.kind(node) {
        JsonKind::Object => {
            for member in json.members(node) {
                let key = json.string(member.key).unwrap_or_default();
                let names = MEMBERS.iter().any(|name| is_key(&key, name));
                of_members(json, member.value, names, add);
            }
        }
        JsonKind::Array => json.elements(node).for_each(|element| of_members(json, element, names, add)),
        JsonKind::Plain | JsonKind::Escaped if names => {
            if let Some((text, map)) = json.string_with_map(node)
                && is_path(&text)
            {
                add(map.to_source(TextRange::up_to(mangle_syntax::text::text_len(&text))), text);
            }
        }
        _ => {}
    }
}

/// Collects the string arguments of an update.
fn of_update(json: &Json<'_>, node: NodeId, add: &mut impl FnMut(TextRange, String)) {
    let Some((text, map)) = json.string_with_map(node) else { return };
    let Some(read) = plain::read(text.trim_end()) else { return };
    for argument in &read.args {
        let written = slice(&text, argument.range);
        let inner = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        if let Some(path) = inner.filter(|path| is_path(path)) {
            let quote = mangle_syntax::text::size(1);
            let range = TextRange::new(argument.range.start() + quote, argument.range.end() - quote);
            add(map.to_source(range), path.to_owned());
        }
    }
}

/// True if a text can be a relative path below a folder, without `..` and URL schemes.
fn is_path(text: &str) -> bool {
    let is_odd =
        |char: char| char.is_control() || matches!(char, ':' | '\\' | '"' | '<' | '>' | '|' | '?' | '*');
    (1..=MAX_LEN).contains(&text.len())
        && text.contains(['.', '/'])
        && !text.starts_with(['/', '~'])
        && !text.contains(is_odd)
        && text.split('/').all(|part| !part.is_empty() && part != ".." && part != ".")
}

/// Returns the ranges in the file that mention the subject. Variables are local to their update, so
/// they have no references.
#[must_use]
pub fn mentions(opened: TranscriptView<'_>, subject: Subject, program: &Program) -> Vec<TextRange> {
    let Some(word) = word(subject) else { return Vec::new() };
    let finder = memmem::Finder::new(word);
    let mut found = Vec::new();
    for entry in opened.records.list() {
        if finder.find(opened.records.bytes(entry)).is_none() {
            continue;
        }
        for text in opened.records.mangle(entry, opened.settings) {
            if finder.find(text.embedded.text.as_bytes()).is_none() {
                continue;
            }
            let occurrences = subject.occurrences_in(program, text.summary()).into_iter();
            let place = |range| entry.place(text.to_source(range));
            found.extend(occurrences.map(|occurrence| place(occurrence.range)));
        }
    }
    for text in opened.records.fences() {
        let occurrences = subject.occurrences_in(program, text.summary()).into_iter();
        found.extend(occurrences.map(|occurrence| text.to_source(occurrence.range)));
    }
    found
}

/// True if a transcript with this text may mention the subject. Scans the bytes of the text.
#[must_use]
pub fn may_mention(text: &str, subject: Subject) -> bool {
    word(subject).is_some_and(|word| memmem::find(text.as_bytes(), word.as_bytes()).is_some())
}

/// Returns a word that every mention contains verbatim, at any level of escaping.
fn word(subject: Subject) -> Option<&'static str> {
    let symbol = match subject {
        Subject::Predicate(key) => key.name,
        Subject::Builtin(name)
        | Subject::Function(name)
        | Subject::Name(name)
        | Subject::Package(name)
        | Subject::Descriptor(name) => name,
        Subject::Variable(_) | Subject::Wildcard => return None,
    };
    let is_plain = |char: char| char.is_ascii_alphanumeric() || char == '_';
    symbol.as_str().rsplit(|char| !is_plain(char)).find(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::is_path;

    #[test]
    fn what_can_be_a_path() {
        assert!(["src/a.rs", "a.go", "my files/a b.md"].into_iter().all(is_path));
        let never = [
            "",
            "/etc/passwd",
            "../a",
            "a/../../b",
            "http://e.org/a",
            "file:a",
            "~/a",
            "a//b",
            "C:\\a",
            "none",
        ];
        assert!(!never.into_iter().any(is_path));
    }
}
