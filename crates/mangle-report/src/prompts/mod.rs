//! Report of prompts with the origin of each line, as colored text, JSON and Markdown.

mod text;

use rustc_hash::FxHashMap;
use serde::Serialize;
use serde_json::Value;

pub use text::{prompts_markdown, prompts_text};

/// A prompt with all data of the output formats.
#[derive(Debug, Clone, Serialize)]
pub struct PromptReport {
    /// The name of the preview.
    pub name: String,
    pub shard: String,
    pub shard_type: String,
    /// The assembly mode: `jit`, `legacy`, `section`; `turn` for the input of a turn,
    /// `articulation` for results to put into words.
    pub mode: &'static str,
    pub sections: Vec<SectionReport>,
    /// The situation as seen by the prompt compiler.
    pub derived: Value,
    /// True if the envelope instructions were appended.
    pub suffix: bool,
    /// The reason why the requested compiler was not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
    /// The effects of earlier compilations in a kernel that is never cleaned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sticky: Option<StickyReport>,
    /// The number of lines that were removed since the last display.
    #[serde(skip)]
    pub gone: usize,
    /// The token counts of the prompt.
    pub totals: Totals,
    /// The included and excluded atoms.
    pub manifest: Value,
    /// The excluded atoms of [`PromptReport::manifest`].
    #[serde(skip)]
    pub left_out: Vec<ExcludedAtomReport>,
    /// Remarks about the assembly, each as a sentence without a period.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    pub diagnostics: Vec<Note>,
}

