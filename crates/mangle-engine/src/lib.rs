#![doc = include_str!("../README.md")]

pub mod kernel;
pub mod program;
pub mod types;
