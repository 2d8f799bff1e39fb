//! The exported conformance suite: the product agrees with it, and faulty suites or answers are reported.

mod answers;
#[path = "../../../xtask/src/conformance/suite/mod.rs"]
mod suite;
mod tests;
