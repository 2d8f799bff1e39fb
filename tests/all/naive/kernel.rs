//! The kernel's answers in the words of the second evaluator.

use std::sync::Arc;

use mangle_engine::kernel::{Clock, CompiledProgram, Limits, Model, Reading, Values, compile, evaluate, run};
use mangle_engine::program::{PredicateId, PredicateKey};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::StatementKind;
use mangle_syntax::text::{Cancel, Symbol};

use super::evaluate::{Facts, Tuple};
use super::syntax::Program;
use super::value::Value;

pub const CLOCK: Clock = Clock { now_ns: 0 };

/// A program that was run.
pub struct Run {
    pub program: mangle_engine::program::Program,
    pub compiled: Arc<CompiledProgram>,
    pub model: Model,
}

pub fn kernel(text: &str, reading: Reading) -> Run {
    let program = crate::support::program(&[text]);
    let compiled = compile(&program, reading);
    let model = run(&compiled, Limits::default(), CLOCK, &Cancel::new());
    Run { program, compiled, model }
}

impl Run {
    pub fn id(&self, name: &str, arity: usize) -> Option<PredicateId> {
        self.program.id(PredicateKey { name: Symbol::new(name), arity: u16::try_from(arity).unwrap() })
    }

    /// The tuples of a predicate in the order of their numbers.
    pub fn tuples(&self, name: &str, bags: &[bool]) -> Vec<Tuple> {
        let Some(id) = self.id(name, bags.len()) else { return Vec::new() };
        let value = |(id, bag): (&_, &bool)| {
            let value = Value::from_id(&self.model.values, *id);
            if *bag { value.unordered() } else { value }
        };
        let tuples = self.model.relation(id).unwrap().tuples();
        tuples.map(|tuple| tuple.iter().zip(bags).map(value).collect()).collect()
    }

    /// All facts.
    pub fn facts(&self, program: &Program) -> Facts {
        let mut all = Facts::new();
        for (name, bags) in &program.bags {
            let tuples: std::collections::BTreeSet<_> = self.tuples(name, bags).into_iter().collect();
            if !tuples.is_empty() {
                all.insert((name.clone(), bags.len()), tuples);
            }
        }
        all
    }
}

/// An atom as it is printed: its name, and its arguments, `None` for `_`.
pub fn parse(atom: &str) -> (String, Vec<Option<Value>>) {
    let text = format!("{atom} .");
    let file = SourceFile::parse(text.as_str().into());
    let item = file.items().first().unwrap_or_else(|| panic!("{atom} is no atom")).clone();
    let StatementKind::Clause(clause) = &item.statement.kind else { panic!("{atom} is no atom") };
    assert!(!item.statement.damaged && file.items().len() == 1, "{atom} cannot be read");
    let mut values = Values::new();
    let value = |arg: &mangle_syntax::syntax::ast::Term| {
        if arg.is_wildcard() {
            return None;
        }
        let id = evaluate(arg, &text, &mut values, Some(&CLOCK)).unwrap().unwrap_or_else(|| panic!("{atom}"));
        Some(Value::from_id(&values, id))
    };
    (clause.head.name.symbol.as_str().to_owned(), clause.head.args.iter().map(value).collect())
}
