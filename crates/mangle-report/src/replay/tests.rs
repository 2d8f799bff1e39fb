//! Tests of hostile transcripts: their content is escaped in all output formats.
#![allow(clippy::unwrap_used)]

use serde_json::json;

use super::*;

/// A turn with hostile text in every field of the model.
fn hostile() -> TurnReport {
    let evil = "</code></details><script>alert(1)</script>\u{202e}`x`|\u{1b}[31m\"'&";
    let tree =
        ProofTree { fact: evil.into(), kind: "session".into(), by: Some(evil.into()), because: Vec::new() };
    let verdict = VerdictReport {
        request: evil.into(),
        index: Some(0),
        action: evil.into(),
        target: evil.into(),
        payload: evil.into(),
        verdict: "DENY".into(),
        lock: "2".into(),
        why: evil.into(),
        rule: Some("policy.mg:1".into()),
        store: Some(evil.into()),
        because: vec![ProofTree { kind: "rule".into(), because: vec![tree.clone()], ..tree.clone() }],
        why_not: vec![ObstacleReport {
            rule: "policy.mg:1".into(),
            store: Some(evil.into()),
            first_failing_literal: evil.into(),
            near: vec![evil.into()],
        }],
        rests_on: vec![ReplyFactReport { fact: evil.into(), from: evil.into(), does: "lifts".into() }],
        otherwise: Some(evil.into()),
    };
    TurnReport {
        file: evil.into(),
        turn: 1,
        record: 1,
        line: 1,
        start: 0,
        time: Some("2026-03-01T12:00:00Z".into()),
        asked: Some(evil.into()),
        stage: Some("P1".into()),
        method: Some("json".into()),
        native_path: true,
        surface: SurfaceReport {
            original: evil.into(),
            shown: format!("{evil}!"),
            reason: Some(evil.into()),
            hidden_notice: Some(evil.into()),
        },
        atoms: vec![AtomReport {
            index: Some(0),
            text: evil.into(),
            fate: "blocked".into(),
            why: "blocked".into(),
            fact: Some(evil.into()),
        }],
        memory: vec![MemoryReport { op: evil.into(), key: evil.into(), effect: "nothing".into() }],
        self_correction: Some(CorrectionReport { hypothesis: evil.into(), kept: false, actions: vec![tree] }),
        envelope: Some(VerdictReport { index: None, ..verdict.clone() }),
        verdicts: vec![verdict],
        unjudged: 0,
        state: StateReport {
            added: vec![FactReport { fact: evil.into(), by: None }],
            removed: vec![evil.into()],
            added_count: 1,
            removed_count: 1,
        },
        stopped: Some(evil.into()),
        compared: vec![VerdictComparison {
            request: evil.into(),
            action: evil.into(),
            target: evil.into(),
            here: "DENY".into(),
            there: "PERMIT".into(),
            why: evil.into(),
        }],
        findings: vec![
            json!({"severity": "error", "code": "PB502", "rule": "denied", "message": evil, "file": evil,
            "line": 1, "column": 1}),
        ],
        checked: Vec::new(),
    }
}

/// A turn without events.
pub(super) fn quiet() -> TurnReport {
    TurnReport {
        atoms: Vec::new(),
        memory: Vec::new(),
        self_correction: None,
        envelope: None,
        verdicts: Vec::new(),
        unjudged: 0,
        stopped: None,
        compared: Vec::new(),
        findings: Vec::new(),
        ..hostile()
    }
}

#[test]
fn a_terminal_obeys_nothing() {
    let text = text(&hostile());
    // Only built-in colors remain.
    let plain = anstream::adapter::strip_str(&text).to_string();
    assert!(!plain.contains(['\u{1b}', '\u{202e}']), "{plain:?}");
    assert!(plain.contains("<script>alert(1)</script>"), "{plain}");
    let ours = text.matches("\u{1b}[31m").count();
    assert_eq!(ours, 0, "{text:?}");
}

