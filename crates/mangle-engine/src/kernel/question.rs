//! Queries: an atom with known and unknown arguments, and the facts that match it. Queries that are
//! not valid atoms, such as text typed by hand, are rejected with a suggested correction.

use super::{CompiledProgram, Model, ValueId, evaluate};
use crate::program::{Predicate, PredicateId, PredicateKey, Program, key_of};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::{Atom, Clause, TermKind};
use mangle_syntax::text::{Symbol, nearest, slice};

/// A query atom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The predicate.
    pub predicate: PredicateId,
    /// The required value of each argument. `None` for variables and `_`.
    pub wanted: Vec<Option<ValueId>>,
    /// The names of the variables, by argument.
    pub variables: Vec<Option<Symbol>>,
}

impl Query {
    /// Parses an atom, with or without a full stop.
    ///
    /// # Errors
    /// If the text is not an atom, or the program does not contain the predicate. The message has
    /// no full stop, and includes a correction if one is known.
    pub fn read(text: &str, program: &Program, model: &mut Model) -> Result<Self, String> {
        let text = format!("{}.", text.trim().trim_end_matches('.'));
        let no_atom = |text: &str| no_atom(text.trim_end_matches('.'), program);
        let source = SourceFile::parse(text.as_str().into());
        let [item] = &source.items()[..] else { return Err(no_atom(&text)) };
        let clause = item.statement.clause().filter(|clause| clause.is_fact() && !item.statement.damaged);
        let clause = clause.ok_or_else(|| no_atom(&text))?;
        if clause.interval.is_some() {
            return Err(format!(
                "`{}` has an interval, which a query cannot have",
                text.trim_end_matches('.')
            ));
        }
        let atom = &clause.head;
        let predicate = program.id(key_of(atom)).ok_or_else(|| match text.contains('(') {
            true => unknown(atom, &text, program),
            false => no_atom(&text),
        })?;
        let mut wanted = Vec::with_capacity(atom.args.len());
        for term in &atom.args {
            wanted.push(match term.kind {
                TermKind::Variable(_) | TermKind::Wildcard => None,
                _ => {
                    let value =
                        evaluate(term, &text, &mut model.values, None).map_err(|(_, why)| why.to_string())?;
                    Some(value.ok_or_else(|| no_atom(&text))?)
                }
            });
        }
        Ok(Self { predicate, wanted, variables: atom.args.iter().map(|term| term.variable()).collect() })
    }

    /// The numbers of the matching facts, in the order of derivation.
    #[must_use]
    pub fn answers(&self, model: &Model, compiled: &CompiledProgram) -> Vec<u32> {
        let Some(relation) = model.relation(self.predicate) else { return Vec::new() };
        debug_assert!(compiled.predicates() > self.predicate.0);
        let fits = |(_, tuple): &(u32, &[ValueId])| {
            let has = self
                .wanted
                .iter()
                .zip(*tuple)
                .all(|(wanted, value)| wanted.is_none_or(|wanted| wanted == *value));
            has && self.is_consistent(tuple)
        };
        (0u32..).zip(relation.tuples()).filter(fits).map(|(number, _)| number).collect()
    }

    /// True if each repeated variable has a single value.
    fn is_consistent(&self, tuple: &[ValueId]) -> bool {
        self.variables.iter().enumerate().all(|(at, name)| {
            let first = name.and_then(|name| self.variables.iter().position(|other| *other == Some(name)));
            first.is_none_or(|first| tuple.get(first) == tuple.get(at))
        })
    }
}

/// The error message for an unknown predicate, with other arities or a similar name.
fn unknown(atom: &Atom, text: &str, program: &Program) -> String {
    let key = key_of(atom);
    let named: Vec<_> = program.named(key.name).map(|predicate| predicate.key).collect();
    if !named.is_empty() {
        let listed: Vec<_> = named.iter().map(|other| format!("`{other}`")).collect();
        let but = format!("there is no predicate `{key}`, but {}", listed.join(", "));
        let written = match named.as_slice() {
            [only] => with_arity(atom, text, usize::from(only.arity)),
            _ => None,
        };
        return written.map_or_else(|| but.clone(), |written| format!("{but}; write `{written}`"));
    }
    let exists = |predicate: &&Predicate| predicate.exists();
    let names = program.predicates.iter().filter(exists).map(|predicate| predicate.key.name.as_str());
    match nearest(key.name.as_str(), names) {
        Some(near) => format!("there is no predicate `{key}`; did you mean `{near}`?"),
        None => format!("there is no predicate `{key}`"),
    }
}

