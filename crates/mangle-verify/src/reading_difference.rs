//! Differences between the facts of a world in both readings.

use std::path::Path;
use std::sync::Arc;

use mangle_engine::kernel::{Kernel, Reading, compile};
use mangle_engine::program::{FileSummary, Program};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Cancel, FileId};
use rustc_hash::FxHashSet;

use crate::question::{Setup, own_program};

/// The maximum number of facts.
const MAX_FACTS: usize = 50;

/// A fact that a world has in only one reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadingDifference {
    /// The fact.
    pub fact: String,
    /// The reading with the fact.
    pub reading: Reading,
}

/// Returns the first 50 facts of a world that only one reading derives, sorted.
///
/// Empty if the evaluation stops in a reading.
pub(crate) fn reading_differences(
    setup: Setup<'_>,
    world: &[String],
    cancel: &Cancel,
) -> Vec<ReadingDifference> {
    let program = own_program(setup);
    let text: String = world.iter().map(|fact| format!("{fact}.\n")).collect();
    let facts = FileSummary::new(
        FileId::from_path(Path::new("mangle-verify/world")),
        &SourceFile::parse(text.as_str().into()),
    );
    let files = program.files.iter().cloned().chain([Arc::new(facts)]).collect();
    let whole = Program::embedded(files, Arc::clone(&program.embedding));
    let facts = |reading| -> Option<FxHashSet<String>> {
        let mut kernel = Kernel::new(compile(&whole, reading));
        kernel.evaluate(setup.limits, setup.clock, cancel);
        let (model, compiled) = (kernel.model(), kernel.compiled());
        model.stopped.is_none().then(|| model.dump(compiled).into_iter().collect())
    };
    let (Some(go), Some(written)) = (facts(Reading::Engine), facts(Reading::Intended)) else {
        return Vec::new();
    };
    let only = |own: &FxHashSet<String>, other: &FxHashSet<String>, reading| -> Vec<ReadingDifference> {
        own.difference(other).map(|fact| ReadingDifference { fact: fact.clone(), reading }).collect()
    };
    let mut all = only(&go, &written, Reading::Engine);
    all.extend(only(&written, &go, Reading::Intended));
    all.sort_by(|a, b| (&a.fact, a.reading.as_str()).cmp(&(&b.fact, b.reading.as_str())));
    all.truncate(MAX_FACTS);
    all
}
