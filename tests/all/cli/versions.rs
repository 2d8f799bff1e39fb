//! Versions of the engine and the runtime: what chooses them, and where that is said.

use expect_test::expect;

use super::support::{check, folder};
use super::transcripts::run;

/// A policy that only the newest runtime has.
const SEPTEMBER: (&str, &str) = ("schemas.gl", "Decl prose_only(Predicate) bound [/name].\n");

/// A policy of no known runtime.
const OTHER: (&str, &str) = ("policy.mg", "p(/a).\nq(X) :- p(X).\n");

/// The members `programs` of `version --format json`.
fn programs(files: &[(&str, &str)], options: &[&str]) -> String {
    let folder = folder(files);
    let mut arguments = vec!["version", "--format", "json"];
    arguments.extend(options);
    let (out, error, status) = run(&folder, &arguments, "");
    assert_eq!((error.as_str(), status), ("", Some(0)));
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    let programs = answer["programs"].as_array().unwrap().iter().map(|program| {
        let version = |part: &str| {
            let choice = &program[part];
            let like = choice["like"].as_str().map(|like| format!(" like {like}")).unwrap_or_default();
            let notes = choice["notes"].as_array().into_iter().flatten();
            let notes: String = notes.map(|note| format!("\n  note: {}", note.as_str().unwrap())).collect();
            format!(
                "{}{like}: {}{notes}\n",
                choice["version"].as_str().unwrap(),
                choice["reason"].as_str().unwrap()
            )
        };
        version("engine") + &version("runtime")
    });
    programs.collect()
}

