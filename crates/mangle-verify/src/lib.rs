#![doc = include_str!("../README.md")]

mod candidates;
mod circuit;
mod cone;
mod input;
mod obstacle;
mod possible;
mod search;
mod symbolic;

pub use candidates::InputPredicate;
pub use input::Input;
pub use obstacle::Obstacle;
pub use search::{Outcome, Question, Scope, Searched, World, search};

#[cfg(test)]
mod tests;
