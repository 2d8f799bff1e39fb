#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use expect_test::expect;
use mangle_engine::kernel::Reading;
use mangle_engine::kernel::facts::{ColumnCell, FactColumns};
use serde_json::Value as Json;

use super::*;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")
}

/// Parses a transcript of chat lines.
fn turns(text: &str) -> Vec<(String, String)> {
    let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    lines.map(|line| (text(&line["role"]), text(&line["content"]))).collect()
}

fn session<'t>(id: &str, turns: &'t [(String, String)]) -> Session<'t> {
    let turns = (1..).zip(turns).map(|(turn, (role, text))| SessionTurn {
        turn,
        role,
        text: text.as_bytes(),
        labels: TurnLabels::default(),
    });
    Session { id: id.to_owned(), turns: turns.collect() }
}

fn jailbreak() -> Vec<(String, String)> {
    turns(&std::fs::read_to_string(examples().join("jailbreak/session.piggyback.jsonl")).unwrap())
}

#[test]
fn places_count_in_the_texts_that_were_given() {
    let checker = Checker::load(Some(&examples().join("guardian")), &[], None).unwrap();
    let turns = jailbreak();
    let found = checker.check(&[session("one", &turns), session("other", &turns)]);
    assert!(!found.is_empty());
    for one in &found {
        let Some(turn) = one.turn else { continue };
        let text = &turns[usize::try_from(turn).unwrap() - 1].1;
        let (start, end) = (one.start.unwrap(), one.end.unwrap());
        let range = usize::try_from(start).unwrap()..usize::try_from(end).unwrap();
        assert!(text.get(range.clone()).is_some_and(|part| !part.is_empty()), "{one:?}");
    }
    // Sessions are independent.
    let of = |number: usize| -> Vec<_> {
        let own = found.iter().filter(|one| one.session == number);
        own.map(|one| (one.turn, one.code.clone(), one.start, one.headline.clone())).collect()
    };
    assert_eq!(of(0), of(1));
}

#[test]
fn hostile_texts_are_findings() {
    let checker = Checker::load(Some(&examples().join("guardian")), &[], None).unwrap();
    let long = vec![b'{'; 17 << 20];
    let texts: [&[u8]; 4] = [b"\xff{\"control_packet\"", &long, b"\0\x1b\"\\", b""];
    let turns = (1..).zip(texts).map(|(turn, text)| SessionTurn {
        turn,
        role: "assistant",
        text,
        labels: TurnLabels::default(),
    });
    let found = checker.check(&[Session { id: "bad".to_owned(), turns: turns.collect() }]);
    let rules = |turn: i64| -> Vec<&str> {
        found.iter().filter(|one| one.turn == Some(turn)).map(|one| one.rule.as_str()).collect()
    };
    assert!(rules(1).contains(&"record-invalid-utf8"), "{found:?}");
    assert_eq!(rules(2), ["bad-record"]);
    assert!(!rules(3).is_empty() && !rules(4).is_empty(), "{found:?}");
}

#[test]
fn requests_have_verdicts_with_proofs() {
    let turns = jailbreak();
    let verdicts = |example: &str| -> Vec<(i64, String, String)> {
        let checker = Checker::load(Some(&examples().join(example)), &[], None).unwrap();
        let all = checker.replay(&[session("one", &turns)]);
        let permitted: Vec<_> = all.iter().filter(|one| one.verdict == "PERMIT").collect();
        assert!(
            !permitted.is_empty() && permitted.iter().all(|one| one.proof.contains("permitted(")),
            "{all:?}"
        );
        all.into_iter().map(|one| (one.turn, one.action, one.verdict)).collect()
    };
    let guarded = verdicts("guardian");
    assert!(
        guarded.iter().any(|(_, action, verdict)| action == "/run_command" && verdict == "DENY"),
        "{guarded:?}"
    );
}

