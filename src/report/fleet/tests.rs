//! Sums over many sessions, and the page about them.

#![allow(clippy::unwrap_used)]

use expect_test::expect;

use super::*;
use mangle_syntax::lint::Rule;
use piggyback::envelope::CONTROL_LEAK;
use piggyback::transcript::labels::Labels;

/// 2026-01-05, a Monday.
const MONDAY: i64 = 1_767_571_200;

fn rule() -> &'static Rule {
    &CONTROL_LEAK
}

fn origin(day: Option<i64>, model: &str, session: &str) -> Origin {
    Origin {
        time: day.map_or(OriginTime::Absent, |day| OriginTime::At(MONDAY + day * 86_400)),
        labels: Labels { model: Some(model.to_owned()), version: Some("current"), shard: None },
        session: Some(session.to_owned()),
        version: None,
        record: Some(3),
    }
}

fn file(name: &str) -> FleetFile {
    FleetFile { name: name.to_owned(), link: Some(format!("./{name}")), unit: "record" }
}

/// A file with a session that is worse than the other.
fn fleet() -> Fleet {
    let mut fleet = Fleet::default();
    fleet.begin(file("a.jsonl"));
    let found = |severity| FleetEvent::Found { rule: rule(), severity };
    for (day, model, session, violations) in
        [(Some(0), "m", "bad", 3), (Some(1), "n", "good", 0), (None, "m", "bad", 1)]
    {
        let origin = origin(day, model, session);
        fleet.add(&origin, FleetEvent::Answer { said: 400 }, None);
        fleet.add(&origin, FleetEvent::State { change: 10 }, None);
        for _ in 0..violations {
            fleet.add(&origin, found(Severity::Error), Some(7));
        }
        fleet.add(&origin, found(Severity::Hint), Some(7));
    }
    fleet.add(&origin(Some(0), "m", "bad"), FleetEvent::Blocked, None);
    let mut figures = Statistics { answers: 3, ..Statistics::default() };
    figures.methods.insert("json", 3);
    figures.compression.original = 1_200;
    figures.blocks = Some([(("gate", "delete_file".to_owned()), 1)].into());
    fleet.end(&figures, false);
    fleet
}

/// The page without its style and without what is in charts.
fn text(fleet: &Fleet) -> String {
    let page = page(FleetPage { fleet, title: None, date: Some("2026-02-01"), unread: 0 });
    let (_, body) = page.split_once("</style>").unwrap();
    let mut out = String::new();
    for (at, part) in body.split("<svg").enumerate() {
        out.push_str(if at == 0 { part } else { part.split_once("</svg>").unwrap().1 });
    }
    out.replace("<div class=\"narrow\"></div><div class=\"broad\"></div>", "…")
}

#[test]
fn the_page_has_sums_and_says_what_is_missing() {
    expect![[r#""#]].assert_eq(&text(&fleet()));
}

#[test]
fn an_empty_page_says_so() {
    let page = text(&Fleet::default());
    assert!(page.contains("There is no reply in these sessions."), "{page}");
}

#[test]
fn words_beyond_the_limit_are_one_word() {
    let mut tallies = Tallies::default();
    for number in 0..1_000 {
        tallies.answer(Some(&format!("model {number}")));
        tallies.violation(Some(&format!("model {}", number % 300)));
    }
    tallies.violation(None);
    let (top, other) = tallies.top(12);
    let (count, other) = other.unwrap();
    assert_eq!((top.len(), count), (12, 190));
    assert_eq!(top[0].word.as_deref(), Some(piggyback::transcript::statistics::OTHERS));
    assert_eq!(top.iter().chain([&other]).map(|tally| tally.violations).sum::<u64>(), 1_001);
    assert_eq!(top.iter().chain([&other]).map(|tally| tally.answers).sum::<u64>(), 1_000);
}

#[test]
fn the_ten_worst_of_all_files_stay() {
    let mut fleet = Fleet::default();
    for number in 0..100 {
        fleet.begin(file(&format!("{number}.jsonl")));
        let origin = Origin::default();
        for _ in 0..number {
            fleet.add(&origin, FleetEvent::Found { rule: rule(), severity: Severity::Warning }, Some(1));
        }
        fleet.end(&Statistics::default(), false);
    }
    let names: Vec<_> = fleet.board.worst.iter().map(|session| session.file.name.as_str()).collect();
    assert_eq!(names[..3], ["99.jsonl", "98.jsonl", "97.jsonl"]);
    assert_eq!((names.len(), fleet.totals.warnings), (10, 4_950));
}

#[test]
fn hostile_names_are_cut_and_text() {
    let mut fleet = Fleet::default();
    let long = format!("<img src=x onerror=alert(1)>{}", "y".repeat(10_000));
    fleet.begin(file("a\"><script>.jsonl"));
    let origin = origin(Some(0), &long, &long);
    fleet.add(&origin, FleetEvent::Found { rule: rule(), severity: Severity::Error }, Some(1));
    fleet.add(&origin, FleetEvent::Answer { said: 1 }, Some(1));
    fleet.end(&Statistics { answers: 1, ..Statistics::default() }, false);
    let page = page(FleetPage { fleet: &fleet, title: Some(&long), date: None, unread: 1 });
    assert!(!page.contains("<img") && !page.contains("<script"), "{page}");
    assert!(!page.contains(&"y".repeat(200)), "{page}");
}
