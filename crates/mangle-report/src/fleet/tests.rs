//! Tests of counts over many sessions, and of the page.

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

fn origin(minute: Option<i64>, model: &str, session: &str) -> Origin {
    Origin {
        time: minute.map_or(OriginTime::Absent, |minute| OriginTime::At(MONDAY + minute * 60)),
        labels: Labels { model: Some(model.to_owned()), version: Some("current"), shard: None },
        session: Some(session.to_owned()),
        version: None,
        record: Some(3),
    }
}

fn file(name: &str) -> FleetFile {
    FleetFile { name: name.to_owned(), link: Some(format!("./{name}")), unit: "record" }
}

/// A file with two sessions, one worse than the other.
fn fleet() -> Fleet {
    let mut fleet = Fleet::default();
    fleet.begin(file("a.jsonl"));
    let found = |severity| FleetEvent::Found { rule: rule(), severity };
    for (minute, model, session, violations) in
        [(Some(0), "m", "bad", 3), (Some(1), "n", "good", 0), (None, "m", "bad", 1)]
    {
        let origin = origin(minute, model, session);
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

/// The page without styles and charts.
fn text(fleet: &Fleet) -> String {
    let page = page(FleetPage { fleet, title: None, date: Some("2026-02-01"), unread: 0, mark: None });
    let (_, body) = page.split_once("</style>").unwrap();
    let mut out = String::new();
    for (at, part) in body.split("<svg").enumerate() {
        out.push_str(if at == 0 { part } else { part.split_once("</svg>").unwrap().1 });
    }
    out.replace("<div class=\"narrow\"></div><div class=\"broad\"></div>", "…")
}

#[test]
fn the_page_has_sums_and_says_what_is_missing() {
    expect![[r##"

        </head>
        <body>
        <a class="skip" href="#main">Skip to the figures</a>
        <header><h1>Report of agent sessions</h1><p class="sub">2026-02-01 · 3 replies in 2 sessions, 1 input</p><ul class="tiles"><li class="bad"><b>4</b> errors</li><li class=""><b>0</b> warnings</li><li class="bad"><b>1</b> blocked or denied</li><li class=""><b>1,200</b> tokens said</li><li class=""><b>0</b> tokens of state</li></ul><p class="sub">Violations are errors and warnings of <code>check</code> and <code>replay</code>. Times are UTC.</p>
        <p class="note">Not in the charts over time: 1 reply carries no time, 1 violation carries no time.</p>
        </header>
        <nav class="contents" aria-label="Contents"><ul><li><a href="#time">Violations over time</a></li><li><a href="#rules">By rule</a></li><li><a href="#shards">By shard</a></li><li><a href="#models">By model</a></li><li><a href="#versions">By version</a></li><li><a href="#replies">Replies and updates</a></li><li><a href="#tokens">Tokens</a></li><li><a href="#worst">Worst sessions</a></li></ul></nav>
        <main id="main">
        <section class="card" aria-labelledby="time"><h2 id="time">Violations over time</h2>
        <div class="chart" role="img" aria-label="Violations over time by rule, per minute: 3 from 2026-01-05 00:00 to 2026-01-05 00:01, at most 3 from 2026-01-05 00:00"><div class="narrow">
        </div><div class="broad">
        </div></div>
        <ul class="legend"><li class="s1">PB110 control-leak</li></ul>
        <details><summary>Violations over time by rule, per minute as a table</summary><div class="wide" tabindex="0" role="region" aria-label="Violations over time by rule, per minute"><table><caption>Violations over time by rule, per minute</caption><thead><tr><th scope="col">From</th><th scope="col">PB110 control-leak</th></tr></thead><tbody>
        <tr><th scope="row">2026-01-05 00:00</th><td>3</td></tr>
        <tr><th scope="row">2026-01-05 00:01</th><td>0</td></tr>
        </tbody></table></div></details>
        </section>
        <section class="card" aria-labelledby="rules"><h2 id="rules">By rule</h2>
        <div class="chart" role="img" aria-label="Violations by rule: most are 4, PB110 control-leak"><div class="narrow">
        </div><div class="broad">
        </div></div>
        <details><summary>Violations by rule as a table</summary><div class="wide" tabindex="0" role="region" aria-label="Violations by rule"><table><caption>Violations by rule</caption><thead><tr><th scope="col">Rule</th><th scope="col">Violations</th></tr></thead><tbody>
        <tr><th scope="row">PB110 control-leak</th><td>4</td></tr>
        </tbody></table></div></details>
        </section>
        <section class="card" aria-labelledby="shards"><h2 id="shards">By shard</h2>
        <h3>Over time</h3>
        <div class="chart" role="img" aria-label="Violations over time by shard, per minute: 3 from 2026-01-05 00:00 to 2026-01-05 00:01, at most 3 from 2026-01-05 00:00"><div class="narrow">
        </div><div class="broad">
        </div></div>
        <ul class="legend"><li class="s1">(no shard recorded)</li></ul>
        <details><summary>Violations over time by shard, per minute as a table</summary><div class="wide" tabindex="0" role="region" aria-label="Violations over time by shard, per minute"><table><caption>Violations over time by shard, per minute</caption><thead><tr><th scope="col">From</th><th scope="col">(no shard recorded)</th></tr></thead><tbody>
        <tr><th scope="row">2026-01-05 00:00</th><td>3</td></tr>
        <tr><th scope="row">2026-01-05 00:01</th><td>0</td></tr>
        </tbody></table></div></details>
        <h3>In sum</h3>
        <div class="chart" role="img" aria-label="Violations by shard: most are 4, (no shard recorded)"><div class="narrow">
        </div><div class="broad">
        </div></div>
        <details><summary>Violations by shard as a table</summary><div class="wide" tabindex="0" role="region" aria-label="Violations by shard"><table><caption>Violations by shard</caption><thead><tr><th scope="col"></th><th scope="col">Violations</th><th scope="col">Replies</th><th scope="col">Violations per 1,000 replies</th></tr></thead><tbody>
        <tr><th scope="row">(no shard recorded)</th><td>4</td><td>3</td><td>1,333</td></tr>
        </tbody></table></div></details>
        </section>
        <section class="card" aria-labelledby="models"><h2 id="models">By model</h2>
        <h3>Over time</h3>
        <div class="chart" role="img" aria-label="Violations over time by model, per minute: 3 from 2026-01-05 00:00 to 2026-01-05 00:01, at most 3 from 2026-01-05 00:00"><div class="narrow">
        </div><div class="broad">
        </div></div>
        <ul class="legend"><li class="s1">m</li></ul>
        <details><summary>Violations over time by model, per minute as a table</summary><div class="wide" tabindex="0" role="region" aria-label="Violations over time by model, per minute"><table><caption>Violations over time by model, per minute</caption><thead><tr><th scope="col">From</th><th scope="col">m</th></tr></thead><tbody>
        <tr><th scope="row">2026-01-05 00:00</th><td>3</td></tr>
        <tr><th scope="row">2026-01-05 00:01</th><td>0</td></tr>
        </tbody></table></div></details>
        <h3>In sum</h3>
        <div class="chart" role="img" aria-label="Violations by model: most are 4, m"><div class="narrow">
        </div><div class="broad">
        </div></div>
        <details><summary>Violations by model as a table</summary><div class="wide" tabindex="0" role="region" aria-label="Violations by model"><table><caption>Violations by model</caption><thead><tr><th scope="col"></th><th scope="col">Violations</th><th scope="col">Replies</th><th scope="col">Violations per 1,000 replies</th></tr></thead><tbody>
        <tr><th scope="row">m</th><td>4</td><td>2</td><td>2,000</td></tr>
        <tr><th scope="row">n</th><td>0</td><td>1</td><td>0</td></tr>
        </tbody></table></div></details>
        </section>
        <section class="card" aria-labelledby="versions"><h2 id="versions">By version</h2>
        <h3>Over time</h3>
        <div class="chart" role="img" aria-label="Violations over time by version, per minute: 3 from 2026-01-05 00:00 to 2026-01-05 00:01, at most 3 from 2026-01-05 00:00"><div class="narrow">
        </div><div class="broad">
        </div></div>
        <ul class="legend"><li class="s1">current</li></ul>
        <details><summary>Violations over time by version, per minute as a table</summary><div class="wide" tabindex="0" role="region" aria-label="Violations over time by version, per minute"><table><caption>Violations over time by version, per minute</caption><thead><tr><th scope="col">From</th><th scope="col">current</th></tr></thead><tbody>
        <tr><th scope="row">2026-01-05 00:00</th><td>3</td></tr>
        <tr><th scope="row">2026-01-05 00:01</th><td>0</td></tr>
        </tbody></table></div></details>
        <h3>In sum</h3>
        <div class="chart" role="img" aria-label="Violations by version: most are 4, current"><div class="narrow">
        </div><div class="broad">
        </div></div>
        <details><summary>Violations by version as a table</summary><div class="wide" tabindex="0" role="region" aria-label="Violations by version"><table><caption>Violations by version</caption><thead><tr><th scope="col"></th><th scope="col">Violations</th><th scope="col">Replies</th><th scope="col">Violations per 1,000 replies</th></tr></thead><tbody>
        <tr><th scope="row">current</th><td>4</td><td>3</td><td>1,333</td></tr>
        </tbody></table></div></details>
        </section>
        <section class="card" aria-labelledby="replies"><h2 id="replies">Replies and updates</h2>
        <h3>Replies by the stage of the runtime&#39;s parser that reads them</h3>
        <div class="chart" role="img" aria-label="Replies by the stage of the runtime&#39;s parser that reads them: 3 in all"><div class="narrow">
        </div><div class="broad">
        </div></div>
        <details><summary>Replies by the stage of the runtime&#39;s parser that reads them as a table</summary><div class="wide" tabindex="0" role="region" aria-label="Replies by the stage of the runtime&#39;s parser that reads them"><table><caption>Replies by the stage of the runtime&#39;s parser that reads them</caption><thead><tr><th scope="col">Stage</th><th scope="col">Count</th></tr></thead><tbody>
        <tr><th scope="row">json: the whole reply</th><td>3</td></tr>
        </tbody></table></div></details>
        <h3>Updates by what becomes of them</h3>
        <p>There are none.</p>
        <h3>Blocked and denied</h3>
        <div class="chart" role="img" aria-label="Blocked and denied: 1 in all"><div class="narrow">
        </div><div class="broad">
        </div></div>
        <details><summary>Blocked and denied as a table</summary><div class="wide" tabindex="0" role="region" aria-label="Blocked and denied"><table><caption>Blocked and denied</caption><thead><tr><th scope="col">Action</th><th scope="col">Count</th></tr></thead><tbody>
        <tr><th scope="row">delete_file (gate)</th><td>1</td></tr>
        </tbody></table></div></details>
        </section>
        <section class="card" aria-labelledby="tokens"><h2 id="tokens">Tokens</h2>
        <p>1,200 tokens said, 0 tokens of state in the end. Tokens are those that the runtime estimates.</p>
        <div class="chart" role="img" aria-label="Tokens said and tokens of state, in sum, per minute, on a logarithmic axis: 800 and 20 in the end"><div class="narrow">
        </div><div class="broad">
        </div></div>
        <ul class="legend"><li class="s1">said</li><li class="s2">state</li></ul>
        <p class="sub">The axis is logarithmic.</p>
        <details><summary>Tokens said and tokens of state, in sum, per minute as a table</summary><div class="wide" tabindex="0" role="region" aria-label="Tokens said and tokens of state, in sum, per minute"><table><caption>Tokens said and tokens of state, in sum, per minute</caption><thead><tr><th scope="col">From</th><th scope="col">said</th><th scope="col">state</th></tr></thead><tbody>
        <tr><th scope="row">2026-01-05 00:00</th><td>400</td><td>10</td></tr>
        <tr><th scope="row">2026-01-05 00:01</th><td>800</td><td>20</td></tr>
        </tbody></table></div></details>
        </section>
        <section class="card" aria-labelledby="worst"><h2 id="worst">Worst sessions</h2>
        <p class="sub">At most 10, by the number of violations.</p>
        <ol class="worst">
        <li><b>bad</b>: 4 errors, 0 warnings, 1 blocked or denied in 2 replies<br><span class="place">first: PB110 control-leak in <a href="./a.jsonl">a.jsonl, line 7</a></span></li>
        </ol>
        </section>
        </main>
        </body>
        </html>
    "##]].assert_eq(&text(&fleet()));
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
    let page = page(FleetPage { fleet: &fleet, title: Some(&long), date: None, unread: 1, mark: None });
    assert!(!page.contains("<img") && !page.contains("<script"), "{page}");
    assert!(!page.contains(&"y".repeat(200)), "{page}");
}
