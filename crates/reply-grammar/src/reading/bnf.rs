//! Parser for GBNF and XGrammar grammars.

use super::scanner::{Notation, Scanner};
use super::{ReadError, Rules, resolve};
use crate::class::CharClass;
use crate::expr::Expr;

enum Bnf {}

impl Notation for Bnf {
    const DEFINES: &'static str = "::=";
    const COMMENTS: &'static [&'static str] = &["#"];

    fn special(scanner: &mut Scanner<'_>) -> Option<Result<Expr, ReadError>> {
        if scanner.take("[") {
            return Some(scanner.class());
        }
        scanner.take(".").then(|| Ok(Expr::Class(CharClass::chars("").complement())))
    }
}

/// Parses a grammar. Returns the expression of the rule `root`.
///
/// # Errors
///
/// If the grammar is invalid or recursive.
pub fn read_bnf(text: &str) -> Result<Expr, ReadError> {
    let mut scanner = Scanner::new(text);
    let mut rules = Rules::default();
    loop {
        scanner.skip::<Bnf>();
        if scanner.rest().is_empty() {
            return resolve("root", &rules);
        }
        let Some(name) = scanner.name() else { return scanner.error("a rule has no name") };
        scanner.skip::<Bnf>();
        if !scanner.take(Bnf::DEFINES) {
            return scanner.error(format!("there is no `::=` after `{name}`"));
        }
        let body = scanner.alternatives::<Bnf>()?;
        rules.insert(name.to_owned(), body);
    }
}
