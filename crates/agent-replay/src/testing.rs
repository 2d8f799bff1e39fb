//! Text form of sessions and policies for tests.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Instant;

use super::{Constitution, ConstitutionConfig, Event, Prefill, Replay, ReplayOptions, Turn, facts};
use mangle_engine::kernel::{Clock, Kernel, Limits, Reading};
use mangle_engine::program::{FileSummary, Program};
use mangle_settings::{ReplaySettings, TranscriptSettings};
use mangle_syntax::lint::Finding;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Cancel, FileId};
use piggyback::envelope::runtime::ReadUpdate;
use piggyback::transcript::{self, Record, TranscriptReader};

/// A session with its policy. Parts start with `#- NAME`; the first part is the transcript.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) program: Arc<Program>,
    pub(super) settings: TranscriptSettings,
    pub(super) replay: ReplaySettings,
    pub(super) runtime: transcript::Limits,
    pub(super) limits: Limits,
    pub(super) prefill: Prefill,
    pub(super) abduce: bool,
    pub(super) until: Option<u64>,
    pub(super) end: Option<Instant>,
    pub(super) reading: Reading,
    /// Facts that the runtime has from other sources.
    pub(super) given: Vec<String>,
}

impl Case {
    pub(super) fn new(text: &str) -> Self {
        let mut parts: Vec<(&str, String)> = Vec::new();
        for line in text.split_inclusive('\n') {
            match line.strip_prefix("#- ") {
                Some(name) => parts.push((name.trim(), String::new())),
                None => parts.last_mut().unwrap().1.push_str(line),
            }
        }
        let find = |name: &str| parts.iter().find(|(part, _)| *part == name).map(|(_, text)| text.as_str());
        let vocabulary = mangle_settings::Vocabulary { rules: &[] };
        let settings = find("mangle-ls.toml").map(|text| mangle_settings::parse(text, vocabulary).settings);
        let settings = settings.unwrap_or_default();
        let policy = SourceFile::parse(find("policy.mg").unwrap_or_default().into());
        let program = Program::new(vec![FileSummary::new(FileId(0), &policy).into()]);
        let runtime = find(".nerd/config.json").map(|text| transcript::Limits::from_config(text.as_bytes()));
        Self {
            name: parts[0].0.to_owned(),
            text: parts[0].1.clone(),
            program: program.into(),
            settings: settings.transcripts,
            replay: settings.replay,
            runtime: runtime.unwrap_or_default(),
            limits: Limits { derived: 10_000, ..Limits::default() },
            prefill: Prefill::default(),
            abduce: false,
            until: None,
            end: None,
            reading: Reading::Engine,
            given: Vec::new(),
        }
    }

    pub(super) fn constitution(&self) -> Constitution {
        let basis = ConstitutionConfig {
            program: Arc::clone(&self.program),
            reading: self.reading,
            settings: self.replay.clone(),
            limits: self.limits,
            clock: Clock { now_ns: 0 },
        };
        let give = |kernel: &mut Kernel, program: &Program| {
            for text in &self.given {
                let read = ReadUpdate::new(text, mangle_settings::Runtime::default());
                let fact = facts::fact(kernel.values(), program, read.fact().unwrap()).unwrap();
                kernel.assert(&fact);
            }
        };
        Constitution::with_facts(basis, give, &Cancel::new())
    }

    /// Replays the session. Returns the turns and the findings with their turn numbers.
    pub(super) fn run(&self, constitution: &Constitution) -> (Vec<Turn>, Vec<(u64, Finding)>) {
        let (mut turns, mut all) = (Vec::new(), Vec::new());
        self.each(constitution, &mut |_, event| match event {
            Event::Turn(turn) => turns.push(*turn),
            Event::Found { turn, found } => all.push((turn, found.finding)),
        });
        (turns, all)
    }

    /// Replays the session and passes on each event.
    pub(super) fn each(&self, constitution: &Constitution, each: &mut dyn FnMut(&Replay<'_>, Event)) {
        let cancel = Cancel::new();
        let options = ReplayOptions {
            transcript: &self.settings,
            runtime: &self.runtime,
            clock: Clock { now_ns: 0 },
            abduce: self.abduce,
            show_permits: true,
            coverage: true,
            until: self.until,
            end: self.end,
            prefill: &self.prefill,
            cancel: &cancel,
        };
        let mut replay = Replay::new(constitution, options);
        let mut reader = TranscriptReader::new(transcript::TranscriptOptions {
            name: self.name.clone(),
            ..Default::default()
        });
        let mut record = |record: &Record<'_>| replay.record(record, each);
        reader.feed(self.text.as_bytes(), &mut record);
        reader.finish(&mut record);
    }

    /// The outcome of each turn as text.
    pub(super) fn told(&self) -> String {
        let constitution = self.constitution();
        let (turns, found) = self.run(&constitution);
        let mut out = String::new();
        for turn in &turns {
            let _ = writeln!(out, "turn {}", turn.number);
            for atom in &turn.atoms {
                let _ = writeln!(out, "  {} {}", atom.text, atom.fate);
            }
            if let Some(rewritten) = &turn.rewritten {
                let _ = writeln!(out, "  shown: {:?}", rewritten.shown);
            }
            if let Some(reason) = &turn.hidden_notice {
                let _ = writeln!(out, "  not shown: {reason}");
            }
            for one in turn.memory.iter().filter(|_| turn.is_native) {
                let _ = writeln!(out, "  memory: {} {} {:?}", one.op, one.key, one.effect);
            }
            for verdict in turn.envelope.iter().chain(&turn.verdicts) {
                let (word, lock) = (verdict.word(), verdict.lock.word());
                let _ = writeln!(
                    out,
                    "  {word} {lock} {} {} {} {}: {}",
                    verdict.id, verdict.action, verdict.target, verdict.payload, verdict.why
                );
            }
            if let Some(correction) = &turn.correction {
                let actions: Vec<_> = correction.actions.iter().map(|(fact, _)| fact.as_str()).collect();
                let _ = writeln!(out, "  recovery: {}", actions.join(", "));
            }
            out.extend(turn.change.added.iter().map(|held| format!("  + {}\n", held.fact)));
            out.extend(turn.change.removed.iter().map(|fact| format!("  - {fact}\n")));
            for (_, finding) in found.iter().filter(|(of, _)| *of == turn.number) {
                let _ = writeln!(out, "  {}: {}", finding.rule.name, words_of(finding));
            }
        }
        out
    }
}

/// Formats a finding: headline, label, notes and help.
pub(crate) fn words_of(finding: &Finding) -> String {
    let label = finding.label.iter().map(|label| format!(" [{label}]"));
    let notes = finding.notes.iter().map(|note| format!(" | {note}"));
    let help = finding.help.iter().map(|help| format!(" | help: {help}"));
    std::iter::once(finding.message.to_string()).chain(label).chain(notes).chain(help).collect()
}