#[test]
fn replies_and_figures_are_rows() {
    let checker = Checker::load(Some(&examples().join("guardian")), &[], None).unwrap();
    let turns = jailbreak();
    let replies = checker.parse(&[session("one", &turns)]);
    assert_eq!(replies.len(), 3);
    assert_eq!(replies[0].updates_kept, ["task_status(\"slow-build\", /running)."]);
    assert_eq!(replies[0].category.as_deref(), Some("/query"));
    let figures = checker.stats(&[session("one", &turns)]);
    let answers = COLUMNS.iter().position(|(name, _)| *name == "answers").unwrap();
    assert_eq!(figures[0].values[answers], Some(3.0));
    let unknown = COLUMNS.iter().zip(&figures[0].values).filter(|(_, value)| value.is_none());
    assert_eq!(unknown.count(), 0, "{figures:?}");
}

#[test]
fn policies_with_errors_are_refused_with_the_findings() {
    let error = Checker::load(Some(&examples().join("incident")), &[], None).unwrap_err();
    assert!(error.to_string().contains("MG210"), "{error}");
    let folder = tempfile::tempdir().unwrap();
    for missing in ["mangle-ls.toml", "other.toml", "", "nowhere/mangle-ls.toml"] {
        let error = Checker::load(Some(&folder.path().join(missing)), &[], None).unwrap_err();
        assert!(matches!(error, LoadError::Unreadable(_)), "{error}");
    }
    let error = Checker::load(None, &[folder.path().to_path_buf()], None).unwrap_err();
    assert!(matches!(error, LoadError::Unreadable(_)), "{error}");
}

#[test]
fn named_policies_count_beside_those_of_a_configuration() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    };
    let config = write("in/mangle-ls.toml", "[[program]]\nname = \"one\"\n");
    write("in/one.mg", "Decl one(X).\n");
    let other = write("beside/other.mg", "Decl task_status(Task, Status).\n");
    let undeclared = |policies: &[PathBuf]| {
        let found =
            Checker::load(Some(&config), policies, None).unwrap().check(&[session("one", &jailbreak())]);
        found.iter().filter(|one| one.headline.contains("task_status")).count()
    };
    assert!(undeclared(&[]) > 0);
    assert_eq!(undeclared(&[other]), 0);
}

