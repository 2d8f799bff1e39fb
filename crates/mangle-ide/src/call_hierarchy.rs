//! Call hierarchy of predicates: the rules that use a predicate, and the predicates that its rules
//! use.
//!
//! An item is a predicate as defined in one file, because editors show call sites in the file of
//! the caller.

use rustc_hash::FxHashMap;

use super::Place;
use super::subject::Subject;
use super::symbols::SymbolType;
use mangle_engine::program::{Predicate, PredicateKey, Program, Site, UseKind};
use mangle_syntax::syntax::ast::Literal;
use mangle_syntax::text::{FileId, TextRange};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HierarchyItem {
    pub key: PredicateKey,
    /// Kind of the representing statement: a rule if one exists, otherwise the `Decl`, otherwise a
    /// fact.
    pub kind: SymbolType,
    pub file: FileId,
    pub whole: TextRange,
    /// Range of the predicate name in the statement.
    pub name: TextRange,
}

/// A call edge between two predicates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub item: HierarchyItem,
    /// Call sites in the caller's file. Empty if all call sites are in other files.
    pub ranges: Vec<TextRange>,
    pub kinds: CallKinds,
}

/// Kinds of uses of a predicate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallKinds {
    pub plain: bool,
    /// Used under `!`.
    pub negated: bool,
    /// Used with an interval or a temporal operator.
    pub temporal: bool,
    /// Used by a rule that aggregates.
    pub grouped: bool,
}

impl CallKinds {
    fn add(&mut self, kind: UseKind, grouped: bool) {
        self.plain |= kind == UseKind::Positive;
        self.negated |= kind == UseKind::Negated;
        self.temporal |= kind == UseKind::Temporal;
        self.grouped |= grouped;
    }
}

impl std::fmt::Display for CallKinds {
    /// Writes a comma-separated list of `not`, `also not`, `temporal` and `aggregated`. Writes
    /// nothing for plain uses.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let negated = match (self.negated, self.plain || self.temporal) {
            (false, _) => None,
            (true, false) => Some("not"),
            (true, true) => Some("also not"),
        };
        let temporal = self.temporal.then_some("temporal");
        let grouped = self.grouped.then_some("aggregated");
        let words: Vec<_> = [negated, temporal, grouped].into_iter().flatten().collect();
        f.write_str(&words.join(", "))
    }
}

/// Returns the predicate at the cursor, or the predicate that the enclosing rule defines.
#[must_use]
pub fn prepare(place: Place<'_>) -> Option<HierarchyItem> {
    let program = place.program();
    let named = match Subject::at(place) {
        Some((Subject::Predicate(key), _)) => program.predicate(key),
        _ => None,
    };
    let around = || program.predicate_of(place.file, &place.item()?.statement.clause()?.head);
    let predicate = named.or_else(around)?;
    let here = Site { file: place.file, item: place.item()?, range: TextRange::default() };
    let is_own = |site: &Site<'_>| site.file.id == here.file.id && site.item.start == here.item.start;
    let own = program.rules(predicate).find(is_own).map(|site| item(predicate, &site, SymbolType::Rule));
    own.or_else(|| representing_statement(program, predicate, Some(place.file.id)))
}

/// Returns the predicates whose rules use `key`, one entry per file with such rules, in file order.
#[must_use]
pub fn incoming(program: &Program, key: PredicateKey) -> Vec<Call> {
    let Some(asked) = program.predicate(key) else { return Vec::new() };
    let mut calls = Calls::default();
    for (site, kind) in program.uses(asked) {
        let Some(clause) = site.item.statement.clause() else { continue };
        let Some(caller) = program.predicate_of(site.file, &clause.head) else { continue };
        let head = Site { range: clause.head.name.range, ..site };
        let call = calls.at(caller.key, site.file.id, || Some(item(caller, &head, SymbolType::Rule)));
        if let Some(call) = call {
            call.kinds.add(kind, clause.aggregates());
            call.ranges.push(site.range + site.item.start);
        }
    }
    calls.list.sort_by_key(|call| (call.item.file, call.item.whole.start()));
    calls.list
}

