//! A rename at any place is refused, or gives a program of the same structure, in which the rename back gives every byte
//! again.

use std::sync::Arc;

use mangle_ide::Place;
use mangle_ide::rename::{prepare, rename};
use mangle_syntax::text::{FileId, size};

use crate::generate::mangle;
use crate::oracle;
use crate::world::World;

const NAMES: &[&str] = &[
    "x", "other", "Z", "New1", "/n", "/n/m", "pkg.x", "é", "", "p q", "_", "fn:x", "a1_b", "Decl", "now",
    "/a", "p0", "X0",
];

pub(crate) fn run(bytes: &[u8]) {
    let [place, place_low, name, rest @ ..] = bytes else { return };
    let text = mangle(rest);
    let world = World::new(&[Arc::from(text.as_str())]);
    let at = usize::from(u16::from_be_bytes([*place, *place_low])) % (text.len() + 1);
    let Some(place) = Place::new(&world, FileId(0), size(at)) else { return };
    let new = NAMES[usize::from(*name) % NAMES.len()];
    let prepared = prepare(place);
    if let Ok(Some(found)) = &prepared {
        oracle::inside(found.range, text.as_bytes(), found);
        assert_eq!(&text[found.range], found.name);
    }
    let Ok(edits) = rename(place, &[], new) else { return };
    edits.iter().for_each(|edit| oracle::inside(edit.range, text.as_bytes(), edit));
    if edits.is_empty() {
        return;
    }
    let Ok(Some(renamable)) = prepared else { panic!("renamed, but {prepared:?}") };
    let after = world.after(&edits);
    assert_eq!(structure(&after), structure(&world), "{text:?}\n{:?}", after.sources[0].text());
    let back = edits.iter().position(|edit| edit.range.contains_inclusive(place.offset)).unwrap_or(0);
    let moved: i64 = edits[..back]
        .iter()
        .map(|edit| edit.text.len() as i64 - i64::from(u32::from(edit.range.len())))
        .sum();
    let start = i64::from(u32::from(edits[back].range.start())) + moved;
    let Some(place) = Place::new(&after, FileId(0), size(usize::try_from(start).unwrap())) else { return };
    // Reserved names, such as those that the engine generates, cannot be given back.
    let Ok(edits) = rename(place, &[], &renamable.name) else { return };
    assert_eq!(after.after(&edits).sources[0].text().as_ref(), text, "renamed to {new} and back");
}

/// The kinds of statements, and which are damaged.
fn structure(
    world: &World,
) -> Vec<(std::mem::Discriminant<mangle_syntax::syntax::ast::StatementKind>, bool)> {
    let items = world.sources[0].items().iter();
    items.map(|item| (std::mem::discriminant(&item.statement.kind), item.statement.damaged)).collect()
}
