//! Request for a preview: shard, situation and settings, the token budget with its sources, and the
//! captured prompt for a comparison.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::DerivedContext;
use crate::compressed_input::RecordedSession;
use crate::context::{HEADROOM, PromptContext, RESERVED, reserved_of};
use crate::header::PreviewGroup;
use crate::jit::JitCompiler;
use crate::origin::SourcedText;
use crate::sections::Mode;
use crate::session::{SessionFile, StepResult};
use mangle_syntax::text::{FileId, TextRange, TextSize, size};
use piggyback::transcript::{Limits, Record, TextKind, TranscriptOptions, TranscriptReader, TurnRole};

/// A requested prompt.
#[derive(Debug, Clone, Default)]
pub struct PromptRequest {
    /// The name of the preview.
    pub name: String,
    /// The comment with the request; empty for a request of the caller.
    pub range: TextRange,
    /// The ranges of the id and the type of the shard; empty for a request of the caller.
    pub shard: (TextRange, TextRange),
    /// The shard and its situation.
    pub context: PromptContext,
    /// The assembly mode. `None` means the default of the settings.
    pub mode: Option<Mode>,
    /// The session file of the context.
    pub session: Option<SessionFile>,
    /// The prompt compiler with the atoms that the kernel names. Replaces the compiler of the
    /// settings.
    pub compiler: Option<Arc<JitCompiler>>,
    /// The limits of shards, if the agent has its own configuration.
    pub limits: Option<Arc<Limits>>,
    /// The captured prompt of the runtime.
    pub captured: Option<Arc<CapturedPrompt>>,
    /// The part of the input of the shard.
    pub part: PromptPart,
}

/// A part of the input of a shard.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum PromptPart {
    /// The system prompt.
    #[default]
    System,
    /// The input of a turn with this message.
    Turn(SourcedText),
    /// The compressed input of a turn with this message, after the turns of this session.
    Compressed(SourcedText, Arc<RecordedSession>),
    /// The request to put these results into words.
    Articulation(Vec<StepResult>),
}

impl PromptPart {
    /// The name in JSON output; `None` for the system prompt, which has a mode.
    #[must_use]
    pub fn word(&self) -> Option<&'static str> {
        match self {
            Self::System => None,
            Self::Turn(_) => Some("turn"),
            Self::Compressed(..) => Some("compressed"),
            Self::Articulation(_) => Some("articulation"),
        }
    }
}

impl PromptRequest {
    /// The request of a header group with its session file; `None` for a group without a shard.
    /// `name` is the default name.
    #[must_use]
    pub fn from_group(group: &PreviewGroup, session: Option<SessionFile>, name: &str) -> Option<Self> {
        let (id, kind) = group.shard.as_ref()?;
        let mut context = PromptContext::for_shard(id.text.clone(), kind.text.clone());
        context.intent = group.intent.clone();
        if let Some(file) = &session {
            context.session = Some(file.session.clone());
            context.campaign_id = file.campaign_id.text.clone();
            context.vectors = file.vectors.clone();
            context.budget = file.budget;
            // The header has priority over the session file.
            context.intent = context.intent.or_else(|| file.intent.clone());
        }
        Some(Self {
            name: if group.name.is_empty() { name.to_owned() } else { group.name.clone() },
            range: group.range,
            shard: (id.range, kind.range),
            context,
            mode: group.mode.map(|(mode, _)| mode),
            session,
            compiler: None,
            limits: None,
            captured: None,
            part: PromptPart::System,
        })
    }

    /// The same request with the limits of an agent configuration. The budget of a session file has
    /// priority.
    #[must_use]
    pub fn within(mut self, limits: Option<&Arc<Limits>>) -> Self {
        let Some(limits) = limits else { return self };
        let (tokens, reserved) = self.context.budget;
        self.context.budget = (tokens.or(limits.prompt.0), reserved.or(limits.prompt.1));
        self.limits = Some(Arc::clone(limits));
        self
    }

    /// The context limit in tokens for the type of the shard, if the agent has its own
    /// configuration.
    #[must_use]
    pub fn context_tokens(&self) -> Option<u64> {
        let limits = self.limits.as_deref()?;
        let kind = self.context.shard_type.trim_start_matches('/');
        Some(limits.shards.get(kind).unwrap_or(&limits.default).context_tokens)
    }
}

/// The source of a number of the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BudgetSource {
    /// The session file.
    Session,
    /// The configuration of the agent.
    Configuration,
    /// The default of the runtime.
    Default,
    /// The smaller default of the runtime for shards that write Mangle.
    Focused,
    /// The fallback of the runtime to a tenth, if the reserve is not smaller than the budget.
    Tenth,
}

