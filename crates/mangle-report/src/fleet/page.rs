//! HTML page about many sessions and its sections, without scripts and external resources.

use std::fmt::Write as _;

use super::charts::{self, MAX_SERIES, Table, TimeChart};
use super::counts::{Dimension, Tally};
use super::sessions::{MAX_SHOWN, WorstSession};
use super::{Fleet, TimeCounts};
use crate::html_page::{self, counted, escaped, grouped};
use mangle_syntax::text::shorten;
use piggyback::envelope::secrets::redacted;

/// Additional styles of this page.
const STYLE: &str = include_str!("fleet.css");

/// The maximum length of a title in characters.
const MAX_TITLE_LEN: usize = 200;

#[derive(Debug, Clone, Copy)]
pub struct FleetPage<'a> {
    pub fleet: &'a Fleet,
    /// The heading. Default: a general title.
    pub title: Option<&'a str>,
    /// The date of the report, for example `2026-01-31`.
    pub date: Option<&'a str>,
    /// The number of inputs that are not completely readable or have no reply.
    pub unread: usize,
    /// The banner for a policy that does not load, with its first error.
    pub mark: Option<&'a str>,
}

/// Writes the page.
#[must_use]
pub fn page(page: FleetPage<'_>) -> String {
    let title = page.title.map(|title| shorten(&redacted(title), MAX_TITLE_LEN).into_owned());
    let title = escaped(title.as_deref().unwrap_or("Report of agent sessions"));
    let mut out = html_page::head(&title, STYLE);
    out.push_str("<a class=\"skip\" href=\"#main\">Skip to the figures</a>\n");
    header(page, &title, &mut out);
    let is_empty = page.fleet.totals.answers == 0 && page.fleet.totals.violations() == 0;
    if !is_empty {
        contents(&mut out);
    }
    out.push_str("<main id=\"main\">\n");
    out.push_str(&html_page::mark(page.mark));
    if page.fleet.totals.answers == 0 {
        out.push_str("<p>There is no reply in these sessions.</p>\n");
    }
    if !is_empty {
        self::sections(page.fleet, &mut out);
    }
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

fn header(page: FleetPage<'_>, title: &str, out: &mut String) {
    let totals = &page.fleet.totals;
    let date = page.date.map_or(String::new(), |date| format!("{} · ", escaped(date)));
    let _ = write!(
        out,
        "<header><h1>{title}</h1><p class=\"sub\">{date}{} in {}, {}</p>",
        counted(totals.answers, "reply", "replies"),
        counted(totals.sessions, "session", "sessions"),
        counted(totals.files, "input", "inputs"),
    );
    let class = |count: u64, class| if count > 0 { class } else { "" };
    let tiles = [
        (totals.errors, if totals.errors == 1 { "error" } else { "errors" }, class(totals.errors, "bad")),
        (
            totals.warnings,
            if totals.warnings == 1 { "warning" } else { "warnings" },
            class(totals.warnings, "warn"),
        ),
        (totals.all_blocks(), "blocked or denied", class(totals.all_blocks(), "bad")),
        (totals.said, "tokens said", ""),
        (totals.state, "tokens of state", ""),
    ];
    out.push_str("<ul class=\"tiles\">");
    for (count, what, class) in tiles {
        let _ = write!(out, "<li class=\"{class}\"><b>{}</b> {what}</li>", grouped(count));
    }
    out.push_str(
        "</ul><p class=\"sub\">Violations are errors and warnings of <code>check</code> and <code>replay</code>. \
         Times are UTC.</p>\n",
    );
    if page.unread > 0 {
        let inputs = counted(page.unread as u64, "input", "inputs");
        let _ =
            writeln!(out, "<p class=\"note warn\">{inputs} cannot be read to the end, or have no reply.</p>");
    }
    gaps(page.fleet, out);
    out.push_str("</header>\n");
}

fn contents(out: &mut String) {
    out.push_str("<nav class=\"contents\" aria-label=\"Contents\"><ul>");
    for (id, heading, _) in SECTIONS {
        let _ = write!(out, "<li><a href=\"#{id}\">{heading}</a></li>");
    }
    out.push_str("</ul></nav>\n");
}

fn sections(fleet: &Fleet, out: &mut String) {
    for (id, heading, write) in SECTIONS {
        let _ =
            writeln!(out, "<section class=\"card\" aria-labelledby=\"{id}\"><h2 id=\"{id}\">{heading}</h2>");
        write(fleet, out);
        out.push_str("</section>\n");
    }
}

/// The maximum number of rules, and of words of other dimensions.
const MAX_RULES: usize = 20;
const MAX_WORDS: usize = 12;

/// The words for a dimension.
struct Wording {
    dimension: Dimension,
    /// The singular, for example `rule`.
    word: &'static str,
    /// The label for replies without a value.
    absent: &'static str,
    most: usize,
}

const RULES: Wording = Wording { dimension: Dimension::Rule, word: "rule", absent: "", most: MAX_RULES };
const SHARDS: Wording =
    Wording { dimension: Dimension::Shard, word: "shard", absent: "(no shard recorded)", most: MAX_WORDS };
const MODELS: Wording =
    Wording { dimension: Dimension::Model, word: "model", absent: "(no model recorded)", most: MAX_WORDS };
const VERSIONS: Wording = Wording {
    dimension: Dimension::Version,
    word: "version",
    absent: "(no version recorded)",
    most: MAX_WORDS,
};

type WriteSection = fn(&Fleet, &mut String);

const SECTIONS: [(&str, &str, WriteSection); 8] = [
    ("time", "Violations over time", |fleet, out| over_time(fleet, &RULES, out)),
    ("rules", "By rule", |fleet, out| by_word(fleet, &RULES, out)),
    ("shards", "By shard", |fleet, out| of_dimension(fleet, &SHARDS, out)),
    ("models", "By model", |fleet, out| of_dimension(fleet, &MODELS, out)),
    ("versions", "By version", |fleet, out| of_dimension(fleet, &VERSIONS, out)),
    ("replies", "Replies and updates", replies),
    ("tokens", "Tokens", tokens),
    ("worst", "Worst sessions", worst),
];

/// Writes notes about missing times, since charts omit these events.
fn gaps(fleet: &Fleet, out: &mut String) {
    let totals = &fleet.totals;
    let mut notes = Vec::new();
    let kinds = [
        (fleet.dated.answers, "reply", "replies"),
        (fleet.dated.violations, "violation", "violations"),
        (fleet.dated.blocks, "block", "blocks"),
    ];
    for (TimeCounts { undated, unreadable, .. }, one, many) in kinds {
        let verb = |count, singular, plural| if count == 1 { singular } else { plural };
        if undated > 0 {
            let verb = verb(undated, "carries", "carry");
            notes.push(format!("{} {verb} no time", counted(undated, one, many)));
        }
        if unreadable > 0 {
            let verb = verb(unreadable, "carries", "carry");
            notes.push(format!("{} {verb} a time that cannot be read", counted(unreadable, one, many)));
        }
    }
    if !notes.is_empty() {
        let _ = writeln!(out, "<p class=\"note\">Not in the charts over time: {}.</p>", notes.join(", "));
    }
    if totals.unjudged > 0 && totals.answers > 0 {
        let inputs = counted(totals.unjudged, "input", "inputs");
        let _ = writeln!(out, "<p class=\"note\">No policy judges the requests in {inputs}.</p>");
    }
}

/// Writes a dimension over time, then in total.
fn of_dimension(fleet: &Fleet, wording: &Wording, out: &mut String) {
    out.push_str("<h3>Over time</h3>\n");
    over_time(fleet, wording, out);
    out.push_str("<h3>In sum</h3>\n");
    by_word(fleet, wording, out);
}

fn name(tally: &Tally, wording: &Wording) -> String {
    tally.word.clone().unwrap_or_else(|| wording.absent.to_owned())
}

/// Writes violations over time, with a series for each of the most frequent words.
fn over_time(fleet: &Fleet, wording: &Wording, out: &mut String) {
    let spans: Vec<i64> = fleet.timeline.buckets().map(|(second, _)| second).collect();
    let dated = fleet.dated.violations.dated;
    if spans.is_empty() || dated == 0 {
        let why = if fleet.totals.violations() == 0 { "There are none" } else { "None carries a time" };
        let _ = writeln!(out, "<p>{why}.</p>");
        return;
    }
    let (mut top, other) = fleet.tally(wording.dimension).top(MAX_SERIES - 1);
    top.retain(|tally| tally.violations > 0);
    let mut legend: Vec<String> = top.iter().map(|tally| name(tally, wording)).collect();
    if let Some((count, other)) = other.filter(|(_, other)| other.violations > 0) {
        legend.push(format!("{count} others"));
        top.push(other);
    }
    let series: Vec<Vec<u64>> = top
        .iter()
        .map(|tally| fleet.series(wording.dimension, &tally.numbers).into_values().collect())
        .collect();
    let length = fleet.timeline.length();
    let labels: Vec<String> = spans.iter().map(|second| time(*second, length)).collect();
    let title = format!("Violations over time by {}, {}", wording.word, per(length));
    let description = described(&title, &labels, &series, dated);
    let table = time_table(title, &labels, &legend, &series);
    let chart = TimeChart { labels, series };
    charts::columns(&description, &chart, &legend, out);
    table.folded(out);
}

/// The accessible description of a chart over time.
fn described(title: &str, labels: &[String], series: &[Vec<u64>], sum: u64) -> String {
    let of = |at: usize| series.iter().filter_map(|values| values.get(at)).sum::<u64>();
    let most = (0..labels.len()).map(|at| (of(at), std::cmp::Reverse(at))).max();
    let (most, std::cmp::Reverse(at)) = most.unwrap_or((0, std::cmp::Reverse(0)));
    let label = |at: usize| labels.get(at).map_or("", String::as_str);
    format!(
        "{title}: {} from {} to {}, at most {} from {}",
        grouped(sum),
        label(0),
        label(labels.len().saturating_sub(1)),
        grouped(most),
        label(at)
    )
}

fn time_table(caption: String, labels: &[String], names: &[String], series: &[Vec<u64>]) -> Table {
    let head = std::iter::once("From".to_owned()).chain(names.iter().cloned()).collect();
    let row = |(at, label): (usize, &String)| {
        let values = series.iter().map(|values| grouped(values.get(at).copied().unwrap_or_default()));
        std::iter::once(label.clone()).chain(values).collect()
    };
    Table { caption, head, rows: labels.iter().enumerate().map(row).collect() }
}

/// Writes violations by word, with the number of replies.
fn by_word(fleet: &Fleet, wording: &Wording, out: &mut String) {
    let (top, other) = fleet.tally(wording.dimension).top(wording.most);
    let mut rows: Vec<(String, Tally)> =
        top.into_iter().map(|tally| (name(&tally, wording), tally)).collect();
    rows.extend(other.map(|(count, other)| (format!("{count} others"), other)));
    if rows.is_empty() {
        out.push_str("<p>There are none.</p>\n");
        return;
    }
    let title = format!("Violations by {}", wording.word);
    let bars: Vec<_> = rows.iter().map(|(name, tally)| (name.clone(), tally.violations)).collect();
    let first = bars.first().map_or(String::new(), |(name, count)| format!("{}, {name}", grouped(*count)));
    charts::bars(&format!("{title}: most are {first}"), &bars, out);
    let is_rule = wording.dimension == Dimension::Rule;
    let row = |(name, tally): &(String, Tally)| match is_rule {
        true => vec![name.clone(), grouped(tally.violations)],
        false => {
            vec![name.clone(), grouped(tally.violations), grouped(tally.answers), rate(tally)]
        }
    };
    let head: &[&str] = match is_rule {
        true => &["Rule", "Violations"],
        false => &["", "Violations", "Replies", "Violations per 1,000 replies"],
    };
    let head = head.iter().map(|cell| (*cell).to_owned()).collect();
    Table { caption: title, head, rows: rows.iter().map(row).collect() }.folded(out);
}

/// Violations per thousand replies. Findings outside of replies have no rate.
fn rate(tally: &Tally) -> String {
    let per_thousand = (tally.violations * 1_000).checked_div(tally.answers);
    per_thousand.map_or_else(|| "–".to_owned(), grouped)
}

fn replies(fleet: &Fleet, out: &mut String) {
    let totals = &fleet.totals;
    let methods =
        totals.methods.iter().map(|(method, count)| (format!("{method}: {}", stage(method)), *count));
    simple("Replies by the stage of the runtime's parser that reads them", "Stage", methods.collect(), out);
    let updates = [
        ("kept", totals.kept),
        ("dropped", totals.dropped),
        ("blocked", totals.blocked),
        ("withdrawn", totals.withdrawn),
    ];
    let updates = updates.map(|(what, count)| (what.to_owned(), count)).to_vec();
    simple("Updates by what becomes of them", "Result", updates, out);
    let mut blocks: Vec<_> =
        totals.blocks.iter().map(|((lock, action), count)| (blocked(lock, action), *count)).collect();
    blocks.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let rest = blocks.split_off(MAX_WORDS.min(blocks.len()));
    if !rest.is_empty() {
        blocks.push((format!("{} others", rest.len()), rest.iter().map(|(_, count)| count).sum()));
    }
    simple("Blocked and denied", "Action", blocks, out);
}

/// The description of an extraction method of the runtime's parser.
fn stage(method: &str) -> &'static str {
    match method {
        "json" => "the whole reply",
        "json_markdown" => "a block of code",
        "json_extracted" => "JSON inside of text",
        "fallback" => "no envelope",
        _ => "rejected",
    }
}