/// The error message for a `text` that is not an atom, with a correction if one is known.
fn no_atom(text: &str, program: &Program) -> String {
    if let Some(written) = bare_name(text, program) {
        return format!("a query is an atom: write `{written}`");
    }
    if let Some(written) = undecorated(text) {
        return format!("a query is an atom alone: write `{written}`");
    }
    if let Some(written) = with_values(text, program) {
        return other_arity(&written, program).unwrap_or_else(|| {
            format!("names begin with a slash and strings have quotes: write `{written}`")
        });
    }
    let closed = format!("{text})");
    if is_atom(&closed) {
        return format!("a `)` is missing: write `{closed}`");
    }
    if is_body(text) {
        return "a query is one atom; put several premises into a rule, and query its head".to_owned();
    }
    let example = program.predicates.iter().find(|predicate| predicate.exists());
    let example =
        example.map_or_else(|| "permitted(Action, /alice)".to_owned(), |predicate| any_fact(predicate.key));
    format!("`{text}` is not an atom, such as `{example}`")
}

/// The atom with `_` for its missing arguments, if it has fewer than `arity`.
fn with_arity(atom: &Atom, text: &str, arity: usize) -> Option<String> {
    let missing = arity.checked_sub(atom.args.len()).filter(|missing| *missing > 0)?;
    let mut args: Vec<&str> = atom.args.iter().map(|arg| slice(text, arg.range)).collect();
    args.extend(std::iter::repeat_n("_", missing));
    Some(format!("{}({})", atom.name.as_str(), args.join(", ")))
}

/// The error message if the corrected atom has the wrong number of arguments.
fn other_arity(text: &str, program: &Program) -> Option<String> {
    let terminated = format!("{text}.");
    let source = SourceFile::parse(terminated.as_str().into());
    let head = &source.items().first()?.statement.clause()?.head;
    program.id(key_of(head)).is_none().then(|| unknown(head, &terminated, program))
}

fn is_atom(text: &str) -> bool {
    let source = SourceFile::parse(format!("{text}.").as_str().into());
    let [item] = &source.items()[..] else { return false };
    !item.statement.damaged && item.statement.clause().is_some_and(Clause::is_fact)
}

/// True if a text consists of several premises.
fn is_body(text: &str) -> bool {
    let source = SourceFile::parse(format!("e() :- {text}.").as_str().into());
    let [item] = &source.items()[..] else { return false };
    let premises = item.statement.clause().map_or(0, |clause| clause.premises.len());
    !item.statement.damaged && premises > 1
}

/// Corrects `permitted` and `permitted/3`.
fn bare_name(text: &str, program: &Program) -> Option<String> {
    let (name, arity) = match text.split_once('/') {
        Some((name, arity)) => (name, Some(arity.parse::<u16>().ok()?)),
        None => (text, None),
    };
    let fits = |predicate: &&Predicate| arity.is_none_or(|arity| arity == predicate.key.arity);
    let mut named = program.named(Symbol::new(name.trim())).filter(|predicate| predicate.exists());
    named.find(fits).map(|predicate| any_fact(predicate.key))
}

/// Corrects `?- p(X)`, `p(X)?` and `!p(X)`.
fn undecorated(text: &str) -> Option<String> {
    let signs = |char: char| char.is_whitespace() || matches!(char, '?' | '!' | ':' | '-' | '.' | ';');
    let inner = text.trim_matches(signs);
    (inner != text && is_atom(inner)).then(|| inner.to_owned())
}

/// Replaces plain words in an atom by names or strings, according to the bounds of the predicate.
fn with_values(text: &str, program: &Program) -> Option<String> {
    let (name, rest) = text.split_once('(')?;
    let inner = rest.strip_suffix(')')?;
    let args: Vec<&str> = inner.split(',').collect();
    let is_word = |arg: &str| {
        let arg = arg.trim();
        arg.starts_with(|char: char| char.is_ascii_lowercase())
            && arg.chars().all(|char| char.is_ascii_alphanumeric() || "_-./".contains(char))
    };
    if !args.iter().any(|arg| is_word(arg)) {
        return None;
    }
    let mut written = Vec::new();
    for (at, arg) in args.iter().enumerate() {
        let word = arg.trim();
        let value = match is_word(arg) {
            true if is_text(program, name.trim(), at, word) => format!("\"{word}\""),
            true => format!("/{word}"),
            false => word.to_owned(),
        };
        written.push(arg.replacen(word, &value, 1));
    }
    let written = format!("{name}({})", written.join(","));
    is_atom(&written).then_some(written)
}

