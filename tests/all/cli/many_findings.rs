//! Files with very many findings: text shows some of each rule and how many more there are; machine formats have all.

use super::support::{folder, run};

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn text_and_annotations_say_how_many_more_there_are() {
    let folder = folder(&[("a.mg", &"p(1).\n".repeat(501))]);
    let shown = text(&run(folder.path(), &["check", "a.mg"]).stdout);
    assert_eq!(shown.matches("hint[MG314").count(), 10, "{shown}");
    assert!(shown.contains("a.mg: 490 more of MG314 duplicate-clause"), "{shown}");
    assert!(shown.ends_with("500 hints in 1 file (501 clauses); 490 findings are not shown\n"), "{shown}");
    let annotations = text(&run(folder.path(), &["check", "a.mg", "--format", "github"]).stdout);
    assert_eq!(annotations.matches("MG314").count(), 101);
    assert!(annotations.contains("::notice title=mangle-ls::a.mg: 400 more of MG314"), "{annotations}");
    for (most, count) in [("3", 3), ("0", 500)] {
        let shown = text(&run(folder.path(), &["check", "a.mg", "--max-findings", most]).stdout);
        assert_eq!(shown.matches("hint[MG314").count(), count);
        assert_eq!(shown.contains("--max-findings 0"), count < 500);
    }
}

#[test]
fn text_shows_all_up_to_the_limit() {
    let folder = folder(&[("a.mg", &"p(1).\n".repeat(101))]);
    let shown = text(&run(folder.path(), &["check", "a.mg"]).stdout);
    assert_eq!(shown.matches("hint[MG314").count(), 100, "{shown}");
    assert!(!shown.contains("more of"), "{shown}");
}

#[test]
fn findings_of_transcripts_that_are_not_kept_are_counted_by_rule() {
    let folder = folder(&[("a.jsonl", &"{\"role\":\n".repeat(10_050))]);
    let shown = text(&run(folder.path(), &["check", "--transcripts", "a.jsonl"]).stdout);
    assert_eq!(shown.matches("[PB041").count(), 10, "{shown}");
    assert!(shown.contains("a.jsonl: 10040 more of PB041 bad-record"), "{shown}");
}

#[test]
fn the_configuration_says_how_many() {
    let folder = folder(&[("mangle-ls.toml", "max_findings = 7\n"), ("a.mg", &"p(1).\n".repeat(50))]);
    let shown = text(&run(folder.path(), &["check"]).stdout);
    assert_eq!(shown.matches("hint[MG314").count(), 7, "{shown}");
}

#[test]
fn programs_and_the_exit_status_see_all() {
    let policy = "Decl p(X) bound [/number].\n".to_owned() + &"p(\"a\").\n".repeat(300);
    let folder = folder(&[("a.mg", &policy)]);
    let lines = text(&run(folder.path(), &["check", "a.mg", "--format", "json", "--statistics"]).stdout);
    assert!(lines.lines().count() > 300, "{}", lines.lines().count());
    let last: serde_json::Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert!(last["summary"]["hints"].as_u64().unwrap() >= 299, "{last}");
    let all = last["statistics"].as_array().unwrap();
    let counted: u64 = all.iter().map(|one| one["count"].as_u64().unwrap()).sum();
    assert_eq!(usize::try_from(counted).unwrap(), lines.lines().count() - 1);
    let sarif: serde_json::Value =
        serde_json::from_slice(&run(folder.path(), &["check", "a.mg", "--format", "sarif"]).stdout).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), lines.lines().count() - 1);
}

#[test]
fn what_cannot_be_read_is_listed_a_thousand_times_and_then_counted() {
    let folder = folder(&[("a.mg", &"p(\n".repeat(5_000))]);
    let lines = text(&run(folder.path(), &["check", "a.mg", "--format", "json"]).stdout);
    assert_eq!(lines.lines().count(), 1_002);
    assert!(
        lines.contains("4000 more statements of this file cannot be parsed"),
        "{}",
        &lines[lines.len() - 600..]
    );
}

#[test]
fn a_message_that_quotes_too_much_is_cut_in_the_middle() {
    let folder = folder(&[("a.mg", &format!("p(X) :- q{}(X).\n", "a".repeat(1 << 20)))]);
    let lines = text(&run(folder.path(), &["check", "a.mg", "--format", "json"]).stdout);
    assert!(lines.contains(" […] "), "{}", &lines[..400]);
    for line in lines.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(line["message"].as_str().is_none_or(|message| message.len() <= 2_000));
    }
}

#[test]
fn counts_of_transcripts_are_about_all_findings() {
    let line = "{\"role\":\"assistant\",\"content\":\"no JSON\"}\n{\"role\":\n";
    let folder = folder(&[("a.jsonl", &line.repeat(10_050))]);
    let count = |options: &[&str]| {
        let arguments = ["check", "--transcripts", "a.jsonl", "--format", "json", "--statistics"];
        let lines = text(&run(folder.path(), &[&arguments, options].concat()).stdout);
        let last: serde_json::Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
        let all = last["statistics"].as_array().unwrap();
        let counted: u64 = all.iter().map(|one| one["count"].as_u64().unwrap()).sum();
        (usize::try_from(counted).unwrap(), lines.lines().count() - 1)
    };
    let (all, listed) = count(&[]);
    assert!(all > 10_000 && listed == 10_000, "{all} {listed}");
    assert_eq!(count(&["--max-findings", "0"]), (all, all));
}
