//! Rules and their findings: [`Rule`], [`Finding`], [`Fix`], and placed findings, [`Diagnostic`].
//!
//! Rules are defined in the modules that implement them (`syntax`, `analysis`, …). The registry of
//! all rules is in `ide`.

mod diagnostic;
mod document;
mod finding;
mod placement;
mod rule;
mod shared_text;
pub mod wording;

pub use diagnostic::{Diagnostic, FileEdit, RelatedPlace, ResolvedFix};
pub use document::{rule, rules};
pub use finding::{Anchor, Applicability, Edit, Finding, Fix, Related, Span};
pub use placement::Placement;
pub use rule::{EngineOutcome, FixKind, Group, Rule, Severity, address};
pub use shared_text::{MAX_TEXT_LEN, SharedText};