/// Returns the predicates that the rules of `key` use, in the order of the rules. The ranges are in
/// `file`.
#[must_use]
pub fn outgoing(program: &Program, key: PredicateKey, file: FileId) -> Vec<Call> {
    let Some(caller) = program.predicate(key) else { return Vec::new() };
    let mut calls = Calls::default();
    // Predicates used in the item's own file come first.
    let (own, other): (Vec<_>, Vec<_>) = program.rules(caller).partition(|site| site.file.id == file);
    for site in own.iter().chain(&other) {
        let Some(clause) = site.item.statement.clause() else { continue };
        for literal in clause.literals() {
            let Some(asked) = program.predicate_of(site.file, &literal.atom) else { continue };
            let call = calls.at(asked.key, file, || representing_statement(program, asked, None));
            let Some(call) = call else { continue };
            call.kinds.add(kind_of(literal), clause.aggregates());
            if site.file.id == file {
                call.ranges.push(literal.atom.name.range + site.item.start);
            }
        }
    }
    calls.list
}

fn kind_of(literal: &Literal) -> UseKind {
    match (literal.is_temporal(), literal.is_negated()) {
        (true, _) => UseKind::Temporal,
        (false, true) => UseKind::Negated,
        (false, false) => UseKind::Positive,
    }
}

/// Calls by predicate and file, in insertion order.
#[derive(Default)]
struct Calls {
    list: Vec<Call>,
    by_key: FxHashMap<(PredicateKey, FileId), usize>,
}

impl Calls {
    fn at(
        &mut self,
        predicate: PredicateKey,
        file: FileId,
        item: impl FnOnce() -> Option<HierarchyItem>,
    ) -> Option<&mut Call> {
        let key = (predicate, file);
        if let Some(at) = self.by_key.get(&key) {
            return self.list.get_mut(*at);
        }
        self.by_key.insert(key, self.list.len());
        self.list.push(Call { item: item()?, ranges: Vec::new(), kinds: CallKinds::default() });
        self.list.last_mut()
    }
}

/// Returns the representing statement of a predicate: the first rule (preferring `file`), otherwise
/// the `Decl`, otherwise the first fact.
fn representing_statement(
    program: &Program,
    predicate: &Predicate,
    file: Option<FileId>,
) -> Option<HierarchyItem> {
    let mut rules = program.rules(predicate).collect::<Vec<_>>();
    rules.sort_by_key(|site| Some(site.file.id) != file);
    let rule = rules.first().map(|site| item(predicate, site, SymbolType::Rule));
    let declared =
        || program.declarations(predicate).next().map(|site| item(predicate, &site, SymbolType::Declaration));
    let fact = || program.clauses(predicate).next().map(|site| item(predicate, &site, SymbolType::Facts));
    rule.or_else(declared).or_else(fact)
}

