//! The repository itself: documentation, examples, layers.

mod action;
pub(crate) mod blocks;
mod circles;
mod command_pages;
mod documentation;
mod editors;
mod examples;
mod functions;
mod generated;
mod layering;
mod playground_rules;
mod prose;
mod words;
