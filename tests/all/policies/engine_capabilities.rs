//! Each capability of an engine, with a program for which it makes a difference and the results of both values.

use crate::support;

use std::fs;
use std::path::Path;

use mangle_engine::kernel::{Clock, Limits, Reading, compile, run};
use mangle_ide::file_findings::load_findings;
use mangle_settings::EngineVersion;
use mangle_settings::versions::{
    AggregationsWithOneHead, DelayedNegations, ENGINES, EarlyInequality, EngineCapabilities, ExternalInputs,
    RepeatedVariable, SameRoundJoins, UnboundNegation,
};
use mangle_syntax::text::Cancel;

/// A program and what engines make of it.
struct Case {
    /// The field of [`EngineCapabilities`].
    capability: &'static str,
    program: &'static str,
    /// The predicate whose facts are the result.
    predicate: &'static str,
    /// The result for each value, the older first.
    results: [&'static str; 2],
    /// True if an engine has the newer value.
    is_new: fn(&EngineCapabilities) -> bool,
}

const CASES: [Case; 7] = [
    Case {
        capability: "negation_with_unbound_variable",
        program: "p(/a). r(/a, /z). q(X) :- p(X), !r(X, Y).",
        predicate: "q",
        results: ["q(/a); MG209", "rejected: MG209"],
        is_new: |engine| engine.negation_with_unbound_variable == UnboundNegation::Rejected,
    },
    Case {
        capability: "delayed_negations",
        program: "a(3). b(1). q(1). q(2). r(3). r(4). p(X, Y) :- !a(Y), !b(X), q(X), r(Y).",
        predicate: "p",
        results: ["p(2,3) p(2,4); MG211", "p(2,4); "],
        is_new: |engine| engine.delayed_negations == DelayedNegations::AllKept,
    },
    Case {
        capability: "inequality_before_binding",
        program: "e(1). e(2). e(3). p(X) :- X != 1, e(X).",
        predicate: "p",
        results: ["; MG205", "p(2) p(3); "],
        is_new: |engine| engine.inequality_before_binding == EarlyInequality::Delayed,
    },
    Case {
        capability: "same_round_joins",
        program: "start(1). next(1, 2). s(X) :- start(X). l(X) :- s(X). r(X) :- s(X). s(Y) :- l(X), r(X), next(X, Y).",
        predicate: "s",
        results: ["s(1); MG504", "s(1) s(2); "],
        is_new: |engine| engine.same_round_joins == SameRoundJoins::Complete,
    },
    Case {
        capability: "aggregations_with_one_head",
        program: "o(1, 5). o(2, 7). o(3, -2). \
                  c(\"sales\", N) :- o(I, Q), Q > 0 |> do fn:group_by(), let N = fn:count(). \
                  c(\"refunds\", N) :- o(I, Q), Q < 0 |> do fn:group_by(), let N = fn:count().",
        predicate: "c",
        results: ["c(\"refunds\",3) c(\"sales\",3); MG419", "c(\"refunds\",1) c(\"sales\",2); "],
        is_new: |engine| engine.aggregations_with_one_head == AggregationsWithOneHead::Separate,
    },
    Case {
        capability: "repeated_variable_in_aggregation",
        program: "e(1, 1). e(2, 2). e(1, 2). n(N) :- e(X, X) |> do fn:group_by(), let N = fn:count().",
        predicate: "n",
        results: ["n(3); MG418", "n(2); "],
        is_new: |engine| engine.repeated_variable_in_aggregation == RepeatedVariable::Respected,
    },
    Case {
        capability: "external_inputs",
        program: "Decl look(K, V) descr [external(), mode(\"+\", \"-\")]. k(1). v(V) :- k(K), look(K, V).",
        predicate: "v",
        results: ["; MG216", "; "],
        is_new: |engine| engine.external_inputs == ExternalInputs::Values,
    },
];

/// The facts of the predicate and the codes of errors and warnings; or that the engine rejects the program.
fn result(case: &Case, engine: EngineVersion) -> String {
    let codes = |found: Vec<&'static str>| found.join(" ");
    let program = support::program_for(&[case.program], engine);
    let rejected: Vec<_> = load_findings(&program).iter().map(|(_, found)| found.rule.code).collect();
    if !rejected.is_empty() {
        return format!("rejected: {}", codes(rejected));
    }
    let compiled = compile(&program, Reading::Engine);
    let model = run(&compiled, Limits::default(), Clock { now_ns: 0 }, &Cancel::new());
    let facts = model.dump(&compiled);
    let facts: Vec<_> = facts.iter().filter(|fact| fact.split('(').next() == Some(case.predicate)).collect();
    let found = support::check_for(&[case.program], engine).concat();
    let known = ["MG205", "MG209", "MG210", "MG211", "MG216", "MG418", "MG419", "MG504"];
    let found = found.iter().map(|found| found.rule.code).filter(|code| known.contains(code));
    let facts: Vec<&str> = facts.iter().map(|fact| fact.as_str()).collect();
    format!("{}; {}", facts.join(" "), codes(found.collect()))
}

#[test]
fn every_capability_has_a_case_for_both_values() {
    for case in &CASES {
        let mut seen = [false; 2];
        for reference in &ENGINES {
            let value = usize::from((case.is_new)(&reference.capabilities));
            seen[value] = true;
            let (name, engine) = (reference.published.name, EngineVersion::from(reference));
            assert_eq!(result(case, engine), case.results[value], "{} of {name}", case.capability);
        }
        assert_eq!(seen, [true; 2], "{} differs in no reference version", case.capability);
    }
}

/// A new field does not compile here until it has a case.
#[test]
fn no_capability_is_missing() {
    let EngineCapabilities {
        negation_with_unbound_variable: _,
        delayed_negations: _,
        inequality_before_binding: _,
        same_round_joins: _,
        aggregations_with_one_head: _,
        repeated_variable_in_aggregation: _,
        external_inputs: _,
    } = ENGINES[0].capabilities;
    let debug = format!("{:?}", ENGINES[0].capabilities);
    let fields = debug.split(", ").filter_map(|field| field.split(": ").next()?.rsplit(' ').next());
    let mut fields: Vec<_> = fields.collect();
    let mut covered: Vec<_> = CASES.iter().map(|case| case.capability).collect();
    fields.sort_unstable();
    covered.sort_unstable();
    assert_eq!(fields, covered);
}

/// Code asks for capabilities. A version has its name in the tables and in texts for people only.
#[test]
fn no_code_outside_of_the_tables_names_a_version() {
    const TABLES: [&str; 2] =
        ["crates/mangle-settings/src/versions", "crates/mangle-engine/src/program/builtins"];
    let names: Vec<String> = ENGINES.iter().map(|engine| format!("\"{}\"", engine.published.name)).collect();
    let mut found = Vec::new();
    let mut open = vec![support::root().join("src"), support::root().join("crates")];
    while let Some(path) = open.pop() {
        let shown = path.strip_prefix(support::root()).unwrap_or(&path).to_owned();
        if TABLES.iter().any(|table| shown.starts_with(table)) {
            continue;
        }
        if path.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") && !is_test(&shown) {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            let named = lines.filter(|line| names.iter().any(|name| line.contains(name.as_str())));
            found.extend(named.map(|line| format!("{}: {}", shown.display(), line.trim())));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn is_test(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str().to_string_lossy().contains("test"))
}
