#![doc = include_str!("../README.md")]

mod answer;
mod candidates;
mod circuit;
mod cone;
mod input;
mod obstacle;
mod possible;
mod question;
mod search;
mod symbolic;

pub use answer::{Answer, Covered, Verdict, verify};
pub use candidates::InputPredicate;
pub use input::Input;
pub use obstacle::Obstacle;
pub use question::{Setup, properties, question};
pub use search::{Outcome, Question, Scope, Searched, World, search};

#[cfg(test)]
mod tests;
