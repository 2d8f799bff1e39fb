//! Entries of codeNERD's audit log (K10). Each contains one atom in `mangle`.

use super::string;
use crate::envelope::json::{Json, NodeId};
use crate::transcript::turn::{TextKind, Turn, TurnRole};
use crate::transcript::words::{is_string, member, step};

/// Reads the atom of an entry.
pub(super) fn read(json: &Json<'_>, node: NodeId, pointer: &str) -> Option<Vec<Turn>> {
    member(json, node, "event")?;
    member(json, node, "ts")?;
    let atom = member(json, node, "mangle").filter(|atom| is_string(json, *atom))?;
    let turn = string(json, atom, step(pointer, "mangle"), TurnRole::Other, TextKind::Atom);
    Some(Some(turn).filter(|turn| !turn.is_empty()).into_iter().collect())
}
