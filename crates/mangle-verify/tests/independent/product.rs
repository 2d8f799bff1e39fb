//! Questions as the product answers them.

use mangle_check::policy_test::property::Properties;
use mangle_engine::kernel::{Clock, Limits, Reading};
use mangle_engine::program::FileSummary;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Cancel, FileId};
use mangle_verify::{AbortMemo, Answer, Scope, Setup, verify};

use crate::support::program;

use super::question::Question;

/// Verifies the property of a question.
pub fn ask(question: &Question) -> Answer {
    let texts = [question.policy_text(), question.test_text()];
    let program = program(&texts);
    let test = FileSummary::new(FileId(1), &SourceFile::parse(texts[1].as_str().into()));
    let properties = Properties::read(&test);
    let [property] = properties.all.as_slice() else { panic!("one property was written:\n{question}") };
    let setup = Setup {
        program: &program,
        file: Some(FileId(1)),
        restrictions: &properties.restrictions,
        reading: Reading::Go,
        limits: Limits::default(),
        clock: Clock { now_ns: 0 },
        inputs: &[],
        consumer: &|_, name| Err(format!("unknown consumer `{name}`")),
        aborts: &AbortMemo::default(),
        name: &|_| "policy.mg".to_owned(),
        other: &|path| Err(format!("no program at {path}")),
    };
    let scope = Scope { facts: question.scope, time: std::time::Duration::from_secs(5) };
    verify(setup, property, scope, &Cancel::new())
}