#[test]
fn tables_and_choices_are_listed() {
    let folder = folder(&[SEPTEMBER, ("mangle-ls.toml", "[[program]]\nname = \"guardian\"\n")]);
    let (out, _, status) = run(&folder, &["version"], "");
    assert_eq!(status, Some(0));
    let version = concat!("mangle-ls ", env!("CARGO_PKG_VERSION"));
    expect![[r#"


        Engines
          2026-04           2026-04-13  4dcaa582c6d3  codeberg.org/TauCeti/mangle-go
          2026-06           2026-06-30  248db3e       github.com/google/mangle
          2026-09-19        2026-09-19  77780a5       codeberg.org/TauCeti/mangle-go
          2026-09           2026-09-30  9dc20ebc0504  codeberg.org/TauCeti/mangle-go

        Runtimes
          none
          codenerd-2026-03  2026-03-15  ee2915a47498  github.com/theRebelliousNerd/codenerd, engine 2026-04
          codenerd-2026-09  2026-09-24  c85a733c3ece  github.com/theRebelliousNerd/codenerd, engine 2026-04

        Program guardian
          engine   2026-04 (codenerd-2026-09 pins it)
          runtime  codenerd-2026-09 (schemas.gl defines `prose_only`)
    "#]]
    .assert_eq(out.strip_prefix(version).unwrap());
}

#[test]
fn the_policy_shows_the_runtime() {
    expect![[r#"
        2026-04: codenerd-2026-09 pins it
        codenerd-2026-09: schemas.gl defines `prose_only`
    "#]]
    .assert_eq(&programs(&[SEPTEMBER], &[]));
    expect![[r#"
        2026-04: codenerd-2026-03 pins it
        codenerd-2026-03: a.mg defines `permitted`
    "#]]
    .assert_eq(&programs(&[("a.mg", "permitted(/a, /b, /c).\n")], &[]));
    expect![[r#"
        2026-06: no `go.mod` above the files requires another one
        none: no predicate of the policy belongs to a known runtime
    "#]]
    .assert_eq(&programs(&[OTHER], &[]));
}

#[test]
fn a_go_module_chooses_the_engine() {
    let module = ("go.mod", "module x\nrequire codeberg.org/TauCeti/mangle-go v0.6.0\n");
    expect![[r#"
        0.6.0 like 2026-09: go.mod requires codeberg.org/TauCeti/mangle-go v0.6.0
        none: no predicate of the policy belongs to a known runtime
    "#]]
    .assert_eq(&programs(&[module, OTHER], &[]));
    expect![[r#"
        0.6.0 like 2026-09: go.mod requires codeberg.org/TauCeti/mangle-go v0.6.0
        codenerd-2026-09: schemas.gl defines `prose_only`
    "#]]
    .assert_eq(&programs(&[module, SEPTEMBER], &[]));
    let settings = ("mangle-ls.toml", "[kernel]\nengine = \"2026-04\"\n");
    expect![[r#"
        2026-04: `kernel.engine` in mangle-ls.toml
        none: no predicate of the policy belongs to a known runtime
    "#]]
    .assert_eq(&programs(&[module, settings, OTHER], &[]));
    expect![[r#"
        2026-09-19: option `--engine`
        none: no predicate of the policy belongs to a known runtime
    "#]]
    .assert_eq(&programs(&[module, settings, OTHER], &["--engine", "2026-09-19"]));
    expect![[r#"
        0.6.0 like 2026-09: go.mod requires codeberg.org/TauCeti/mangle-go v0.6.0
        none: no predicate of the policy belongs to a known runtime
    "#]]
    .assert_eq(&programs(&[module, settings, OTHER], &["--engine", "auto"]));
}

#[test]
fn doubts_about_a_go_module_are_noted() {
    let fork =
        "module x\nrequire github.com/google/mangle v0.4.0\nreplace github.com/google/mangle => ./mangle\n";
    expect![[r#"
        0.4.0 like 2026-04: go.mod requires github.com/google/mangle v0.4.0
          note: `github.com/google/mangle` is replaced by `./mangle`, whose changes are not known; it is treated as 0.4.0
        none: no predicate of the policy belongs to a known runtime
    "#]]
    .assert_eq(&programs(&[("go.mod", fork), OTHER], &[]));
    let several = [
        ("mangle-ls.toml", "[[program]]\nname = \"all\"\n"),
        ("a/go.mod", "module a\nrequire github.com/google/mangle v0.4.0\n"),
        ("a/a.mg", "p(/a).\n"),
        ("b/go.mod", "module b\nrequire codeberg.org/TauCeti/mangle-go v0.6.0\n"),
        ("b/b.mg", "q(/a).\n"),
    ];
    expect![[r#"
        0.4.0 like 2026-04: a/go.mod requires github.com/google/mangle v0.4.0
          note: the files are under a/go.mod and b/go.mod, which require different engines; a/go.mod counts
        none: no predicate of the policy belongs to a known runtime
    "#]]
    .assert_eq(&programs(&several, &[]));
    check(
        &[("go.mod", fork), OTHER],
        &["check"],
        expect![[r#"
            No findings in 1 file (2 clauses); engine 0.4.0
            warning: `github.com/google/mangle` is replaced by `./mangle`, whose changes are not known; it is treated as 0.4.0
            exit 0
        "#]],
    );
}

#[test]
fn an_unreadable_go_module_is_reported() {
    let folder = folder(&[OTHER]);
    std::fs::write(folder.path().join("go.mod"), b"module \xff\n").unwrap();
    let (out, error, status) = run(&folder, &["check", "."], "");
    expect![[r#"
        No findings in 1 file (2 clauses)
        warning: go.mod cannot be read: byte is not UTF-8
        Some(0)"#]]
    .assert_eq(&format!("{out}{error}{status:?}"));
}

#[test]
fn unknown_versions_are_refused_with_the_list() {
    check(
        &[OTHER],
        &["check", "--engine", "2026-9"],
        expect![[r#"
        error: invalid value '2026-9' for '--engine <VERSION>': did you mean `2026-09`? the versions are `auto`, `2026-04`, `2026-06`, `2026-09-19`, `2026-09`, `0.1.0`, `0.2.0`, `0.3.0`, `0.4.0`, `0.5.0`, `0.6.0`; a day such as 2026-06-30 is the engine of that day

        For more information, try '--help'.
        exit 2
    "#]],
    );
    check(
        &[OTHER],
        &["check", "--runtime", "codenerd"],
        expect![[r#"
        error: invalid value 'codenerd' for '--runtime <VERSION>'
          [possible values: auto, none, codenerd-2026-03, codenerd-2026-09]

          tip: a similar value exists: 'codenerd-2026-09'

        For more information, try '--help'.
        exit 2
    "#]],
    );
    check(
        &[OTHER],
        &["lsp", "--engine", "2026-09"],
        expect![[r#"
        error: a server takes no `--engine` and `--runtime`; set them in mangle-ls.toml
        exit 2
    "#]],
    );
}

#[test]
fn an_option_chooses_the_engine() {
    let policy = ("policy.mg", "Decl p(X).\nDecl r(X, Y).\nq(X) :- p(X), !r(X, _).\n");
    check(
        &[policy],
        &["check", "--engine", "2026-06"],
        expect![[r#"
        error[MG210 negation-wildcard]: wildcard makes the engine ignore this negation
         --> policy.mg:3:21
          |
        3 | q(X) :- p(X), !r(X, _).
          |                     ^ never bound
          |
          = note: `q(X)` is derived whether or not such a fact exists
          = note: engines before 2026-09 ignore this negation; newer engines reject the rule
          = help: add the helper rule `has_r` and negate it instead

        1 error in 1 file (1 clause)
        exit 1
    "#]],
    );
    check(
        &[policy],
        &["check", "--engine", "2026-09"],
        expect![[r#"
            error[MG210 negation-wildcard]: wildcard in a negation makes the engine reject the rule
             --> policy.mg:3:21
              |
            3 | q(X) :- p(X), !r(X, _).
              |                     ^ never bound
              |
              = note: the engine reports `variable X0 is not bound in q(X) :- p(X), !r(X,X0).`
              = note: engines before 2026-09 ignore this negation; newer engines reject the rule
              = help: add the helper rule `has_r` and negate it instead

            1 error in 1 file (1 clause); engine 2026-09
            exit 1
        "#]],
    );
}

/// `parse` with a reply whose surface is an example of the prompt.
fn shown(files: &[(&str, &str)], options: &[&str]) -> String {
    let reply = r#"{"control_packet":{"intent_classification":{"category":"/query","verb":"/explain","target":"x","constraint":"none","confidence":0.9},"mangle_updates":["task_status(/a, /b)."],"memory_operations":[]},"surface_response":"<SURFACE_RESPONSE>"}"#;
    let folder = folder(files);
    let mut arguments = vec!["transcript", "parse", "-", "--format", "json"];
    arguments.extend(options);
    let (out, ..) = run(&folder, &arguments, reply);
    let answer: serde_json::Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    format!("{} {}", answer["model"]["shown"]["warnings"], answer["model"].get("filter_kernel").is_some())
}

#[test]
fn an_option_chooses_the_runtime() {
    assert_eq!(shown(&[], &[]), "null false");
    assert_eq!(shown(&[], &["--runtime", "codenerd-2026-09"]), r#"["placeholder_surface"] false"#);
    let settings = ("mangle-ls.toml", "[transcripts]\nruntime = \"codenerd-2026-09\"\n");
    assert_eq!(shown(&[settings], &[]), r#"["placeholder_surface"] false"#);
    assert_eq!(shown(&[settings], &["--runtime", "codenerd-2026-03"]), "null false");
}

#[test]
fn an_override_chooses_the_runtime_of_some_transcripts() {
    let reply = r#"{"surface_response":"<SURFACE_RESPONSE>","control_packet":{"mangle_updates":[]}}"#;
    let settings = "[transcripts]\nruntime = \"codenerd-2026-03\"\n\
                    [[transcripts.override]]\nglob = \"new/**\"\nruntime = \"codenerd-2026-09\"\n";
    let folder = folder(&[("mangle-ls.toml", settings), ("old/a.json", reply), ("new/a.json", reply)]);
    let warnings = |file: &str| {
        let (out, ..) = run(&folder, &["transcript", "parse", file, "--format", "json"], "");
        let answer: serde_json::Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
        answer["model"]["shown"]["warnings"].to_string()
    };
    assert_eq!(warnings("old/a.json"), "null");
    assert_eq!(warnings("new/a.json"), r#"["placeholder_surface"]"#);
}

#[test]
fn an_id_that_matches_all_shards_is_reported_for_the_runtime_that_pastes_it() {
    let files = [
        (
            "schemas.gl",
            "Decl injectable_context(Id, Text) bound [/string, /string].\nDecl shard_prompt_base(Type, Text) bound [/name, /string].\n",
        ),
        (
            "policy.mg",
            "shard_prompt_base(/coder, \"You code.\").\ninjectable_context(\"tester-1\", \"A secret.\").\n",
        ),
        ("fix.kernel.mg", "# @preview shard: ?coder coder\n"),
    ];
    let folder = folder(&files);
    let rules = |runtime: &str| {
        let (out, ..) = run(&folder, &["check", "--format", "json", "--runtime", runtime], "");
        out.matches("\"shard-id-leak\"").count()
    };
    assert_eq!((rules("codenerd-2026-03"), rules("codenerd-2026-09")), (0, 1));
}
