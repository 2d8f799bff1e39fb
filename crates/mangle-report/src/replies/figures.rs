//! Output of `stats`: figures about transcripts as a table, as JSON, and as Prometheus metrics.

use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};

use serde_json::{Value, json};

use crate::sink;
use piggyback::envelope::OPERATIONS;
use piggyback::envelope::account::Tally;
use piggyback::transcript::labels::Labels;
use piggyback::transcript::statistics::Statistics;

/// A Prometheus sample: its file, labels and value.
type Sample = (String, Vec<(&'static str, String)>, f64);

const ESTIMATOR: &str = "runtime";

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
        "constitutional_blocks": blocks_json(figures),
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
        "groups": figures.groups.iter().map(|(labels, group)| group_json(labels, group)).collect::<Value>(),
    })
}

/// The blocks by the constitution; `null` without a replayed policy.
fn blocks_json(figures: &Statistics) -> Value {
    let Some(blocks) = &figures.blocks else { return Value::Null };
    let by =
        blocks.iter().map(|((lock, action), count)| json!({"lock": lock, "action": action, "count": count}));
    json!({ "total": blocks.values().sum::<u64>(), "by": by.collect::<Value>() })
}

fn group_json(labels: &Labels, group: &Statistics) -> Value {
    json!({
        "shard": labels.shard,
        "model": labels.model,
        "version": labels.version,
        "answers": group.answers,
        "envelopes": group.methods,
        "parse_errors": group.parse_errors,
        "atoms": {
            "kept": group.atoms.kept, "dropped": group.atoms.dropped, "blocked": group.atoms.blocked,
            "withdrawn": group.atoms.withdrawn,
        },
        "mangle_syntax_errors": group.syntax_errors,
        "constitutional_blocks": blocks_json(group),
        "memory_operations": group.memory,
        "self_corrections": group.self_corrections,
        "decoys": group.decoys,
        "control_leaks": group.leaks,
        "diagnostics": group.diagnostics,
    })
}

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
    row("constitutional blocks", &blocks_text(figures));
    row("memory operations", &counts(&figures.memory));
    row("self-corrections", &figures.self_corrections);
    row("decoys", &figures.decoys);
    row("control packets shown", &figures.leaks);
    row("rounds of repair", &figures.repair_rounds);
    row("findings", &counts(&figures.diagnostics));
    row("answers by", &groups_text(figures));
    let compression = &figures.compression;
    row("tokens said", &compression.original);
    let kept = |tokens: u64, ratio: f64| format!("{tokens} tokens, {ratio:.1}:1");
    row("kept by the runtime", &kept(compression.kept_by_runtime, compression.runtime_ratio()));
    row("kept as atoms", &kept(compression.kept_as_atoms, compression.atoms_ratio()));
    row("state in the end", &kept(compression.state(latest), compression.headline(latest)));
    if let (Some(target), Some(is_met)) = (compression.target, compression.is_target_met(latest)) {
        row("target", &format!("{target}:1, {}", if is_met { "met" } else { "missed" }));
    }
    out
}

/// The blocks by the constitution as text.
fn blocks_text(figures: &Statistics) -> String {
    let Some(blocks) = &figures.blocks else { return "not known: no policy judges the replies".to_owned() };
    let by_action = blocks.iter().map(|((lock, action), count)| (format!("{action} (lock {lock})"), *count));
    counts(&by_action.collect())
}

/// The number of replies for each shard, model and version, for example `3 coder gpt-x current`.
fn groups_text(figures: &Statistics) -> String {
    let named = figures.groups.iter().map(|(labels, group)| {
        let words: Vec<_> = labels.pairs().map(|(_, value)| value).collect();
        let name = if words.is_empty() { "unknown".to_owned() } else { words.join(" ") };
        (name, group.answers)
    });
    counts(&named.collect())
}

/// The figures of all files in the text format of Prometheus. Counters without events have samples
/// of 0.
#[must_use]
pub fn figures_prometheus(all: &[(String, Statistics)], latest: bool) -> String {
    let mut out = String::new();
    for metric in &METRICS {
        let samples = all.iter().flat_map(|(file, figures)| samples(metric, file, figures));
        write_metric(&mut out, metric.name, "counter", metric.help, samples);
    }
    let ratio = |(file, figures): &(String, Statistics)| {
        let labels = vec![("estimator", ESTIMATOR.to_owned())];
        (file.clone(), labels, rounded(figures.compression.headline(latest)))
    };
    let help = "Tokens of conversation for each token of state";
    write_metric(&mut out, "compression_ratio", "gauge", help, all.iter().map(ratio));
    out
}

fn write_metric(out: &mut String, name: &str, kind: &str, help: &str, samples: impl Iterator<Item = Sample>) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
    for (file, labels, value) in samples {
        let labels: Vec<_> = std::iter::once(("file", file))
            .chain(labels)
            .map(|(name, value)| format!("{name}=\"{}\"", sink::prometheus(&value)))
            .collect();
        let _ = writeln!(out, "{name}{{{}}} {value}", labels.join(","));
    }
}

/// The values of a counter with their label values.
type Values = Vec<(Vec<String>, u64)>;

/// Computes the values of a counter.
type FigureFn = fn(&Statistics) -> Values;

