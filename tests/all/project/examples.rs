//! The examples keep their promises: the guardian is clean, the incident shows exactly the mistakes that its README tells of, and the
//! jailbreak is denied.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// What matters of a finding here.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    file: String,
    /// The predicate in whose clause or declaration the finding starts.
    predicate: String,
    rule: String,
}

/// Runs `check --format json` on an example. Returns its exit status and its findings.
fn check(example: &str) -> (i32, Vec<serde_json::Value>) {
    let output = Command::new(env!("CARGO_BIN_EXE_mangle-ls"))
        .args(["check", "--format", "json", example])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let summary = lines.pop().unwrap();
    assert!(summary.get("summary").is_some(), "the last line is the summary: {summary}");
    (output.status.code().unwrap(), lines)
}

/// The predicate of the statement that a line belongs to: statements start in the first column.
fn predicate_at(text: &str, line: usize) -> String {
    let start =
        text.lines().take(line).filter(|l| l.starts_with(|c: char| c.is_ascii_alphabetic())).last().unwrap();
    let name = start.strip_prefix("Decl ").unwrap_or(start);
    name.split('(').next().unwrap().to_owned()
}

fn found(root: &Path, finding: &serde_json::Value) -> Found {
    let path = finding["file"].as_str().unwrap();
    let text = std::fs::read_to_string(root.join(path)).unwrap();
    let line = usize::try_from(finding["line"].as_u64().unwrap()).unwrap();
    Found {
        file: path.rsplit('/').next().unwrap().to_owned(),
        predicate: predicate_at(&text, line),
        rule: finding["rule"].as_str().unwrap().to_owned(),
    }
}

/// The rows of the README's table: `| day | what | `file`, `predicate` | `rule` |`.
fn told(readme: &str) -> Vec<Found> {
    let quoted =
        |cell: &str| -> Vec<String> { cell.split('`').skip(1).step_by(2).map(str::to_owned).collect() };
    readme
        .lines()
        .filter_map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
            let &[_, _, place, rule] = cells.as_slice() else { return None };
            let (place, rule) = (quoted(place), quoted(rule));
            Some(Found {
                file: place.first()?.clone(),
                predicate: place.last()?.clone(),
                rule: rule.first()?.clone(),
            })
        })
        .collect()
}

#[test]
fn the_guardian_is_clean() {
    let (status, findings) = check("examples/guardian");
    assert_eq!(findings, Vec::<serde_json::Value>::new());
    assert_eq!(status, 0);
}

