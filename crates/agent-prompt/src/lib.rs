#![doc = include_str!("../README.md")]

mod allowance;
mod answers;
mod assembly;
mod captured;
mod compressed;
mod context;
mod derived;
mod fed;
mod header;
mod hybrid;
pub mod jit;
mod manifest;
mod near;
mod origin;
mod preview;
mod reference;
pub mod rules;
mod said;
mod sections;
pub mod session;
pub mod texts;
mod tokens;
mod turn;
mod wording;

pub use allowance::{Allowance, Decided};
pub use answers::{Answer, Arg, KernelAnswers, Listed, Marks, Order, Pattern, Querier};
pub use assembly::{Request, appends_in_jit_mode, assemble, is_structured_only};
pub use captured::Captured;
pub use compressed::{Recorded, RecordedTurn};
pub use context::{Context, Incomplete, Intent};
pub use derived::{Derived, HEADROOM, RESERVED, TOKEN_BUDGET, TOP_K, stable_id};
pub use fed::{
    AtomFate, ClauseId, Fed, FedAtom, FedFact, FedLine, FedPrompt, FedSelector, Missing, is_read, is_template,
};
pub use header::{Group, Header, KEYS, PreviewSetting};
pub use hybrid::{DirectiveAtom, DirectiveFact, Directives};
pub use jit::KnownAtom;
pub use manifest::{Dropped, Manifest, Selected};
pub use origin::{Held, HeldKind, Origin};
pub use preview::{
    Common, MOST_PROOFS, Opened, OriginPlace, Part, Preview, PreviewSettings, RuleAbsence, RuleWhy, Shown,
    Stuck, Wanted, Why, WhyNot, undeclared_of_runtime,
};
pub use reference::reference;
pub use said::{Said, Source};
pub use sections::{From, Line, Mode, Prompt, Role, Section, SectionKind};
pub use tokens::Estimator;
pub use turn::{articulation, turn_input};
pub use wording::Wording;
