//! Terminal text of a turn: verdicts are highlighted.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::{ObstacleReport, ProofTree, TurnReport, VerdictReport, text_member, unjudged};
use crate::sink;

/// The maximum length of a text on one line, in characters.
const LINE: usize = 110;

/// The maximum number of displayed facts of a change.
const FACTS: usize = 12;

const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::BrightRed.on_default().bold();
const WARN: Style = AnsiColor::Yellow.on_default().bold();
const NOTE: Style = AnsiColor::Cyan.on_default();
const HEAD: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();

/// A turn on several lines, with a blank line at the end.
#[must_use]
pub fn text(turn: &TurnReport) -> String {
    let mut out = String::new();
    let time = turn.time.as_ref().map_or(String::new(), |time| format!("  {}", visible(time)));
    let method = turn.method.as_ref().map_or("surface only", |method| method);
    let (file, line) = (visible(&turn.file), turn.line);
    let _ = writeln!(out, "{HEAD}turn {}{HEAD:#}  {QUIET}{file}:{line}{time}  {method}{QUIET:#}", turn.turn);
    if let Some(asked) = &turn.asked {
        let _ = writeln!(out, "  {QUIET}user{QUIET:#}     {}", cut(asked));
    }
    surface(turn, &mut out);
    atoms(turn, &mut out);
    for operation in &turn.memory {
        let (op, key, effect) = (visible(&operation.op), cut(&operation.key), visible(&operation.effect));
        let _ = writeln!(out, "  {QUIET}memory{QUIET:#}   {op} {key}: {effect}");
    }
    if let Some(correction) = &turn.self_correction {
        let _ = writeln!(out, "  {QUIET}corrects{QUIET:#} {}", cut(&correction.hypothesis));
        for action in &correction.actions {
            tree(action, 2, &mut out);
        }
        if correction.actions.is_empty() {
            let _ = writeln!(out, "    the policy derives no recovery from it");
        }
    }
    turn.all_verdicts().for_each(|verdict| self::verdict(verdict, &mut out));
    if turn.unjudged > 0 {
        let _ = writeln!(out, "  {QUIET}unjudged{QUIET:#} {}", unjudged(turn.unjudged));
    }
    if let Some(stopped) = &turn.stopped {
        let _ = writeln!(out, "  {BAD}stopped{BAD:#}  {}", cut(stopped));
    }
    change(turn, &mut out);
    compared(turn, &mut out);
    findings(turn, &mut out);
    out.push('\n');
    out
}

/// [`text`] without colors.
#[must_use]
pub fn plain_text(turn: &TurnReport) -> String {
    anstream::adapter::strip_str(&text(turn)).to_string()
}

fn surface(turn: &TurnReport, out: &mut String) {
    let surface = &turn.surface;
    let _ = writeln!(out, "  {QUIET}says{QUIET:#}     {}", cut(&surface.original));
    if surface.reason.is_some() {
        let _ = writeln!(out, "  {WARN}shown{WARN:#}    {}", cut(&surface.shown));
    }
    if let Some(hidden) = surface.hidden() {
        let _ = writeln!(out, "  {WARN}hidden{WARN:#}   {}", visible(&hidden));
    }
}

fn atoms(turn: &TurnReport, out: &mut String) {
    for atom in turn.atoms.iter().filter(|atom| atom.fate != "blank") {
        let (mark, style) = if atom.fate == "asserted" { ('+', QUIET) } else { ('x', WARN) };
        let why = match atom.why.as_str() {
            "asserted" => String::new(),
            _ => format!("  {WARN}{}{WARN:#}", visible(&atom.why)),
        };
        let _ = writeln!(out, "  {style}update {mark}{style:#} {}{why}", cut(&atom.text));
    }
}

fn verdict(verdict: &VerdictReport, out: &mut String) {
    let is_good = verdict.is_permitted() && !verdict.is_self_granted();
    let style = if is_good { GOOD } else { BAD };
    let what = match verdict.index {
        None => "the whole reply".to_owned(),
        Some(_) => format!("{} {}", visible(&verdict.action), cut(verdict.object())),
    };
    let word = format!("{:<7}", verdict.verdict);
    let id = match verdict.index {
        None => String::new(),
        Some(_) => format!("  {QUIET}{}{QUIET:#}", cut(&verdict.request)),
    };
    let _ = writeln!(out, "  {style}{word}{style:#}  {HEAD}{what}{HEAD:#}{id}");
    let by = |proof: &ProofTree| {
        proof.by.as_ref().map_or(String::new(), |by| format!("  {QUIET}by {}{QUIET:#}", visible(by)))
    };
    let first = verdict.because.first().map_or(String::new(), by);
    let _ = writeln!(out, "           {}{first}", cut(&verdict.why));
    for (at, proof) in verdict.because.iter().enumerate() {
        // The first fact is already in the verdict.
        if at > 0 {
            let _ = writeln!(out, "           {}{}", cut(&proof.fact), by(proof));
        }
        proof.because.iter().for_each(|inner| tree(inner, 6, out));
    }
    verdict.why_not.iter().for_each(|one| lack(one, out));
    for own in &verdict.rests_on {
        let _ = writeln!(
            out,
            "           {WARN}rests on{WARN:#} {}  {NOTE}[{}]{NOTE:#}",
            cut(&own.fact),
            cut(&own.from)
        );
    }
    if let Some(otherwise) = &verdict.otherwise {
        let _ = writeln!(out, "           {WARN}without that{WARN:#} {}", cut(otherwise));
    }
}

