//! The programs of a resolution, joined: for commands that look at programs as a whole.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::resolve::{ProgramFiles, Resolution};
use crate::program::{FileSummary, Program};
use crate::text::FileId;

/// A program, and what of it was asked for.
#[derive(Debug)]
pub struct Joined {
    /// What it is called in output.
    pub name: String,
    /// The program.
    pub program: Program,
    /// The files that were asked for; `None` if that is all of them.
    pub files: Option<FxHashSet<FileId>>,
}

/// Joins the programs of `resolution` from the files that [`super::load`] gave. A kernel or a test, which is
/// a program of its own with the files that it runs with, is given only where nothing of those was asked for.
#[must_use]
pub fn join(resolution: &Resolution, files: &FxHashMap<FileId, Arc<FileSummary>>) -> Vec<Joined> {
    resolution.programs.iter().flat_map(|program| join_program(program, files)).collect()
}

fn join_program(of: &ProgramFiles, files: &FxHashMap<FileId, Arc<FileSummary>>) -> Vec<Joined> {
    let joined = |name: String, members: Vec<FileId>, wanted: FxHashSet<FileId>| {
        let summaries = members.iter().filter_map(|file| files.get(file).map(Arc::clone));
        Joined {
            name,
            program: Program::embedded(summaries.collect(), Arc::clone(&of.embedding)),
            files: (!members.iter().all(|file| wanted.contains(file))).then_some(wanted),
        }
    };
    let wanted = of.members.iter().filter(|member| member.reported).map(|member| member.file);
    let wanted: FxHashSet<_> = wanted.collect();
    if !wanted.is_empty() {
        let members = of.members.iter().map(|member| member.file).collect();
        return vec![joined(of.name.clone(), members, wanted)];
    }
    let singles = of.singles.iter().filter(|single| single.member.reported);
    let one = |file: FileId, members| joined(of.name.clone(), members, [file].into_iter().collect());
    singles.map(|single| one(single.member.file, of.with(single))).collect()
}
