//! Editor features and the rule registry, one file per feature. Independent of the protocol and the
//! file system.
//!
//! The input is a snapshot of a program with an offset ([`Place`]); the output is plain data. All
//! features share the classification of words in [`mention`].

#![allow(missing_docs, reason = "the items are public for the program and its tests, not for others")]

pub mod assists;
pub mod call_hierarchy;
pub mod code_lens;
pub mod comparison;
pub mod completion;
pub mod conversation;
pub mod cursor;
pub mod definition;
#[cfg(test)]
mod describe_tests;
pub mod directives;
pub mod evaluation;
pub mod facts;
pub mod file_findings;
pub mod fixes;
pub mod folding;
pub mod format;
pub mod graph;
pub mod hover;
pub mod inlay_hints;
pub mod linked_editing;
pub mod links;
pub mod markup;
#[cfg(test)]
mod markup_tests;
pub mod mention;
mod place;
pub mod policy_tests;
pub mod preview_document;
pub mod previews;
pub mod query;
pub mod references;
pub mod registry;
pub mod rename;
pub mod replays;
pub mod reply_grammars;
pub mod semantic_tokens;
pub mod signature_help;
pub mod subject;
pub mod symbols;
pub mod syntax_tree;
#[cfg(test)]
pub(crate) mod testing;
pub mod transcripts;
pub mod verification;
pub mod vocabulary;

pub use place::{Analysis, Place};
