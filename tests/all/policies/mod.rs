//! What is found in policies, and what features of editors make of them.

mod completion;
mod conformance;
mod corpus;
mod engine_capabilities;
mod engine_versions;
mod fixes;
mod format;
mod format_hostile;
mod idioms;
mod incremental;
mod language;
mod navigation;
mod pairs;
mod rename;
mod slugs;
mod stores;
mod worlds;

pub(crate) use conformance::is_about_types;
