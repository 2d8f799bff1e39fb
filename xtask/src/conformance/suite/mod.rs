//! The conformance suite for other implementations: cases as JSON lines, and the comparison of answers with them.
//!
//! The README of an exported suite (`tests/conformance/suite/README.md`) documents the format. This module depends on nothing else of
//! the repository, because the tests of the product also compile it.

mod agreement;
mod answer;
pub(crate) mod case;
pub(crate) mod compare;
pub(crate) mod export;
pub(crate) mod kind;
mod language;
pub(crate) mod read;
mod runtime;
