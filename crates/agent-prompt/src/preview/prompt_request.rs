//! What is wanted of a preview: for whom, and how.

use std::sync::Arc;

use crate::captured_prompt::CapturedPrompt;
use crate::compressed_input::RecordedSession;
use crate::context::PromptContext;
use crate::header::PreviewGroup;
use crate::jit::JitCompiler;
use crate::sections::Mode;
use crate::session::{SessionFile, StepResult};
use crate::sourced_text::SourcedText;
use mangle_syntax::text::TextRange;
use piggyback::transcript::Limits;

/// A prompt that is wanted.
#[derive(Debug, Clone, Default)]
pub struct PromptRequest {
    /// What it is called.
    pub name: String,
    /// The comment that asks for it; empty where the caller does.
    pub range: TextRange,
    /// Where the id and the type of the shard are said; empty where the caller does.
    pub shard: (TextRange, TextRange),
    /// For whom.
    pub context: PromptContext,
    /// How; `None` leaves it to the settings.
    pub mode: Option<Mode>,
    /// The session file that the context was read from.
    pub session: Option<SessionFile>,
    /// The prompt compiler with the atoms that the kernel names, in place of those of the settings.
    pub compiler: Option<Arc<JitCompiler>>,
    /// The limits of shards, where the agent has a configuration of its own.
    pub limits: Option<Arc<Limits>>,
    /// The prompt that the runtime really sent, where it was captured.
    pub captured: Option<Arc<CapturedPrompt>>,
    /// Which part of the shard's input is assembled.
    pub part: PromptPart,
}

/// What is wanted for a shard.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum PromptPart {
    /// The system prompt.
    #[default]
    System,
    /// The input of a turn with this message.
    Turn(SourcedText),
    /// The input of a turn with this message, in compressed form: behind the turns of this session.
    Compressed(SourcedText, Arc<RecordedSession>),
    /// What is asked for when these results are put into words.
    Articulation(Vec<StepResult>),
}

impl PromptPart {
    /// The word in JSON; `None` for the system prompt, which has a mode.
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
    /// What a group of a header asks for, with its session file; `None` for a group without a shard. `name` is for a
    /// group that has none.
    #[must_use]
    pub fn of(group: &PreviewGroup, session: Option<SessionFile>, name: &str) -> Option<Self> {
        let (id, kind) = group.shard.as_ref()?;
        let mut context = PromptContext::of_shard(id.text.clone(), kind.text.clone());
        context.intent = group.intent.clone();
        if let Some(file) = &session {
            context.session = Some(file.session.clone());
            context.campaign_id = file.campaign_id.text.clone();
            context.vectors = file.vectors.clone();
            context.budget = file.budget;
            // What the header says counts more.
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

    /// The same under the limits that an agent's configuration sets. What a session file says of the budget counts more.
    #[must_use]
    pub fn within(mut self, limits: Option<&Arc<Limits>>) -> Self {
        let Some(limits) = limits else { return self };
        let (tokens, reserved) = self.context.budget;
        self.context.budget = (tokens.or(limits.prompt.0), reserved.or(limits.prompt.1));
        self.limits = Some(Arc::clone(limits));
        self
    }

    /// How many tokens the context of a shard of this type may have, where the agent has a configuration of its own.
    #[must_use]
    pub fn context_tokens(&self) -> Option<u64> {
        let limits = self.limits.as_deref()?;
        let kind = self.context.shard_type.trim_start_matches('/');
        Some(limits.shards.get(kind).unwrap_or(&limits.default).context_tokens)
    }
}
