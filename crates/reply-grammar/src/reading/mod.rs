//! Grammars as expressions again: what this library writes, and what people write in the same notations as long as it has
//! no recursion.

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

/// What is wrong with a grammar, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    /// The byte of the text from which on it is wrong.
    pub at: usize,
    /// The reason, as the end of a sentence.
    pub why: String,
    /// Whether it is right in its notation, and only more than is read here.
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

/// A part of a grammar whose rules are names still.
#[derive(Debug, Clone)]
enum Part {
    Expr(Expr),
    Sequence(Vec<Part>),
    Choice(Vec<Part>),
    Repeat(Box<Part>, u32, u32),
    Name(String, usize),
}

/// The rules of a grammar by their names.
type Rules = FxHashMap<String, Part>;

/// How deep parts may nest.
const MOST_LEVELS: usize = 200;

/// The expression of a rule, with those that it names.
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
        if self.open.contains(&name.as_str()) || self.open.len() > MOST_LEVELS {
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
