//! Inlay hints: parameter names and types of variables.
//!
//! Hints are sparse. A hint is omitted if the argument already contains the parameter name. Of
//! consecutive facts, only the first has hints, like a table header.

use rustc_hash::FxHashSet;

use super::Analysis;
use super::evaluation::{ClauseYield, EvaluationView};
use super::markup::Markup;
use mangle_check::describe::{self, Callable};
use mangle_engine::program::{FileSummary, Predicate, PredicateKey, Program, key_of};
use mangle_engine::types::{ClauseTypes, Type};
use mangle_settings::{ArgumentHints, HintSettings};
use mangle_syntax::syntax::ast::{Atom, Clause, Declaration, Item, Premise, StatementKind, Term, TermKind};
use mangle_syntax::text::{FileId, Symbol, TextRange, TextSize, slice};

/// Maximum length of a hint, in characters.
pub const WIDTH: usize = 25;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    pub offset: TextSize,
    pub label: String,
    pub kind: HintKind,
    /// Full text, if the label is truncated.
    pub full: Option<String>,
    /// The named parameter: predicate and zero-based index.
    pub parameter: Option<(PredicateKey, usize)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HintKind {
    /// Parameter name before an argument.
    Argument,
    /// Type after a variable.
    Type,
    /// Evaluation result after a rule.
    Outcome,
}

/// Returns the hints in a range of a file, sorted by offset.
#[must_use]
pub fn inlay_hints(
    analysis: &dyn Analysis,
    file: FileId,
    range: TextRange,
    settings: &HintSettings,
) -> Vec<Hint> {
    let Some(file) = analysis.program().file(file) else { return Vec::new() };
    let mut hints = Hints { analysis, file, settings, range, found: Vec::new() };
    let first = file.items.partition_point(|item| item.start + item.statement.len < range.start());
    for (index, item) in file.items.iter().enumerate().skip(first) {
        if item.start > range.end() {
            break;
        }
        hints.item(index, item);
    }
    let mut found = hints.found;
    found.sort_by_key(|hint| hint.offset);
    found
}

/// Returns hints after rules that have no solutions in any sample. Empty without samples, because
/// facts may come from outside the program.
#[must_use]
pub fn rules_without_solutions(
    program: &Program,
    file: FileId,
    range: TextRange,
    tried: &[EvaluationView<'_>],
) -> Vec<Hint> {
    let samples: Option<Vec<_>> = tried.iter().map(|tried| Some((tried.sample?, tried.readings?))).collect();
    let Some(samples) = samples.filter(|samples| !samples.is_empty()) else { return Vec::new() };
    let Some(file) = program.file(file) else { return Vec::new() };
    let gives_nothing = |at: usize, item: &Item| {
        samples.iter().all(|(_, readings)| {
            let shown = readings.shown();
            shown.is_complete() && shown.given(file.id, at, &item.statement) == Some(ClauseYield::Nothing)
        })
    };
    let rules = file.items.iter().enumerate().filter(|(at, item)| {
        let is_rule = item.statement.clause().is_some_and(|clause| !clause.is_fact());
        is_rule && range.contains_inclusive(item.start + item.statement.len) && gives_nothing(*at, item)
    });
    let names: Vec<_> = samples.iter().map(|(name, _)| *name).collect();
    let samples = if names.len() == 1 { "this sample" } else { "these samples" };
    let full = format!("The rule has no solutions with {samples}: {}.", names.join(", "));
    let hint = |item: &Item| Hint {
        offset: item.start + item.statement.len,
        label: "no solutions".to_owned(),
        kind: HintKind::Outcome,
        full: Some(full.clone()),
        parameter: None,
    };
    rules.map(|(_, item)| hint(item)).collect()
}

/// Returns the tooltip of a hint, and the declaration of its parameter.
#[must_use]
pub fn resolve(
    analysis: &dyn Analysis,
    key: PredicateKey,
    at: usize,
) -> Option<(Markup, Option<(FileId, TextRange)>)> {
    let program = analysis.program();
    let predicate = program.predicate(key)?;
    let callable = Callable::predicate(analysis, predicate);
    let parameter = callable.parameters.get(at)?;
    let markup = Markup::default().code(parameter.to_string());
    let markup = parameter.documentation.iter().cloned().fold(markup, Markup::untrusted);
    let site = program.declarations(predicate).next().or_else(|| program.clauses(predicate).next());
    let place = site.and_then(|site| {
        let atom = match &site.item.statement.kind {
            StatementKind::Declaration(declaration) => &declaration.atom,
            StatementKind::Clause(clause) => &clause.head,
            _ => return None,
        };
        Some((site.file.id, atom.args.get(at)?.range + site.item.start))
    });
    Some((markup, place))
}

/// Hint collector for one file.
struct Hints<'a> {
    analysis: &'a dyn Analysis,
    file: &'a FileSummary,
    settings: &'a HintSettings,
    range: TextRange,
    found: Vec<Hint>,
}

