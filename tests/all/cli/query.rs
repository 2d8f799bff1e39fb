//! `query`: what follows, why, and why not.

use expect_test::expect;

use super::support::check;

const RULES: &str = "door(/d). door(/e).\nlocked(/d, /key).\nopen(D) :-\n    door(D),\n    !locked(D, _).\nway(D) :- open(D), door(D).\n";
const FILES: &[(&str, &str)] = &[("rules.mg", RULES)];

#[test]
fn both_readings_of_a_dropped_negation() {
    check(
        FILES,
        &["query", "open(D)", "--reading", "both"],
        expect![[r#"
        # as the engine reads it
        open(/d)
        open(/e)
        # as it is written
        open(/e)
        exit 0
    "#]],
    );
}

#[test]
fn why_and_why_not() {
    check(
        FILES,
        &["query", "way(/e)", "--why", "--reading", "intended"],
        expect![[r#"
        way(/e)  by rules.mg:6
          open(/e)  by rules.mg:3
            door(/e)  [rules.mg:1]
            no locked(/e,_)
          door(/e)  [rules.mg:1]
        exit 0
    "#]],
    );
    check(
        FILES,
        &["query", "way(/d)", "--why-not", "--reading", "intended"],
        expect![[r#"
            rules.mg:6: premise 1 has no solution: open(/d)
              near: open(/e)
              rules.mg:3: premise 2 fails: !locked(/d,_), but there is locked(/d,/key)
            no fact matches `way(/d)`
              argument 1 is never `/d`; its values are `/e`
              `--facts FILE` adds facts, such as those of a sample
            exit 1
        "#]],
    );
}

#[test]
fn everything_in_the_engines_form() {
    check(
        FILES,
        &["query", "--dump"],
        expect![[r#"
        door(/d) .
        door(/e) .
        locked(/d,/key) .
        open(/d) .
        open(/e) .
        way(/d) .
        way(/e) .
        exit 0
    "#]],
    );
}

#[test]
fn mistakes_and_runs_that_do_not_end() {
    check(
        FILES,
        &["query", "oben(D)"],
        expect![[r#"
        error: there is no predicate `oben/1`; did you mean `open`?
        exit 2
    "#]],
    );
    check(
        FILES,
        &["query"],
        expect![[r#"
        error: name an atom, such as 'permitted(Action, _)', or use --dump
        exit 2
    "#]],
    );
    check(
        &[("n.mg", "n(0).\nn(Y) :- n(X), Y = fn:div(1, X).\n")],
        &["query", "n(X)"],
        expect![[r#"
        n(0)
        error: the evaluation stopped at n.mg:2: division by zero
        exit 2
    "#]],
    );
    let halves = "n(0). n(2).\nhalf(Y) :- n(X), Y = fn:div(4, X).\n";
    check(
        &[("h.mg", halves)],
        &["query", "half(Y)", "--reading", "intended"],
        expect![[r#"
        half(2)
        warning: nothing comes of h.mg:2: division by zero
        exit 0
    "#]],
    );
}

const DOORS: &str = "Decl door(Id, Size)\n  bound [/string, /number].\nwide(D) :- door(D, S), S > 90.\n\
    shut(D) :- door(D, _), !open(D).\nopen(D) :- door(D, _), key(D).\nkey(\"d\").\n";

#[test]
fn facts_from_files() {
    let files = &[
        ("rules.mg", DOORS),
        ("data/door.csv", "Size,Id\n80,a\n100,b\nwide,c\n"),
        ("data/door.ndjson", "{\"Id\": \"d\", \"Size\": 95}\n[\"e\", 1, 2]\n[\"f\", 200]\n"),
        ("data/more.mg", "door(\"g\", 300).\nkey(\"g\").\nkey(.\n"),
    ];
    check(
        files,
        &[
            "query",
            "wide(D)",
            "rules.mg",
            "--facts",
            "data/door.csv",
            "--facts",
            "data/door.ndjson",
            "--facts",
            "data/more.mg",
            "--anyway",
        ],
        expect![[r##"
            # the program does not load: data/more.mg:3:4: missing `)` after `key(` (MG037)
            wide("g")
            wide("b")
            wide("d")
            wide("f")
            warning: the program does not load: data/more.mg:3:4: missing `)` after `key(` (MG037)
            policy: 2 files (data/more.mg, rules.mg)
            warning: data/more.mg:3: this statement cannot be read; `check` says why
            error: data/door.csv:4, cell 1: `wide` is not a number
            error: data/door.ndjson:2: row has 3 cells, but `door/2` has 2
            exit 2
        "##]],
    );
    check(
        files,
        &["query", "shut(D)", "rules.mg", "--facts", "data/door.csv", "--why"],
        expect![[r#"
            error: the program does not load
              data/more.mg:3:4: missing `)` after `key(` (MG037)
              `--anyway` evaluates the rest of it
            policy: 2 files (data/more.mg, rules.mg)
            exit 2
        "#]],
    );
}

#[test]
fn tables_that_cannot_be_read() {
    let files = &[("rules.mg", DOORS), ("dor.csv", "1,2\n"), ("door.yaml", ""), ("door.csv", "")];
    check(
        files,
        &[
            "query",
            "wide(D)",
            "rules.mg",
            "--facts",
            "dor.csv",
            "--facts",
            "door.yaml",
            "--facts",
            "none.csv",
            "--facts",
            "none.mg",
            "--facts",
            "door.csv",
        ],
        expect![[r#"
            no fact matches `wide(D)`
              `wide/1` has no facts: no rule for it has a solution
              `--why-not` shows what each rule lacks
            error: door.yaml: facts are read from `.mg`, `.gl`, `.csv`, `.jsonl` and `.ndjson` files
            error: none.mg: no such file or directory
            error: dor.csv: the name of the file is not a predicate: `dor`; did you mean `door`?
            error: none.csv: no such file or directory
            exit 2
        "#]],
    );
}

#[test]
fn an_answer_as_a_table() {
    let rules = "Decl seen(Who, At, Tags)\n  bound [/string, /time, .List</name>].\n\
        seen(\"a, b\", fn:time:parse_rfc3339(\"2026-01-31T12:00:00Z\"), [/x, /y]).\n\
        seen(\"c\", fn:time:parse_rfc3339(\"2026-02-01T00:00:00Z\"), []).\n";
    let files = &[
        ("rules.mg", rules),
        ("empty.mg", "Decl seen(Who, At, Tags)\n  bound [/string, /time, .List</name>].\n"),
    ];
    let folder = super::support::folder(files);
    let table =
        super::support::run(folder.path(), &["query", "seen(_, _, _)", "rules.mg", "--format", "csv"]);
    let table = String::from_utf8(table.stdout).unwrap();
    expect![""].assert_eq(&table);
    super::support::write(folder.path(), "seen.csv", &table);
    let again = ["query", "seen(_, _, _)", "empty.mg", "--facts", "seen.csv", "--format", "csv"];
    let again = super::support::run(folder.path(), &again);
    assert_eq!(String::from_utf8(again.stdout).unwrap(), table);
    check(
        FILES,
        &["query", "locked(D, K)", "--format", "csv"],
        expect![[r#"
        D,K
        /d,/key
        exit 0
    "#]],
    );
    check(
        FILES,
        &["query", "--dump", "--format", "csv"],
        expect![[r#"
        error: a table holds the facts of one predicate in one reading
        exit 2
    "#]],
    );
}

#[test]
fn settings_of_the_evaluation() {
    let endless = "n(0).\nn(Y) :- n(X), Y = fn:plus(X, 1).\nmoment(T) :- n(0), T = fn:time:now().\n";
    let config = "[kernel]\nreading = 'intended'\nmax_derived = 3\nnow = '2026-01-31T12:00:00Z'\n";
    let files = &[("mangle-ls.toml", config), ("n.mg", endless), ("rules.mg", RULES)];
    check(
        files,
        &["query", "n(X)"],
        expect![[r#"
            n(0)
            n(1)
            n(2)
            n(3)
            n(4)
            error: the evaluation stopped at n.mg:2: more than 3 derived facts
            exit 2
        "#]],
    );
    check(
        files,
        &["query", "open(X)", "--format", "json"],
        expect![[r#"
            [
              {
                "reading": "intended",
                "facts": [],
                "proofs": [],
                "others": [],
                "why_not": "",
                "stopped": "the evaluation stopped at n.mg:2: more than 3 derived facts",
                "lost": [],
                "hints": [
                  "`open/1` has no facts: no rule for it has a solution"
                ]
              }
            ]
            error: the evaluation stopped at n.mg:2: more than 3 derived facts
            exit 2
        "#]],
    );
    check(
        files,
        &["query", "open(X)", "--reading", "engine"],
        expect![[r#"
            error: the evaluation stopped at n.mg:2: more than 3 derived facts
            exit 2
        "#]],
    );
    let clock = &[("mangle-ls.toml", config), ("now.mg", "n(0).\nat(T) :- n(0), T = fn:time:now().\n")];
    check(
        clock,
        &["query", "at(T)"],
        expect![[r#"
        at(fn:time:parse_rfc3339("2026-01-31T12:00:00Z"))
        exit 0
    "#]],
    );
    check(
        clock,
        &["query", "at(T)", "--now", "2020-01-01T00:00:00Z"],
        expect![[r#"
        at(fn:time:parse_rfc3339("2020-01-01T00:00:00Z"))
        exit 0
    "#]],
    );
    check(
        clock,
        &["query", "at(T)", "--now", "yesterday"],
        expect![[r#"
            error: invalid value 'yesterday' for '--now <TIME>': `yesterday` is not an instant such as `2026-01-31T12:00:00Z`

            For more information, try '--help'.
            exit 2
        "#]],
    );
}

#[test]
fn the_sample_counts_only_where_it_is_named() {
    let files = &[
        ("mangle-ls.toml", "[kernel]\nsample = ['sample.mg', 'key.csv']\n"),
        ("rules.mg", DOORS),
        ("sample.mg", "door(\"s\", 500).\n"),
        ("night.kernel.mg", "door(\"n\", 600).\n"),
        ("key.csv", "s\n"),
    ];
    check(
        files,
        &["query", "wide(D)"],
        expect![[r#"
            no fact matches `wide(D)`
              `wide/1` has no facts: no rule for it has a solution
              `--why-not` shows what each rule lacks
              `--facts FILE` adds facts, such as those of a sample
            exit 1
        "#]],
    );
    check(
        files,
        &["query", "wide(D)", "rules.mg", "night.kernel.mg"],
        expect![[r#"
        wide("n")
        exit 0
    "#]],
    );
    check(
        files,
        &["query", "wide(D)", "sample.mg", "night.kernel.mg"],
        expect![[r#"
        wide("n")
        wide("s")
        exit 0
    "#]],
    );
    check(
        files,
        &["query", "open(D)", "--facts", "key.csv", "--facts", "sample.mg"],
        expect![[r#"
        open("s")
        exit 0
    "#]],
    );
}

const STATES: &str = "Decl state(Host, S) bound [/string, /name].\nDecl seen(Host) bound [/string].\n\
    state(\"a\", /up). state(\"b\", /down). state(\"c\", /up).\nbad(H) :- state(H, /down), seen(H).\n";

#[test]
fn an_empty_answer_says_what_there_is_and_what_to_try() {
    let files = &[("rules.mg", STATES)];
    let shown = |query: &str| {
        let folder = super::support::folder(files);
        super::support::render(&super::support::run(folder.path(), &["query", query]))
    };
    expect![[r#"
        no fact matches `bad(H)`
          `bad/1` has no facts: no rule for it has a solution
          `--why-not` shows what each rule lacks
          `--facts FILE` adds facts, such as those of a sample
        exit 1
    "#]]
    .assert_eq(&shown("bad(H)"));
    expect![[r#"
        no fact matches `state(_, "down")`
          argument 2 is never `"down"`; did you mean `/down`?
          `--facts FILE` adds facts, such as those of a sample
        exit 1
    "#]]
    .assert_eq(&shown("state(_, \"down\")"));
    expect![[r#"
        no fact matches `state("a", /down)`
          each of these values occurs, but never together
          nearest fact: `state("a",/up)`
          nearest fact: `state("b",/down)`
          `--facts FILE` adds facts, such as those of a sample
        exit 1
    "#]]
    .assert_eq(&shown("state(\"a\", /down)"));
    expect![[r#"
        no fact matches `state(X, /degraded)`
          argument 2 is never `/degraded`; its values are `/up`, `/down`
          `--facts FILE` adds facts, such as those of a sample
        exit 1
    "#]]
    .assert_eq(&shown("state(X, /degraded)"));
    expect![[r#"
        no fact matches `state(X, X)`
          `state/2` has 3 facts, none of them with equal values in these arguments
          `--facts FILE` adds facts, such as those of a sample
        exit 1
    "#]]
    .assert_eq(&shown("state(X, X)"));
    expect![[r#"
        no fact matches `seen("a")`
          `seen/1` has neither facts nor rules: its facts come from outside of the program
          `--facts FILE` adds facts, such as those of a sample
        exit 1
    "#]]
    .assert_eq(&shown("seen(\"a\")"));
    expect![[r#"
        error: names begin with a slash and strings have quotes: write `state("a", /down)`
        exit 2
    "#]]
    .assert_eq(&shown("state(a, down)"));
    check(
        files,
        &["query", "bad(H)", "--format", "json"],
        expect![[r#"
            [
              {
                "reading": "engine",
                "facts": [],
                "proofs": [],
                "others": [],
                "why_not": "",
                "stopped": null,
                "lost": [],
                "hints": [
                  "`bad/1` has no facts: no rule for it has a solution"
                ]
              }
            ]
            exit 1
        "#]],
    );
}

#[test]
fn statements_that_cannot_be_read_are_not_left_out_silently() {
    check(
        &[("broken.mg", "p(2).\n\np(\n"), ("good.mg", "p(1).\n")],
        &["query", "p(X)"],
        expect![[r#"
            error: the program does not load
              broken.mg:3:2: missing `)` after `p(` (MG037)
              `--anyway` evaluates the rest of it
            exit 2
        "#]],
    );
}
