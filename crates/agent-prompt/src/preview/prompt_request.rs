//! Request for a preview: shard, situation and settings.

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