/// Columns of JSON values, one per name.
struct JsonColumns(Vec<(&'static str, Vec<Json>)>);

impl FactColumns for JsonColumns {
    fn names(&self) -> Vec<&str> {
        self.0.iter().map(|(name, _)| *name).collect()
    }

    fn rows(&self) -> usize {
        self.0.first().map_or(0, |(_, cells)| cells.len())
    }

    fn cell(&self, row: usize, column: usize) -> ColumnCell<'_> {
        match &self.0[column].1[row] {
            Json::String(text) => ColumnCell::Text(text),
            json => ColumnCell::Json(json.clone()),
        }
    }
}

#[test]
fn a_policy_is_asked_with_given_facts() {
    let policy = PolicyProgram::load(&[examples().join("guardian")]).unwrap();
    let action = |id: Json| {
        let columns = JsonColumns(vec![
            ("Target", vec!["x".into()]),
            ("ActionID", vec![id]),
            ("Action", vec!["/read_file".into()]),
            ("Payload", vec!["".into()]),
            ("AskedAt", vec![5.into()]),
        ]);
        [("pending_action".to_owned(), vec![columns])]
    };
    let atom = "permitted(Action, Target, _)";
    let answer = policy.query(atom, &action("a1".into()), Reading::Engine).unwrap();
    assert_eq!(answer.rows.len(), 1, "{answer:?}");
    let why = policy.why(atom, &action("a1".into()), Reading::Engine).unwrap();
    assert!(why.contains("safe_action(/read_file)"), "{why}");
    let error = policy.query(atom, &action(Json::Null), Reading::Engine).map(|_| ()).unwrap_err();
    expect!["facts of `pending_action`, row 1: `null` is not a string"].assert_eq(&error);
}

/// Positions in records are kept, even if a record has several lines.
#[test]
fn a_record_has_the_findings_of_its_line() {
    let path = examples().join("jailbreak/session.piggyback.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let records: Vec<String> = text.lines().map(|line| line.replacen("{\"", "{\n \"", 1)).collect();
    let load = || Checker::load(Some(&examples().join("guardian")), &[], None).unwrap();
    let checker = load().of_records(None).unwrap();
    let turns = (1..).zip(&records).map(|(turn, text)| SessionTurn {
        turn,
        role: "",
        text: text.as_bytes(),
        labels: TurnLabels::default(),
    });
    let found = checker.check(&[Session { id: "records".to_owned(), turns: turns.collect() }]);
    let said = turns_of_said(&load());
    let of = |found: &[SessionFinding]| -> Vec<_> {
        found.iter().map(|one| (one.turn, one.code.clone(), one.headline.clone())).collect()
    };
    assert_eq!(of(&found), of(&said));
    for one in found.iter().filter(|one| one.turn.is_some()) {
        let text = &records[usize::try_from(one.turn.unwrap()).unwrap() - 1];
        let range = usize::try_from(one.start.unwrap()).unwrap()..usize::try_from(one.end.unwrap()).unwrap();
        assert!(text.get(range).is_some_and(|part| !part.is_empty() && !part.contains('\n')), "{one:?}");
    }
    assert_eq!(checker.parse(&[]), []);
    assert!(load().of_records(Some(mangle_settings::Container::Markdown)).is_none());
}

fn turns_of_said(checker: &Checker) -> Vec<SessionFinding> {
    checker.check(&[session("said", &jailbreak())])
}

#[test]
fn a_report_counts_what_the_checker_finds() {
    let checker = Checker::load(Some(&examples().join("guardian")), &[], None).unwrap();
    let turns = jailbreak();
    let mut sessions = [session("one", &turns), session("<b>", &turns)];
    for (day, session) in (0..).zip(&mut sessions) {
        let time = TurnTime::At(1_767_571_200 + day * 86_400);
        let labels = TurnLabels { time, model: Some("m<1>"), version: Some("v2"), shard: Some("coder") };
        session.turns.iter_mut().for_each(|turn| turn.labels = labels);
    }
    let page = checker.report(&sessions, Some("A <week>"));
    let is_violation = |severity: &str| severity == "error" || severity == "warning";
    let checked = checker.check(&sessions);
    let checked = checked.iter().filter(|found| is_violation(&found.severity)).count();
    let row = |name: &str| -> u64 {
        let (_, rest) = page.split_once(&format!("<tr><th scope=\"row\">{name}</th><td>")).unwrap();
        rest.split_once("</td>").unwrap().0.parse().unwrap()
    };
    let of_model = row("m&lt;1&gt;");
    assert!(of_model >= checked as u64 && checked > 0, "{of_model} {checked}");
    assert!(page.contains("<h1>A &lt;week&gt;</h1>") && page.contains("<b>&lt;b&gt;</b>"), "{page}");
    assert!(page.contains("v2") && page.contains("coder") && page.contains("2026-01-06"), "{page}");
    assert!(page.contains(", turn "), "{page}");
    assert!(checker.report(&[], None).contains("There is no reply"));
}

#[test]
fn a_session_without_a_reply_is_counted() {
    let checker = Checker::load(None, &[examples().join("guardian")], None).unwrap();
    let turns = [("user".to_owned(), "Are you there?".to_owned())];
    let sessions = [session("silent", &turns)];
    let found: Vec<_> = checker.check(&sessions).into_iter().map(|one| (one.rule, one.severity)).collect();
    assert_eq!(found, [("no-reply-found".to_owned(), "warning".to_owned())]);
    let page = checker.report(&sessions, None);
    assert!(page.contains("<th scope=\"row\">PB045 no-reply-found</th><td>1</td>"), "{page}");
}
