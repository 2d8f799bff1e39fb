//! Evaluation results of the programs of a resolution, each program alone and with each sample.

use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::resolve::{ProgramFiles, Resolution, Unit};
use super::{FileTable, relative};
use mangle_engine::kernel::{Clock, Limits, TextBudget, compile, run};
use mangle_engine::program::{FileSummary, Program};
use mangle_ide::file_findings::load_findings;
use mangle_report::{UnitFacts, UnitResult};
use mangle_syntax::text::{Cancel, FileId};

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
