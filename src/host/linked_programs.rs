//! The programs of a resolution, joined: for commands that look at programs as a whole.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::resolve::{ProgramFiles, Resolution, StandaloneFile, Unit};
use mangle_engine::program::{FileSummary, Program};
use mangle_settings::Settings;
use mangle_syntax::text::FileId;

/// A program, and what of it was asked for.
#[derive(Debug)]
pub struct LinkedProgram {
    /// What it is called in output.
    pub name: String,
    pub program: Arc<Program>,
    /// The files that were asked for; `None` if that is all of them.
    pub files: Option<FxHashSet<FileId>>,
    /// The settings that hold for it.
    pub settings: Arc<Settings>,
    /// The folder that paths of its settings count from.
    pub root: PathBuf,
}

/// What besides the resolution decides what a program is for a command.
#[derive(Debug, Default)]
pub struct LinkOptions {
    /// Files that were named one by one: a kernel or a test among them takes the place of its program.
    pub named: FxHashSet<FileId>,
    /// Files that go with each program.
    pub with: Vec<Arc<FileSummary>>,
}

/// The only one of some programs.
///
/// # Errors
/// When there is none, or several. `place` is where they were looked for.
pub fn only<'p, J>(programs: &'p [J], name: &dyn Fn(&J) -> &str, place: &str) -> Result<&'p J, String> {
    match programs {
        [one] => Ok(one),
        [] => Err(format!("there are no Mangle files (`.mg`, `.gl`) {place}")),
        several => {
            let names: Vec<_> = several.iter().map(name).collect();
            Err(format!("there are several programs {place}, {}: name the files of one", names.join(", ")))
        }
    }
}

/// Joins the programs of `resolution` from the files that [`super::load`] gave. A kernel or a test, which is
/// a program of its own with the files that it runs with, is given only where it was named, or nothing of those was
/// asked for.
#[must_use]
pub fn join(
    resolution: &Resolution,
    files: &FxHashMap<FileId, Arc<FileSummary>>,
    beside: &LinkOptions,
) -> Vec<LinkedProgram> {
    let programs = resolution.programs.iter();
    programs
        .flat_map(|program| join_program(program, program.settings_root(&resolution.projects), files, beside))
        .collect()
}

fn join_program(
    of: &ProgramFiles,
    root: &Path,
    files: &FxHashMap<FileId, Arc<FileSummary>>,
    beside: &LinkOptions,
) -> Vec<LinkedProgram> {
    let joined = |name: String, members: Vec<FileId>, wanted: FxHashSet<FileId>| {
        let summaries = members.iter().filter_map(|file| files.get(file).map(Arc::clone));
        let further = beside.with.iter().filter(|file| !members.contains(&file.id)).map(Arc::clone);
        let embedding = of.embedding.with_asserted(beside.with.iter().map(|file| file.id));
        LinkedProgram {
            name,
            program: Program::embedded(summaries.chain(further).collect(), embedding).into(),
            files: (!members.iter().all(|file| wanted.contains(file))).then_some(wanted),
            settings: Arc::clone(&of.settings),
            root: root.to_path_buf(),
        }
    };
    let of_unit = |unit: Unit<'_>| {
        let wanted = match unit.single {
            Some(single) => [single.member.file].into_iter().collect(),
            None => unit.reported.into_iter().collect(),
        };
        joined(of.name.clone(), unit.files, wanted)
    };
    let is_named = |single: &StandaloneFile| beside.named.contains(&single.member.file);
    let named: Vec<_> = of.units().filter(|unit| unit.single.is_some_and(is_named)).collect();
    if !named.is_empty() {
        return named.into_iter().map(of_unit).collect();
    }
    let reported: Vec<_> = of.units().filter(|unit| !unit.reported.is_empty()).collect();
    let is_own_reported = reported.first().is_some_and(|unit| unit.single.is_none());
    let count = if is_own_reported { 1 } else { reported.len() };
    reported.into_iter().take(count).map(of_unit).collect()
}

/// A policy test, joined with what it runs with.
#[derive(Debug)]
pub struct LinkedTest {
    pub file: FileId,
    /// It and the program around it.
    pub program: Program,
    /// Whether nobody says which program it belongs to, so that it goes with the schemas beside it alone.
    pub is_lone: bool,
    /// The settings that hold for it.
    pub settings: Arc<Settings>,
}

/// The policy tests of a resolution that are reported, each with its program. From the files that [`super::load`] gave.
#[must_use]
pub fn join_tests(resolution: &Resolution, files: &FxHashMap<FileId, Arc<FileSummary>>) -> Vec<LinkedTest> {
    let mut tests = Vec::new();
    for of in &resolution.programs {
        for unit in of.units().filter(|unit| !unit.reported.is_empty()) {
            let test =
                unit.single.map(|single| single.member.file).filter(|file| of.embedding.is_test(*file));
            let Some(file) = test else { continue };
            let around = unit.files.iter().filter_map(|file| files.get(file).map(Arc::clone));
            let program = Program::embedded(around.collect(), Arc::clone(&of.embedding));
            let (is_lone, settings) = (of.origin == super::ProgramOrigin::Lone, Arc::clone(&of.settings));
            tests.push(LinkedTest { file, program, is_lone, settings });
        }
    }
    tests
}