#[test]
fn a_page_has_no_tags_but_ours() {
    let turns = [hostile()];
    let mut summary = ReplaySummary::default();
    summary.add(&turns[0]);
    let covered = [RuleCoverage { rule: "<i>".into(), predicate: "<i>".into(), held: false }];
    let page = html(Page {
        turns: &turns,
        omitted: 1,
        policy: &turns[0].findings,
        checked: None,
        coverage: &covered,
        summary: &summary,
        program: "<b>\u{feff}",
        revision: Some("<i>"),
        date: Some("<i>"),
        mark: None,
    });
    for refused in ["<script", "<i>", "<b>\u{feff}", "\u{202e}", "\u{1b}", "</code></details><"] {
        assert!(!page.contains(refused), "{refused}");
    }
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn markdown_has_no_tags_but_ours() {
    let markdown = markdown(&hostile());
    let mut fence = None;
    for line in markdown.lines() {
        let ticks = line.chars().take_while(|char| *char == '`').count();
        match fence {
            Some(open) if ticks == open && line.len() == ticks => fence = None,
            Some(_) => continue,
            None if ticks >= 3 => fence = Some(ticks),
            None => {}
        }
        let ours = ["<details>", "</details>", "<summary>", "</summary>", "<code>", "</code>"];
        let mut rest = ours.iter().fold(line.to_owned(), |line, tag| line.replace(tag, ""));
        // Text in code spans is not markup.
        while let Some(start) = rest.find('`') {
            let ticks = rest[start..].chars().take_while(|char| *char == '`').count();
            let close = "`".repeat(ticks);
            let Some(end) = rest[start + ticks..].find(&close) else { break };
            rest.replace_range(start..start + ticks + end + ticks, "");
        }
        assert!(!rest.contains('<'), "{line}");
    }
    assert_eq!(fence, None);
}

#[test]
fn credentials_are_masked_everywhere() {
    let secret = "password: hunter2x";
    let turn = TurnReport {
        asked: Some(secret.into()),
        stopped: Some(secret.into()),
        findings: vec![json!({"message": secret})],
        ..hostile()
    };
    let shown = serde_json::to_string(&turn.redacted()).unwrap();
    assert!(!shown.contains("hunter2x"), "{shown}");
}

#[test]
fn turns_are_counted() {
    let mut summary = ReplaySummary::default();
    summary.add(&hostile());
    assert_eq!(
        summary_text(&summary),
        "1 turn, 1 request: 0 permitted, 1 denied; 1 reply denied as a whole; 1 surface rewritten; 0 updates asserted, 1 lost; 1 error, 0 warnings"
    );
}

/// The page of one turn.
fn page_of(turn: &TurnReport, checked: &CheckReport) -> String {
    let mut summary = ReplaySummary::default();
    summary.add(turn);
    html(Page {
        turns: std::slice::from_ref(turn),
        omitted: 0,
        policy: &[],
        checked: Some(checked),
        coverage: &[],
        summary: &summary,
        program: "guardian",
        revision: Some("1a2b3c4 of 2026-01-31"),
        date: Some("2026-02-01"),
        mark: None,
    })
}

fn finding(severity: &str) -> Value {
    json!({"severity": severity, "code": "PB010", "rule": "json-syntax", "message": "m", "file": "a", "line": 1, "column": 1,
        "start": 4})
}

#[test]
fn mood_of_a_turn_is_the_worst_of_check_and_replay() {
    for (severity, class) in [("error", "bad"), ("warning", "warn"), ("hint", "idle")] {
        let turn = TurnReport { checked: vec![finding(severity)], ..quiet() };
        let page = page_of(&turn, &CheckReport::default());
        assert!(page.contains(&format!("class=\"dot {class}\"")), "{severity}");
    }
}

#[test]
fn problems_come_first_and_link_to_their_turn() {
    let turn = TurnReport { checked: vec![finding("warning")], findings: vec![finding("error")], ..quiet() };
    let page = page_of(&turn, &CheckReport::default());
    let problems = page.find("id=\"problems\"").unwrap();
    let list = &page[problems..page.find("class=\"timeline\"").unwrap()];
    assert!(list.find(">error<").unwrap() < list.find(">warning<").unwrap(), "{list}");
    let link = list.split("href=\"#").nth(1).unwrap().split('"').next().unwrap();
    assert!(page.contains(&format!("<li id=\"{link}\"")), "{link}");
    assert!(page.contains("2026-02-01 · policy <code>guardian</code> at <code>1a2b3c4 of 2026-01-31</code>"));
}

#[test]
fn denials_are_open_and_permits_folded() {
    let denied = hostile().verdicts.remove(0);
    let permitted = VerdictReport { verdict: "PERMIT".into(), rests_on: Vec::new(), ..denied.clone() };
    let forged = VerdictReport { verdict: "PERMIT".into(), ..denied.clone() };
    for (verdict, start) in [
        (denied, "<details class=\"verdict bad\" open>"),
        (permitted, "<details class=\"verdict good\">"),
        (forged, "<details class=\"verdict bad\" open>"),
    ] {
        let turn = TurnReport { verdicts: vec![verdict], ..quiet() };
        assert!(page_of(&turn, &CheckReport::default()).contains(start), "{start}");
    }
}

#[test]
fn facts_that_a_reply_gave_itself_are_marked() {
    let mut verdict = hostile().verdicts.remove(0);
    verdict.because =
        vec![ProofTree { fact: "granted(/a)".into(), kind: "session".into(), by: None, because: Vec::new() }];
    verdict.rests_on =
        vec![ReplyFactReport { fact: "granted(/a)".into(), from: "turn 1".into(), does: "grants".into() }];
    let turn = TurnReport { verdicts: vec![verdict], ..quiet() };
    let page = page_of(&turn, &CheckReport::default());
    assert!(page.contains("<li class=\"forged\"><code>granted(/a)</code>"), "{page}");
    let permitted = VerdictReport { verdict: "PERMIT".into(), ..turn.verdicts[0].clone() };
    let turn = TurnReport { verdicts: vec![permitted], ..quiet() };
    let page = page_of(&turn, &CheckReport::default());
    assert!(page.contains("<span class=\"badge bad\">PERMIT, self-granted</span>"), "{page}");
    let mut summary = ReplaySummary::default();
    summary.add(&turn);
    assert_eq!((summary.permitted, summary.self_granted), (1, 1));
}