fn item(predicate: &Predicate, site: &Site<'_>, kind: SymbolType) -> HierarchyItem {
    let Site { file, item, range } = *site;
    let whole = item.statement.range() + item.start;
    HierarchyItem { key: predicate.key, kind, file: file.id, whole, name: range + item.start }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use super::*;
    use crate::Analysis as _;
    use crate::testing::Fixture;
    use mangle_syntax::text::slice;

    #[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
    fn check(fixture: &str, expect: Expect) {
        let fixture = Fixture::new(fixture);
        let mut out = String::new();
        let show = |item: &HierarchyItem| {
            assert_eq!(slice(fixture.text(item.file), item.name), item.key.name.as_str());
            let line = slice(fixture.text(item.file), item.whole).lines().next().unwrap();
            format!("{} in {}: {line}", item.key, fixture.names[item.file.0 as usize])
        };
        if let Some(item) = prepare(fixture.place()) {
            writeln!(out, "{}", show(&item)).unwrap();
            let program = fixture.program();
            for call in incoming(program, item.key) {
                writeln!(out, "  from {} [{}] {}", show(&call.item), call.kinds, call.ranges.len()).unwrap();
                let text = fixture.text(call.item.file);
                assert!(call.ranges.iter().all(|range| slice(text, *range) == item.key.name.as_str()));
            }
            for call in outgoing(program, item.key, item.file) {
                writeln!(out, "  to {} [{}] {}", show(&call.item), call.kinds, call.ranges.len()).unwrap();
                let text = fixture.text(item.file);
                assert!(call.ranges.iter().all(|range| slice(text, *range) == call.item.key.name.as_str()));
            }
        }
        expect.assert_eq(&out);
    }

    const FILES: &str = "#- a.mg\nDecl p(X).\nDecl q(X).\nq(1).\n#- b.mg\n# 🦀\np(X) :- q(X), !r(X), X < 3.\np(X) :- r(X), q(X), q(X).\nr(X) :-\n  q(X).\n#- c.mg\np(X) :- s(X).\ns(X) :- <-[0d, 1d] p(X) |> do fn:group_by(X).\ns(X) :- !p(X), p(X, X).\nt(N) :- p(_), !p(X) |> do fn:group_by(), let N = fn:count().\n";

    #[test]
    fn over_files_with_every_kind_of_call() {
        check(
            &FILES.replace("\np(X) :- q", "\np$0(X) :- q"),
            expect![[r#"
            p/1 in b.mg: p(X) :- q(X), !r(X), X < 3.
              from s/1 in c.mg: s(X) :- <-[0d, 1d] p(X) |> do fn:group_by(X). [also not, temporal, aggregated] 2
              from t/1 in c.mg: t(N) :- p(_), !p(X) |> do fn:group_by(), let N = fn:count(). [also not, aggregated] 2
              to q/1 in a.mg: Decl q(X). [] 3
              to r/1 in b.mg: r(X) :- [also not] 2
              to s/1 in c.mg: s(X) :- <-[0d, 1d] p(X) |> do fn:group_by(X). [] 0
        "#]],
        );
        check(
            &FILES.replace("p(X) :- s", "p$0(X) :- s"),
            expect![[r#"
            p/1 in c.mg: p(X) :- s(X).
              from s/1 in c.mg: s(X) :- <-[0d, 1d] p(X) |> do fn:group_by(X). [also not, temporal, aggregated] 2
              from t/1 in c.mg: t(N) :- p(_), !p(X) |> do fn:group_by(), let N = fn:count(). [also not, aggregated] 2
              to s/1 in c.mg: s(X) :- <-[0d, 1d] p(X) |> do fn:group_by(X). [] 1
              to q/1 in a.mg: Decl q(X). [] 0
              to r/1 in b.mg: r(X) :- [also not] 0
        "#]],
        );
        check(
            &FILES.replace("\nq(1)", "\nq$0(1)"),
            expect![[r#"
            q/1 in a.mg: Decl q(X).
              from p/1 in b.mg: p(X) :- q(X), !r(X), X < 3. [] 3
              from r/1 in b.mg: r(X) :- [] 1
        "#]],
        );
    }

    #[test]
    fn from_a_use_and_from_inside_a_rule() {
        check(
            &FILES.replace("!r(X)", "!r$0(X)"),
            expect![[r#"
            r/1 in b.mg: r(X) :-
              from p/1 in b.mg: p(X) :- q(X), !r(X), X < 3. [also not] 2
              to q/1 in a.mg: Decl q(X). [] 1
        "#]],
        );
        check(
            &FILES.replace("\n  q(X)", "\n$0  q(X)"),
            expect![[r#"
            r/1 in b.mg: r(X) :-
              from p/1 in b.mg: p(X) :- q(X), !r(X), X < 3. [also not] 2
              to q/1 in a.mg: Decl q(X). [] 1
        "#]],
        );
    }

    #[test]
    fn of_what_nothing_defines_or_is_no_predicate() {
        check("p(X) :- q(X).\nr(X) :- none$0(X).", expect![[r#""#]]);
        check("Decl p(X$0).", expect![[r#""#]]);
        check("# p$0\n", expect![[r#""#]]);
    }
}
