//! Settings as plain structs, and their reading from the text of a `mangle-ls.toml`.
//!
//! Takes text; gives [`RuleSettings`] and its kin. Files are found and read by `host`.

mod rules;

pub use rules::RuleSettings;
