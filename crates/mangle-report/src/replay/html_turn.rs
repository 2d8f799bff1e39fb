//! Turn of the HTML page about replayed sessions: texts, verdicts with proofs, updates and state.

use std::fmt::Write as _;

use serde_json::Value;

use super::{
    AtomReport, CorrectionReport, ProofTree, TurnReport, VerdictComparison, VerdictReport, text_member,
};
use crate::html_page::{code, escaped, words};

/// The maximum length of a surface before it is collapsed, in characters.
const SURFACE: usize = 600;

/// Writes a turn as an item of its timeline.
pub(super) fn turn(turn: &TurnReport, out: &mut String) {
    let (class, word) = mood(turn);
    let _ = write!(out, "<li id=\"{}\" class=\"turn {class}\">", anchor(turn));
    let time = turn.time.as_ref().map_or(String::new(), |time| format!(" · <time>{}</time>", escaped(time)));
    let method = turn.method.as_ref().map_or("surface only", |method| method);
    let _ = write!(
        out,
        "<h3>Turn {} <span class=\"badge {class}\">{word}</span></h3><p class=\"sub\">line {}{time} · read as {}</p>",
        turn.turn,
        turn.line,
        escaped(method)
    );
    if let Some(asked) = &turn.asked {
        let _ = write!(out, "<p class=\"said user\"><span>user</span> {}</p>", escaped(asked));
    }
    surface(turn, out);
    turn.all_verdicts().for_each(|verdict| self::verdict(verdict, out));
    turn.compared.iter().for_each(|one| compared(one, out));
    if let Some(stopped) = &turn.stopped {
        let _ = write!(out, "<p class=\"note bad\">{}</p>", escaped(stopped));
    }
    findings(turn.checked.iter().chain(&turn.findings), out);
    atoms(&turn.atoms, out);
    memory(turn, out);
    correction(turn.self_correction.as_ref(), out);
    state(turn, out);
    out.push_str("</li>\n");
}

/// The anchor of a turn. The file name is hashed, because it is not a valid anchor.
pub(super) fn anchor(turn: &TurnReport) -> String {
    let hash = turn.file.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("t{hash:x}-{}", turn.turn)
}

/// The class and the word for the outcome of a turn.
pub(super) fn mood(turn: &TurnReport) -> (&'static str, &'static str) {
    let is_self_granted = turn.all_verdicts().any(VerdictReport::is_self_granted);
    let is_denied = turn.all_verdicts().any(|verdict| !verdict.is_permitted());
    let all = || turn.findings.iter().chain(&turn.checked);
    let has = |severity: &str| all().any(|finding| text_member(finding, "severity") == severity);
    match () {
        () if is_denied => ("bad", "denied"),
        () if is_self_granted => ("bad", "self-granted"),
        () if has("error") => ("bad", "an error"),
        () if has("warning") => ("warn", "a warning"),
        () if !turn.verdicts.is_empty() => ("good", "permitted"),
        () if turn.unjudged > 0 => ("idle", "unjudged"),
        () => ("idle", "no request"),
    }
}

fn surface(turn: &TurnReport, out: &mut String) {
    let surface = &turn.surface;
    let said = |class: &str, who: &str, text: &str, out: &mut String| {
        let head: String = text.chars().take(SURFACE).collect();
        let _ = write!(out, "<p class=\"said {class}\"><span>{who}</span> {}", escaped(&head));
        out.push_str(if head.len() < text.len() { "…</p>" } else { "</p>" });
        if head.len() < text.len() {
            let _ =
                write!(out, "<details><summary>all of it</summary><pre>{}</pre></details>", escaped(text));
        }
    };
    match &surface.reason {
        None => {
            said("model", "model", &surface.original, out);
            if let Some(hidden) = surface.hidden() {
                let _ = write!(out, "<p class=\"note warn\">not shown: {}</p>", words(&hidden));
            }
        }
        // Only the notice is new; the rest is the original text.
        Some(_) if surface.shown.ends_with(&surface.original) => {
            let notice = surface.shown.strip_suffix(surface.original.as_str()).unwrap_or_default();
            let _ = write!(out, "<p class=\"note warn\">the user reads first: {}</p>", words(notice.trim()));
            said("model", "model", &surface.original, out);
        }
        Some(reason) => {
            said("model struck", "model wrote", &surface.original, out);
            said("model", "user reads", &surface.shown, out);
            let _ = write!(out, "<p class=\"note warn\">{}</p>", words(reason));
        }
    }
}

