//! Parsers for grammars: the notations that this library writes, without recursion.

mod bnf;
mod lark;
mod pattern;
mod scanner;

pub use bnf::read_bnf;
pub use lark::read_lark;
pub use pattern::read_pattern;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::expr::{Expr, Rule};

/// An error in a grammar, with its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    /// The byte offset of the error.
    pub at: usize,
    /// The reason, as the end of a sentence.
    pub why: String,
    /// True if the grammar is valid in its notation but uses unsupported features.
    pub is_beyond: bool,
}

impl ReadError {
    fn new(at: usize, why: impl Into<String>) -> Self {
        Self { at, why: why.into(), is_beyond: false }
    }

    fn beyond(at: usize, why: impl Into<String>) -> Self {
        Self { is_beyond: true, ..Self::new(at, why) }
    }
}

/// A part of a grammar with unresolved rule names.
#[derive(Debug, Clone)]
enum Part {
    Expr(Expr),
    Sequence(Vec<Part>),
    Choice(Vec<Part>),
    Repeat(Box<Part>, u32, u32),
    Name(String, usize),
}

/// The rules of a grammar by name.
type Rules = FxHashMap<String, Part>;

/// The maximum nesting depth.
const MAX_LEVELS: usize = 200;

/// The expression of a rule with resolved names.
fn resolve(root: &str, rules: &Rules) -> Result<Expr, ReadError> {
    let mut resolver = Resolver { rules, done: FxHashMap::default(), open: Vec::new() };
    resolver.rule(root, 0)
}

struct Resolver<'r> {
    rules: &'r Rules,
    done: FxHashMap<&'r str, Arc<Rule>>,
    open: Vec<&'r str>,
}

impl<'r> Resolver<'r> {
    fn rule(&mut self, name: &str, at: usize) -> Result<Expr, ReadError> {
        let Some((name, part)) = self.rules.get_key_value(name) else {
            return Err(ReadError::new(at, format!("there is no rule `{name}`")));
        };
        if let Some(done) = self.done.get(name.as_str()) {
            return Ok(Expr::Rule(Arc::clone(done)));
        }
        if self.open.contains(&name.as_str()) || self.open.len() > MAX_LEVELS {
            return Err(ReadError::beyond(at, format!("rule `{name}` is recursive")));
        }
        self.open.push(name);
        let body = self.part(part)?;
        self.open.pop();
        let rule = Arc::new(Rule { name: name.clone(), body, is_terminal: false });
        self.done.insert(name, Arc::clone(&rule));
        Ok(Expr::Rule(rule))
    }

    fn part(&mut self, part: &'r Part) -> Result<Expr, ReadError> {
        Ok(match part {
            Part::Expr(expr) => expr.clone(),
            Part::Sequence(parts) => Expr::Sequence(self.parts(parts)?),
            Part::Choice(parts) => Expr::choice(self.parts(parts)?),
            Part::Repeat(part, least, most) => self.part(part)?.repeat(*least, *most),
            Part::Name(name, at) => self.rule(name, *at)?,
        })
    }

    fn parts(&mut self, parts: &'r [Part]) -> Result<Vec<Expr>, ReadError> {
        parts.iter().map(|part| self.part(part)).collect()
    }
}
