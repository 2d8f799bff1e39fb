#![doc = include_str!("../README.md")]

mod answers;
mod assembly;
mod captured_prompt;
mod compressed_input;
mod context;
mod derived_context;
mod header;
mod hybrid;
mod intent;
pub mod jit;
mod line;
mod manifest;
#[cfg(not(target_family = "wasm"))]
mod merges;
mod near;
mod origin;
mod preview;
mod prompt;
mod provenance;
mod quoted;
mod reference;
pub mod rules;
mod sections;
pub mod session;
mod sourced_text;
#[cfg(test)]
mod testing;
pub mod texts;
mod token_budget;
mod tokens;
mod turn;
#[cfg(target_family = "wasm")]
pub mod vocabulary;
mod wording;

pub use answers::{Answer, AnswerOrder, Arg, FactList, FactLocations, KernelAnswers, Querier, QueryPattern};
pub use assembly::{
    AssemblyRequest, appends_in_jit_mode, assemble, has_envelope as names_envelope, is_structured_only,
};
pub use captured_prompt::CapturedPrompt;
pub use compressed_input::{RecordedSession, RecordedTurn};
pub use context::{MissingShard, PromptContext};
pub use derived_context::{DerivedContext, HEADROOM, RESERVED, TOKEN_BUDGET, TOP_K, stable_id};
pub use header::{Header, KEYS, PreviewGroup, PreviewSetting};
pub use hybrid::{DirectiveAtom, DirectiveFact, Directives};
pub use intent::Intent;
pub use jit::AtomAbsence;
pub use line::{LineRole, PromptLine};
pub use manifest::{ExcludedAtom, IncludedAtom, Manifest};
pub use origin::{FactOrigin, FactOriginKind, LineOrigin};
pub use preview::{
    AbsenceReason, LineReason, MAX_PROOFS, OpenedPlace, OriginPlace, Preview, PreviewSettings, PreviewState,
    PreviewedPrompt, PromptPart, PromptRequest, RuleAbsence, RuleAbsenceReason, StickyChanges,
    undeclared_of_runtime,
};
pub use prompt::Prompt;
pub use provenance::{
    AtomOutcome, AtomProvenance, ClauseId, FactProvenance, LineProvenance, OmissionReason, PromptProvenance,
    Provenance, SelectorProvenance, is_read, is_template,
};
pub use reference::reference;
pub use sections::{Mode, Section, SectionKind, SectionSource};
pub use sourced_text::{SourcedText, TextSource};
pub use token_budget::{BudgetSource, TokenBudget};
pub use tokens::Estimator;
pub use turn::{articulation, turn_input};
pub use wording::Wording;