fn lack(lack: &ObstacleReport, out: &mut String) {
    let ObstacleReport { first_failing_literal, near, .. } = lack;
    let place = lack.place();
    let rule = visible(&place);
    let literal = cut(first_failing_literal);
    let says = match (first_failing_literal.strip_prefix('!'), near.first()) {
        (Some(_), Some(fact)) => format!("{literal} fails: {} holds", cut(fact)),
        _ => format!("lacks {literal}"),
    };
    let _ = writeln!(out, "           {QUIET}{rule}{QUIET:#} {says}");
}

fn tree(tree: &ProofTree, level: usize, out: &mut String) {
    let ProofTree { fact, kind, by, because } = tree;
    let fact = cut(fact);
    let indent = level * 2;
    let by = visible(by.as_deref().unwrap_or_default());
    let line = match kind.as_str() {
        "rule" => format!("{fact}  {QUIET}by {by}{QUIET:#}"),
        "fact" => format!("{fact}  {QUIET}[{by}]{QUIET:#}"),
        "session" if by.ends_with("the request") => format!("{QUIET}the request{QUIET:#}"),
        "session" if by.is_empty() => format!("{fact}  {QUIET}[given]{QUIET:#}"),
        "session" => format!("{fact}  {NOTE}[{by}]{NOTE:#}"),
        "absent" => format!("{QUIET}no {fact}{QUIET:#}"),
        "dropped" => format!("{WARN}{fact}  is ignored by the engine{WARN:#}"),
        "above" => format!("{fact}  {QUIET}(see above){QUIET:#}"),
        _ => format!("{QUIET}{fact}{QUIET:#}"),
    };
    let _ = writeln!(out, "{:indent$}{line}", "");
    because.iter().for_each(|inner| self::tree(inner, level + 1, out));
}

fn change(turn: &TurnReport, out: &mut String) {
    let state = &turn.state;
    if state.added_count + state.removed_count == 0 {
        return;
    }
    let (added, removed) = (state.added_count, state.removed_count);
    let _ = writeln!(out, "  {QUIET}state    +{added} -{removed}{QUIET:#}");
    for held in state.added.iter().take(FACTS) {
        let by = held.by.as_ref().map_or(String::new(), |by| format!("  {QUIET}by {}{QUIET:#}", visible(by)));
        let _ = writeln!(out, "    + {}{by}", cut(&held.fact));
    }
    for fact in state.removed.iter().take(FACTS) {
        let _ = writeln!(out, "    - {}", cut(fact));
    }
    let more = added.saturating_sub(FACTS) + removed.saturating_sub(FACTS);
    if more > 0 {
        let _ = writeln!(out, "    {QUIET}… and {more} more{QUIET:#}");
    }
}

fn compared(turn: &TurnReport, out: &mut String) {
    for one in &turn.compared {
        let style = if one.there == "PERMIT" { GOOD } else { BAD };
        let what = match one.action.is_empty() {
            true => "the whole reply".to_owned(),
            false => format!("{} {}", visible(&one.action), cut(&one.target)),
        };
        let _ = writeln!(
            out,
            "  {WARN}changes{WARN:#}  {what}: {} here, {style}{}{style:#} there{}",
            one.here,
            one.there,
            if one.why.is_empty() { String::new() } else { format!(": {}", cut(&one.why)) }
        );
    }
}

fn findings(turn: &TurnReport, out: &mut String) {
    for line in turn.findings.iter().flat_map(finding_lines) {
        let _ = writeln!(out, "  {line}");
    }
}

/// A finding as lines: headline, location, notes and help.
#[must_use]
pub fn finding_lines(finding: &serde_json::Value) -> Vec<String> {
    let notes = finding["notes"].as_array().into_iter().flatten().filter_map(|note| note.as_str());
    let notes = notes.map(|note| format!("  {QUIET}= note:{QUIET:#} {}", visible(note)));
    let help = finding["help"].as_str().or(finding["fix"]["title"].as_str());
    let help = help.map(|help| format!("  {QUIET}= help:{QUIET:#} {}", visible(help)));
    let place = format!(
        "  {QUIET}-->{QUIET:#} {}:{}:{}",
        visible(text_member(finding, "file")),
        finding["line"],
        finding["column"]
    );
    [headline(finding), place].into_iter().chain(notes).chain(help).collect()
}

/// The severity, the rule and the headline of a finding.
fn headline(finding: &serde_json::Value) -> String {
    let severity = text_member(finding, "severity");
    let style = match severity {
        "error" => BAD,
        "warning" => WARN,
        _ => NOTE,
    };
    let (code, rule, message) =
        (text_member(finding, "code"), text_member(finding, "rule"), text_member(finding, "message"));
    format!("{style}{severity}[{code} {rule}]{style:#}: {}", visible(message))
}

/// The text without terminal controls.
fn visible(text: &str) -> String {
    sink::line(text)
}

/// A truncated text on one line, without terminal controls.
fn cut(text: &str) -> String {
    let text = visible(text);
    match text.char_indices().nth(LINE) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}
