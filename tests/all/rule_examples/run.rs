//! Runs the command that reports a rule over the files of an example.

use std::path::Path;

use mangle_ide::verification::RULES;
use mangle_ls::cli::capture;
use mangle_syntax::lint::{Rule, Severity};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::rule_examples as files;

/// The files of an example with what is found in them.
pub(crate) struct Run {
    pub(crate) files: Vec<(String, Vec<u8>)>,
    pub(crate) findings: Vec<Value>,
}

/// The command that reports a rule, for the files of its example.
struct Invocation {
    folder: TempDir,
    arguments: Vec<String>,
}

impl Run {
    /// Runs an example of a rule, which is switched on.
    pub(crate) fn new(rule: &Rule, example: &str) -> Self {
        Self::of_files(rule, files::files(rule, example))
    }

    fn of_files(rule: &Rule, files: Vec<(String, Vec<u8>)>) -> Self {
        let lines = Invocation::new(rule, &files).output("json");
        let values = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let findings = values.flat_map(findings).collect();
        Self { files, findings }
    }

    /// The findings of a rule.
    pub(crate) fn of_rule<'r>(&'r self, rule: &Rule) -> impl Iterator<Item = &'r Value> {
        let code = rule.code;
        self.findings.iter().filter(move |found| found["code"] == code)
    }

    /// The findings of other rules from a severity on, as `NAME: MESSAGE`.
    pub(crate) fn others(&self, rule: &Rule, from: Severity) -> Vec<String> {
        let is_other = |found: &&Value| found["code"] != rule.code && severity(found) >= from;
        let text = |found: &Value| format!("{}: {}", found["rule"].as_str().unwrap(), found["message"]);
        self.findings.iter().filter(is_other).map(text).collect()
    }

    /// The run over the files after the first fix that a rule offers; `None` where it offers none.
    pub(crate) fn after_fix(&self, rule: &Rule) -> Option<Self> {
        let edits = self.of_rule(rule).find_map(|found| found["fix"]["edits"].as_array())?;
        let fixed = |(name, bytes): &(String, Vec<u8>)| (name.clone(), edited(bytes, name, edits));
        Some(Self::of_files(rule, self.files.iter().map(fixed).collect()))
    }
}

/// What `check` or `replay` shows of the first finding of a rule in an example, as text.
pub(crate) fn rendered(rule: &Rule, example: &str) -> Option<String> {
    let output = Invocation::new(rule, &files::files(rule, example)).output("text");
    let is_title = |line: &&str| line.contains(&format!("[{} {}]: ", rule.code, rule.name));
    let mut lines = output.lines().skip_while(|line| !is_title(line));
    let title = lines.next()?;
    // `check` ends a finding with an empty line; `replay` indents the notes of a finding by one level.
    let is_of_check = !title.starts_with(' ');
    let is_part = |line: &str| ["    --> ", "    = "].iter().any(|start| line.starts_with(start));
    let is_more = |line: &&str| if is_of_check { !line.is_empty() } else { is_part(line) };
    let block = std::iter::once(title).chain(lines.take_while(is_more));
    let indent = title.len() - title.trim_start().len();
    Some(
        block
            .map(|line| {
                format!(
                    "{}
",
                    &line[indent..]
                )
            })
            .collect(),
    )
}

/// The findings that a line of output holds: `replay` has those of a turn in its line.
fn findings(line: Value) -> Vec<Value> {
    if line.get("code").is_some() {
        return vec![line];
    }
    let of_policy = line["policy"]["findings"].as_array().into_iter();
    line["findings"].as_array().into_iter().chain(of_policy).flatten().cloned().collect()
}

fn severity(found: &Value) -> Severity {
    let word = found["severity"].as_str().unwrap();
    *Severity::ALL.iter().find(|severity| severity.as_str() == word).unwrap()
}

/// A file after those of the edits that are in it.
fn edited(bytes: &[u8], name: &str, edits: &[Value]) -> Vec<u8> {
    let mut own: Vec<_> = edits.iter().filter(|edit| edit["file"] == name).collect();
    let place = |edit: &Value, side: &str| usize::try_from(edit[side].as_u64().unwrap()).unwrap();
    own.sort_by_key(|edit| std::cmp::Reverse(place(edit, "start")));
    let mut bytes = bytes.to_vec();
    for edit in own {
        let text = edit["text"].as_str().unwrap().bytes();
        bytes.splice(place(edit, "start")..place(edit, "end"), text);
    }
    bytes
}

/// The policy of the examples that are replayed.
const POLICY: &str = "policy.mg";

/// Which command reports what is in some files.
enum CommandName {
    Check,
    CheckTranscript,
    Replay,
}

impl CommandName {
    /// The first file is a transcript, a policy or a configuration.
    fn new(files: &[(String, Vec<u8>)]) -> Self {
        let ends = |end: &str| files[0].0.ends_with(end);
        let is_transcript = ["txt", "jsonl", "log", "session.json", "session.md"].into_iter().any(ends);
        let has_policy = files.iter().any(|(name, _)| name == POLICY);
        match is_transcript {
            true if has_policy && files[0].0.starts_with("session") => Self::Replay,
            true => Self::CheckTranscript,
            false => Self::Check,
        }
    }
}

impl Invocation {
    fn new(rule: &Rule, files: &[(String, Vec<u8>)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        files::write(folder.path(), files);
        configure(rule, folder.path());
        let first = folder.path().join(&files[0].0).display().to_string();
        let root = folder.path().display().to_string();
        let policy = format!("{root}/{POLICY}");
        let arguments = match CommandName::new(files) {
            CommandName::Replay => vec!["replay", &first, "--policy", &policy, "--show-permits"],
            CommandName::CheckTranscript => vec!["check", "--evaluate", &root, "--transcripts", &first],
            CommandName::Check if RULES.contains(&rule) => vec!["check", "--verify", &root],
            CommandName::Check => vec!["check", "--evaluate", &root],
        };
        Self { arguments: arguments.into_iter().map(str::to_owned).collect(), folder }
    }

    /// What the command writes, with names of files as the example has them.
    fn output(&self, format: &str) -> String {
        let mut arguments: Vec<_> = self.arguments.iter().map(String::as_str).collect();
        arguments.extend(["--color", "never", "--format", format]);
        let captured = capture(&arguments).unwrap();
        // Names count from the working folder, whatever that is.
        let name = regex::escape(self.folder.path().file_name().unwrap().to_str().unwrap());
        let folder = regex::Regex::new(&format!(r#"[^\s"'`(]*{name}/"#)).unwrap();
        let output = String::from_utf8(captured.output).unwrap();
        folder.replace_all(&output, "").into_owned()
    }
}

/// Rules whose examples evaluate a recursion without an end. A low limit ends it as the default limit would, but sooner.
const ENDLESS: [&str; 2] = ["property-not-decided", "unbounded-recursion"];

/// Gives a rule that is off by default a severity, and an endless evaluation a low limit.
fn configure(rule: &Rule, folder: &Path) {
    let path = folder.join("mangle-ls.toml");
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    let mut after = files::switched_on(rule, &before).unwrap_or_else(|| before.clone());
    if ENDLESS.contains(&rule.name) {
        after += "\n[kernel]\nmax_derived = 1000\n";
    }
    if after != before {
        std::fs::write(path, after).unwrap();
    }
}
