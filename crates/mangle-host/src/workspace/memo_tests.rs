//! Test that compares all memoized results of the workspace with a fresh computation after each
//! edit.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tracing::field::{Field, Visit};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

use super::Snapshot;
use super::tests::Setup;
use mangle_syntax::text::Cancel;

const EDITS: u64 = 120;

macro_rules! example {
    ($name:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/", $name))
    };
}

const CONFIGURATION: &str = "[kernel]
sample = [\"*.kernel.mg\", \"*.csv\"]
[prompt]
atoms = [\"atoms/*.yaml\"]
[transcripts]
tools = \"tools.json\"
";

/// A sample with a preview, a fact table, a transcript with its tools, and prompt atoms of the
/// configuration.
const FILES: [(&str, &str); 9] = [
    ("mangle-ls.toml", CONFIGURATION),
    ("tools.json", "[\n{\"name\": \"read_file\"},\n{\"name\": \"delete_file\"}\n]\n"),
    ("schemas.gl", example!("starter/schemas.gl")),
    ("constitution.mg", example!("starter/constitution.mg")),
    ("prompt.mg", example!("starter/prompt.mg")),
    ("coder.kernel.mg", example!("starter/coder.kernel.mg")),
    ("test_state.csv", "/failing\n"),
    ("session.piggyback.jsonl", example!("jailbreak/session.piggyback.jsonl")),
    ("atoms/style.yaml", "- id: style\n  category: identity\n  content: Be brief.\n  priority: 1\n"),
];

/// The number of files in [`EDITED`] that are edited on disk.
const ON_DISK: usize = 2;

/// The files to edit.
const EDITED: [&str; 8] = [
    "mangle-ls.toml",
    "tools.json",
    "schemas.gl",
    "constitution.mg",
    "prompt.mg",
    "coder.kernel.mg",
    "session.piggyback.jsonl",
    "atoms/style.yaml",
];

/// Memos whose output is also part of a snapshot. A hit occurs when a new snapshot has the same
/// inputs.
const PER_REVISION: [&str; 3] = ["JoinInputs", "ProvenanceInputs", "ReplayInputs"];

/// Numbers of hits and computations of each memo, by the type of its inputs.
#[derive(Default, Clone)]
struct Counts(Arc<Mutex<BTreeMap<String, (usize, usize)>>>);

impl<S: tracing::Subscriber> Layer<S> for Counts {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        #[derive(Default)]
        struct Fields(String, bool);
        impl Visit for Fields {
            fn record_bool(&mut self, _: &Field, hit: bool) {
                self.1 = hit;
            }
            fn record_str(&mut self, _: &Field, inputs: &str) {
                inputs.rsplit("::").next().unwrap_or(inputs).clone_into(&mut self.0);
            }
            fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
        }
        if event.metadata().target() == "memo" {
            let mut fields = Fields::default();
            event.record(&mut fields);
            let mut counts = self.0.lock();
            let count = counts.entry(fields.0).or_default();
            if fields.1 { count.0 += 1 } else { count.1 += 1 }
        }
    }
}

/// Returns all computed results of a snapshot: all diagnostics and their positions.
fn computed(setup: &mut Setup) -> Vec<String> {
    let snapshot: Arc<Snapshot> = setup.workspace.snapshot();
    let cancel = Cancel::new();
    for program in &snapshot.programs {
        program.diagnose(&cancel);
        if !program.is_test() {
            program.evaluate(&cancel);
        }
        snapshot.trace_prompts(program, &cancel);
    }
    snapshot.check_atoms(&cancel);
    for transcript in &snapshot.transcripts {
        transcript.diagnose(&cancel);
        transcript.replay_for_readers(&cancel);
    }
    let mut all = Vec::new();
    for id in snapshot.reported() {
        let path = snapshot.file(id).unwrap().path.file_name().unwrap().to_string_lossy().into_owned();
        for found in snapshot.diagnostics(id) {
            let fix = found.fix.as_ref().map(|fix| (&fix.title, fix.edits.len(), fix.applicability));
            let related: Vec<_> =
                found.related.iter().map(|related| (related.range, &related.message)).collect();
            all.push(format!(
                "{path} {:?} {} {:?} {} {related:?} {fix:?}",
                found.range, found.rule.name, found.severity, found.message
            ));
        }
    }
    all.sort();
    all
}

/// Returns a text with one small change: a line is inserted, deleted or duplicated, or a word is
/// replaced.
fn edited(text: &str, dice: &mut u64) -> String {
    *dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let number = (*dice >> 33) as usize;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = number / 8 % lines.len().max(1);
    let line = lines.get(at).cloned().unwrap_or_default();
    match number % 4 {
        1 if lines.len() > 2 => drop(lines.remove(at)),
        2 if !line.is_empty() => lines[at] = line.replacen("Action", "Act", 1).replacen("read", "write", 1),
        3 => lines.insert(at, line),
        _ => lines.insert(at, String::new()),
    }
    lines.join("\n") + "\n"
}

#[test]
fn memos_hold_what_a_fresh_computation_gives() {
    let counts = Counts::default();
    let subscriber = tracing_subscriber::registry().with(counts.clone());
    // While only one subscriber exists, an event that a thread without a subscriber records first is
    // disabled for all threads. Other tests are such threads.
    let _second = tracing::Dispatch::new(tracing_subscriber::registry());
    tracing::subscriber::with_default(subscriber, || {
        let mut texts: BTreeMap<&str, String> = EDITED
            .iter()
            .map(|name| (*name, FILES.iter().find(|(of, _)| of == name).unwrap().1.to_owned()))
            .collect();
        let mut setup = Setup::new(&FILES);
        for name in &EDITED[ON_DISK..] {
            setup.open(name, &texts[name]);
        }
        setup.scan();
        let mut dice = 1;
        for turn in 0..EDITS {
            let name = EDITED[(turn as usize * 5 + turn as usize / 11) % EDITED.len()];
            let text = texts.get_mut(name).unwrap();
            // Often undoes an edit, because a program with many edits does not load and is not
            // evaluated.
            let next = if turn % 9 >= 4 {
                FILES.iter().find(|(of, _)| *of == name).unwrap().1.to_owned()
            } else {
                edited(text, &mut dice)
            };
            *text = next;
            if EDITED[..ON_DISK].contains(&name) {
                setup.write(name, text);
                setup.workspace.look_for_programs();
            } else {
                setup.replace(name, text);
            }
            setup.scan();
            let kept = computed(&mut setup);
            // Without a change, all results are cached.
            assert_eq!(computed(&mut setup), kept);
            let mut fresh = Setup::new(&FILES);
            EDITED[..ON_DISK].iter().for_each(|name| fresh.write(name, &texts[name]));
            fresh.workspace.look_for_programs();
            fresh.scan();
            for name in &EDITED[ON_DISK..] {
                fresh.open(name, &texts[name]);
            }
            fresh.scan();
            assert_eq!(kept, computed(&mut fresh), "after edit {turn}, of {name}");
        }
    });
    let counts = counts.0.lock();
    let memos = [
        "AtomsRevision",
        "CheckInputs",
        "ConstitutionInputs",
        "ContextInputs",
        "EvaluationInputs",
        "JoinInputs",
        "PromptRevisions",
        "ProvenanceInputs",
        "RecordsInputs",
        "ReplayInputs",
    ];
    for memo in memos {
        let (hits, computations) = counts.get(memo).copied().unwrap_or_default();
        assert!(computations > 1, "{memo}: {hits} hits, {computations} computations");
        assert!(hits > 1 || PER_REVISION.contains(&memo), "{memo}: {hits} hits");
    }
    assert_eq!(counts.keys().collect::<Vec<_>>(), memos);
}