fn verdict(verdict: &VerdictReport, out: &mut String) {
    let (class, note) = match verdict.is_permitted() {
        true if verdict.is_self_granted() => ("bad", ", self-granted"),
        true => ("good", ""),
        false => ("bad", ""),
    };
    let what = match verdict.index {
        None => "the whole reply".to_owned(),
        Some(_) => format!("{} {}", code(&verdict.action), code(verdict.object())),
    };
    let lock = match verdict.lock.as_str() {
        "1" => "by the runtime",
        "gate" => "by the gate",
        _ => "by the constitution",
    };
    // Denials and self-granted permissions are expanded, since they are most important.
    let open = if verdict.is_permitted() && verdict.rests_on.is_empty() { "" } else { " open" };
    let _ = write!(
        out,
        "<details class=\"verdict {class}\"{open}><summary><span class=\"badge {class}\">{}{note}</span> {what} \
         <span class=\"sub\">{lock}</span></summary><p>{}</p>",
        verdict.verdict,
        words(&verdict.why)
    );
    let forged: Vec<&str> = verdict.rests_on.iter().map(|own| own.fact.as_str()).collect();
    if !verdict.because.is_empty() {
        let _ = write!(out, "<details{open}><summary>proof</summary>");
        trees(&verdict.because, &forged, out);
        out.push_str("</details>");
    }
    for own in &verdict.rests_on {
        let _ = write!(
            out,
            "<p class=\"forged\">rests on {} <span class=\"place\">{}</span></p>",
            code(&own.fact),
            escaped(&own.from)
        );
    }
    if let Some(otherwise) = &verdict.otherwise {
        let _ = write!(out, "<p class=\"sub\">without that: {}</p>", words(otherwise));
    }
    if !verdict.why_not.is_empty() {
        out.push_str("<details open><summary>why no rule permits it</summary><ul class=\"lacks\">");
        for lack in &verdict.why_not {
            let _ = write!(
                out,
                "<li><span class=\"place\">{}</span> lacks {}",
                escaped(&lack.place()),
                code(&lack.first_failing_literal)
            );
            for near in &lack.near {
                let _ = write!(out, "<br><span class=\"sub\">near: {}</span>", code(near));
            }
            out.push_str("</li>");
        }
        out.push_str("</ul></details>");
    }
    if verdict.index.is_some() {
        let _ = write!(
            out,
            "<details><summary>request</summary><p class=\"sub\">id {}</p><pre>{}</pre></details>",
            code(&verdict.request),
            escaped(&verdict.payload)
        );
    }
    out.push_str("</details>");
}

/// Writes proofs. Facts that replies asserted or removed are marked as `forged`.
fn trees(trees: &[ProofTree], forged: &[&str], out: &mut String) {
    out.push_str("<ul class=\"tree\">");
    for tree in trees {
        let by = tree.by.as_deref().unwrap_or_default();
        let (before, note) = match tree.kind.as_str() {
            "rule" => ("", format!("by {by}")),
            "session" if by.is_empty() => ("", "given".to_owned()),
            "session" if by.ends_with("the request") => ("", "the request".to_owned()),
            "fact" | "session" => ("", by.to_owned()),
            "absent" => ("no ", String::new()),
            "dropped" => ("", "ignored by the engine".to_owned()),
            "above" => ("", "see above".to_owned()),
            _ => ("", String::new()),
        };
        let note =
            if note.is_empty() { note } else { format!(" <span class=\"place\">{}</span>", escaped(&note)) };
        let line = format!("{before}{}{note}", code(&tree.fact));
        let class = match () {
            () if forged.contains(&tree.fact.as_str()) => "forged",
            () if by.ends_with("the request") => "request",
            () => &tree.kind,
        };
        let _ = write!(out, "<li class=\"{}\">", escaped(class));
        match tree.because.is_empty() {
            true => out.push_str(&line),
            false => {
                let _ = write!(out, "<details open><summary>{line}</summary>");
                self::trees(&tree.because, forged, out);
                out.push_str("</details>");
            }
        }
        out.push_str("</li>");
    }
    out.push_str("</ul>");
}

