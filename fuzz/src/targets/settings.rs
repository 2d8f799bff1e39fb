//! What people and agents configure: `mangle-ls.toml`, the comments at the top of samples, session files, the settings of
//! agents, prompt atoms, prefills, baselines. All can be read, and every finding lies inside.

use agent_prompt::jit::{AtomFile, AtomKind, Corpus};
use agent_prompt::session::{SessionFile, SessionForm};
use agent_prompt::{CapturedPrompt, Header};
use agent_replay::Prefill;
use mangle_ide::preview_document::preview_lenses;
use mangle_ide::registry;
use mangle_report::Baseline;
use mangle_settings::Vocabulary;
use mangle_syntax::text::FileId;
use piggyback::transcript::settings;

use crate::generate::{reply, text};
use crate::oracle;
use crate::support::Random;

pub(crate) fn run(bytes: &[u8]) {
    let Some((kind, rest)) = bytes.split_first() else { return };
    let text = if kind & 0x80 == 0 { text(rest) } else { reply(&mut Random::from_bytes(rest)) };
    let findings = match kind % 8 {
        0 => {
            let rules: Vec<_> = registry::rules().collect();
            mangle_settings::parse(&text, Vocabulary { rules: &rules }).findings
        }
        1 => {
            for lens in preview_lenses(&text, "a") {
                oracle::inside(lens.range, text.as_bytes(), &lens);
            }
            Header::read(&text).findings
        }
        2 => SessionFile::read(&text, SessionForm::Json).findings,
        3 => SessionFile::read(&text, SessionForm::Yaml).findings,
        4 => settings::read(text.as_bytes()).findings,
        5 => return atoms(&text),
        6 => {
            let _ = Prefill::read(&text);
            let _ = Baseline::parse(&text);
            return;
        }
        _ => {
            let captured = CapturedPrompt::read(FileId(0), "a", &text, "coder");
            captured.iter().for_each(|captured| assert!(captured.similarity(&text) <= 100));
            return;
        }
    };
    findings.iter().for_each(|found| oracle::finding(found, text.as_bytes()));
}

/// A file of prompt atoms.
fn atoms(text: &str) {
    let file = AtomFile { file: FileId(0), kind: AtomKind::Corpus, agent: None, text: text.into() };
    let corpus = Corpus::read(&[file], &mut |_, _| None);
    for fault in &corpus.faults {
        oracle::inside(fault.range, text.as_bytes(), fault);
    }
}
