#![doc = include_str!("../README.md")]

pub mod analysis;
pub mod declaration_text;
pub mod describe;
pub mod diagnostics;
mod fix_checks;
#[cfg(test)]
mod habits;
pub mod headings;
#[cfg(test)]
mod incremental_tests;
pub mod lines;
pub mod policy_test;
mod program_checks;
mod registry;
pub mod suppression;
#[cfg(test)]
mod syntax_tests;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod view;

pub use analysis::wording::excerpt;
pub use registry::{FileCheck, Registry};
pub use view::Analysis;