/// True if a word stands for a string. Either the argument is declared as a string, or it is
/// undeclared and the word cannot be a name.
fn is_text(program: &Program, name: &str, at: usize, word: &str) -> bool {
    let declared = program.named(Symbol::new(name)).find_map(|predicate| {
        let (file, statement, _) = predicate.signature.declared?;
        let ty = program.declaration(predicate)?.bounds.first()?.types.get(at)?.range;
        let file = program.file(file)?;
        let item = file.items.iter().find(|item| item.statement.id == statement)?;
        Some(slice(file.statement_text(item), ty) == "/string")
    });
    declared.unwrap_or_else(|| word.ends_with('.') || word.contains("//"))
}

/// A pattern for any fact, for example `permitted(_, _)`.
fn any_fact(key: PredicateKey) -> String {
    let args = vec!["_"; usize::from(key.arity)];
    format!("{}({})", key.name, args.join(", "))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::kernel::{Clock, Limits, Reading, compile, run};
    use crate::program::FileSummary;
    use mangle_syntax::text::{Cancel, FileId};

    fn program(text: &str) -> Program {
        Program::new(vec![FileSummary::new(FileId(0), &SourceFile::parse(text.into())).into()])
    }

    fn ask(text: &str, query: &str) -> Result<Vec<String>, String> {
        let program = program(text);
        let compiled = compile(&program, Reading::Engine);
        let mut model = run(&compiled, Limits::default(), Clock { now_ns: 0 }, &Cancel::new());
        let query = Query::read(query, &program, &mut model)?;
        let relation = model.relation(query.predicate).unwrap();
        let shown = |&number: &u32| model.fact(&compiled, query.predicate, relation.tuple(number));
        Ok(query.answers(&model, &compiled).iter().map(shown).collect())
    }

    #[test]
    fn constants_select_and_variables_agree() {
        let text = "p(/a, 1). p(/b, 2). q(1, 1). q(1, 2). r(X) :- p(X, _).";
        let answers = |query| ask(text, query).unwrap();
        assert_eq!(answers("p(X, 2)."), ["p(/b,2)"]);
        assert_eq!(answers("q(X, X)"), ["q(1,1)"]);
        assert_eq!(answers(" r(_) "), ["r(/a)", "r(/b)"]);
        assert_eq!(answers("p(/c, _)"), [""; 0]);
        assert_eq!(answers("q(fn:plus(0, 1), 2)"), ["q(1,2)"]);
    }

    #[test]
    fn slips_are_shown_as_they_should_be_written() {
        let text =
            "Decl may(Action, Host, Count) bound [/name, /string, /number].\nmay(/deploy, \"h\", 1).\nis().";
        let error = |query: &str| ask(text, query).unwrap_err();
        let name = |query: &str, written: &str| {
            assert_eq!(
                error(query),
                format!("names begin with a slash and strings have quotes: write `{written}`")
            );
        };
        name("may(deploy, X, Y)", "may(/deploy, X, Y)");
        name("may(deploy, h, Y).", "may(/deploy, \"h\", Y)");
        name("may( deploy-now, h, 1)", "may( /deploy-now, \"h\", 1)");
        name("may(X, web-1.example, Y)", "may(X, \"web-1.example\", Y)");
        assert_eq!(
            error("may(deploy, X)"),
            "there is no predicate `may/2`, but `may/3`; write `may(/deploy, X, _)`"
        );
        assert_eq!(error("may"), "a query is an atom: write `may(_, _, _)`");
        assert_eq!(error("may/3"), "a query is an atom: write `may(_, _, _)`");
        assert_eq!(error("?- may(X, Y, Z)."), "a query is an atom alone: write `may(X, Y, Z)`");
        assert_eq!(error("may(X, Y, Z)?"), "a query is an atom alone: write `may(X, Y, Z)`");
        assert_eq!(error("may(X, Y, Z"), "a `)` is missing: write `may(X, Y, Z)`");
        assert_eq!(
            error("may(X, Y, Z), is()"),
            "a query is one atom; put several premises into a rule, and query its head"
        );
        assert_eq!(error("!is()"), "a query is an atom alone: write `is()`");
    }

    #[test]
    fn mistakes_are_explained() {
        let error = |query| ask("lead(/a, 1).", query).unwrap_err();
        assert_eq!(error("lead(X)"), "there is no predicate `lead/1`, but `lead/2`; write `lead(X, _)`");
        assert_eq!(error("lead(X, Y, Z)"), "there is no predicate `lead/3`, but `lead/2`");
        assert_eq!(error("laed(X, Y)"), "there is no predicate `laed/2`; did you mean `lead`?");
        assert_eq!(error("X = 3"), "`X = 3` is not an atom, such as `lead(_, _)`");
        assert_eq!(error("lead(/a, fn:div(1, 0))"), "division by zero");
        let interval = "`lead(/a, 1)@[_, _]` has an interval, which a query cannot have";
        assert_eq!(error("lead(/a, 1)@[_, _]"), interval);
    }
}