#[test]
fn they_are_formatted() {
    let output = Command::new(env!("CARGO_BIN_EXE_mangle-ls"))
        .args(["format", "--check", "examples"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let listed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{listed}");
}

#[test]
fn the_incident_is_what_its_readme_tells() {
    is_what_its_readme_tells("incident", 20);
}

#[test]
fn the_silent_errors_are_what_their_readme_tells() {
    is_what_its_readme_tells("silent-errors", 4);
}

/// Holds the findings of an example against the table of its README, which has more than `rows` rows.
fn is_what_its_readme_tells(example: &str, rows: usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (status, findings) = check(&format!("examples/{example}"));
    let mut found: Vec<Found> = findings.iter().map(|f| found(root, f)).collect();
    let readme = std::fs::read_to_string(root.join("examples").join(example).join("README.md")).unwrap();
    let mut told = told(&readme);
    assert!(told.len() > rows, "the table was not read: {told:#?}");
    // Both are lists, not sets: a mistake that is reported twice is left over.
    found.retain(|finding| match told.iter().position(|row| row == finding) {
        Some(row) => {
            told.swap_remove(row);
            false
        }
        None => true,
    });
    assert!(told.is_empty() && found.is_empty(), "not found: {told:#?}\nnot told of: {found:#?}");
    assert_eq!(status, 1, "findings at or above `error` mean exit status 1");
}

/// Runs `test` on an example. Returns its exit status and its report.
fn policy_tests(arguments: &[&str]) -> (i32, serde_json::Value) {
    let output = Command::new(env!("CARGO_BIN_EXE_mangle-ls"))
        .args(["test", "--format", "json"])
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    (output.status.code().unwrap(), serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn the_guardian_passes_its_tests() {
    for reading in ["engine", "intended"] {
        let (status, report) = policy_tests(&["examples/guardian", "--reading", reading, "--coverage"]);
        assert_eq!(
            (status, &report["summary"]["failed"], &report["summary"]["errors"]),
            (0, &0.into(), &0.into())
        );
        let unfired = report["coverage"]["unfired"].as_array().unwrap().iter();
        let of = |file: &str| {
            unfired.clone().filter(|rule| rule["file"].as_str().unwrap().ends_with(file)).count()
        };
        // Of the constitution, only the rule that must never fire does not.
        assert_eq!((of("constitution.mg"), of("recovery.mg")), (1, 0));
    }
}

#[test]
fn an_ignored_negation_fails_its_test() {
    let (status, report) = policy_tests(&["examples/silent-errors"]);
    assert_eq!(status, 1);
    let cases = report["suites"][0]["cases"].as_array().unwrap();
    let failed = cases.iter().filter(|case| case["outcome"] == "failed");
    let (failed, properties): (Vec<_>, Vec<_>) = failed.partition(|case| case["kind"] == "case");
    let [case] = failed.as_slice() else { panic!("{failed:?}") };
    assert_eq!(properties.len(), 3);
    assert_eq!(case["failures"][0]["expectation"], "@forbid permitted(_, _, _)");
    assert!(case["failures"][0]["explanation"].as_str().unwrap().contains("clear_action(\"a1\")"));
    let (status, _) = policy_tests(&["examples/silent-errors", "--reading", "intended"]);
    assert_eq!(status, 0);
}

/// The engine rejects the incident as a whole.
#[test]
fn the_incident_does_not_load() {
    let output = Command::new(env!("CARGO_BIN_EXE_mangle-ls"))
        .args(["query", "permitted(A, T, P)", "examples/incident"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.starts_with("error: the program does not load"), "{error}");
}

/// The rows of the README's table of failures: `| `file` | what | rules |`.
fn failures(readme: &str) -> Vec<(String, Vec<String>)> {
    let quoted =
        |cell: &str| -> Vec<String> { cell.split('`').skip(1).step_by(2).map(str::to_owned).collect() };
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
        let &[file, _, rules] = cells.as_slice() else { return None };
        Some((quoted(file).first()?.clone(), quoted(rules)))
    };
    readme.lines().filter_map(row).collect()
}

/// How many texts of the model are read from a transcript.
fn answers(path: &str) -> u64 {
    let output = Command::new(env!("CARGO_BIN_EXE_mangle-ls"))
        .args(["transcript", "stats", "--format", "json", path])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let stats: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    stats["answers"].as_u64().unwrap()
}

#[test]
fn the_transcripts_are_what_their_readme_tells() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/transcripts");
    let (status, findings) = check("examples/transcripts");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let told = failures(&readme);
    let clean: Vec<_> =
        std::fs::read_dir(root.join("clean")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    for name in clean.iter().map(|name| name.to_str().unwrap()) {
        assert!(readme.contains(&format!("`{name}`")), "{name} is not in the table");
        assert!(answers(&format!("examples/transcripts/clean/{name}")) > 0, "{name} has no answer");
    }
    for folder in ["clean", "failures"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let in_file = |finding: &&serde_json::Value| finding["file"].as_str().unwrap().ends_with(&name);
            let grave = |finding: &&serde_json::Value| {
                finding["severity"] == "error" || finding["severity"] == "warning"
            };
            let of_file = findings.iter().filter(in_file).filter(grave);
            let mut found: Vec<_> =
                of_file.map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect();
            found.sort();
            found.dedup();
            let row = told.iter().find(|(file, _)| *file == name);
            assert!(row.is_some() || folder == "clean", "{name} is not in the table");
            let mut expected = row.map(|(_, rules)| rules.clone()).unwrap_or_default();
            expected.sort();
            assert_eq!(found, expected, "{name}");
        }
    }
    assert_eq!(status, 1);
}

#[test]
fn the_jailbreak_is_denied_where_the_constitution_is_whole() {
    let verdicts = |policy: &str| -> Vec<String> {
        let output = Command::new(env!("CARGO_BIN_EXE_mangle-ls"))
            .args([
                "replay",
                "examples/jailbreak/session.piggyback.jsonl",
                "--format",
                "json",
                "--policy",
                policy,
            ])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let turns = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let verdicts = turns.flat_map(|turn| turn["verdicts"].as_array().cloned().unwrap_or_default());
        verdicts.map(|verdict| verdict["verdict"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(verdicts("examples/guardian"), ["PERMIT", "DENY", "DENY"]);
    // The command goes through that the ignored negation should have stopped.
    assert_eq!(verdicts("examples/silent-errors"), ["PERMIT", "PERMIT", "DENY"]);
}

/// What nobody reads is said, and nothing graver.
#[test]
fn the_prompts_have_one_line_that_is_too_weak() {
    let (status, lines) = check("examples/prompts");
    let rules: Vec<_> = lines.iter().map(|line| line["rule"].as_str().unwrap()).collect();
    assert_eq!((status, rules), (0, vec!["below-threshold"]));
}

/// The turns that a README's table names, each with the rule that finds its fault.
fn planted(readme: &str) -> BTreeSet<(u64, String)> {
    let rows = readme.lines().filter_map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [turn, _, rule] = cells.as_slice() else { return None };
        Some((turn.parse().ok()?, rule.trim_matches('`').to_owned()))
    });
    rows.collect()
}

fn json_lines(arguments: &[&str]) -> Vec<serde_json::Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_mangle-ls"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Turn and rule of each error and warning of `check` and `replay`.
fn problems_of(transcript: &str) -> BTreeSet<(u64, String)> {
    let replay = json_lines(&["replay", transcript, "--policy", "examples/guardian", "--format", "json"]);
    let turns: Vec<_> = replay.iter().filter(|line| line["turn"].is_u64()).collect();
    assert_eq!(turns.len(), 34, "{transcript}");
    let is_problem =
        |finding: &serde_json::Value| matches!(finding["severity"].as_str(), Some("error" | "warning"));
    let rule = |finding: &serde_json::Value| finding["rule"].as_str().unwrap().to_owned();
    let mut all = BTreeSet::new();
    for turn in &turns {
        let findings = turn["findings"].as_array().unwrap().iter().filter(|finding| is_problem(finding));
        all.extend(findings.map(|finding| (turn["turn"].as_u64().unwrap(), rule(finding))));
    }
    for finding in json_lines(&["check", transcript, "--format", "json"]).iter().filter(|one| is_problem(one))
    {
        let before = turns.iter().rev().find(|turn| turn["start"].as_u64() <= finding["start"].as_u64());
        all.insert((before.map_or(0, |turn| turn["turn"].as_u64().unwrap()), rule(finding)));
    }
    all
}

#[test]
fn faults_of_a_shift_are_found_in_three_formats_and_nothing_else() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/shift/README.md");
    let planted = planted(&std::fs::read_to_string(readme).unwrap());
    assert_eq!(planted.len(), 12);
    let turns: BTreeSet<u64> = planted.iter().map(|(turn, _)| *turn).collect();
    for name in ["session.jsonl", "2026-11-20_agent.log", "traces.json"] {
        let found = problems_of(&format!("examples/shift/{name}"));
        let missed: Vec<_> = planted.difference(&found).collect();
        assert!(missed.is_empty(), "{name}: {missed:?}");
        let wrong: Vec<_> = found.iter().filter(|(turn, _)| !turns.contains(turn)).collect();
        assert!(wrong.is_empty(), "{name}: {wrong:?}");
    }
}

#[test]
fn habits_are_found_and_fixed() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/habits");
    let planted = planted(&std::fs::read_to_string(example.join("README.md")).unwrap());
    assert!(planted.len() >= 15, "{planted:?}");
    let (_, findings) = check("examples/habits");
    let found = findings
        .iter()
        .map(|finding| (finding["line"].as_u64().unwrap(), finding["rule"].as_str().unwrap().to_owned()));
    assert_eq!(found.collect::<BTreeSet<_>>(), planted);
    let draft = std::fs::read_to_string(example.join("draft.mg")).unwrap();
    assert!(draft.matches(":-").count() >= 40);
    let copy = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(&example).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, copy.path().join(path.file_name().unwrap())).unwrap();
    }
    for arguments in
        [&["check", "--fix", "--unsafe-fixes", "--fail-on", "hint"][..], &["format", "."], &["test"]]
    {
        let output = Command::new(env!("CARGO_BIN_EXE_mangle-ls"))
            .args(arguments)
            .current_dir(copy.path())
            .output()
            .unwrap();
        assert_eq!(
            output.status.code(),
            Some(0),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
}
