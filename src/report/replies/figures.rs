//! `stats`: figures about transcripts as a table, as JSON, and as metrics for Prometheus.

use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};

use serde_json::{Value, json};

use crate::envelope::account::Tally;
use crate::report::sink;
use crate::transcript::statistics::Statistics;

/// A figure: its file, its labels and its value.
type Sample<'l> = (String, Vec<(&'l str, String)>, f64);

/// What estimates tokens.
const ESTIMATOR: &str = "runtime";

/// The figures of a file as a value.
#[must_use]
pub fn figures_json(file: &str, figures: &Statistics, latest: bool) -> Value {
    let compression = &figures.compression;
    json!({
        "file": file,
        "answers": figures.answers,
        "prompts": figures.prompts,
        "envelopes": figures.methods,
        "parse_errors": figures.parse_errors,
        "atoms": {
            "kept": figures.atoms.kept, "dropped": figures.atoms.dropped, "blocked": figures.atoms.blocked,
            "withdrawn": figures.atoms.withdrawn, "not_judged": figures.not_judged,
        },
        "mangle_syntax_errors": figures.syntax_errors,
        "memory_operations": figures.memory,
        "self_corrections": figures.self_corrections,
        "decoys": figures.decoys,
        "control_leaks": figures.leaks,
        "repair_rounds": figures.repair_rounds,
        "diagnostics": figures.diagnostics,
        "compression": {
            "estimator": ESTIMATOR,
            "original_tokens": compression.original,
            "runtime": { "kept_tokens": compression.kept_by_runtime, "ratio": rounded(compression.runtime_ratio()) },
            "atoms": { "kept_tokens": compression.kept_as_atoms, "ratio": rounded(compression.atoms_ratio()) },
            "state": { "tokens": compression.state(latest), "ratio": rounded(compression.headline(latest)) },
            "target": compression.target,
            "target_met": compression.is_target_met(latest),
        },
    })
}

/// The figures of a file for people.
#[must_use]
pub fn figures_text(file: &str, figures: &Statistics, latest: bool) -> String {
    let mut out = format!("{}\n", sink::line(file));
    let mut row = |name: &str, value: &dyn Display| {
        let _ = writeln!(out, "  {name:<26}{value}");
    };
    row("answers", &figures.answers);
    row("prompts", &figures.prompts);
    row("read as", &counts(&figures.methods));
    row("parse errors", &counts(&figures.parse_errors));
    row("atoms", &counts(&ends(figures).into_iter().collect()));
    if let Some(why) = figures.not_judged {
        row("not judged", &why);
    }
    row("atoms that are no Mangle", &counts(&figures.syntax_errors));
    row("memory operations", &counts(&figures.memory));
    row("self-corrections", &figures.self_corrections);
    row("decoys", &figures.decoys);
    row("control packets shown", &figures.leaks);
    row("rounds of repair", &figures.repair_rounds);
    row("findings", &counts(&figures.diagnostics));
    let compression = &figures.compression;
    row("tokens said", &compression.original);
    let kept = |tokens: u64, ratio: f64| format!("{tokens} tokens, {ratio:.1}:1");
    row("kept by the runtime", &kept(compression.kept_by_runtime, compression.runtime_ratio()));
    row("kept as atoms", &kept(compression.kept_as_atoms, compression.atoms_ratio()));
    row("state in the end", &kept(compression.state(latest), compression.headline(latest)));
    let met = if compression.is_target_met(latest) { "met" } else { "missed" };
    row("target", &format!("{}:1, {met}", compression.target));
    out
}

/// The figures of all files in Prometheus' text format.
#[must_use]
pub fn figures_prometheus(all: &[(String, Statistics)], latest: bool) -> String {
    let mut out = String::new();
    let mut metric = |name: &str, kind: &str, help: &str, samples: Vec<Sample<'_>>| {
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for (file, labels, value) in samples {
            let labels: Vec<_> = std::iter::once(("file", file))
                .chain(labels)
                .map(|(name, value)| format!("{name}=\"{}\"", sink::prometheus(&value)))
                .collect();
            let _ = writeln!(out, "{name}{{{}}} {value}", labels.join(","));
        }
    };
    let counter = |label: &'static str, of: &dyn Fn(&Statistics) -> Vec<(String, u64)>| {
        let rows = all.iter().flat_map(|(file, figures)| {
            of(figures).into_iter().map(move |(word, count)| {
                let labels = if label.is_empty() { Vec::new() } else { vec![(label, word)] };
                (file.clone(), labels, number(count))
            })
        });
        rows.collect::<Vec<_>>()
    };
    let one = |count: u64| vec![(String::new(), count)];
    let rows: [Row<'_>; 10] = [
        ("piggyback_parse_errors", "Replies that could not be decoded at once", "stage", &|it| {
            words(&it.parse_errors)
        }),
        ("mangle_syntax_errors", "Updates that are no Mangle", "predicate", &|it| words(&it.syntax_errors)),
        ("memory_operations_total", "Memory operations", "op", &|it| words(&it.memory)),
        ("envelopes_total", "Replies by how the runtime read them", "method", &|it| words(&it.methods)),
        ("atoms_total", "Updates by what became of them", "result", &|it| {
            ends(it).map(|(word, count)| (word.to_owned(), count)).into()
        }),
        ("decoys_total", "Envelopes beside the one that counts", "", &|it| one(it.decoys)),
        ("control_leaks_total", "Replies that show their control packet", "", &|it| one(it.leaks)),
        ("self_corrections_total", "Replies that take something back", "", &|it| one(it.self_corrections)),
        ("repair_rounds_total", "Replies that were sent back", "", &|it| one(it.repair_rounds)),
        ("diagnostics_total", "Findings", "code", &|it| words(&it.diagnostics)),
    ];
    for (name, help, label, of) in rows {
        metric(name, "counter", help, counter(label, of));
    }
    let ratio = |(file, figures): &(String, Statistics)| {
        (
            file.clone(),
            vec![("estimator", ESTIMATOR.to_owned())],
            rounded(figures.compression.headline(latest)),
        )
    };
    let help = "Tokens of conversation for each token of state";
    metric("compression_ratio", "gauge", help, all.iter().map(ratio).collect());
    out
}

/// The updates by what became of them.
fn ends(figures: &Statistics) -> [(&'static str, u64); 4] {
    let Tally { kept, dropped, blocked, withdrawn } = figures.atoms;
    let kept = (if figures.not_judged.is_none() { "kept" } else { "passed" }, kept);
    [kept, ("dropped", dropped), ("blocked", blocked), ("withdrawn", withdrawn)]
}

/// A metric: its name, what it counts, its label, and its values.
type Row<'f> = (&'f str, &'f str, &'static str, &'f dyn Fn(&Statistics) -> Vec<(String, u64)>);

fn words<K: AsRef<str>>(counts: &BTreeMap<K, u64>) -> Vec<(String, u64)> {
    counts.iter().map(|(word, count)| (word.as_ref().to_owned(), *count)).collect()
}

/// `3 kept, 1 dropped`
fn counts<K: Display>(counts: &BTreeMap<K, u64>) -> String {
    let rows: Vec<_> = counts
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(|(word, count)| format!("{count} {word}"))
        .collect();
    if rows.is_empty() { "none".into() } else { sink::line(&rows.join(", ")) }
}

/// A ratio with two digits behind the point.
fn rounded(ratio: f64) -> f64 {
    (ratio * 100.0).round() / 100.0
}

#[expect(clippy::cast_precision_loss, reason = "metrics are floating point numbers")]
fn number(count: u64) -> f64 {
    count as f64
}
