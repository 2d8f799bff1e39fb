//! Assist that generates a policy test case from a rule or from a fact.
//!
//! A case from a rule contains facts for the premises and expects the head. A case from a fact
//! expects its direct consequences. The case is inserted after the current case, or into the test
//! file of the policy.

use rustc_hash::FxHashMap;

use super::{Change, Context};
use mangle_check::policy_test::TestFile;
use mangle_engine::program::Program;
use mangle_engine::types::{Base, Type};
use mangle_syntax::syntax::ast::{
    Atom, Clause, Comparison, Item, Literal, Operator, Premise, Term, TermKind,
};
use mangle_syntax::text::{Symbol, slice, text_len};

/// Maximum number of expected consequences of a fact.
const MAX_EXPECTATIONS: usize = 5;

/// Example values of variables, as source text.
type Bindings = FxHashMap<Symbol, String>;

pub(super) fn generate(context: &Context<'_>) -> Option<Change> {
    let (item, clause) = context.clause()?;
    let at = context.place.offset;
    let (what, text) = if clause.is_fact() {
        ("fact", case_from_fact(context, item, &clause.head)?)
    } else if (clause.head.range + item.start).contains_inclusive(at) {
        ("rule", case_from_rule(context, item, clause)?)
    } else {
        let here = |literal: &&Literal| (literal.atom.range + item.start).contains_inclusive(at);
        ("fact", case_from_fact(context, item, &clause.literals().find(here)?.atom)?)
    };
    let change = Change::new(format!("Generate a test case from this {what}"));
    let place = context.place;
    Some(if place.program().embedding.is_test(place.file.id) {
        insert_after_case(context, change, &text)
    } else {
        change.with_test_file_text(text)
    })
}

/// Inserts a case after the one at the cursor: before the next case, or at the end of the file.
fn insert_after_case(context: &Context<'_>, change: Change, case: &str) -> Change {
    let text = context.place.text();
    let tests = TestFile::read(context.place.file);
    let next = tests.cases.iter().find(|case| case.header.start() > context.place.offset);
    if let Some(next) = next {
        return change.insert(next.header.start(), format!("{case}\n\n"));
    }
    let gap = match (text.ends_with("\n\n"), text.ends_with('\n')) {
        (true, _) => "",
        (false, true) => "\n",
        (false, false) => "\n\n",
    };
    change.insert(text_len(text), format!("{gap}{case}\n"))
}

/// Returns a case with one fact, and the facts that it implies without other premises.
fn case_from_fact(context: &Context<'_>, item: &Item, atom: &Atom) -> Option<String> {
    if atom.is_builtin() || !atom.args.iter().all(is_ground) {
        return None;
    }
    let fact = context.slice(item, atom.range).replace("\r\n", "\n");
    let program = context.place.program();
    let predicate = program.predicate_of(context.place.file, atom)?;
    let text = |term: &Term| context.slice(item, term.range).to_owned();
    let values: Vec<String> = atom.args.iter().map(text).collect();
    let mut expected: Vec<String> = Vec::new();
    for (site, _) in program.uses(predicate) {
        let Some(clause) = site.item.statement.clause().filter(|_| !site.item.statement.damaged) else {
            continue;
        };
        let statement = site.file.statement_text(site.item);
        let head = consequence(clause, statement, &values).filter(|head| !expected.contains(head));
        expected.extend(head);
        if expected.len() == MAX_EXPECTATIONS {
            break;
        }
    }
    if expected.is_empty() {
        expected.push(fact.clone());
    }
    let name = format!("facts derived from {}", atom.name.as_str());
    Some(format_case(&name, &[fact], &expected))
}

/// Returns the head of a rule whose only premise matches a fact with these arguments.
fn consequence(clause: &Clause, text: &str, values: &[String]) -> Option<String> {
    let [Premise::Literal(literal)] = clause.premises.as_slice() else { return None };
    if literal.is_negated()
        || literal.is_temporal()
        || clause.interval.is_some()
        || !clause.transforms.is_empty()
    {
        return None;
    }
    let mut bindings = Bindings::default();
    for (term, value) in literal.atom.args.iter().zip(values) {
        match &term.kind {
            TermKind::Variable(name) => {
                if bindings.insert(*name, value.clone()).is_some_and(|before| before != *value) {
                    return None;
                }
            }
            TermKind::Wildcard => {}
            _ if slice(text, term.range) == value => {}
            _ => return None,
        }
    }
    atom_with(&clause.head, text, &bindings, &mut |_| None)
}

/// Returns a case with one fact per premise of a rule, and the head as expectation.
fn case_from_rule(context: &Context<'_>, item: &Item, clause: &Clause) -> Option<String> {
    let is_temporal = clause.interval.is_some() || clause.literals().any(Literal::is_temporal);
    if clause.aggregates() || is_temporal {
        return None;
    }
    let text = context.place.file.statement_text(item);
    let positive: Vec<&Literal> =
        clause.literals().filter(|literal| !literal.is_negated() && !literal.atom.is_builtin()).collect();
    let bindings = Examples { context, text, count: 0 }.build(clause, &positive);
    let mut facts: Vec<String> = Vec::new();
    for literal in &positive {
        let columns = Columns::from_atom(context, &literal.atom);
        let mut other = |at: usize| Some(example(&columns.get(at), "other", 0));
        let fact = atom_with(&literal.atom, text, &bindings, &mut other)?;
        if !facts.contains(&fact) {
            facts.push(fact);
        }
    }
    let head = atom_with(&clause.head, text, &bindings, &mut |_| None)?;
    let mut names: Vec<&str> = positive.iter().map(|literal| literal.atom.name.as_str()).collect();
    let mut seen = rustc_hash::FxHashSet::default();
    names.retain(|name| seen.insert(*name));
    let name = match names.is_empty() {
        true => format!("{} holds", clause.head.name.as_str()),
        false => format!("{} follows from {}", clause.head.name.as_str(), names.join(", ")),
    };
    Some(format_case(&name, &facts, &[head]))
}

