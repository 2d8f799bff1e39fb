//! Questions as the product answers them.

use std::time::Duration;

use mangle_check::policy_test::property::{Piece, Properties};
use mangle_engine::kernel::{Clock, Limits, Reading};
use mangle_engine::program::FileSummary;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Cancel, FileId, TextRange, text_len};
use mangle_verify::{
    AbortMemo, Answer, Comparison, IdleKind, Scope, Setup, Solvers, compare, pair, survey_rules, verify,
};

use crate::naive::evaluate::Key;
use crate::support::program;

use super::question::Question;

/// Calls `with` with the setup of a question whose program is the policy and the test file.
fn with_setup<T>(
    question: &Question,
    solvers: &Solvers,
    with: impl FnOnce(Setup<'_>, &Properties) -> T,
) -> T {
    let texts = [question.policy_text(), question.test_text()];
    let program = program(&texts);
    let test = FileSummary::new(FileId(1), &SourceFile::parse(texts[1].as_str().into()));
    let properties = Properties::read(&test);
    let setup = Setup {
        program: &program,
        file: Some(FileId(1)),
        restrictions: &properties.restrictions,
        reading: Reading::Engine,
        limits: Limits::default(),
        clock: Clock { now_ns: 0 },
        inputs: &[],
        consumer: &|_, name| Err(format!("unknown consumer `{name}`")),
        aborts: &AbortMemo::default(),
        solvers,
        name: &|_| "policy.mg".to_owned(),
        other: &|path| Err(format!("no program at {path}")),
    };
    with(setup, &properties)
}

fn scope(question: &Question) -> Scope {
    Scope { facts: question.scope, time: Duration::from_secs(5) }
}

/// Verifies the property of a question.
pub fn ask(question: &Question, solvers: &Solvers) -> Answer {
    with_setup(question, solvers, |setup, properties| {
        let [property] = properties.all.as_slice() else { panic!("one property was written:\n{question}") };
        verify(setup, property, scope(question), &Cancel::new())
    })
}

/// Compares the facts of a predicate in the policy of a question and in another policy.
pub fn compare_with(question: &Question, other: &str, (name, arity): &Key) -> Comparison {
    let args: Vec<_> = (0..*arity).map(|at| format!("V{at}")).collect();
    let text = format!("{name}({})", args.join(", "));
    let atom = Piece { range: TextRange::up_to(text_len(&text)), text };
    with_setup(question, &Solvers::default(), |setup, _| {
        let pair = pair(setup, &program(&[other]));
        compare(setup, &pair, &atom, scope(question), &Cancel::new()).unwrap()
    })
}

/// The rules of a policy that change nothing, each with its line, from zero.
pub fn survey(question: &Question) -> Vec<(usize, IdleKind)> {
    let text = question.policy_text();
    let found = with_setup(question, &Solvers::default(), |setup, _| {
        survey_rules(setup, scope(question), &|file| file == FileId(0), &mut |_, _| {}, &Cancel::new())
    });
    let line = |offset: usize| text[..offset].matches('\n').count();
    found.idle.into_iter().map(|idle| (line(usize::from(idle.range.start())), idle.kind)).collect()
}