/// The description of a block.
fn blocked(lock: &str, action: &str) -> String {
    match action {
        "surface" => "a text for the user, rewritten".to_owned(),
        "reply" => "a whole reply".to_owned(),
        _ if lock == "gate" => format!("{action} (gate)"),
        _ => format!("{action} (lock {lock})"),
    }
}

fn simple(title: &str, column: &str, rows: Vec<(String, u64)>, out: &mut String) {
    let _ = writeln!(out, "<h3>{}</h3>", escaped(title));
    let sum: u64 = rows.iter().map(|(_, count)| count).sum();
    if sum == 0 {
        out.push_str("<p>There are none.</p>\n");
        return;
    }
    charts::bars(&format!("{title}: {} in all", grouped(sum)), &rows, out);
    let head = vec![column.to_owned(), "Count".to_owned()];
    let rows = rows.into_iter().map(|(name, count)| vec![name, grouped(count)]).collect();
    Table { caption: title.to_owned(), head, rows }.folded(out);
}

/// Writes tokens of texts and asserted facts, cumulated over time.
fn tokens(fleet: &Fleet, out: &mut String) {
    let totals = &fleet.totals;
    let ratio = totals.said.checked_div(totals.state);
    let ratio = ratio.map_or(String::new(), |ratio| format!(": {} said for each of state", grouped(ratio)));
    let _ = writeln!(
        out,
        "<p>{} said, {} of state in the end{ratio}. Tokens are those that the runtime estimates.</p>",
        counted(totals.said, "token", "tokens"),
        counted(totals.state, "token", "tokens"),
    );
    let spans: Vec<i64> = fleet.timeline.buckets().map(|(second, _)| second).collect();
    if spans.is_empty() || totals.said == 0 {
        return;
    }
    let (mut said, mut state) = (0u64, 0i64);
    let sums = fleet.timeline.buckets().map(|(_, bucket)| {
        said += bucket.said;
        state += bucket.state;
        (said, u64::try_from(state).unwrap_or_default())
    });
    let (said, state): (Vec<u64>, Vec<u64>) = sums.unzip();
    let length = fleet.timeline.length();
    let labels: Vec<String> = spans.iter().map(|second| time(*second, length)).collect();
    let title = format!("Tokens said and tokens of state, in sum, {}", per(length));
    let legend = ["said".to_owned(), "state".to_owned()];
    let series = vec![said, state];
    let ends: Vec<_> =
        series.iter().filter_map(|values| values.last()).map(|value| grouped(*value)).collect();
    let description = format!("{title}, on a logarithmic axis: {} in the end", ends.join(" and "));
    let table = time_table(title, &labels, &legend, &series);
    charts::curves(&description, &TimeChart { labels, series }, &legend, out);
    out.push_str("<p class=\"sub\">The axis is logarithmic.</p>\n");
    table.folded(out);
}