fn format_case(name: &str, facts: &[String], expected: &[String]) -> String {
    let facts: String = facts.iter().map(|fact| format!("{fact}.\n")).collect();
    let expected: Vec<_> = expected.iter().map(|atom| format!("# @expect {atom}")).collect();
    format!("# @test name: {name}\n{facts}{}", expected.join("\n"))
}

/// Formats an atom with values for its variables. `other` returns the value of a wildcard or
/// unbound variable; `_` remains if `other` returns `None`.
fn atom_with(
    atom: &Atom,
    text: &str,
    bindings: &Bindings,
    other: &mut dyn FnMut(usize) -> Option<String>,
) -> Option<String> {
    let mut args = Vec::with_capacity(atom.args.len());
    for (at, term) in atom.args.iter().enumerate() {
        args.push(match &term.kind {
            TermKind::Variable(name) => {
                bindings.get(name).cloned().or_else(|| other(at)).unwrap_or_else(|| "_".to_owned())
            }
            TermKind::Wildcard => other(at).unwrap_or_else(|| "_".to_owned()),
            _ if is_ground(term) => slice(text, term.range).to_owned(),
            _ => "_".to_owned(),
        });
    }
    // A test name must be a single line.
    let line = format!("{}({})", atom.name.as_str(), args.join(", "));
    (!line.contains('\n')).then_some(line)
}

fn is_ground(term: &Term) -> bool {
    let mut ground = true;
    term.variables(&mut |_, _| ground = false);
    ground && !term.is_wildcard() && !matches!(term.kind, TermKind::Broken)
}

/// Column types of an atom's relation.
struct Columns(Option<mangle_engine::types::Rows>);

impl Columns {
    fn from_atom(context: &Context<'_>, atom: &Atom) -> Self {
        let program: &Program = context.place.program();
        let id = program.id_of(context.place.file, atom);
        Self(id.map(|id| context.place.analysis.types().rows(id).clone()))
    }

    fn get(&self, at: usize) -> Type {
        self.0.as_ref().map_or(Type::Any, |rows| rows.column(at))
    }
}

/// Finder of example values for the variables of a rule.
struct Examples<'c, 'a> {
    context: &'c Context<'a>,
    text: &'c str,
    count: i64,
}

impl Examples<'_, '_> {
    fn build(mut self, clause: &Clause, positive: &[&Literal]) -> Bindings {
        let mut bindings = Bindings::default();
        let comparisons = clause.premises.iter().filter_map(|premise| match premise {
            Premise::Comparison(comparison) => Some(comparison),
            _ => None,
        });
        for comparison in comparisons {
            bindings.extend(self.equal(comparison));
        }
        let mut types: Vec<(Symbol, Type)> = Vec::new();
        for literal in positive {
            let columns = Columns::from_atom(self.context, &literal.atom);
            for (at, name) in
                literal.atom.args.iter().enumerate().filter_map(|(at, term)| Some((at, term.variable()?)))
            {
                let ty = columns.get(at);
                match types.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, known)) if known.overlaps(&ty) => *known = known.meet(&ty),
                    Some(_) => {}
                    None => types.push((name, ty)),
                }
            }
        }
        for (name, ty) in types {
            self.count += 1;
            bindings.entry(name).or_insert_with(|| example(&ty, name.as_str(), self.count));
        }
        bindings
    }

    /// Value of a variable in an equality such as `X = /a`.
    fn equal(&self, comparison: &Comparison) -> Option<(Symbol, String)> {
        let sides = [(&comparison.left, &comparison.right), (&comparison.right, &comparison.left)];
        let (name, value) = sides.into_iter().find_map(|(one, other)| Some((one.variable()?, other)))?;
        let is_told = comparison.operator == Operator::Equal && value.is_constant();
        is_told.then(|| (name, slice(self.text, value.range).to_owned()))
    }
}

/// Returns an example value of a type, named after a variable.
fn example(ty: &Type, name: &str, count: i64) -> String {
    let word: String =
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let word = if word.is_empty() { "x".to_owned() } else { word };
    match ty {
        Type::Base(Base::Number) => count.to_string(),
        Type::Base(Base::Float) => format!("{count}.5"),
        Type::Base(Base::Name) => format!("/{word}"),
        Type::Base(Base::Bytes) => format!("b\"{word}\""),
        Type::Base(Base::Time) => "fn:time:parse_rfc3339(\"2026-01-31T12:00:00Z\")".to_owned(),
        Type::Base(Base::Duration) => "fn:duration:parse(\"1h\")".to_owned(),
        Type::Prefix(prefix) => format!("{prefix}/{word}"),
        Type::Singleton(name) | Type::Literal(name) => name.as_str().to_owned(),
        Type::List(element) => format!("[{}]", example(element, name, count)),
        Type::Map(parts) => {
            format!("[{} : {}]", example(&parts.0, name, count), example(&parts.1, name, count))
        }
        Type::Pair(parts) => {
            format!("fn:pair({}, {})", example(&parts.0, name, count), example(&parts.1, name, count))
        }
        Type::Struct(fields) => {
            let field = |field: &mangle_engine::types::StructField| {
                format!("{} : {}", field.label, example(&field.ty, name, count))
            };
            format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        Type::Union(members) => members.first().map_or(word, |first| example(first, name, count)),
        Type::Base(Base::String) | Type::Any | Type::Variable(_) | Type::Option(_) => format!("\"{word}\""),
    }
}
