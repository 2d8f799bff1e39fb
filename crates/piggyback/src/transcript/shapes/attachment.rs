//! References to texts in `attachments`: `attachment://NAME` refers to the member `NAME` of the
//! nearest `attachments`.

use rustc_hash::FxHashMap;

use super::string;
use crate::envelope::json::{Json, JsonKind as Node, NodeId};
use crate::transcript::findings;
use crate::transcript::turn::{Skip, TextKind, Turn};
use crate::transcript::words::{is_string, step};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::{TextRange, size};

/// Prefix of a reference.
const SCHEME: &[u8] = b"attachment://";

/// Maximum length of a reference name, in bytes.
const MAX_LEN: usize = 256;

/// Attached texts of a record. The key is the pointer of the object that contains `attachments`,
/// and the name.
type Texts = FxHashMap<(String, String), (NodeId, String)>;

/// Replaces references with the attached texts. Returns findings about replies whose text is
/// missing.
pub(super) fn resolve(json: &Json<'_>, root: NodeId, pointer: &str, turns: &mut [Turn]) -> Vec<Finding> {
    let (mut texts, mut found) = (None, Vec::new());
    for turn in turns {
        let Some(name) = name(turn.text(json.text())) else { continue };
        let texts = texts.get_or_insert_with(|| all(json, root, pointer));
        match text(texts, turn.path.first().map_or("", String::as_str), &name) {
            Some((node, pointer)) if turn.levels == 1 => {
                let new = string(json, *node, pointer.clone(), turn.role, turn.kind);
                let old = std::mem::replace(turn, new);
                (turn.details, turn.may_repeat) = (old.details, old.may_repeat);
            }
            _ if turn.is_reply() => {
                let whole = TextRange::up_to(size(turn.len()));
                found.push(findings::lost_attachment(turn.place(whole)));
                turn.kind = TextKind::Skipped(Skip::Preview);
            }
            _ => {}
        }
    }
    found
}

/// Returns the name in a text that is a reference.
fn name(text: &[u8]) -> Option<String> {
    let name = text.strip_prefix(SCHEME).filter(|name| name.len() <= MAX_LEN && !name.is_empty())?;
    let is_name = |byte: &u8| byte.is_ascii_graphic() && *byte != b'/';
    name.iter().all(is_name).then(|| String::from_utf8_lossy(name).into_owned())
}

/// Returns the attached text with a name that is nearest to a place.
fn text<'t>(texts: &'t Texts, place: &str, name: &str) -> Option<&'t (NodeId, String)> {
    let mut around = place;
    loop {
        if let Some(found) = texts.get(&(around.to_owned(), name.to_owned())) {
            return Some(found);
        }
        around = around.rsplit_once('/')?.0;
    }
}

fn all(json: &Json<'_>, root: NodeId, pointer: &str) -> Texts {
    let mut texts = Texts::default();
    let mut waiting = vec![(root, pointer.to_owned())];
    while let Some((node, pointer)) = waiting.pop() {
        if json.kind(node) == Node::Array {
            let elements = json.elements(node).enumerate();
            waiting.extend(elements.map(|(at, element)| (element, step(&pointer, at))));
        }
        for member in json.members(node) {
            let Some(key) = json.string(member.key) else { continue };
            let inner = step(&pointer, &*key);
            match json.kind(member.value) {
                Node::Object if key == "attachments" => {
                    for text in json.members(member.value).filter(|text| is_string(json, text.value)) {
                        if let Some(name) = json.string(text.key) {
                            let place = (text.value, step(&inner, &*name));
                            texts.insert((pointer.clone(), name.into_owned()), place);
                        }
                    }
                }
                Node::Object | Node::Array => waiting.push((member.value, inner)),
                _ => {}
            }
        }
    }
    texts
}
