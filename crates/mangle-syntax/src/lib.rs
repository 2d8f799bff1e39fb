#![doc = include_str!("../README.md")]

pub mod lint;
pub mod memo;
pub mod parallel;
pub mod syntax;
pub mod text;
