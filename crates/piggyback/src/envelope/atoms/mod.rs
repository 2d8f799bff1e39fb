//! Updates: the strings of `mangle_updates`, each of which should be one ground fact that the program knows.
//!
//! Takes the updates of a packet ([`Update`]) and what the program says of predicates ([`Declarations`]); gives
//! findings with ranges and edits in the reply ([`check`]), and each update as a text for the features of an editor
//! ([`atom_text`]). What the runtime itself makes of updates is in [`super::runtime`].

mod arguments;
mod check;
mod context;
mod declaration_place;
mod declarations;
mod edits;
mod grounds;
mod lists;
mod offer;
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
pub use grounds::{Ground, PERMISSION, Roots};
pub use lists::{ListedPredicate, is_delicate, is_ephemeral, protected};
pub use offer::{may_be_offered, may_name_be_offered, offers};
pub(super) use recogniser::UpdateRecogniser;
pub use suggest::{Suggestion, suggest};
pub use update::{Update, atom_text};

/// The title of the fix that takes an update out.
pub const DELETE_UPDATE: &str = "delete the update";
