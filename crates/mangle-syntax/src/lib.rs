//! Parses Mangle, a Datalog language for policies, and formats it; broken text yields what can be recognised.
//!
//! [`text`] has ranges, lines and columns, [`lint`] what a finding is, [`syntax`] the parser, its typed statements and the
//! formatter.

pub mod lint;
pub mod syntax;
pub mod text;
