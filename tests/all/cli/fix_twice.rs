//! `check --fix` reaches its end in one run: what it leaves, a second run leaves as well, and the exit status says so.

use std::collections::BTreeMap;
use std::path::Path;

use super::support::{folder, run};

/// A policy, a configuration of a runtime, and a transcript of one reply with these updates.
fn files(policy: &str, runtime: &str, updates: &[&str], more: &str) -> tempfile::TempDir {
    let updates = serde_json::Value::from(updates);
    let envelope = format!(
        "{{\"control_packet\": {{\"intent_classification\": {{\"category\": \"/query\", \"verb\": \"/explain\", \
         \"target\": \"x\", \"constraint\": \"none\", \"confidence\": 0.9}}, \"mangle_updates\": {updates}{more}}}, \
         \"surface_response\": \"Fine.\"}}"
    );
    let line = serde_json::json!({"role": "assistant", "content": envelope});
    folder(&[
        ("mangle-ls.toml", "[transcripts]\ninclude = [\"*.jsonl\"]\n"),
        ("policy.mg", policy),
        (".nerd/config.json", runtime),
        ("a.jsonl", &format!("{line}\n{line}\n")),
    ])
}

fn texts(folder: &Path) -> BTreeMap<&'static str, Vec<u8>> {
    let names = ["policy.mg", ".nerd/config.json", "a.jsonl"];
    names.into_iter().map(|name| (name, std::fs::read(folder.join(name)).unwrap())).collect()
}

/// Fixes twice; gives the closing line and the exit status of the first run.
fn fix_twice(folder: &Path, options: &[&str]) -> (String, Option<i32>) {
    let arguments: Vec<_> = ["check", "."].iter().chain(options).copied().collect();
    let closing = |output: &std::process::Output| {
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(!String::from_utf8_lossy(&output.stderr).contains("report this"), "{output:?}");
        text.lines().last().unwrap_or("").to_owned()
    };
    let first = run(folder, &arguments);
    let after = texts(folder);
    let second = run(folder, &arguments);
    assert!(closing(&second).starts_with("0 fixed"), "{options:?}: {}", closing(&second));
    assert_eq!(texts(folder), after, "{options:?}");
    let diff = run(folder, &arguments.iter().copied().chain(["--diff"]).collect::<Vec<_>>());
    assert!(diff.stdout.is_empty(), "{}", String::from_utf8_lossy(&diff.stdout));
    (closing(&first), first.status.code())
}

#[test]
fn many_equal_broken_updates_are_fixed_in_one_run() {
    for count in [20, 99] {
        let updates = vec!["task_status(/t, /done"; count];
        let folder = files("p(1).\n", "{}", &updates, ", \"memory_operations\": []");
        let (closing, _) = fix_twice(folder.path(), &["--fix-transcripts", "--unsafe-fixes"]);
        let text = String::from_utf8(texts(folder.path())["a.jsonl"].clone()).unwrap();
        assert_eq!(text.matches("/done).").count(), 2 * count, "{closing}");
    }
}

#[test]
fn equal_updates_stay_since_they_are_evidence() {
    let folder = files("p(1).\n", "{}", &["task_status(/t, /done)."; 20], ", \"memory_operations\": []");
    let before = texts(folder.path());
    fix_twice(folder.path(), &["--fix-transcripts", "--unsafe-fixes"]);
    assert_eq!(texts(folder.path())["a.jsonl"], before["a.jsonl"]);
}

#[test]
fn any_mixture_is_fixed_in_one_run() {
    const POLICY: [&str; 10] = [
        "q(1)",
        "p(X) :- q(X), X == 1.",
        "p(X) :- q(X), not r(X).",
        "p(X) :- q(X), s(X, Y).",
        "p(X) :- q(X) s(X, 1).",
        "Decl s(X, X).",
        "Decl s(X, Y) descr [doc(\"a\"), doc(\"b\")].",
        "q([1,,2]).",
        "q(1",
        "// a comment",
    ];
    const UPDATES: [&str; 8] = [
        "task_status(/t, /done",
        "task_status(/t, /done)",
        "task_status(/t, /done).",
        "task_status(/t, done).",
        "Task_status(/t, \"done\").",
        "task_status(/t /done).",
        "",
        "p(: (.",
    ];
    const RUNTIME: [&str; 4] = [
        "{}",
        "{\"contxt_window\": {\"max_tokens\": 10}}",
        "{\"shard_profiles\": {\"codder\": {\"max_retries\": 5}}}",
        "{\"context_window\": {\"max_tokns\": 10}, \"core_limits\": {}}",
    ];
    const MORE: [&str; 3] =
        ["", ", \"memory_operations\": []", ", \"memory_operation\": [], \"tool_request\": []"];
    let mut state: u64 = 7;
    let mut below = |bound: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % bound
    };
    for round in 0..12 {
        let policy: String = (0..20).map(|_| format!("{}\n", POLICY[below(POLICY.len())])).collect();
        let updates: Vec<_> = (0..25).map(|_| UPDATES[below(UPDATES.len())]).collect();
        let folder = files(&policy, RUNTIME[below(4)], &updates, MORE[below(3)]);
        let options: &[&str] = match round % 3 {
            0 => &["--fix"],
            1 => &["--fix-transcripts"],
            _ => &["--fix-transcripts", "--unsafe-fixes"],
        };
        fix_twice(folder.path(), options);
    }
}
