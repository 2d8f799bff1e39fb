//! `graph`: what depends on what.

use expect_test::expect;

use super::support::{check, folder, run, stdout};

const SCHEMAS: &str = "Decl crew(P).\nDecl sent(P).\n";
const RULES: &str = "crew(/p/ann).\nidle(P) :- crew(P), !sent(P).\nmany(N) :- idle(P) |> do fn:group_by(), let N = fn:count().\n";
const FILES: &[(&str, &str)] = &[("schemas.gl", SCHEMAS), ("é/rules.mg", RULES)];

#[test]
fn for_eyes() {
    check(
        FILES,
        &["graph", "--format", "mermaid"],
        expect![[r#"
        flowchart LR
          p0_0[("crew/1")]
          p0_1["idle/1"]
          p0_2["many/1"]
          p0_3(["sent/1"])
          p0_1 --> p0_0
          p0_1 -.->|not| p0_3
          p0_2 ==>|do| p0_1
          classDef recursive stroke:#c00
          classDef undefined stroke-dasharray:2 2
        exit 0
    "#]],
    );
    check(
        FILES,
        &["graph", "--format", "dot", "--of", "sent"],
        expect![[r#"
        digraph predicates {
          rankdir=LR;
          node [fontname="monospace"];
          p0_0 [label="idle/1", shape=box];
          p0_1 [label="sent/1", shape=ellipse];
          p0_0 -> p0_1 [style=dashed, label="not"];
        }
        exit 0
    "#]],
    );
}

#[test]
fn for_people() {
    check(
        FILES,
        &["graph"],
        expect![[r#"
        crew/1  1 fact  schemas.gl:1:6
          used by idle/1

        idle/1  1 rule  é/rules.mg:2:1
          uses    crew/1, sent/1 (not)
          used by many/1 (do)

        many/1  1 rule  é/rules.mg:3:1
          uses    idle/1 (do)

        sent/1  declared only  schemas.gl:2:6
          used by idle/1 (not)

        exit 0
    "#]],
    );
}

#[test]
fn for_programs() {
    let folder = folder(FILES);
    let output = run(folder.path(), &["graph", "--of", "many", "--direction", "uses", "--format", "json"]);
    expect![[r#"
        {
          "programs": [
            {
              "name": "the given paths",
              "predicates": [
                {
                  "id": "idle/1",
                  "name": "idle",
                  "arity": 1,
                  "kind": "rules",
                  "declared": false,
                  "stratum": 1,
                  "facts": 0,
                  "rules": 1,
                  "where": {
                    "file": "é/rules.mg",
                    "line": 2,
                    "column": 1,
                    "end_line": 2,
                    "end_column": 5,
                    "start": 14,
                    "end": 18
                  },
                  "declaration": null,
                  "documentation": null
                },
                {
                  "id": "many/1",
                  "name": "many",
                  "arity": 1,
                  "kind": "rules",
                  "declared": false,
                  "stratum": 2,
                  "facts": 0,
                  "rules": 1,
                  "where": {
                    "file": "é/rules.mg",
                    "line": 3,
                    "column": 1,
                    "end_line": 3,
                    "end_column": 5,
                    "start": 44,
                    "end": 48
                  },
                  "declaration": null,
                  "documentation": null
                }
              ],
              "edges": [
                {
                  "from": "many/1",
                  "to": "idle/1",
                  "kind": "aggregated",
                  "temporal": false,
                  "recursive": false,
                  "where": [
                    {
                      "file": "é/rules.mg",
                      "line": 3,
                      "column": 12,
                      "end_line": 3,
                      "end_column": 16,
                      "start": 55,
                      "end": 59
                    }
                  ]
                }
              ],
              "components": []
            }
          ]
        }
    "#]]
    .assert_eq(&stdout(&output));
}

#[test]
fn paths_select_what_is_shown() {
    let project = [("mangle-ls.toml", "[[program]]\nname = 'ship'\ninclude = ['**/*.mg', '**/*.gl']\n")];
    let files = [FILES, &project].concat();
    check(
        &files,
        &["graph", "schemas.gl", "--format", "mermaid"],
        expect![[r#"
        flowchart LR
          p0_0[("crew/1")]
          p0_1(["sent/1"])
          classDef recursive stroke:#c00
          classDef undefined stroke-dasharray:2 2
        exit 0
    "#]],
    );
}

#[test]
fn what_is_not_there() {
    check(
        FILES,
        &["graph", "--of", "idel", "--format", "dot"],
        expect![[r#"
        digraph predicates {
          rankdir=LR;
          node [fontname="monospace"];
        }
        error: no predicate `idel` is mentioned here; did you mean `idle/1`?
        exit 2
    "#]],
    );
    check(
        FILES,
        &["graph", "nowhere.mg", "--format", "mermaid"],
        expect![[r#"
        flowchart LR
          classDef recursive stroke:#c00
          classDef undefined stroke-dasharray:2 2
        error: nowhere.mg: no such file or directory
        exit 2
    "#]],
    );
    check(
        FILES,
        &["graph", "--depth", "2"],
        expect![[r#"
        error: the following required arguments were not provided:
          --of <PRED[/N]>

        Usage: mangle-ls graph --of <PRED[/N]> --depth <N> [PATHS]...

        For more information, try '--help'.
        exit 2
    "#]],
    );
    check(
        &[],
        &["graph"],
        expect![[r#"
            warning: there are no Mangle files (`.mg`, `.gl`) here
            exit 0
        "#]],
    );
}
