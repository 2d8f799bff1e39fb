//! What the kernel and the second evaluator make of one program.

use mangle_engine::kernel::Reading;

use super::evaluate::{World, evaluate};
use super::kernel::kernel;
use super::syntax::Program;

/// What is different, if something is.
fn difference(program: &Program, world: &World, reading: Reading) -> Option<String> {
    let run = kernel(&program.to_string(), reading);
    if let Some(fault) = run.compiled.faults.first() {
        return Some(format!("fault: {}", fault.failure));
    }
    if reading == Reading::Engine && world.failures > 0 {
        return run.model.stopped.is_none().then(|| "the engine does not stop where a row fails".to_owned());
    }
    if let Some(stop) = &run.model.stopped {
        return Some(format!("stopped: {}", stop.reason));
    }
    // Whether a negation that waits keeps a row from failing is a matter of taste.
    if program.faithful && run.model.errors.is_empty() != (world.failures == 0) {
        return Some(format!("{} failures, but {:?}", world.failures, run.model.errors));
    }
    let found = run.facts(program);
    let mut wanted = world.facts.clone();
    wanted.retain(|_, tuples| !tuples.is_empty());
    (found != wanted).then(|| format!("wanted {wanted:?}\nfound  {found:?}"))
}

/// What is different, in all readings in which the two evaluators are to agree; `None` also where the second one would need
/// more than `fuel`.
pub fn disagreement(program: &Program, fuel: usize) -> Option<String> {
    let world = evaluate(program, fuel)?;
    let is_same = program.faithful && !program.combines_facts_of_a_round();
    let readings: &[Reading] =
        if is_same { &[Reading::Intended, Reading::Engine] } else { &[Reading::Intended] };
    readings.iter().find_map(|reading| {
        difference(program, &world, *reading).map(|difference| format!("{reading:?}: {difference}"))
    })
}