impl Hints<'_> {
    fn item(&mut self, index: usize, item: &Item) {
        if item.statement.damaged {
            return;
        }
        match &item.statement.kind {
            StatementKind::Clause(clause) => {
                if self.settings.arguments != ArgumentHints::Off {
                    self.arguments_of(index, item, clause);
                }
                if self.settings.types {
                    self.variables(item, clause);
                }
                if self.settings.columns {
                    self.columns(index, item, clause);
                }
            }
            StatementKind::Declaration(declaration) if self.settings.bounds => {
                self.bounds(item, declaration);
            }
            _ => {}
        }
    }

    fn arguments_of(&mut self, index: usize, item: &Item, clause: &Clause) {
        if !(clause.is_fact() && self.goes_on(index, clause)) {
            self.arguments(item, &clause.head);
        }
        for literal in clause.literals().filter(|literal| !literal.atom.is_builtin()) {
            self.arguments(item, &literal.atom);
        }
    }

    /// True if a fact follows another fact of the same predicate.
    fn goes_on(&self, index: usize, clause: &Clause) -> bool {
        let before = index.checked_sub(1).and_then(|index| self.file.items.get(index));
        let before = before.and_then(|item| item.statement.clause());
        before.is_some_and(|before| before.is_fact() && key_of(&before.head) == key_of(&clause.head))
    }

    /// Adds the names of an atom's arguments. Unary atoms are skipped because the predicate name
    /// describes the argument.
    fn arguments(&mut self, item: &Item, atom: &Atom) {
        let program = self.analysis.program();
        if atom.args.len() < 2 {
            return;
        }
        let Some(predicate) = program.predicate_of(self.file, atom) else { return };
        for (at, term) in atom.args.iter().enumerate() {
            let Some(name) = describe::parameter_name(program, predicate, at) else { continue };
            let text = slice(self.file.statement_text(item), term.range);
            if self.wants(term) && says_more(name, text) && !self.is_name_source(predicate, item, at) {
                let parameter = Some((predicate.key, at));
                self.push(item.start + term.range.start(), format!("{name}:"), HintKind::Argument, parameter);
            }
        }
    }

    fn wants(&self, term: &Term) -> bool {
        match term.kind {
            TermKind::Broken => false,
            TermKind::Variable(_) | TermKind::Wildcard => self.settings.arguments == ArgumentHints::All,
            _ => true,
        }
    }

    /// True if the parameter name is derived from this statement.
    fn is_name_source(&self, predicate: &Predicate, item: &Item, at: usize) -> bool {
        let first = predicate.defined_at.and_then(|(file, at)| {
            let file = self.analysis.program().files.get(file as usize)?;
            Some((file.id, file.items.get(at as usize)?.start))
        });
        first == Some((self.file.id, item.start))
            && predicate.signature.declared.is_none()
            && at < usize::from(predicate.key.arity)
    }

    /// Adds types at the first occurrence of each variable in the body.
    fn variables(&mut self, item: &Item, clause: &Clause) {
        if clause.is_fact() {
            return;
        }
        let program = self.analysis.program();
        let types = self.analysis.types();
        let inferred = ClauseTypes::infer(clause, |atom| types.relation(program, self.file, atom));
        let mut known: FxHashSet<Symbol> = FxHashSet::default();
        for term in clause.premises.iter().flat_map(terms) {
            let Some(variable) = term.variable().filter(|variable| known.insert(*variable)) else { continue };
            let ty = Type::union(inferred.states.iter().map(|state| state.get(variable)));
            self.typed(item.start + term.range.end(), &ty, None);
        }
    }

    /// Adds the column types of an undeclared predicate at its first head.
    fn columns(&mut self, index: usize, item: &Item, clause: &Clause) {
        let program = self.analysis.program();
        let Some(id) = program.id_of(self.file, &clause.head) else { return };
        let predicate = program.get(id);
        let first =
            predicate.defined_at.and_then(|(file, at)| Some((program.files.get(file as usize)?.id, at)));
        if predicate.signature.declared.is_some()
            || first.is_none_or(|(file, at)| file != self.file.id || at as usize != index)
        {
            return;
        }
        let rows = self.analysis.types().rows(id);
        for (at, term) in clause.head.args.iter().enumerate() {
            // The type of a constant is obvious.
            if term.variable().is_some() {
                self.typed(item.start + term.range.end(), &rows.column(at), Some((predicate.key, at)));
            }
        }
    }

    /// Adds parameter names in `bound […]`.
    fn bounds(&mut self, item: &Item, declaration: &Declaration) {
        let text = self.file.statement_text(item);
        for row in declaration.bounds.iter().filter(|row| row.types.len() > 1) {
            for (ty, parameter) in row.types.iter().zip(&declaration.atom.args) {
                let name = slice(text, parameter.range);
                if parameter.variable().is_some() && says_more(name, slice(text, ty.range)) {
                    self.push(item.start + ty.range.start(), format!("{name}:"), HintKind::Argument, None);
                }
            }
        }
    }

    fn typed(&mut self, offset: TextSize, ty: &Type, parameter: Option<(PredicateKey, usize)>) {
        if !ty.is_any() && !ty.is_bottom() {
            self.push(offset, format!(": {ty}"), HintKind::Type, parameter);
        }
    }

    fn push(
        &mut self,
        offset: TextSize,
        full: String,
        kind: HintKind,
        parameter: Option<(PredicateKey, usize)>,
    ) {
        if !self.range.contains_inclusive(offset) {
            return;
        }
        let is_long = full.chars().count() > WIDTH;
        let label =
            if is_long { full.chars().take(WIDTH - 1).chain(['…']).collect() } else { full.clone() };
        self.found.push(Hint { offset, label, kind, full: is_long.then_some(full), parameter });
    }
}

