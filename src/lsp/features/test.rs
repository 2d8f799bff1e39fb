//! `mangle/test`, the equivalent of the command `test`, and the properties of policy tests as code
//! lenses, hovers, documents and code actions. The tests run on the current text.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower_lsp::ls_types::{CodeLens, Command, ExecuteCommandParams, Uri};

use crate::lsp::from_proto;
use crate::lsp::source_name::component;
use crate::lsp::view::View;
use mangle_check::policy_test::TestSettings;
use mangle_engine::kernel::{Clock, Limits};
use mangle_host::other_program;
use mangle_host::workspace::{SnapshotFile, SnapshotProgram, editor_limits};
use mangle_ide::markup::Markup;
use mangle_ide::policy_tests::{TestRun, run_tests, test_lenses};
use mangle_ide::verification::AnsweredProperty;
use mangle_report::LoadErrors;
use mangle_report::policy_tests::{TestReport, TestSummary};
use mangle_settings::Reading;
use mangle_syntax::text::{Cancel, FileId, TextRange, TextSize};

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
pub(in crate::lsp) fn test_asked_by(params: &ExecuteCommandParams) -> Option<TestParams> {
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
pub(super) fn case_lenses(
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
    lenses.extend(property_lenses(view, uri, file, program));
    lenses
}

/// Shows the result of a property.
pub(in crate::lsp) const PROPERTY: &str = "mangle.property";

/// The text for an unchecked property.
const OPEN: &str = "not checked yet";

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct PropertyParams {
    uri: Uri,
    /// The name of the property.
    #[serde(default)]
    name: String,
    /// True if the client displays the document itself, so that no message is needed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    quiet: bool,
}

impl PropertyParams {
    pub(in crate::lsp) fn document(&self) -> PathBuf {
        from_proto::document_path(&self.uri)
    }
}

/// Parses the arguments of a command.
pub(in crate::lsp) fn property_asked_by(params: &ExecuteCommandParams) -> Option<PropertyParams> {
    let argument = params.arguments.first().filter(|_| params.command == PROPERTY)?;
    PropertyParams::deserialize(argument).ok()
}

pub(in crate::lsp) fn show(uri: &Uri, name: &str, title: String) -> Command {
    let params = PropertyParams { uri: uri.clone(), name: name.to_owned(), quiet: false };
    let arguments = serde_json::to_value(params).ok().map(|params| vec![params]);
    Command { title, command: PROPERTY.into(), arguments }
}

/// Returns the properties of a test file with the known answers.
pub(in crate::lsp) fn answered(view: &View, file: &SnapshotFile) -> Arc<[AnsweredProperty]> {
    let mut programs = view.snapshot.programs_of(file.id);
    let test = programs.find(|program| program.test() == Some(file.id));
    test.map_or_else(|| Vec::new().into(), |program| program.known_answers())
}

/// Returns the range of a property in a test file and its description. Returns `None` if no
/// property has this name.
pub(in crate::lsp) fn text(view: &View, file: &SnapshotFile, name: &str) -> Option<(TextRange, String)> {
    let all = answered(view, file);
    let of = all.iter().find(|of| of.property.name == name)?;
    let refusal = view.snapshot.programs_of(file.id).find_map(|program| program.refusal());
    let text = match (&of.report, refusal) {
        (Some(report), None) => report.document(),
        (_, Some(why)) => format!("@{} {name}\n  {why}\n", of.property.kind.as_str()),
        (None, None) => format!("@{} {name}\n  {OPEN}\n", of.property.kind.as_str()),
    };
    Some((of.property.header, text))
}

/// Returns the counterexample of a property as a case of its test file.
pub(in crate::lsp) fn test_case(view: &View, file: &SnapshotFile, of: &AnsweredProperty) -> Option<String> {
    let program = view.snapshot.programs_of(file.id).next()?;
    mangle_verify::test_case(&of.property, of.answer.as_deref()?, &program.settings().replay.permit)
}

/// Runs the command. Returns the document, and a message for clients that only show messages.
pub(in crate::lsp) fn property_command(view: &View, params: &PropertyParams) -> (Value, Option<String>) {
    let found = view.file(&params.uri).and_then(|file| text(view, file, &params.name));
    let (document, message) = match found {
        Some((_, text)) => {
            let (name, of) = (component(&params.name), component(params.uri.as_str()));
            (Value::from(format!("mangle-property:/{name}?of={of}")), text)
        }
        None => (Value::Null, "No property has this name.".to_owned()),
    };
    (json!({ "document": document }), Some(message).filter(|_| !params.quiet))
}

/// Returns the lenses with the results of the properties in a test file.
fn property_lenses(view: &View, uri: &Uri, file: &SnapshotFile, program: &SnapshotProgram) -> Vec<CodeLens> {
    let lens = |of: &AnsweredProperty| {
        let title = match (program.refusal(), &of.report) {
            (Some(why), _) => why,
            (None, Some(report)) => report.headline().to_owned(),
            (None, None) => OPEN.to_owned(),
        };
        let command = Some(show(uri, &of.property.name, title));
        CodeLens { range: view.range(file, of.property.header), command, data: None }
    };
    program.known_answers().iter().map(lens).collect()
}

/// Returns the hover with the result of a property, if the position is in its first line.
pub(super) fn hover(view: &View, file: &SnapshotFile, offset: TextSize) -> Option<mangle_ide::hover::Hover> {
    let is_here = |of: &&AnsweredProperty| of.property.header.contains_inclusive(offset);
    let all = answered(view, file);
    let of = all.iter().find(is_here)?;
    let text = of.report.as_ref()?.document();
    Some(mangle_ide::hover::Hover { range: of.property.header, markup: Markup::default().excerpt(text) })
}
