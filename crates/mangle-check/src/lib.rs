//! Checks Mangle programs: the rules about them, their fixes, the comments that silence them, and the tests of policies.
//!
//! [`diagnostics`] runs the rules over a program. [`analysis`] has the rules, a folder a family; [`fix_checks`] decides which
//! fixes are safe; [`suppression`] reads silencing comments, which name the rules of a [`Registry`]; [`policy_test`] runs the
//! cases of test files.

pub mod analysis;
pub mod declaring;
pub mod describe;
pub mod diagnostics;
mod fix_checks;
pub mod headings;
pub mod lines;
pub mod policy_test;
mod registry;
pub mod suppression;
#[cfg(test)]
mod syntax_tests;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod view;

pub use registry::{FileCheck, Registry};
pub use view::Analysis;
