//! Files of several programs: a silencing comment is of use when one of them needs it.

use super::resolve::{ProgramFiles, Resolution};
use crate::report::Entry;
use mangle_check::suppression::UNUSED_SUPPRESSION;
use mangle_syntax::text::FileId;

/// Drops what the programs of `resolution` (whose findings these are, program by program) say of comments
/// that silence nothing, where another program of the file does not say so.
pub(super) fn drop_needed_elsewhere<'e>(
    resolution: &Resolution,
    found: impl Iterator<Item = &'e mut Vec<Entry>>,
) {
    let mut lists: Vec<_> = found.collect();
    let unused: Vec<Entry> = lists
        .iter()
        .flat_map(|list| list.iter())
        .filter(|entry| entry.diagnostic.rule == &UNUSED_SUPPRESSION)
        .cloned()
        .collect();
    let needed: Vec<_> = unused
        .iter()
        .filter(|entry| {
            let programs = resolution.programs.iter().filter(|program| reports(program, entry.file));
            unused.iter().filter(|other| other == entry).count() < programs.count()
        })
        .collect();
    for list in lists.iter_mut().filter(|_| !needed.is_empty()) {
        list.retain(|entry| !needed.contains(&entry));
    }
}

fn reports(program: &ProgramFiles, file: FileId) -> bool {
    let mut members = program.own();
    members.any(|member| member.reported && member.file == file)
}
