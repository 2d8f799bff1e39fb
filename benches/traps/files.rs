//! The parts that traps are made of: envelopes, chat records, pieces that come again and again.

use std::path::Path;

use crate::traps::Trap;

/// Writes a trap of about `size` bytes, and tells its length. Where all files are transcripts.
pub(crate) fn write(folder: &Path, trap: &Trap, size: usize) -> usize {
    let text = (trap.text)(size);
    std::fs::write(folder.join(trap.file), &text).unwrap();
    std::fs::write(folder.join("mangle-ls.toml"), "[transcripts]\ninclude = [\"**\"]\n").unwrap();
    std::fs::write(folder.join("schemas.mg"), "Decl task_status(Id, Status) bound [/string, /name].\n")
        .unwrap();
    text.len()
}

/// Pieces with the numbers 0, 1, … until there are `size` bytes.
pub(crate) fn pieces(size: usize, piece: impl Fn(usize) -> String) -> Vec<u8> {
    let mut out = Vec::with_capacity(size + 4096);
    for number in 0.. {
        if out.len() >= size {
            break;
        }
        out.extend_from_slice(piece(number).as_bytes());
    }
    out
}

/// A text between two others.
pub(crate) fn between(before: &str, text: &[u8], behind: &str) -> Vec<u8> {
    [before.as_bytes(), text, behind.as_bytes()].concat()
}

/// An envelope with these members more in its control packet.
pub(crate) fn envelope(members: &[u8]) -> Vec<u8> {
    between(
        "{\"control_packet\":{\"intent_classification\":{\"category\":\"/query\",\"verb\":\"/explain\",\
         \"target\":\"a\",\"constraint\":\"none\",\"confidence\":0.9}",
        members,
        "},\"surface_response\":\"Done.\"}",
    )
}

/// An envelope whose control packet has a list of these elements.
pub(crate) fn list(name: &str, size: usize, element: impl Fn(usize) -> String) -> Vec<u8> {
    let elements =
        pieces(size, |number| format!("{}{}", if number == 0 { "" } else { "," }, element(number)));
    envelope(&between(&format!(",\"{name}\":["), &elements, "]"))
}

/// A line of a chat whose content is JSON text.
pub(crate) fn answer(text: &str) -> String {
    format!("{{\"role\":\"assistant\",\"content\":{}}}\n", serde_json::Value::from(text))
}