impl BudgetSource {
    /// The name in JSON output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Configuration => "configuration",
            Self::Default => "default",
            Self::Focused => "focused",
            Self::Tenth => "tenth",
        }
    }
}

/// The token budget of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenBudget {
    /// The budget with its source.
    pub budget: (u32, BudgetSource),
    /// The tokens reserved for the reply, with their source.
    pub reserved: (u32, BudgetSource),
    /// The tokens that the runtime keeps free in addition.
    pub headroom: u32,
    /// The available tokens.
    pub available: u32,
}

impl TokenBudget {
    /// The budget of a requested prompt in its situation.
    #[must_use]
    pub fn new(wanted: &PromptRequest, derived: &DerivedContext) -> Self {
        let (tokens, reserved) = wanted.context.budget;
        let said = wanted.session.as_ref().map_or((None, None), |file| file.budget);
        let by = |is_said: bool, is_known: bool| match (is_said, is_known) {
            (true, _) => BudgetSource::Session,
            (false, true) => BudgetSource::Configuration,
            (false, false) => BudgetSource::Default,
        };
        let tokens = tokens.filter(|tokens| *tokens > 0);
        let budget = by(said.0.is_some(), tokens.is_some());
        let whole = tokens.unwrap_or(crate::TOKEN_BUDGET);
        let asked = reserved.unwrap_or(RESERVED);
        let kept = match reserved_of(whole, asked) {
            kept if derived.reserved < kept => BudgetSource::Focused,
            kept if kept != asked => BudgetSource::Tenth,
            _ => by(said.1.is_some(), reserved.is_some()),
        };
        Self {
            budget: (
                derived.token_budget,
                if derived.token_budget < whole { BudgetSource::Focused } else { budget },
            ),
            reserved: (derived.reserved, kept),
            headroom: HEADROOM,
            available: derived.available(),
        }
    }

    /// True if the budget of a prompt is enforced: it is configured, or the default of the runtime
    /// is known.
    #[must_use]
    pub fn is_enforced(wanted: &PromptRequest, derived: &DerivedContext) -> bool {
        let is_default = Self::new(wanted, derived).budget.1 == BudgetSource::Default;
        !is_default || wanted.context.runtime.conventions.is_some()
    }
}

/// A captured system prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CapturedPrompt {
    /// The file with the captured prompt.
    pub file: FileId,
    /// The location of the first line.
    pub range: TextRange,
    /// The text of the prompt.
    pub text: String,
}

impl CapturedPrompt {
    /// Reads the last system prompt for a type of shard from a transcript. If the file is not JSON,
    /// the whole file is the prompt. `None` if no prompt is found.
    #[must_use]
    pub fn read(file: FileId, name: &str, text: &str, kind: &str) -> Option<Self> {
        let folded = name.to_ascii_lowercase();
        if ![".json", ".jsonl", ".ndjson"].iter().any(|end| folded.ends_with(end)) {
            let first = text.lines().next().unwrap_or_default();
            let range = TextRange::up_to(size(first.len()));
            return (!text.trim().is_empty()).then(|| Self { file, range, text: text.to_owned() });
        }
        let mut last = None;
        let mut each = |record: &Record<'_>| last = of_record(file, record, kind).or(last.take());
        let mut reader = TranscriptReader::new(TranscriptOptions {
            name: name.to_owned(),
            ..TranscriptOptions::default()
        });
        reader.feed(text.as_bytes(), &mut each);
        reader.finish(&mut each);
        last
    }

    /// The text with exactly one line end at its end.
    #[must_use]
    pub fn comparable(text: &str) -> String {
        format!("{}\n", text.trim_end_matches(['\n', '\r']))
    }

    /// The similarity to a text in percent: the share of common lines. Blanks around lines are
    /// ignored.
    #[must_use]
    pub fn similarity(&self, text: &str) -> u32 {
        fn lines(text: &str) -> impl Iterator<Item = &str> {
            text.lines().map(str::trim).filter(|line| !line.is_empty())
        }
        let mut counts: FxHashMap<&str, (u64, u64)> = FxHashMap::default();
        lines(&self.text).for_each(|line| counts.entry(line).or_default().0 += 1);
        lines(text).for_each(|line| counts.entry(line).or_default().1 += 1);
        let both: u64 = counts.values().map(|(one, other)| one.min(other)).sum();
        let all: u64 = counts.values().map(|(one, other)| one + other).sum();
        u32::try_from((200 * both).checked_div(all).unwrap_or(100)).unwrap_or(100)
    }
}