struct Metric {
    name: &'static str,
    help: &'static str,
    /// The names of the labels.
    labels: &'static [&'static str],
    /// The values, with label values in this order.
    of: FigureFn,
    /// The values of the first label that always have a sample.
    usual: fn() -> Vec<&'static str>,
}

const fn plain(name: &'static str, help: &'static str, of: FigureFn) -> Metric {
    Metric { name, help, labels: &[], of, usual: Vec::new }
}

const fn labelled(
    name: &'static str,
    help: &'static str,
    labels: &'static [&'static str],
    of: FigureFn,
) -> Metric {
    Metric { name, help, labels, of, usual: Vec::new }
}

/// The counters in output order.
const METRICS: [Metric; 11] = [
    labelled("piggyback_parse_errors", "Replies that could not be decoded at once", &["stage"], |it| {
        words(&it.parse_errors)
    }),
    labelled("mangle_syntax_errors", "Updates that are no Mangle", &["predicate"], |it| {
        words(&it.syntax_errors)
    }),
    labelled(
        BLOCKS,
        "Rewritten surfaces, denied replies and denied requests, where a policy judges them",
        &["lock", "action"],
        blocks,
    ),
    Metric {
        usual: operations,
        ..labelled("memory_operations_total", "Memory operations", &["op"], |it| words(&it.memory))
    },
    labelled("envelopes_total", "Replies by how the runtime read them", &["method"], |it| words(&it.methods)),
    labelled("atoms_total", "Updates by what became of them", &["result"], |it| {
        ends(it).map(|(word, count)| (vec![word.to_owned()], count)).into()
    }),
    plain("decoys_total", "Envelopes beside the one that counts", |it| one(it.decoys)),
    plain("control_leaks_total", "Replies that show their control packet", |it| one(it.leaks)),
    plain("self_corrections_total", "Replies that take something back", |it| one(it.self_corrections)),
    plain(ROUNDS, "Replies that were sent back", |it| one(it.repair_rounds)),
    labelled("diagnostics_total", "Findings", &["code"], |it| words(&it.diagnostics)),
];

fn operations() -> Vec<&'static str> {
    OPERATIONS.iter().map(|one| one.name).collect()
}

/// The samples of a counter in a file, by shard, model and version if known. Missing values are 0.
fn samples(metric: &Metric, file: &str, figures: &Statistics) -> Vec<Sample> {
    let mut samples: Vec<Sample> = Vec::new();
    // Counters of the whole file have no shard.
    let whole = BTreeMap::from([(Labels::default(), figures)]);
    let groups = figures.groups.iter().map(|(labels, group)| (labels.clone(), group)).collect();
    let groups: BTreeMap<Labels, &Statistics> = if metric.name == ROUNDS { whole } else { groups };
    for (labels, group) in &groups {
        for (values, count) in (metric.of)(group) {
            let own = metric.labels.iter().copied().zip(values).filter(|(_, value)| !value.is_empty());
            let more = labels.pairs().map(|(name, value)| (name, value.to_owned()));
            samples.push((file.to_owned(), own.chain(more).collect(), number(count)));
        }
    }
    let label = metric.labels.first().copied().unwrap_or_default();
    for word in (metric.usual)() {
        let is_counted = samples.iter().any(|(_, labels, _)| labels.contains(&(label, word.to_owned())));
        if !is_counted {
            samples.push((file.to_owned(), vec![(label, word.to_owned())], 0.0));
        }
    }
    if samples.is_empty() {
        samples.push((file.to_owned(), Vec::new(), 0.0));
    }
    samples
}

/// The name of the counter for blocks by the constitution.
const BLOCKS: &str = "constitutional_blocks";

/// The name of the counter for repair rounds.
const ROUNDS: &str = "repair_rounds_total";

fn blocks(figures: &Statistics) -> Values {
    let blocks = figures.blocks.iter().flatten();
    blocks.map(|((lock, action), count)| (vec![(*lock).to_owned(), action.clone()], *count)).collect()
}

fn one(count: u64) -> Values {
    vec![(Vec::new(), count)]
}

/// The updates by outcome.
fn ends(figures: &Statistics) -> [(&'static str, u64); 4] {
    let Tally { kept, dropped, blocked, withdrawn } = figures.atoms;
    let kept = (if figures.not_judged.is_none() { "kept" } else { "passed" }, kept);
    [kept, ("dropped", dropped), ("blocked", blocked), ("withdrawn", withdrawn)]
}

fn words<K: AsRef<str>>(counts: &BTreeMap<K, u64>) -> Values {
    counts.iter().map(|(word, count)| (vec![word.as_ref().to_owned()], *count)).collect()
}

fn counts<K: Display>(counts: &BTreeMap<K, u64>) -> String {
    let rows: Vec<_> = counts
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(|(word, count)| format!("{count} {word}"))
        .collect();
    if rows.is_empty() { "none".into() } else { sink::line(&rows.join(", ")) }
}

/// Rounds a ratio to two decimal places.
fn rounded(ratio: f64) -> f64 {
    (ratio * 100.0).round() / 100.0
}

#[expect(clippy::cast_precision_loss, reason = "metrics are floating point numbers")]
fn number(count: u64) -> f64 {
    count as f64
}
