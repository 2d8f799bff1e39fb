//! Fixing the files of a resolution. Touches nothing on disk.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Memory;
use super::resolve::{ProgramFiles, Resolution};
use crate::ide::fixes::{self, Bench, Fixed, Unit, Wish};
use mangle_engine::program::FileSummary;
use mangle_syntax::text::FileId;

/// Applies the fixes that `wish` asks for to `files`, which [`super::load`] gave. Touches nothing on disk.
#[must_use]
pub fn fix(
    resolution: &Resolution,
    files: FxHashMap<FileId, Arc<FileSummary>>,
    memory: &Memory,
    wish: Wish<'_>,
) -> Fixed {
    let units = resolution.programs.iter().flat_map(|program| units(program, memory)).collect();
    fixes::fix(&mut Bench { units, files }, wish)
}

/// The program itself and one for each of its sample kernels and policy tests.
fn units(program: &ProgramFiles, memory: &Memory) -> Vec<Unit> {
    let unit = |files, reported, single| Unit {
        files,
        reported,
        rules: Arc::new(program.settings.rules.clone()),
        embedding: Arc::clone(&program.embedding),
        cache: memory.cache(program, single),
    };
    let wanted = program.members.iter().filter(|member| member.reported);
    let mut reported: Vec<_> = wanted.map(|member| member.file).collect();
    reported.sort_unstable();
    let mut units = vec![unit(program.members.iter().map(|member| member.file).collect(), reported, None)];
    for single in program.singles.iter().filter(|single| single.member.reported) {
        let file = single.member.file;
        units.push(unit(program.with(single), vec![file], Some(file)));
    }
    units.retain(|unit| !unit.reported.is_empty());
    units
}