/// Returns the top-level terms of a premise.
fn terms(premise: &Premise) -> impl Iterator<Item = &Term> {
    let (atom, sides) = match premise {
        Premise::Literal(literal) => (literal.atom.args.as_slice(), None),
        Premise::Comparison(comparison) => (&[][..], Some([&comparison.left, &comparison.right])),
        Premise::Broken(..) => (&[][..], None),
    };
    atom.iter().chain(sides.into_iter().flatten())
}

/// True if the parameter name adds information to the argument. Single letters do not.
fn says_more(name: &str, argument: &str) -> bool {
    let letters = |text: &str| -> String {
        text.chars().filter(|c| c.is_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect()
    };
    let (name, argument) = (letters(name), letters(argument));
    name.len() > 1 && !argument.ends_with(&name) && !(argument.len() > 1 && name.ends_with(&argument))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::testing::{Fixture, every_place_of_the_examples};

    /// Checks the hints, rendered in guillemets within the text of the fixture.
    #[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
    fn check(settings: &HintSettings, fixture: &str, expect: Expect) {
        let fixture = Fixture::new(fixture);
        let mut out = String::new();
        for file in fixture.ids() {
            let mut text = fixture.text(file).to_owned();
            let range = TextRange::up_to(mangle_syntax::text::text_len(&text));
            for hint in inlay_hints(&fixture, file, range, settings).iter().rev() {
                text.insert_str(hint.offset.into(), &format!("«{}»", hint.label));
            }
            out.push_str(&text.replace('\r', ""));
        }
        expect.assert_eq(&out);
    }

    fn off() -> HintSettings {
        HintSettings {
            arguments: ArgumentHints::Off,
            types: false,
            columns: false,
            bounds: false,
            unfired: false,
        }
    }

    const CREW: &str = "Decl crew(Person, Ship, Rank) bound [/name, /string, /number].\n";

    #[test]
    fn constants_have_the_names_of_their_parameters() {
        check(
            &HintSettings::default(),
            &format!(
                "{CREW}crew(/p/ann, \"Ida\", 3).\ncrew(/p/bob, \"Ida\", 1).\n\
                 on(P) :- crew(P, \"Ida\", _), !crew(P, S, 3).\ncrew(/person, \"é🦀\", 1).\r\n"
            ),
            expect![[r#"
                Decl crew(Person, Ship, Rank) bound [/name, /string, /number].
                crew(«Person:»/p/ann, «Ship:»"Ida", «Rank:»3).
                crew(/p/bob, "Ida", 1).
                on(P«: /name») :- crew(P, «Ship:»"Ida", _), !crew(P, S, «Rank:»3).
                crew(/person, «Ship:»"é🦀", «Rank:»1).
            "#]],
        );
    }

    #[test]
    fn all_arguments_but_those_that_say_it_themselves() {
        let settings = HintSettings { arguments: ArgumentHints::All, ..off() };
        check(
            &settings,
            &format!("{CREW}on(P, S) :- crew(P, OldShip, _), one(S, 1).\n"),
            expect![[r#"
            Decl crew(Person, Ship, Rank) bound [/name, /string, /number].
            on(P, S) :- crew(«Person:»P, OldShip, «Rank:»_), one(S, 1).
        "#]],
        );
        // No hints for one-letter names and for unary predicates.
        check(
            &settings,
            "Decl p(X, Y). Decl q(Some). r() :- p(1, 2), q(3), :lt(1, 2).\n",
            expect![[r#"
            Decl p(X, Y). Decl q(Some). r() :- p(1, 2), q(3), :lt(1, 2).
        "#]],
        );
    }

    #[test]
    fn types_of_variables_and_columns() {
        let settings = HintSettings { types: true, ..off() };
        check(
            &settings,
            &format!("{CREW}on(P, N) :- crew(P, S, R), S != \"x\", N = fn:plus(R, 1).\n"),
            expect![[r#"
                Decl crew(Person, Ship, Rank) bound [/name, /string, /number].
                on(P, N) :- crew(P«: /name», S«: /string», R«: /number»), S != "x", N«: /number» = fn:plus(R, 1).
            "#]],
        );
        let settings = HintSettings { columns: true, ..off() };
        check(
            &settings,
            &format!("{CREW}on(P, N) :- crew(P, S, R), N = fn:plus(R, 1).\non(P, 0) :- crew(P, _, _).\n"),
            expect![[r#"
                Decl crew(Person, Ship, Rank) bound [/name, /string, /number].
                on(P«: /name», N«: /number») :- crew(P, S, R), N = fn:plus(R, 1).
                on(P, 0) :- crew(P, _, _).
            "#]],
        );
    }

    #[test]
    fn bounds_have_the_names_of_their_parameters() {
        check(
            &HintSettings { bounds: true, ..off() },
            CREW,
            expect![[r#"
            Decl crew(Person, Ship, Rank) bound [«Person:»/name, «Ship:»/string, «Rank:»/number].
        "#]],
        );
    }

    #[test]
    fn long_types_are_cut() {
        let settings = HintSettings { types: true, ..off() };
        check(
            &settings,
            "Decl p(X, Y) bound [.Map</string, .List</number>>, /any].\nq(X) :- p(X, Y).\n",
            expect![[r#"
                Decl p(X, Y) bound [.Map</string, .List</number>>, /any].
                q(X) :- p(X«: .Map</string, .List</n…», Y).
            "#]],
        );
    }

    #[test]
    fn anywhere_in_the_examples_whole_and_damaged() {
        let all = HintSettings {
            arguments: ArgumentHints::All,
            types: true,
            columns: true,
            bounds: true,
            unfired: true,
        };
        let mut found = 0;
        every_place_of_the_examples(211, |place| {
            let range = TextRange::at(place.offset, (200_u32).into());
            let hints = inlay_hints(place.analysis, place.file.id, range, &all);
            assert!(hints.iter().all(|hint| range.contains_inclusive(hint.offset)));
            assert!(hints.iter().all(|hint| hint.label.chars().count() <= WIDTH));
            found += hints.len();
        });
        assert!(found > 500, "{found}");
    }
}
