//! The files that a packet names: what it was about, what it touched. Only paths; whether they are there, and inside the
//! workspace, is found out by whoever may look.

use super::Opened;
use super::outline::{is_key, updates};
use mangle_syntax::text::{TextRange, slice};
use piggyback::envelope::json::{Json, JsonKind, NodeId};
use piggyback::envelope::plain;

/// More paths are not given: each costs a look at the disk.
const MOST: usize = 500;

/// A path longer than that is none.
const LONGEST: usize = 256;

/// A path in a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathLink {
    /// Its bytes in the file.
    pub range: TextRange,
    /// The path: relative, with `/`.
    pub path: String,
}

/// The members of packets that name files.
const MEMBERS: [&str; 6] = ["target", "files_affected", "tests_impacted", "path", "file", "file_path"];

/// The paths of all packets, in the order of the text.
#[must_use]
pub fn links(opened: Opened<'_>) -> Vec<PathLink> {
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
        if found.len() >= MOST {
            found.truncate(MOST);
            break;
        }
    }
    found
}

/// The strings in members that name files, however deep; `names` where the value itself is one of these.
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

/// The strings among the arguments of an update.
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

/// Whether a text can be the path of a file below a folder: relative, never upward, no address.
fn is_path(text: &str) -> bool {
    let is_odd =
        |char: char| char.is_control() || matches!(char, ':' | '\\' | '"' | '<' | '>' | '|' | '?' | '*');
    (1..=LONGEST).contains(&text.len())
        && text.contains(['.', '/'])
        && !text.starts_with(['/', '~'])
        && !text.contains(is_odd)
        && text.split('/').all(|part| !part.is_empty() && part != ".." && part != ".")
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
