//! Updates: the strings of `mangle_updates`. Each update should be one ground fact of a known
//! predicate.
//!
//! The inputs are the updates of a packet ([`Update`]) and the declarations of the program
//! ([`Declarations`]). The results are findings with ranges and edits in the reply ([`check`]), and
//! each update as a text for editor features ([`atom_text`]). The runtime's own handling of updates
//! is in [`super::runtime`].

mod arguments;
mod check;
mod context;
mod declaration_place;
mod declarations;
mod edits;
mod lists;
mod offer;
mod permission_dependencies;
mod predicate;
mod read;
mod recogniser;
pub mod rules;
mod scan;
mod statements;
mod suggest;
#[cfg(test)]
mod tests;
mod text;
mod types;
mod update;

pub use check::{check, check_transition, is_sound};
pub use context::UpdateContext;
pub use declaration_place::DeclarationPlace;
pub use declarations::{
    Declarations, DeclaredPredicate, ParameterNames, PredicateLookup, contradicted_prose,
};
pub use lists::{ListedPredicate, is_delicate, is_ephemeral, protected};
pub use offer::{may_be_offered, may_name_be_offered, offers};
pub use permission_dependencies::{PERMISSION, PermissionDependency, Roots};
pub(super) use recogniser::UpdateRecogniser;
pub use suggest::{Suggestion, suggest};
pub use update::{Update, atom_text};

/// The title of the fix that deletes an update.
pub const DELETE_UPDATE: &str = "delete the update";
