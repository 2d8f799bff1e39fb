//! Tests of questions about small programs.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod cases;
mod generated;
mod pattern_tables;
mod process_solver;
mod proofs;
mod small;
mod solver_cases;
mod values;

use std::sync::Arc;

use mangle_engine::kernel::{Clock, Limits, Reading, compile_with_intended_files};
use mangle_engine::program::{FileSummary, PredicateId, Program, ProgramEnvironment};
use mangle_engine::types::{ProgramTypes, TypeCache};
use mangle_settings::EngineVersion;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Cancel, FileId};

use crate::{InputPredicate, Outcome, Question, Scope, Searched, search};

/// The time of evaluation in tests.
const NOW: Clock = Clock { now_ns: 1_700_000_000_000_000_000 };

/// Returns the question for `goal() :- body`. Predicates without rules and facts are inputs.
pub(crate) fn question(policy: &str, body: &str, reading: Reading) -> Question {
    question_for(EngineVersion::default(), policy, body, reading)
}

/// Returns a [`question`] for a version of the engine.
fn question_for(engine: EngineVersion, policy: &str, body: &str, reading: Reading) -> Question {
    let files = [policy.to_owned(), format!("verify_goal() :- {body} .\n")];
    let summary = |(id, text): (u32, &String)| {
        Arc::new(FileSummary::new(FileId(id), &SourceFile::parse(text.as_str().into())))
    };
    let embedding = ProgramEnvironment { engine, ..ProgramEnvironment::default() };
    let program = Program::embedded((0u32..).zip(&files).map(summary).collect(), embedding.into());
    let compiled = compile_with_intended_files(&program, reading, &[FileId(1)].into_iter().collect());
    let types = ProgramTypes::new(&program, &mut TypeCache::default());
    let mut inputs = Vec::new();
    let mut goal = PredicateId(0);
    for (id, predicate) in (0u32..).map(PredicateId).zip(program.predicates.numbered()) {
        if predicate.key.name.as_str() == "verify_goal" {
            goal = id;
        } else if predicate.signature.extensional || predicate.signature.defined.is_none() {
            let rows = types.rows(id).alternatives.to_vec();
            let unknown = vec![mangle_engine::types::Type::Any; usize::from(predicate.key.arity)];
            let rows = if rows.is_empty() { vec![unknown] } else { rows };
            inputs.push(InputPredicate { predicates: vec![id], rows });
        }
    }
    let limits = Limits { steps: 200_000, ..Limits::default() };
    Question {
        constants: Vec::new(),
        compiled,
        originals: rustc_hash::FxHashMap::default(),
        goal,
        forbidden: Vec::new(),
        inputs,
        settled: None,
        looks_for_aborts: true,
        has_stores: false,
        limits,
        clock: NOW,
        solvers: crate::Solvers::default(),
    }
}

/// Formats the result of a search in one line.
pub(crate) fn told(searched: &mut Searched) -> String {
    match &mut searched.outcome {
        Outcome::Found { world, .. } => {
            let model = world.kernel.model();
            let compiled = world.kernel.compiled();
            let mut facts: Vec<String> =
                world.facts.iter().map(|fact| model.fact(compiled, fact.predicate, &fact.tuple)).collect();
            facts.sort();
            format!("{} {}", facts.len(), facts.join(" "))
        }
        Outcome::Never(why) => format!("never: {why}"),
        Outcome::NotInScope => "not in scope".to_owned(),
        Outcome::Aborts { world, .. } => format!("aborts with {}", world.facts.len()),
        Outcome::NoWorld => "no world".to_owned(),
        Outcome::Undecided { obstacle, below } => format!("undecided below {below}: {obstacle}"),
    }
}

fn ask(policy: &str, body: &str, reading: Reading) -> String {
    let question = question(policy, body, reading);
    told(&mut search(&question, Scope::default(), &Cancel::new()))
}