fn worst(fleet: &Fleet, out: &mut String) {
    if fleet.board.worst.is_empty() {
        out.push_str("<p>No session has a violation.</p>\n");
    } else {
        let _ = writeln!(out, "<p class=\"sub\">At most {MAX_SHOWN}, by the number of violations.</p>");
        out.push_str("<ol class=\"worst\">\n");
        fleet.board.worst.iter().for_each(|session| worst_session(session, out));
        out.push_str("</ol>\n");
    }
    if fleet.board.beyond > 0 {
        let beyond = counted(fleet.board.beyond, "violation is", "violations are");
        let _ = writeln!(out, "<p class=\"note\">{beyond} in sessions that are too many to be compared.</p>");
    }
}

fn worst_session(session: &WorstSession, out: &mut String) {
    let (file, tally) = (&session.file, &session.tally);
    let name = escaped(tally.name.as_deref().unwrap_or(&file.name));
    let place = tally.first.as_ref().map_or(String::new(), |first| match (first.line, first.record) {
        (Some(line), _) => format!(", line {line}"),
        (None, None) => String::new(),
        (None, Some(record)) => format!(", {} {record}", file.unit),
    });
    let whole = escaped(&format!("{}{place}", file.name));
    let place = match &file.link {
        Some(link) => format!("<a href=\"{}\">{whole}</a>", escaped(link)),
        None => whole,
    };
    let blocked = match tally.blocked {
        0 => String::new(),
        count => format!(", {} blocked or denied", grouped(count)),
    };
    let first = tally.first.as_ref().map_or("", |first| first.rule.as_str());
    let _ = writeln!(
        out,
        "<li><b>{name}</b>: {}, {}{blocked} in {}<br><span class=\"place\">first: {} in {place}</span></li>",
        counted(tally.errors, "error", "errors"),
        counted(tally.warnings, "warning", "warnings"),
        counted(tally.answers, "reply", "replies"),
        escaped(first),
    );
}

/// The start of a span as text.
fn time(second: i64, length: i64) -> String {
    let Ok(instant) = jiff::Timestamp::from_second(second) else { return String::new() };
    let form = if length < 86_400 { "%Y-%m-%d %H:%M" } else { "%Y-%m-%d" };
    instant.strftime(form).to_string()
}

/// The length of a span as text.
fn per(length: i64) -> String {
    let units = [(7 * 86_400, "week"), (86_400, "day"), (3_600, "hour"), (60, "minute")];
    let unit = units.iter().find(|(seconds, _)| length % seconds == 0 && length >= *seconds);
    match unit.map(|(seconds, unit)| (length / seconds, unit)) {
        Some((1, unit)) => format!("per {unit}"),
        Some((count, unit)) => format!("per {count} {unit}s"),
        None => String::new(),
    }
}
