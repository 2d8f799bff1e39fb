//! What a rule is and what it says: [`Rule`], [`Finding`], [`Fix`], and the findings as every
//! output shows them, [`Diagnostic`].
//!
//! Rules themselves live with what they judge (`syntax`, `analysis`, …); the registry that joins
//! them is in `ide`.

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
pub use shared_text::{LONGEST_TEXT, SharedText};