/// The effects of earlier compilations on a prompt.
#[derive(Debug, Clone, Serialize)]
pub struct StickyReport {
    /// The names of the earlier previews.
    pub after: Vec<String>,
    /// The atoms that are included because of earlier compilations.
    pub gained: Vec<String>,
    /// The atoms that are excluded because of earlier compilations.
    pub lost: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct ExcludedAtomReport {
    pub id: String,
    pub reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in the file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

#[derive(Debug, Clone, Serialize)]
pub struct SectionReport {
    /// The kind of the section, for example `base` or `context`.
    pub section: String,
    /// The source of the text, for example `kernel` or `builtin`.
    pub from: &'static str,
    /// The name of the text, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub title: String,
    pub tokens: usize,
    /// The blocks of the session section.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Value>,
    /// The lines, including banner and blank lines.
    pub lines: Vec<LineReport>,
}

#[derive(Debug, Clone, Serialize)]
pub struct LineReport {
    pub text: String,
    /// The name of the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<&'static str>,
    /// `text`, `heading` or `layout`.
    pub role: &'static str,
    pub tokens: usize,
    /// The origin of the line.
    pub origin: OriginReport,
    /// True if the line was added since the last display.
    #[serde(skip)]
    pub is_new: bool,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct OriginReport {
    /// `fact`, `derived`, `session`, `intent`, `builtin`, `suffix`, `synthetic`, `atom` or `turn`.
    pub kind: &'static str,
    /// The file of the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in the file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<(u32, u32)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fact: Option<String>,
    /// The rule that derived the fact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The JSON pointer of the value in the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// The name, depending on the kind: part of the intent, built-in text, atom id, turn number, or
    /// condition of the suffix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The proofs of the fact, each as indented text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proof: Vec<String>,
}

/// The size of a prompt.
#[derive(Debug, Clone, Serialize)]
pub struct Totals {
    pub bytes: usize,
    /// The tokenizer of [`Totals::tokens`] and of the sections.
    pub tokenizer: &'static str,
    /// Tokens according to the configured tokenizer.
    pub tokens: usize,
    /// Tokens according to the estimate of the prompt compiler.
    pub bytes4: usize,
    /// Tokens according to the estimate of the compressor.
    pub chars4: usize,
    /// The available tokens.
    pub available: u32,
    /// The parts of the budget.
    pub budget: BudgetReport,
    /// The configured context limit of shards of this type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
    /// The configured context window of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
}

/// A finding about a preview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    pub code: &'static str,
    pub rule: &'static str,
    pub severity: &'static str,
    pub message: String,
    /// The location, for example `fix.kernel.mg:3`.
    pub place: String,
}

impl OriginReport {
    /// A short form, for example `fact at policy.mg:3` or `session /git_branch`.
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

/// The maximum number of listed excluded atoms, unless all are requested.
const MAX_OMITTED: usize = 10;

impl ExcludedAtomReport {
    /// A line, for example `style/short (atoms/a.yaml:9): blocked: …`.
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
    /// The excluded atoms, one on each line: the first ones, or all.
    #[must_use]
    pub fn left_out_lines(&self, all: bool) -> Vec<String> {
        let most = if all { usize::MAX } else { MAX_OMITTED };
        let mut lines: Vec<_> = self.left_out.iter().take(most).map(ExcludedAtomReport::sentence).collect();
        match self.left_out.len().saturating_sub(most) {
            0 => {}
            more => lines.push(format!("and {more} more, which `--provenance` names")),
        }
        lines
    }

    /// Marks the lines that an earlier state of the prompt lacks, and counts the removed lines.
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
    /// A sentence, for example `after fix-auth: only therefore with review/style`.
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

/// All prompts as JSON: an object for one prompt, or a list for several.
#[must_use]
pub fn prompts_json(prompts: &[PromptReport]) -> Value {
    match prompts {
        [one] => serde_json::to_value(one),
        several => serde_json::to_value(several),
    }
    .unwrap_or_default()
}

/// A share in percent, for example `12.3 %`.
fn percent(part: usize, whole: usize) -> String {
    let tenths = (part * 1_000).checked_div(whole).unwrap_or(0);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// The parts of a budget in tokens, each with its source: `session`, `configuration`, `default`,
/// `focused`, `tenth`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct BudgetReport {
    pub tokens: u32,
    pub by: &'static str,
    /// The tokens reserved for the reply.
    pub reserved: u32,
    pub reserved_by: &'static str,
    /// The tokens that the runtime keeps free in addition.
    pub headroom: u32,
}

impl Totals {
    /// The maximum number of tokens of the prompt.
    fn most(&self) -> usize {
        usize::try_from(self.available).unwrap_or(usize::MAX)
    }

    /// The number of tokens beyond the budget; 0 if the prompt fits.
    #[must_use]
    pub fn over(&self) -> usize {
        self.tokens.saturating_sub(self.most())
    }

    /// The usage of the budget, for example `1200 of 191500 tokens, 0.6 %`.
    #[must_use]
    pub fn share(&self) -> String {
        let Self { tokens, available, .. } = self;
        match (self.available, self.over()) {
            (0, _) => format!("{tokens} tokens, and the budget has no room for any"),
            (_, 0) => format!("{tokens} of {available} tokens, {}", percent(*tokens, self.most())),
            (_, over) => {
                format!("{tokens} of {available} tokens, {}: {over} too many", percent(*tokens, self.most()))
            }
        }
    }

    /// The available part of the budget with its calculation, for example `191500 left of 200000
    /// (default): 8000 reserved for the answer …`.
    #[must_use]
    pub fn parts(&self) -> String {
        let BudgetReport { tokens, by, reserved, reserved_by, headroom } = self.budget;
        let (by, reserved_by) = (words(by), words(reserved_by));
        let left = match self.available {
            0 => "nothing".to_owned(),
            available => available.to_string(),
        };
        format!(
            "{left} left of {tokens} ({by}): {reserved} reserved for the answer ({reserved_by}), {headroom} kept free by \
             codeNERD"
        )
    }
}

/// The source of a number as text.
fn words(by: &str) -> &'static str {
    match by {
        "session" => "session file",
        "configuration" => "agent's configuration",
        "focused" => "limit of shards that write Mangle",
        "tenth" => "a tenth, because all of the budget cannot be reserved",
        _ => "default",
    }
}
