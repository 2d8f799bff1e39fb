//! Which prompts a kernel is previewed with: those of its header, as far as a request does not say otherwise. The check, the
//! command `preview` and the editor all go through [`PreviewFiles::requested`].

use std::sync::Arc;

use super::preview_files::{PreviewFiles, SessionText};
use agent_prompt::jit::JitCompiler;
use agent_prompt::{CapturedPrompt, Mode, PreviewGroup, PromptPart, PromptRequest, SourcedText};

/// Which prompts of a kernel are requested. What it leaves open, the header says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PreviewRequest {
    /// The preview of this name; without it all.
    pub name: Option<String>,
    /// For another shard: its id, and perhaps its type.
    pub shard: Option<(String, Option<String>)>,
    /// Assembled in another way.
    pub mode: Option<Mode>,
    /// Which part. The words of a turn and the results of an articulation are those of the session file.
    pub part: RequestedPart,
}

/// What is requested of a prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RequestedPart {
    /// The system prompt.
    #[default]
    System,
    /// The input of a turn.
    Turn,
    /// What is asked for when results are put into words.
    Articulation,
}

impl RequestedPart {
    /// The words for all but the system prompt.
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

/// A prompt that a header asks for, with the files that it names.
#[derive(Default)]
struct NamedPrompt<'f> {
    group: PreviewGroup,
    session: Option<&'f Arc<SessionText>>,
    compiler: Option<Arc<JitCompiler>>,
    captured: Option<Arc<CapturedPrompt>>,
}

impl PreviewFiles {
    /// The prompts that are requested, each with its session file: `session`, else that of the header. `stem` is the name of
    /// a prompt that has none.
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

    /// The prompts of the header of this name, or all; of a header without any the one that a request may describe.
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
        let wanted = PromptRequest::of(&group, file, stem)?;
        let wanted = PromptRequest { mode: request.mode.or(wanted.mode), part, compiler, captured, ..wanted };
        Some(wanted.within(self.limits.as_ref()))
    }
}

/// What a prompt of a header is called: by its `name:`, else as its file.
#[must_use]
pub fn prompt_name<'g>(group: &'g PreviewGroup, stem: &'g str) -> &'g str {
    if group.name.is_empty() { stem } else { &group.name }
}