fn compared(one: &VerdictComparison, out: &mut String) {
    let what = match one.action.is_empty() {
        true => "the whole reply".to_owned(),
        false => format!("{} {}", code(&one.action), code(&one.target)),
    };
    let class = if one.there == "PERMIT" { "good" } else { "bad" };
    let _ = write!(
        out,
        "<p class=\"note warn\">{what}: {} here, <span class=\"badge {class}\">{}</span> under the other policy. {}</p>",
        escaped(&one.here),
        escaped(&one.there),
        words(&one.why)
    );
}

fn findings<'f>(findings: impl Iterator<Item = &'f Value>, out: &mut String) {
    let mut findings = findings.peekable();
    if findings.peek().is_none() {
        return;
    }
    out.push_str("<ul class=\"findings\">");
    for finding in findings {
        let severity = text_member(finding, "severity");
        let class = match severity {
            "error" => "bad",
            "warning" => "warn",
            _ => "idle",
        };
        let place = format!("{}:{}:{}", text_member(finding, "file"), finding["line"], finding["column"]);
        let _ = write!(
            out,
            "<li><span class=\"badge {class}\">{}</span> {} <span class=\"place\">{} {} at {}</span></li>",
            escaped(severity),
            words(text_member(finding, "message")),
            escaped(text_member(finding, "code")),
            escaped(text_member(finding, "rule")),
            escaped(&place)
        );
    }
    out.push_str("</ul>");
}

fn atoms(atoms: &[AtomReport], out: &mut String) {
    if atoms.is_empty() {
        return;
    }
    let lost = atoms.iter().filter(|atom| atom.fate != "asserted").count();
    let open = if lost > 0 { " open" } else { "" };
    let kept = atoms.len() - lost;
    let _ = write!(
        out,
        "<details{open}><summary>updates: {kept} asserted, {lost} lost</summary><ul class=\"facts\">"
    );
    for atom in atoms {
        match (atom.fate.as_str(), atom.why.as_str()) {
            (_, "asserted") => {
                let _ = write!(out, "<li class=\"plus\">{}</li>", code(&atom.text));
            }
            (fate, _) => {
                let class = if fate == "asserted" { "plus" } else { "lost" };
                let _ = write!(
                    out,
                    "<li class=\"{class}\">{} <span class=\"place\">{}</span></li>",
                    code(&atom.text),
                    escaped(&atom.why)
                );
            }
        }
    }
    out.push_str("</ul></details>");
}

fn memory(turn: &TurnReport, out: &mut String) {
    if turn.memory.is_empty() {
        return;
    }
    let _ = write!(out, "<details><summary>memory: {}</summary><ul class=\"facts\">", turn.memory.len());
    for one in &turn.memory {
        let (op, key, effect) = (code(&one.op), code(&one.key), escaped(&one.effect));
        let _ = write!(out, "<li>{op} {key} <span class=\"place\">{effect}</span></li>");
    }
    out.push_str("</ul></details>");
}

fn correction(correction: Option<&CorrectionReport>, out: &mut String) {
    let Some(correction) = correction else { return };
    let _ = write!(
        out,
        "<details open><summary>self-correction</summary><p>{}</p>",
        escaped(&correction.hypothesis)
    );
    match correction.actions.is_empty() {
        true => out.push_str("<p class=\"sub\">the policy derives no recovery from it</p>"),
        false => trees(&correction.actions, &[], out),
    }
    out.push_str("</details>");
}

fn state(turn: &TurnReport, out: &mut String) {
    let state = &turn.state;
    if state.added_count + state.removed_count == 0 {
        return;
    }
    let (added, removed) = (state.added_count, state.removed_count);
    let _ =
        write!(out, "<details><summary>state: {added} more, {removed} fewer</summary><ul class=\"facts\">");
    for held in &state.added {
        let by = held
            .by
            .as_ref()
            .map_or(String::new(), |by| format!(" <span class=\"place\">by {}</span>", escaped(by)));
        let _ = write!(out, "<li class=\"plus\">{}{by}</li>", code(&held.fact));
    }
    for fact in &state.removed {
        let _ = write!(out, "<li class=\"minus\">{}</li>", code(fact));
    }
    let more = (added + removed).saturating_sub(state.added.len() + state.removed.len());
    if more > 0 {
        let _ = write!(out, "<li class=\"sub\">… and {more} more</li>");
    }
    out.push_str("</ul></details>");
}
