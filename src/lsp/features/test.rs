//! `mangle/test`, the equivalent of the command `test`, and the command of the lenses of test
//! cases. The tests run on the current text.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower_lsp::ls_types::{CodeLens, Command, ExecuteCommandParams, Uri};

use crate::lsp::from_proto;
use crate::lsp::view::View;
use mangle_check::policy_test::TestSettings;
use mangle_engine::kernel::{Clock, Limits};
use mangle_host::other_program;
use mangle_host::workspace::{SnapshotFile, SnapshotProgram, editor_limits};
use mangle_ide::policy_tests::{TestRun, run_tests, test_lenses};
use mangle_report::LoadErrors;
use mangle_report::policy_tests::{TestReport, TestSummary};
use mangle_settings::Reading;
use mangle_syntax::text::{Cancel, FileId};

/// Runs tests. The argument has the parameters of `mangle/test`.
pub(in crate::lsp) const TEST: &str = "mangle.test";

/// The maximum number of failed cases that a message names.
const SHOWN: usize = 5;

/// All parameters are optional.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(in crate::lsp) struct TestParams {
    /// Restricts the run to the tests of this document: its own cases, or the tests of its
    /// programs.
    uri: Option<Uri>,
    /// Restricts the run to the case with this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    case: Option<String>,
    /// Restricts the run to cases whose name contains this text.
    #[serde(skip_serializing_if = "Option::is_none")]
    filter: Option<String>,
    /// The reading of the program. Default: `[kernel]` of the settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    reading: Option<Semantics>,
    /// True to also report the rules that fired in no case.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    coverage: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Semantics {
    #[serde(alias = "go")]
    Engine,
    #[serde(alias = "written")]
    Intended,
}

impl TestParams {
    /// The document whose tests are run.
    pub(in crate::lsp) fn document(&self) -> Option<PathBuf> {
        self.uri.as_ref().map(from_proto::document_path)
    }

    fn settings(&self, program: &SnapshotProgram) -> TestSettings {
        let kernel = program.kernel();
        let reading = self.reading.map_or(kernel.reading, |reading| match reading {
            Semantics::Engine => Reading::Engine,
            Semantics::Intended => Reading::Intended,
        });
        let usual = Limits::from_settings(kernel);
        // Many short cases run, so the configured time limit applies to each, not the limit for
        // editing.
        let limits = Limits { time: usual.time, ..editor_limits(usual) };
        let clock = Clock::from_settings(kernel);
        TestSettings { reading, limits, clock, coverage: self.coverage }
    }

    fn wants(&self, case: &str) -> bool {
        self.case.as_ref().is_none_or(|name| name == case)
            && self.filter.as_ref().is_none_or(|text| case.contains(text.as_str()))
    }
}

pub(in crate::lsp) fn test(view: &View, params: &TestParams, cancel: &Cancel) -> Value {
    report(view, params, cancel).json()
}

fn report(view: &View, params: &TestParams, cancel: &Cancel) -> TestReport {
    let document = params.uri.as_ref().map(|uri| view.file(uri).map(|file| file.id));
    let concerns = |program: &SnapshotProgram| match document {
        Some(file) => file.is_some_and(|file| program.files.iter().any(|member| member.id == file)),
        None => true,
    };
    let programs = view.snapshot.programs.iter().filter(|program| concerns(program));
    let tests: Vec<(&SnapshotProgram, FileId)> =
        programs.filter_map(|program| Some((program.as_ref(), program.test()?))).collect();
    let none = LoadErrors::default();
    let runs: Vec<TestRun<'_>> = tests
        .into_iter()
        .map(|(program, file)| TestRun {
            program: program.program(),
            file,
            settings: params.settings(program),
            rules: program.rules(),
            project: program.settings(),
            memo: Some(program.answers()),
            settings_errors: if program.is_refused() { program.load_errors() } else { &none },
            run_despite_load_errors: false,
        })
        .collect();
    view.snapshot.with_surroundings(&other_program, |surroundings| {
        run_tests(&runs, &|_, case| params.wants(case), surroundings, cancel).0
    })
}

/// Parses the arguments of a command.
pub(in crate::lsp) fn asked_by(params: &ExecuteCommandParams) -> Option<TestParams> {
    let argument = params.arguments.first().filter(|_| params.command == TEST)?;
    TestParams::deserialize(argument).ok()
}

/// Returns the response, and a short message for clients that only show messages.
pub(in crate::lsp) fn in_short(view: &View, params: &TestParams, cancel: &Cancel) -> (Value, String) {
    let report = report(view, params, cancel);
    let TestSummary { passed, failed, errors, .. } = report.summary;
    let mut lines = vec![match (passed, failed, errors) {
        (0, 0, 0) => "No case matches.".to_owned(),
        (_, 0, 0) => format!("{passed} passed."),
        (_, _, 0) => format!("{passed} passed, {failed} failed."),
        _ => format!("{passed} passed, {failed} failed, {errors} could not be run."),
    }];
    let cases = report.suites.iter().flat_map(|suite| &suite.cases);
    for case in cases.filter(|case| case.outcome != "passed").take(SHOWN) {
        let why = case.failures.first().map(|failure| failure.message.as_str());
        let why = why.or(case.message.as_deref()).unwrap_or_default();
        lines.push(format!("{}: {why}", case.name));
    }
    (report.json(), lines.join("\n"))
}

/// Returns the lenses of cases and properties in a test file.
pub(super) fn lenses(
    view: &View,
    uri: &Uri,
    file: &SnapshotFile,
    program: &SnapshotProgram,
) -> Vec<CodeLens> {
    let lens = |lens: mangle_ide::policy_tests::TestLens| {
        let title = if lens.case.is_some() { "run" } else { "run all" }.to_owned();
        let params = TestParams { uri: Some(uri.clone()), case: lens.case, ..TestParams::default() };
        let arguments = serde_json::to_value(params).ok().map(|params| vec![params]);
        let command = Some(Command { title, command: TEST.into(), arguments });
        CodeLens { range: view.range(file, lens.range), command, data: None }
    };
    let mut lenses: Vec<CodeLens> = test_lenses(program.program(), file.id).into_iter().map(lens).collect();
    lenses.extend(super::property::lenses(view, uri, file, program));
    lenses
}