/// The last system prompt of a record. `None` if the record names another type of shard.
fn of_record(file: FileId, record: &Record<'_>, kind: &str) -> Option<CapturedPrompt> {
    let said = record.turns.iter().filter_map(|turn| turn.details.as_ref()?.shard.as_deref());
    let bare = |kind: &str| kind.trim_start_matches('/').to_owned();
    if said.into_iter().any(|shard| bare(shard) != bare(kind)) {
        return None;
    }
    let is_prompt =
        |turn: &&piggyback::transcript::Turn| turn.role == TurnRole::System && turn.kind == TextKind::Prompt;
    let turn = record.turns.iter().rfind(is_prompt)?;
    let text = String::from_utf8_lossy(turn.text(record.bytes)).into_owned();
    let first = TextRange::up_to(size(text.lines().next().unwrap_or_default().len()));
    let place = turn.places(first).first().copied().unwrap_or_default();
    let start = TextSize::new(u32::try_from(record.start).ok()?);
    Some(CapturedPrompt { file, range: place + start, text })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::PromptContext;
    use crate::session::{SessionFile, SessionForm};

    fn allowance(kind: &str, session: &str) -> TokenBudget {
        let file = SessionFile::read(session, SessionForm::Yaml);
        let context = PromptContext { budget: file.budget, ..PromptContext::for_shard("x-1", kind) };
        let derived = DerivedContext::from_context(&context);
        TokenBudget::new(
            &PromptRequest { context, session: Some(file), ..PromptRequest::default() },
            &derived,
        )
    }

    #[test]
    fn each_number_names_who_decided_it() {
        let of = |kind, session| {
            let TokenBudget { budget, reserved, available, .. } = allowance(kind, session);
            (budget, reserved, available)
        };
        use BudgetSource::{Default, Focused, Session, Tenth};
        assert_eq!(of("coder", ""), ((200_000, Default), (8_000, Default), 191_500));
        assert_eq!(of("coder", "budget: 9000"), ((9_000, Session), (8_000, Default), 500));
        assert_eq!(of("coder", "budget: 300"), ((300, Session), (30, Tenth), 0));
        assert_eq!(
            of("coder", "budget: {tokens: 9000, reserved: 0}"),
            ((9_000, Session), (0, Session), 8_500)
        );
        assert_eq!(of("legislator", ""), ((60_000, Focused), (4_000, Focused), 55_500));
        assert_eq!(of("coder", "budget: 0"), ((200_000, Default), (8_000, Default), 191_500));
    }

    const ROWS: &str = "{\"shard_type\":\"coder\",\"system_prompt\":\"You code.\\nBriefly.\",\"user_prompt\":\"u\",\"response\":\"r\"}\n\
        {\"shard_type\":\"tester\",\"system_prompt\":\"You test.\",\"user_prompt\":\"u\",\"response\":\"r\"}\n";

    #[test]
    fn the_last_prompt_of_the_type_counts() {
        let read = |kind: &str| CapturedPrompt::read(FileId(3), "rows.jsonl", ROWS, kind);
        let found = read("coder").unwrap();
        assert_eq!((found.file, found.text.as_str()), (FileId(3), "You code.\nBriefly."));
        assert_eq!(mangle_syntax::text::slice(ROWS, found.range), "You code.");
        let found = read("tester").unwrap();
        assert_eq!((mangle_syntax::text::slice(ROWS, found.range), read("reviewer")), ("You test.", None));
    }

    #[test]
    fn a_text_is_a_prompt() {
        let found = CapturedPrompt::read(FileId(0), "prompt.txt", "One.\nTwo.\n", "coder").unwrap();
        assert_eq!((found.range, found.text.as_str()), (TextRange::up_to(4.into()), "One.\nTwo.\n"));
        assert_eq!(CapturedPrompt::read(FileId(0), "prompt.txt", " \n", "coder"), None);
    }

    #[test]
    fn likeness_is_in_lines() {
        let captured = |text: &str| CapturedPrompt {
            file: FileId(0),
            range: TextRange::default(),
            text: text.to_owned(),
        };
        assert_eq!(captured("a\n\n  b\nc\nd\n").similarity("a\nb\n\nc\nd"), 100);
        assert_eq!(captured("a\na\n").similarity("a\nb\n"), 50);
        assert_eq!(captured("").similarity(""), 100);
        assert_eq!(captured("a").similarity(""), 0);
    }
}
