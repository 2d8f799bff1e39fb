#![doc = include_str!("../README.md")]

pub mod envelope;
pub mod transcript;
