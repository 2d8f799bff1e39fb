//! Atoms of `descr […]`, and their arguments.

use super::context::TermSlot;
use super::{Completion, CompletionKind, CompletionSubject, Insertion, Request};
use crate::ide::vocabulary::DESCRIPTORS;
use mangle_syntax::text::Symbol;

/// What engines and tools write for themselves.
const INTERNAL: [&str; 3] = ["synthetic", "desugared", "name"];

/// Atoms that the declaration has not yet.
pub(super) fn atoms(request: &Request<'_>, items: &mut Vec<Completion>) {
    let parameters = parameters(request);
    let there = &request.cursor.whole.descriptors;
    let has = |name: &str| there.iter().any(|(known, _)| known.as_str() == name);
    for known in DESCRIPTORS.iter().filter(|known| !INTERNAL.contains(&known.word)) {
        let repeatable = matches!(known.word, "arg" | "mode" | "fundep" | "merge");
        if has(known.word) && !repeatable || known.word == "arg" {
            continue;
        }
        let score = match known.word {
            "doc" => 0.9,
            // Supplied on demand, a predicate needs its mode; and what has a mode is mostly supplied so.
            "mode" => {
                if has("external") {
                    0.95
                } else {
                    0.6
                }
            }
            "external" => {
                if has("mode") {
                    0.95
                } else {
                    0.4
                }
            }
            "extensional" => 0.5,
            _ => 0.3,
        };
        items.push(item(
            request,
            known.word,
            known.word.to_owned(),
            insertion(known.word, &parameters),
            score,
        ));
    }
    let open =
        parameters.iter().filter(|parameter| !there.contains(&(Symbol::new("arg"), Some(**parameter))));
    for (index, parameter) in (0u32..).zip(open) {
        let begin = format!("arg({parameter}, \"");
        let insertion = Insertion::snippet(begin.clone(), &[&begin, "", "\")"]);
        let score = if has("arg") { 1.0 } else { 0.28 } - 0.01 * f64::from(index);
        items.push(item(request, "arg", format!("arg({parameter}, …)"), insertion, score));
    }
}

fn item(request: &Request<'_>, word: &str, label: String, insertion: Insertion, score: f64) -> Completion {
    let insertion = if request.is_called() { Insertion::plain(word) } else { insertion };
    Completion::new(label, CompletionKind::Descriptor, score)
        .inserting(insertion)
        .about(CompletionSubject::Descriptor(word.to_owned()))
}

fn insertion(word: &str, parameters: &[Symbol]) -> Insertion {
    let begin = format!("{word}(");
    let first = parameters.first().map_or("X", |name| name.as_str());
    let last = parameters.last().map_or("Y", |name| name.as_str());
    match word {
        "doc" => Insertion::snippet("doc(\"", &["doc(\"", "", "\")"]),
        "mode" if !parameters.is_empty() => {
            let mut parts = vec!["mode(\""];
            for index in 0..parameters.len() {
                parts.extend(["+", if index + 1 == parameters.len() { "\")" } else { "\", \"" }]);
            }
            Insertion::snippet("mode(", &parts)
        }
        "fundep" => Insertion::snippet(begin, &["fundep([", first, "], [", last, "])"]),
        "merge" => Insertion::snippet(begin, &["merge([", last, "], \"", "predicate", "\")"]),
        "reflects" => Insertion::snippet(begin, &["reflects(/", "prefix", ")"]),
        _ => Insertion::plain(format!("{word}()")),
    }
}

/// The parameters of the declared atom.
fn parameters(request: &Request<'_>) -> Vec<Symbol> {
    let scan = &request.cursor.before;
    let Some(head) = scan.head else { return Vec::new() };
    let of_head = |at: &&crate::ide::cursor::Occurrence| {
        at.argument.is_some_and(|(callee, _)| callee.range == head.range)
    };
    scan.variables.iter().filter(of_head).map(|occurrence| occurrence.variable).collect()
}

/// Arguments of descriptors and of the atoms of `inclusion […]`.
pub(super) fn arguments(request: &Request<'_>, hole: TermSlot, items: &mut Vec<Completion>) {
    // Lists of parameters, in `fundep` and `merge`, have no name in front.
    let frames = &request.cursor.before.frames;
    let name = hole.callee.or_else(|| frames.iter().rev().find_map(|frame| frame.callee));
    let name = name.map_or("", |callee| callee.name.as_str());
    match (name, hole.callee.is_some(), hole.index) {
        ("mode", true, _) => {
            for (index, mode) in (0u32..).zip(["\"+\"", "\"-\"", "\"?\""]) {
                let score = 0.9 - 0.1 * f64::from(index);
                items.push(Completion::new(mode, CompletionKind::String, score));
            }
        }
        ("doc" | "reflects", ..) | ("arg", true, 1..) | ("merge" | "fundep", true, _) => {}
        _ => {
            let there = &request.cursor.before.descriptors;
            for (index, parameter) in (0u32..).zip(parameters(request)) {
                let described = name == "arg" && there.contains(&(Symbol::new("arg"), Some(parameter)));
                let score = if described { 0.1 } else { 0.9 } - 0.01 * f64::from(index);
                items.push(Completion::new(parameter.as_str(), CompletionKind::Variable, score));
            }
        }
    }
}
