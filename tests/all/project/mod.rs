//! The repository itself: documentation, examples, layers.

mod action;
mod documentation;
mod editors;
mod examples;
mod generated;
mod layering;
