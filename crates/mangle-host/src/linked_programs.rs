//! Programs of a resolution, for commands that process programs as a whole: linked, evaluated alone
//! and with each sample, and the other program of a comparison property (`@equivalent`, `@implies`).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::resolve::{ProgramFiles, Resolution, StandaloneFile, Unit, only};
use super::{
    CheckCache, FileTable, Overlay, ProgramScope, VersionOptions, absolute, load, relative, resolve_scope,
    targets, unparsed,
};
use mangle_engine::kernel::{Clock, Limits, TextBudget, compile, run};
use mangle_engine::program::{FileSummary, Program};
use mangle_ide::file_findings::load_findings;
use mangle_ide::verification::OtherProgram;
use mangle_report::{UnitFacts, UnitResult};
use mangle_settings::Settings;
use mangle_syntax::text::{Cancel, FileId};

/// A linked program and the requested files of the program.
#[derive(Debug)]
pub struct LinkedProgram {
    /// The name in output.
    pub name: String,
    pub program: Arc<Program>,
    /// The requested files. `None` for all files.
    pub files: Option<FxHashSet<FileId>>,
    pub settings: Arc<Settings>,
    /// The base folder of relative paths in the settings.
    pub root: PathBuf,
}

#[derive(Debug, Default)]
pub struct LinkOptions {
    /// Files given explicitly. A kernel or a test among them replaces its program.
    pub named: FxHashSet<FileId>,
    /// Additional files for each program.
    pub with: Vec<Arc<FileSummary>>,
}

/// Links the programs of `resolution`. `files` is the result of [`super::load`].
///
/// A kernel or a test is a program of its own. Such programs are included only if they were given
/// explicitly, or if no other program was requested.
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

/// A policy test, linked with its program.
#[derive(Debug)]
pub struct LinkedTest {
    pub file: FileId,
    /// The test and the program that it applies to.
    pub program: Program,
    /// True if no configuration assigns the test to a program. The test is then linked only with
    /// the schemas in its folder.
    pub is_lone: bool,
    pub settings: Arc<Settings>,
}

/// Links the reported policy tests of a resolution. `files` is the result of [`super::load`].
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

#[derive(Debug)]
pub struct UnitOptions<'a> {
    pub table: &'a FileTable,
    /// The base folder of file names in output.
    pub working: &'a Path,
    /// The evaluation time for programs whose settings have none.
    pub start: Clock,
    pub cancel: &'a Cancel,
}

/// Evaluates the reported programs, except policy tests. `files` is the result of [`super::load`].
#[must_use]
pub fn unit_facts(
    resolution: &Resolution,
    files: &FxHashMap<FileId, Arc<FileSummary>>,
    options: &UnitOptions<'_>,
) -> Vec<UnitFacts> {
    let units = resolution.programs.iter().flat_map(|of| of.units().map(move |unit| (of, unit)));
    let evaluated = units.filter(|(of, unit)| {
        let is_test = unit.single.is_some_and(|single| of.embedding.is_test(single.member.file));
        !unit.reported.is_empty() && !is_test
    });
    evaluated.map(|(of, unit)| facts(of, &unit, files, options)).collect()
}

fn facts(
    of: &ProgramFiles,
    unit: &Unit<'_>,
    files: &FxHashMap<FileId, Arc<FileSummary>>,
    options: &UnitOptions<'_>,
) -> UnitFacts {
    let summaries = unit.files.iter().filter_map(|file| files.get(file).map(Arc::clone));
    let program = Program::embedded(summaries.collect(), Arc::clone(&of.embedding));
    let name = |file: FileId| relative(options.working, &options.table.path(file));
    UnitFacts {
        program: of.name.clone(),
        sample: unit.single.map(|single| name(single.member.file)),
        result: result(&program, of, options),
    }
}

fn result(program: &Program, of: &ProgramFiles, options: &UnitOptions<'_>) -> UnitResult {
    if !load_findings(program).is_empty() {
        return UnitResult::Rejected;
    }
    let settings = &of.settings.kernel;
    let compiled = compile(program, settings.reading);
    let clock = settings.now.map_or(options.start, |now_ns| Clock { now_ns });
    let model = run(&compiled, Limits::from_settings(settings), clock, options.cancel);
    match &model.stopped {
        Some(stop) => UnitResult::Stopped(stop.reason.to_string()),
        None => {
            let dump = model.dump_within(&compiled, TextBudget::ANSWER);
            UnitResult::Facts(dump.facts.into_iter().map(String::from).collect(), dump.omitted)
        }
    }
}

/// Loads the program at a path relative to `folder`, for the versions of its settings. File names
/// in output are relative to `working`.
///
/// # Errors
///
/// If a file cannot be read, or the path does not contain exactly one program.
pub fn other_program(folder: &Path, path: &str, working: &Path) -> Result<OtherProgram, String> {
    other_program_for(VersionOptions::default(), folder, path, working)
}

/// [`other_program`] for the versions of command-line options.
///
/// # Errors
///
/// If a file cannot be read, or the path does not contain exactly one program.
pub fn other_program_for(
    versions: VersionOptions,
    folder: &Path,
    path: &str,
    working: &Path,
) -> Result<OtherProgram, String> {
    let (memory, overlay) = (CheckCache::default(), Overlay::default().with_versions(versions));
    let named = targets(&[absolute(folder, Path::new(path))], working);
    let mut resolution = resolve_scope(&named.targets, ProgramScope::Exact, &overlay, memory.table());
    let (files, unread) = load(&resolution, &named.targets, &overlay, &memory, || {});
    let mut problems = named.problems;
    problems.append(&mut resolution.problems);
    problems.append(&mut resolution.empty_targets);
    problems.extend(unread);
    problems.extend(unparsed(&files, &named.targets, memory.table()));
    // Walk errors also count, because the program may be incomplete.
    if let Some(problem) = problems.first() {
        return Err(format!("{path}: {}", problem.why));
    }
    let programs = join(&resolution, &files, &LinkOptions::default());
    let joined = only(&programs, &|joined| &joined.name, &format!("in {path}"))?;
    let name = |file: FileId| relative(working, &memory.table().path(file));
    let names = joined.program.files.iter().map(|file| (file.id, name(file.id))).collect();
    Ok(OtherProgram { program: (*joined.program).clone(), names })
}
