//! Prompts for people and for programs: text with colours and a bar for the budget, JSON, Markdown.
//!
//! Takes [`PromptReport`]s, which say of each line where it comes from; gives text.

mod budget;
mod markdown;
mod terminal;

use rustc_hash::FxHashMap;
use serde::Serialize;
use serde_json::Value;

pub use budget::BudgetReport;
pub use markdown::prompts_markdown;
pub use terminal::prompts_text;

/// A prompt, as all outputs show it.
#[derive(Debug, Clone, Serialize)]
pub struct PromptReport {
    /// What the preview is called.
    pub name: String,
    pub shard: String,
    pub shard_type: String,
    /// How the prompt was assembled: `jit`, `legacy`, `section`; `turn` for the input of a turn,
    /// `articulation` for results that are put into words.
    pub mode: &'static str,
    /// Its sections, in order.
    pub sections: Vec<SectionReport>,
    /// The situation as a prompt compiler sees it.
    pub derived: Value,
    /// Whether the envelope instructions were appended.
    pub suffix: bool,
    /// Why the compiler was not used although it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
    /// What the prompts that were compiled before it changed, in a kernel that is never cleaned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sticky: Option<StickyReport>,
    /// How many lines are no longer there since the prompt was shown last.
    #[serde(skip)]
    pub gone: usize,
    /// Tokens of all of it.
    pub totals: Totals,
    /// Which atoms were taken, and which were not.
    pub manifest: Value,
    /// The atoms that were not taken, as [`PromptReport::manifest`] has them.
    #[serde(skip)]
    pub left_out: Vec<ExcludedAtomReport>,
    /// What is particular about how the prompt was assembled, each as a sentence without a full stop.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    pub diagnostics: Vec<Note>,
}

/// What the prompts before a prompt changed in it.
#[derive(Debug, Clone, Serialize)]
pub struct StickyReport {
    /// The previews before it.
    pub after: Vec<String>,
    /// The atoms that are in it because of them.
    pub gained: Vec<String>,
    /// The atoms that are not in it because of them.
    pub lost: Vec<String>,
}

/// An atom that is not in the prompt.
#[derive(Debug, Clone, Serialize)]
pub struct ExcludedAtomReport {
    pub id: String,
    pub reason: String,
    /// The file in which it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line there, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

#[derive(Debug, Clone, Serialize)]
pub struct SectionReport {
    /// What it is: `base`, `context`, `session`, …
    pub section: String,
    /// Who gave its text: `kernel`, `builtin`, …
    pub from: &'static str,
    /// The name of the text, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it is called.
    pub title: String,
    pub tokens: usize,
    /// The parts of the session.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Value>,
    /// Its lines, banner and blank lines included.
    pub lines: Vec<LineReport>,
}

#[derive(Debug, Clone, Serialize)]
pub struct LineReport {
    /// The line as it is in the prompt.
    pub text: String,
    /// What its value is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<&'static str>,
    /// Whether it is the text of the section, a heading or layout.
    pub role: &'static str,
    pub tokens: usize,
    /// Where it comes from.
    pub origin: OriginReport,
    /// Whether it was not there when the prompt was shown last.
    #[serde(skip)]
    pub is_new: bool,
}

/// Where a line comes from.
#[derive(Debug, Clone, Default, Serialize)]
pub struct OriginReport {
    /// `fact`, `derived`, `session`, `intent`, `builtin`, `suffix`, `synthetic`, `atom`, `turn`.
    pub kind: &'static str,
    /// The file in which it can be opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line there, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<(u32, u32)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fact: Option<String>,
    /// The rule that gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The JSON pointer of the value in the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// The part of the intent, the name of the built-in text, the id of the atom, the number of the turn, or the condition of the suffix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The ways in which the fact follows, each as an indented text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proof: Vec<String>,
}

/// Tokens of a prompt.
#[derive(Debug, Clone, Serialize)]
pub struct Totals {
    /// How long it is.
    pub bytes: usize,
    /// What is counted in [`Totals::tokens`] and in sections.
    pub tokenizer: &'static str,
    /// Tokens as the settings count them.
    pub tokens: usize,
    /// Tokens as the prompt compiler estimates them.
    pub bytes4: usize,
    /// Tokens as the compressor estimates them.
    pub chars4: usize,
    /// How many there may be.
    pub available: u32,
    /// What that is left of.
    pub budget: BudgetReport,
    /// How many the agent's configuration gives to the context of a shard of this type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
    /// How many its model takes in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
}

/// A finding about a preview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    pub code: &'static str,
    pub rule: &'static str,
    /// How grave it is.
    pub severity: &'static str,
    pub message: String,
    /// Where: `fix.kernel.mg:3`.
    pub place: String,
}

