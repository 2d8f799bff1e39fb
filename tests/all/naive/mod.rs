//! A second evaluator, as simple as one can be, to compare the kernel with, and programs to compare them on.
//!
//! It knows no indices, no numbers of tuples and no deltas: facts are sets of tuples, a body is evaluated premise by
//! premise over lists of environments, and a component of the program again and again until nothing is added. It
//! shares no code with the kernel: its own values, its own clauses, its own built-ins. Programs are made for it
//! (`generate`) and printed for the kernel (`syntax`), whose answers are read back (`kernel`).

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

pub mod builtin;
pub mod compare;
pub mod evaluate;
pub mod generate;
pub mod kernel;
pub mod syntax;
pub mod value;
