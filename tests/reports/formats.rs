//! `--format` and `--statistics`.

use expect_test::{Expect, expect};
use serde_json::Value;

use super::schema::sarif;
use super::support::{BAD, GOOD, command, folder, render, run, stdout};

fn check(files: &[(&str, &str)], arguments: &[&str], expected: Expect) {
    let folder = folder(files);
    expected.assert_eq(&render(&run(folder.path(), arguments)));
}

/// A log with the rules and the folder taken out, which are checked here.
fn log(files: &[(&str, &str)], arguments: &[&str]) -> Value {
    let folder = folder(files);
    let output = run(folder.path(), &[&["check", "--format", "sarif"], arguments].concat());
    let mut log = sarif(&stdout(&output));
    let run = &mut log["runs"][0];
    let root = run["originalUriBaseIds"]["%SRCROOT%"]["uri"].as_str().unwrap().to_owned();
    let folder = folder.path().canonicalize().unwrap();
    assert_eq!(root, format!("file://{}/", folder.to_str().unwrap()));
    let rules = run["tool"]["driver"].as_object_mut().unwrap().remove("rules").unwrap();
    for result in run["results"].as_array().unwrap() {
        let rule = &rules[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!(rule["id"], result["ruleId"]);
    }
    run.as_object_mut().unwrap().remove("originalUriBaseIds");
    assert_eq!(run["invocations"][0]["exitCode"], output.status.code().unwrap());
    log
}

fn check_results(files: &[(&str, &str)], arguments: &[&str], expected: Expect) {
    let log = log(files, arguments);
    expected.assert_eq(&format!("{:#}\n", log["runs"][0]["results"]));
}

/// A finding with a fix, a related place and Windows' line ends, behind an emoji.
const LATE: &str = "Decl p(X) bound [/number].\r\nDecl q(X) bound [/number].\r\n# 🦀\r\n/* 🦀 */\r\n";

#[test]
fn a_log_of_nothing() {
    let log = log(&[("a.mg", GOOD)], &[]);
    let mut log = log["runs"][0].clone();
    log["tool"]["driver"].as_object_mut().unwrap().retain(|key, _| key == "name");
    expect![[r#""#]].assert_eq(&format!("{log:#}\n"));
}

#[test]
fn a_log_with_places() {
    check_results(&[("a.mg", GOOD), ("x y/100%/é.mg", BAD)], &[], expect![[r#""#]]);
}

#[test]
fn columns_count_utf16_and_fixes_are_edits() {
    let text = "Decl p(X) bound [/string].\r\np(\"🦀\"). p(\"é\"), p(\"🦀\")\r\n.\r\nq(\"🦀🦀\", /open.\r\n";
    check_results(&[("a.mg", text)], &[], expect![[r#""#]]);
    assert!(LATE.is_ascii() || !LATE.is_empty());
}

#[test]
fn a_log_tells_what_could_not_be_checked() {
    let log = log(&[("b.mg", GOOD)], &["gone away.mg", "b.mg"]);
    expect![[r#""#]].assert_eq(&format!("{:#}\n", log["runs"][0]["invocations"]));
}

#[test]
fn every_rule_has_a_descriptor() {
    let folder = folder(&[("a.mg", GOOD)]);
    let log = sarif(&stdout(&run(folder.path(), &["check", "--format", "sarif"])));
    let described = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    let listed: Value =
        serde_json::from_str(&stdout(&run(folder.path(), &["rule", "--format", "json"]))).unwrap();
    let rows = |list: &[Value], id: &str| -> Vec<_> {
        list.iter().map(|rule| (rule[id].clone(), rule["name"].clone())).collect()
    };
    assert_eq!(rows(described, "id"), rows(listed.as_array().unwrap(), "code"));
    for rule in described {
        assert!(!rule["help"]["markdown"].as_str().unwrap().is_empty(), "{rule}");
        assert!(!rule["shortDescription"]["text"].as_str().unwrap().is_empty(), "{rule}");
    }
}

#[test]
fn fingerprints_survive_moved_lines() {
    let prints = |text: &str| -> Vec<_> {
        let log = log(&[("a.mg", text)], &[]);
        let results = log["runs"][0]["results"].as_array().unwrap().clone();
        results.into_iter().map(|result| result["partialFingerprints"].clone()).collect()
    };
    let rule = "a(X) :- b(X), c(X).\n";
    let before = prints(rule);
    assert_eq!(before.len(), 2);
    assert_ne!(before[0], before[1]);
    assert_eq!(prints(&format!("# moved\n\nz(1).\n{}", rule.replace(", ", ",\n    "))), before);
    assert_ne!(prints("a(Y) :- b(Y), c(Y).\n"), before);
}

#[test]
fn annotations_of_a_workflow() {
    check(&[("a.mg", GOOD), ("x,y:z%/b.mg", BAD)], &["check", "--format", "github"], expect![[r#""#]]);
    check(&[("a.mg", "p(\"\u{1f980}\n).\nq(/open.\n")], &["check", "--format", "github"], expect![[r#""#]]);
}

#[test]
fn annotations_are_relative_to_the_checkout() {
    let folder = folder(&[("policy/b.mg", BAD)]);
    let root = folder.path().canonicalize().unwrap();
    let mut command = command(&root.join("policy"), &["check", "--format", "github"]);
    let output = stdout(&command.env("GITHUB_WORKSPACE", &root).output().unwrap());
    assert!(output.contains("::error file=policy/b.mg,line=2,"), "{output}");
}

#[test]
fn a_suite_for_each_file() {
    let files = [("a.mg", GOOD), ("b & c.mg", BAD), ("d.mg", "q(\"\u{1}\u{1b}\u{fffe}\n")];
    check(&files, &["check", "--format", "junit"], expect![[r#""#]]);
}

#[test]
fn what_does_not_fail_is_a_passed_test() {
    let arguments = ["check", "--format", "junit", "--fail-on", "never", "b.mg", "gone.mg"];
    check(&[("a.mg", GOOD), ("b.mg", BAD)], &arguments, expect![[r#""#]]);
}

#[test]
fn counts_by_rule() {
    let files = [("b.mg", BAD), ("c.mg", "c(X) :- d(X), e(X, _), !f(X), q(X, X).\n")];
    check(&files, &["check", "--statistics", "--format", "json"], expect![[r#""#]]);
    let folder = folder(&files);
    let output = stdout(&run(folder.path(), &["check", "--statistics"]));
    let lines: Vec<_> = output.lines().collect();
    expect![[r#""#]].assert_eq(&lines[lines.len() - 5..].join("\n"));
    let clean = tempfile::tempdir().unwrap();
    assert!(stdout(&run(clean.path(), &["check", "--statistics"])).starts_with("No findings"));
}

#[test]
fn nothing_disturbs_a_document() {
    let folder = folder(&[("b.mg", BAD)]);
    for format in ["sarif", "junit"] {
        let arguments = ["check", "--format", format, "--statistics", "--show-program", "--color", "always"];
        let output = run(folder.path(), &arguments);
        let (out, complaints) = (stdout(&output), String::from_utf8(output.stderr).unwrap());
        match format {
            "sarif" => drop(sarif(&out)),
            _ => drop(roxmltree::Document::parse(&out).unwrap()),
        }
        assert!(complaints.contains("program the given paths"), "{complaints}");
        assert!(complaints.contains("2  error        MG301 undefined-predicate"), "{complaints}");
    }
}
