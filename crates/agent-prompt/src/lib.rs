#![doc = include_str!("../README.md")]

mod answers;
mod assembly;
mod compressed_input;
mod context;
mod header;
mod hybrid;
pub mod jit;
#[cfg(not(target_family = "wasm"))]
mod merges;
mod names;
mod origin;
mod preview;
mod provenance;
mod reference;
pub mod rules;
mod sections;
pub mod session;
#[cfg(test)]
mod testing;
pub mod texts;
mod tokens;
mod turn;
pub mod vocabulary;

pub use answers::{Answer, AnswerOrder, Arg, FactList, FactLocations, KernelAnswers, Querier, QueryPattern};
pub use assembly::{
    AssemblyRequest, Prompt, appends_in_jit_mode, assemble, has_envelope as names_envelope,
    is_structured_only,
};
pub use compressed_input::{RecordedSession, RecordedTurn};
pub use context::{
    DerivedContext, HEADROOM, MissingShard, PromptContext, RESERVED, TOKEN_BUDGET, TOP_K, stable_id,
};
pub use header::{Header, KEYS, PreviewGroup, PreviewSetting};
pub use hybrid::{DirectiveAtom, DirectiveFact, Directives};
pub use jit::{AtomAbsence, ExcludedAtom, IncludedAtom, Manifest};
pub use origin::{FactOrigin, FactOriginKind, LineOrigin, SourcedText, TextSource};
pub use preview::{
    AbsenceReason, BudgetSource, CapturedPrompt, LineReason, MAX_PROOFS, OpenedPlace, OriginPlace, Preview,
    PreviewSettings, PreviewState, PreviewedPrompt, PromptPart, PromptRequest, RuleAbsence,
    RuleAbsenceReason, StickyChanges, TokenBudget, undeclared_of_runtime,
};
pub use provenance::{
    AtomOutcome, AtomProvenance, ClauseId, FactProvenance, LineProvenance, OmissionReason, PromptProvenance,
    Provenance, SelectorProvenance, is_read, is_template,
};
pub use reference::reference;
pub use sections::{LineRole, Mode, PromptLine, Section, SectionKind, SectionSource, Wording};
pub use session::Intent;
pub use tokens::Estimator;
pub use turn::{articulation, turn_input};
