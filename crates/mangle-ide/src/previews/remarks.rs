//! Remarks above a prompt: the use of atoms in its mode, and undeclared predicates that the runtime
//! supplies.

use agent_prompt::{Mode, PreviewState, PreviewedPrompt, PromptPart, SectionSource, undeclared_of_runtime};

/// Returns the remarks, each as a sentence without a full stop.
pub(super) fn remarks(common: &PreviewState, shown: &PreviewedPrompt) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    if shown.request.part == PromptPart::System && common.has_atoms(shown) {
        all.extend(of_mode(shown).map(str::to_owned));
    }
    for (name, fact) in undeclared_of_runtime(common, shown) {
        let gives = match fact {
            Some(fact) => format!("and so does this preview: `{fact}`"),
            None => "but this preview does not, because it adds no facts of its own".to_owned(),
        };
        all.push(format!("`{name}` has no `Decl` here; the runtime declares and asserts it, {gives}"));
    }
    all
}

/// Describes the treatment of atoms in modes without the prompt compiler.
fn of_mode(shown: &PreviewedPrompt) -> Option<&'static str> {
    let base = shown.prompt.sections.iter().find(|section| section.kind.as_str() == "base");
    match (shown.prompt.mode, base.map(|section| &section.from)) {
        _ if shown.prompt.fallback.is_some() => None,
        (Mode::Jit, _) => None,
        (Mode::Section, _) => {
            Some("`section` shows the context that the kernel injects, without prompt atoms")
        }
        (Mode::Legacy, Some(SectionSource::Atoms)) => Some(
            "`legacy` uses no prompt compiler: its base is the mandatory atoms whose selectors match, all other atoms are \
             ignored, and no reply format is appended to atoms",
        ),
        (Mode::Legacy, Some(SectionSource::Kernel)) => Some(
            "`legacy` uses no prompt compiler: its base is the template of `shard_prompt_base`, and all prompt atoms are ignored",
        ),
        (Mode::Legacy, _) => Some(
            "`legacy` uses no prompt compiler: no mandatory atom matches, so its base is a built-in text, and all prompt atoms \
             are ignored",
        ),
    }
}
