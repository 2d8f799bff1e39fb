//! Selection of the prompts in a preview: the prompts of the kernel's header, with the overrides
//! of a request. The check, the command `preview` and the editor all use
//! [`PreviewFiles::requested`].

use std::sync::Arc;

use super::preview_files::{PreviewFiles, SessionText};
use agent_prompt::jit::JitCompiler;
use agent_prompt::{CapturedPrompt, Mode, PreviewGroup, PromptPart, PromptRequest, SourcedText};

/// A selection of prompts of a kernel. Unset fields use the values of the header.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PreviewRequest {
    /// The name of a preview. `None` selects all.
    pub name: Option<String>,
    /// A different agent role (shard): its id, and optionally its type.
    pub shard: Option<(String, Option<String>)>,
    /// A different prompt mode.
    pub mode: Option<Mode>,
    /// The part of the prompt. The input of a turn and the results of an articulation come from
    /// the session file.
    pub part: RequestedPart,
}

/// A part of a prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RequestedPart {
    #[default]
    System,
    /// The user input of a turn.
    Turn,
    /// The request to put results into words.
    Articulation,
}

impl RequestedPart {
    /// Parses the keyword of a part other than the system prompt.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "system" => Some(Self::System),
            "turn" => Some(Self::Turn),
            "articulation" => Some(Self::Articulation),
            _ => None,
        }
    }
}

/// A prompt in a header, with the files that the header names.
#[derive(Default)]
struct NamedPrompt<'f> {
    group: PreviewGroup,
    session: Option<&'f Arc<SessionText>>,
    compiler: Option<Arc<JitCompiler>>,
    captured: Option<Arc<CapturedPrompt>>,
}

impl PreviewFiles {
    /// Returns the requested prompts, each with its session file. `session` overrides the session
    /// file of the header. `stem` is the name of unnamed prompts.
    #[must_use]
    pub fn requested(
        &self,
        request: &PreviewRequest,
        session: Option<&Arc<SessionText>>,
        stem: &str,
    ) -> Vec<(PromptRequest, Option<Arc<SessionText>>)> {
        let prompts = self.named_prompts(request.name.as_deref(), stem).into_iter();
        prompts
            .filter_map(|prompt| {
                let session = session.or(prompt.session).map(Arc::clone);
                let wanted = self.wanted(request, prompt, session.as_ref(), stem)?;
                Some((wanted, session))
            })
            .collect()
    }

    /// Returns the prompts of the header with this name, or all prompts. If the header has no
    /// prompt, returns a default prompt for the request to override.
    fn named_prompts(&self, name: Option<&str>, stem: &str) -> Vec<NamedPrompt<'_>> {
        if self.header.groups.is_empty() && name.is_none_or(|name| name == stem) {
            return vec![NamedPrompt::default()];
        }
        let files = self.sessions.iter().zip(self.atoms.iter().zip(&self.captured));
        let groups = self.header.groups.iter().zip(files);
        let prompts = groups.map(|(group, (session, (atoms, captured)))| NamedPrompt {
            group: group.clone(),
            session: session.as_ref(),
            compiler: atoms.as_ref().map(|atoms| atoms.compiler()),
            captured: captured.clone(),
        });
        prompts.filter(|prompt| name.is_none_or(|name| name == prompt_name(&prompt.group, stem))).collect()
    }

    fn wanted(
        &self,
        request: &PreviewRequest,
        prompt: NamedPrompt<'_>,
        session: Option<&Arc<SessionText>>,
        stem: &str,
    ) -> Option<PromptRequest> {
        let NamedPrompt { mut group, compiler, captured, .. } = prompt;
        if let Some((id, kind)) = &request.shard {
            let own = group.shard.as_ref().filter(|(own, _)| own.text == *id);
            let known = own.or(group.shard.as_ref()).map(|(_, kind)| kind.text.clone());
            let kind = kind.clone().or(known)?;
            if own.is_none_or(|(_, own)| own.text != kind) {
                group.shard = Some((SourcedText::by_caller(id.clone()), SourcedText::by_caller(kind)));
            }
        }
        let file = session.map(|session| session.file.clone());
        let part = match request.part {
            RequestedPart::System => PromptPart::System,
            RequestedPart::Turn => {
                PromptPart::Turn(file.as_ref().map(|file| file.user_input.clone()).unwrap_or_default())
            }
            RequestedPart::Articulation => {
                PromptPart::Articulation(file.as_ref().map(|file| file.results.clone()).unwrap_or_default())
            }
        };
        let wanted = PromptRequest::from_group(&group, file, stem)?;
        let wanted = PromptRequest { mode: request.mode.or(wanted.mode), part, compiler, captured, ..wanted };
        Some(wanted.within(self.limits.as_ref()))
    }
}

/// Returns the name of a prompt in a header: its `name:`, or `stem`.
#[must_use]
pub fn prompt_name<'g>(group: &'g PreviewGroup, stem: &'g str) -> &'g str {
    if group.name.is_empty() { stem } else { &group.name }
}
