//! What is wanted of a preview: for whom, and how.

use std::sync::Arc;

use crate::prompt::context::Context;
use crate::prompt::header::Group;
use crate::prompt::jit::JitCompiler;
use crate::prompt::said::Said;
use crate::prompt::sections::Mode;
use crate::prompt::session::{SessionFile, StepResult};
use crate::text::TextRange;

/// A prompt that is wanted.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// What it is called.
    pub name: String,
    /// The comment that asks for it; empty where the caller does.
    pub range: TextRange,
    /// Where the id and the type of the shard are said; empty where the caller does.
    pub shard: (TextRange, TextRange),
    /// For whom.
    pub context: Context,
    /// How; `None` leaves it to the settings.
    pub mode: Option<Mode>,
    /// The session file that the context was read from.
    pub session: Option<SessionFile>,
    /// The prompt compiler with the atoms that the kernel names, in place of those of the settings.
    pub compiler: Option<Arc<JitCompiler>>,
    /// What of it.
    pub part: Part,
}

/// What is wanted for a shard.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Part {
    /// The system prompt.
    #[default]
    System,
    /// The input of a turn with this message.
    Turn(Said),
    /// What is asked for when these results are put into words.
    Articulation(Vec<StepResult>),
}

impl Part {
    /// The word in JSON; `None` for the system prompt, which has a mode.
    #[must_use]
    pub fn word(&self) -> Option<&'static str> {
        match self {
            Self::System => None,
            Self::Turn(_) => Some("turn"),
            Self::Articulation(_) => Some("articulation"),
        }
    }
}

impl Wanted {
    /// What a group of a header asks for, with its session file; `None` for a group without a shard. `name` is for a
    /// group that has none.
    #[must_use]
    pub fn of(group: &Group, session: Option<SessionFile>, name: &str) -> Option<Self> {
        let (id, kind) = group.shard.as_ref()?;
        let mut context = Context::of_shard(id.text.clone(), kind.text.clone());
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
            part: Part::System,
        })
    }
}