impl OriginReport {
    /// In a few words: `fact at policy.mg:3`, `session /git_branch`.
    #[must_use]
    pub fn short(&self) -> String {
        let place = match (&self.file, self.line) {
            (Some(file), Some(line)) => format!(" {file}:{line}"),
            _ => String::new(),
        };
        let what = match (&self.pointer, &self.name) {
            (Some(pointer), _) => format!(" {pointer}"),
            (None, Some(name)) => format!(" {name}"),
            (None, None) => String::new(),
        };
        match self.kind {
            "derived" => format!("derived by{place}"),
            "suffix" => format!("suffix because{what}"),
            "synthetic" => format!("synthetic {}", self.fact.as_deref().unwrap_or_default()),
            kind => format!("{kind}{what}{place}"),
        }
    }
}

/// How many atoms that were left out are named, unless all are wanted.
const MOST_LEFT_OUT: usize = 10;

impl ExcludedAtomReport {
    /// In a line: `style/short (atoms/a.yaml:9): blocked: …`.
    #[must_use]
    pub fn sentence(&self) -> String {
        let place = match (&self.file, self.line) {
            (Some(file), Some(line)) => format!(" ({file}:{line})"),
            _ => String::new(),
        };
        format!("{}{place}: {}", self.id, self.reason)
    }
}

impl PromptReport {
    /// The atoms that were left out, a line each: the first ones, or all.
    #[must_use]
    pub fn left_out_lines(&self, all: bool) -> Vec<String> {
        let most = if all { usize::MAX } else { MOST_LEFT_OUT };
        let mut lines: Vec<_> = self.left_out.iter().take(most).map(ExcludedAtomReport::sentence).collect();
        match self.left_out.len().saturating_sub(most) {
            0 => {}
            more => lines.push(format!("and {more} more, which `--provenance` names")),
        }
        lines
    }

    /// Marks the lines that an earlier state of the prompt did not have, and counts those that it had besides.
    pub fn mark_changes(&mut self, before: &Self) {
        let mut known: FxHashMap<(&str, &str), usize> = FxHashMap::default();
        for section in &before.sections {
            for line in section.lines.iter().filter(|line| line.role == "text") {
                *known.entry((&section.section, &line.text)).or_default() += 1;
            }
        }
        for section in &mut self.sections {
            for line in section.lines.iter_mut().filter(|line| line.role == "text") {
                match known.get_mut(&(section.section.as_str(), line.text.as_str())) {
                    Some(count @ 1..) => *count -= 1,
                    _ => line.is_new = true,
                }
            }
        }
        self.gone = known.values().sum();
    }
}

impl StickyReport {
    /// In a sentence: `after fix-auth: only therefore with review/style`.
    #[must_use]
    pub fn sentence(&self) -> String {
        let list = |ids: &[String]| ids.join(", ");
        let Self { after, gained, lost } = self;
        let after = after.join(", ");
        match (gained.is_empty(), lost.is_empty()) {
            (true, true) => format!("after {after}: no atom more or less than in a new kernel"),
            (false, true) => format!("after {after}: only therefore with {}", list(gained)),
            (true, false) => format!("after {after}: only therefore without {}", list(lost)),
            (false, false) => {
                format!("after {after}: only therefore with {}, and without {}", list(gained), list(lost))
            }
        }
    }
}

/// All prompts as JSON: one object, or a list of several.
#[must_use]
pub fn prompts_json(prompts: &[PromptReport]) -> Value {
    match prompts {
        [one] => serde_json::to_value(one),
        several => serde_json::to_value(several),
    }
    .unwrap_or_default()
}

/// What share of a whole a part is, as `12.3 %`.
fn percent(part: usize, whole: usize) -> String {
    let tenths = (part * 1_000).checked_div(whole).unwrap_or(0);
    format!("{}.{} %", tenths / 10, tenths % 10)
}
