//! `--format` and `--statistics`.

use expect_test::{Expect, expect};
use serde_json::Value;

use super::schema::sarif;
use super::support::{BAD, GOOD, command, folder, render, run, stdout};

fn check(files: &[(&str, &str)], arguments: &[&str], expected: Expect) {
    let folder = folder(files);
    expected.assert_eq(&render(&run(folder.path(), arguments)));
}

/// A log with the rules and the folder taken out, which are checked here.
fn log(files: &[(&str, &str)], arguments: &[&str]) -> Value {
    let folder = folder(files);
    let output = run(folder.path(), &[&["check", "--format", "sarif"], arguments].concat());
    let mut log = sarif(&stdout(&output));
    let run = &mut log["runs"][0];
    let root = run["originalUriBaseIds"]["%SRCROOT%"]["uri"].as_str().unwrap().to_owned();
    let folder = folder.path().canonicalize().unwrap();
    assert_eq!(root, format!("file://{}/", folder.to_str().unwrap()));
    let rules = run["tool"]["driver"].as_object_mut().unwrap().remove("rules").unwrap();
    for result in run["results"].as_array_mut().unwrap() {
        // Where a rule stands among all rules is nothing to write down here.
        let index = result.as_object_mut().unwrap().remove("ruleIndex").unwrap();
        assert_eq!(rules[usize::try_from(index.as_u64().unwrap()).unwrap()]["id"], result["ruleId"]);
    }
    run.as_object_mut().unwrap().remove("originalUriBaseIds");
    assert_eq!(run["invocations"][0]["exitCode"], output.status.code().unwrap());
    log
}

fn check_results(files: &[(&str, &str)], arguments: &[&str], expected: Expect) {
    let log = log(files, arguments);
    expected.assert_eq(&format!("{:#}\n", log["runs"][0]["results"]));
}

#[test]
fn a_log_of_nothing() {
    let log = log(&[("a.mg", GOOD)], &[]);
    let mut log = log["runs"][0].clone();
    log["tool"]["driver"].as_object_mut().unwrap().retain(|key, _| key == "name");
    expect![[r#"
        {
          "columnKind": "utf16CodeUnits",
          "invocations": [
            {
              "executionSuccessful": true,
              "exitCode": 0,
              "toolExecutionNotifications": []
            }
          ],
          "newlineSequences": [
            "\r\n",
            "\n",
            "\r"
          ],
          "tool": {
            "driver": {
              "name": "mangle-ls"
            }
          },
          "results": []
        }
    "#]]
    .assert_eq(&format!("{log:#}\n"));
}

#[test]
fn a_log_with_places() {
    check_results(
        &[("a.mg", GOOD), ("x y/100%/é.mg", BAD)],
        &[],
        expect![[r#"
            [
              {
                "level": "error",
                "locations": [
                  {
                    "physicalLocation": {
                      "artifactLocation": {
                        "uri": "x%20y/100%25/%C3%A9.mg",
                        "uriBaseId": "%SRCROOT%"
                      },
                      "region": {
                        "endColumn": 16,
                        "endLine": 2,
                        "startColumn": 15,
                        "startLine": 2
                      }
                    }
                  }
                ],
                "message": {
                  "text": "undefined predicate `r/1`"
                },
                "partialFingerprints": {
                  "mangleStatement/v1": "9ae986c06f8658cc:1"
                },
                "properties": {
                  "notes": [
                    "the engine rejects the program"
                  ]
                },
                "ruleId": "MG301"
              }
            ]
        "#]],
    );
}

#[test]
fn columns_count_utf16_and_fixes_are_edits() {
    let text = "Decl p(X, Y) bound [/string, /name].\r\n# 🦀\r\np(\"🦀\", /a). p(\"🦀🦀\", /open.\r\n";
    check_results(
        &[("a.mg", text)],
        &[],
        expect![[r#"
            [
              {
                "fixes": [
                  {
                    "artifactChanges": [
                      {
                        "artifactLocation": {
                          "uri": "a.mg",
                          "uriBaseId": "%SRCROOT%"
                        },
                        "replacements": [
                          {
                            "deletedRegion": {
                              "endColumn": 30,
                              "endLine": 3,
                              "startColumn": 30,
                              "startLine": 3
                            },
                            "insertedContent": {
                              "text": ")"
                            }
                          }
                        ]
                      }
                    ],
                    "description": {
                      "text": "insert `)`"
                    },
                    "properties": {
                      "applicability": "unsafe"
                    }
                  }
                ],
                "level": "error",
                "locations": [
                  {
                    "message": {
                      "text": "expected `)` after this"
                    },
                    "physicalLocation": {
                      "artifactLocation": {
                        "uri": "a.mg",
                        "uriBaseId": "%SRCROOT%"
                      },
                      "region": {
                        "endColumn": 30,
                        "endLine": 3,
                        "startColumn": 29,
                        "startLine": 3
                      }
                    }
                  }
                ],
                "message": {
                  "text": "missing `)` after `p(\"🦀🦀\", /open.`"
                },
                "partialFingerprints": {
                  "mangleStatement/v1": "f1b955021747b84a:1"
                },
                "ruleId": "MG037"
              }
            ]
        "#]],
    );
}

#[test]
fn related_places_are_locations() {
    let files = [("a b.mg", GOOD), ("c.mg", "q(X) :- p(X, X).\n")];
    check_results(
        &files,
        &[],
        expect![[r#"
            [
              {
                "level": "error",
                "locations": [
                  {
                    "physicalLocation": {
                      "artifactLocation": {
                        "uri": "c.mg",
                        "uriBaseId": "%SRCROOT%"
                      },
                      "region": {
                        "endColumn": 16,
                        "endLine": 1,
                        "startColumn": 9,
                        "startLine": 1
                      }
                    }
                  }
                ],
                "message": {
                  "text": "`p` takes 1 argument, found 2"
                },
                "partialFingerprints": {
                  "mangleStatement/v1": "89f03fa4375cebb9:1"
                },
                "properties": {
                  "notes": [
                    "the engine rejects the program"
                  ]
                },
                "relatedLocations": [
                  {
                    "message": {
                      "text": "`p/1` is declared here"
                    },
                    "physicalLocation": {
                      "artifactLocation": {
                        "uri": "a%20b.mg",
                        "uriBaseId": "%SRCROOT%"
                      },
                      "region": {
                        "endColumn": 7,
                        "endLine": 1,
                        "startColumn": 6,
                        "startLine": 1
                      }
                    }
                  }
                ],
                "ruleId": "MG302"
              }
            ]
        "#]],
    );
}

#[test]
fn a_log_tells_what_could_not_be_checked() {
    let log = log(&[("b.mg", GOOD)], &["gone away.mg", "b.mg"]);
    expect![[r#"
        [
          {
            "executionSuccessful": false,
            "exitCode": 2,
            "toolExecutionNotifications": [
              {
                "level": "error",
                "locations": [
                  {
                    "physicalLocation": {
                      "artifactLocation": {
                        "uri": "gone%20away.mg",
                        "uriBaseId": "%SRCROOT%"
                      }
                    }
                  }
                ],
                "message": {
                  "text": "This cannot be checked: no such file or directory."
                }
              }
            ]
          }
        ]
    "#]]
    .assert_eq(&format!("{:#}\n", log["runs"][0]["invocations"]));
}

#[test]
fn every_rule_has_a_descriptor() {
    let folder = folder(&[("a.mg", GOOD)]);
    let log = sarif(&stdout(&run(folder.path(), &["check", "--format", "sarif"])));
    let described = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    let listed: Value =
        serde_json::from_str(&stdout(&run(folder.path(), &["explain", "--format", "json"]))).unwrap();
    let rows = |list: &[Value], id: &str| -> Vec<_> {
        list.iter().map(|rule| (rule[id].clone(), rule["name"].clone())).collect()
    };
    assert_eq!(rows(described, "id"), rows(listed.as_array().unwrap(), "code"));
    for rule in described {
        assert!(!rule["help"]["markdown"].as_str().unwrap().is_empty(), "{rule}");
        assert!(!rule["shortDescription"]["text"].as_str().unwrap().is_empty(), "{rule}");
    }
}

#[test]
fn fingerprints_survive_moved_lines() {
    let prints = |text: &str| -> Vec<_> {
        let log = log(&[("a.mg", text)], &[]);
        let results = log["runs"][0]["results"].as_array().unwrap().clone();
        results.into_iter().map(|result| result["partialFingerprints"].clone()).collect()
    };
    let rule = "a(X) :- b(X), c(X).\n";
    let before = prints(rule);
    assert_eq!(before.len(), 2);
    assert_ne!(before[0], before[1]);
    assert_eq!(prints(&format!("# moved\n\nz(1).\n{}", rule.replace(", ", ",\n    "))), before);
    assert_ne!(prints("a(Y) :- b(Y), c(Y).\n"), before);
}

#[test]
fn annotations_of_a_workflow() {
    check(
        &[("a.mg", GOOD), ("x,y:z%/b.mg", BAD)],
        &["check", "--format", "github"],
        expect![[r#"
            ::error file=x%2Cy%3Az%25/b.mg,line=2,col=15,endColumn=16,title=MG301 undefined-predicate::undefined predicate `r/1`%0Athe engine rejects the program
            1 error in 2 files (2 clauses)
            exit 1
        "#]],
    );
    check(
        &[("a.mg", "p(\"\u{1f980}\n).\nq(/open.\n")],
        &["check", "--format", "github"],
        expect![[r#"
            ::error file=a.mg,line=1,col=3,endColumn=4,title=MG003 unterminated-string::string is never closed%0Athe engine reads everything up to the next such quote as text%0AFix: close the string on its first line (a guess)
            ::error file=a.mg,line=3,col=8,endColumn=9,title=MG037 missing-bracket::missing `)` after `q(/open.`%0AFix: insert `)` (a guess)
            2 errors in 1 file (2 clauses)
            exit 1
        "#]],
    );
}

#[test]
fn annotations_are_relative_to_the_checkout() {
    let folder = folder(&[("policy/b.mg", BAD)]);
    let root = folder.path().canonicalize().unwrap();
    let mut command = command(&root.join("policy"), &["check", "--format", "github"]);
    let output = stdout(&command.env("GITHUB_WORKSPACE", &root).output().unwrap());
    assert!(output.contains("::error file=policy/b.mg,line=2,"), "{output}");
}

#[test]
fn a_suite_for_each_file() {
    let files = [("a.mg", GOOD), ("b & c.mg", BAD), ("d.mg", "q(\"\u{1}\u{1b}\u{fffe}\n")];
    check(
        &files,
        &["check", "--format", "junit"],
        expect![[r#"
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="mangle-ls" tests="3" skipped="0" failures="2" errors="0" time="0">
                <testsuite name="a.mg" tests="1" skipped="0" errors="0" failures="0">
                    <testcase name="check"/>
                </testsuite>
                <testsuite name="b &amp; c.mg" tests="1" skipped="0" errors="0" failures="1">
                    <testcase name="MG301 undefined-predicate at 2:15" classname="b &amp; c.mg" line="2">
                        <failure message="undefined predicate `r/1`" type="error">b &amp; c.mg:2:15: error: undefined predicate `r/1`
            Note: the engine rejects the program</failure>
                    </testcase>
                </testsuite>
                <testsuite name="d.mg" tests="1" skipped="0" errors="0" failures="1">
                    <testcase name="MG003 unterminated-string at 1:3" classname="d.mg" line="1">
                        <failure message="string is never closed" type="error">d.mg:1:3: error: string is never closed
            Note: the engine reads everything up to the next such quote as text
            Fix: close the string on its first line (a guess)</failure>
                    </testcase>
                </testsuite>
            </testsuites>
            exit 1
        "#]],
    );
}

#[test]
fn what_does_not_fail_is_a_passed_test() {
    let arguments = ["check", "--format", "junit", "--fail-on", "never", "b.mg", "gone.mg"];
    check(
        &[("a.mg", GOOD), ("b.mg", BAD)],
        &arguments,
        expect![[r#"
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="mangle-ls" tests="2" skipped="0" failures="0" errors="1" time="0">
                <testsuite name="b.mg" tests="1" skipped="0" errors="0" failures="0">
                    <testcase name="MG301 undefined-predicate at 2:15" classname="b.mg" line="2">
                        <system-out>b.mg:2:15: error: undefined predicate `r/1`
            Note: the engine rejects the program</system-out>
                    </testcase>
                </testsuite>
                <testsuite name="gone.mg" tests="1" skipped="0" errors="1" failures="0">
                    <testcase name="check">
                        <error message="no such file or directory" type="unreadable"/>
                    </testcase>
                </testsuite>
            </testsuites>
            policy: 2 files (a.mg, b.mg)
            error: gone.mg: no such file or directory
            exit 2
        "#]],
    );
}

#[test]
fn counts_by_rule() {
    let files = [("b.mg", BAD), ("c.mg", "c(X) :- d(X), e(X, _), !f(X), q(X, X).\n")];
    check(
        &files,
        &["check", "--statistics", "--format", "json"],
        expect![[r#"
            {"file":"b.mg","code":"MG301","rule":"undefined-predicate","severity":"error","message":"undefined predicate `p/1`","line":2,"column":9,"end_line":2,"end_column":10,"start":35,"end":36,"path":[],"label":null,"related":[],"notes":["the engine rejects the program"],"help":null,"fix":null}
            {"file":"b.mg","code":"MG301","rule":"undefined-predicate","severity":"error","message":"undefined predicate `r/1`","line":2,"column":15,"end_line":2,"end_column":16,"start":41,"end":42,"path":[],"label":null,"related":[],"notes":["the engine rejects the program"],"help":null,"fix":null}
            {"file":"c.mg","code":"MG301","rule":"undefined-predicate","severity":"error","message":"undefined predicate `d/1`","line":1,"column":9,"end_line":1,"end_column":10,"start":8,"end":9,"path":[],"label":null,"related":[],"notes":["the engine rejects the program"],"help":null,"fix":null}
            {"file":"c.mg","code":"MG301","rule":"undefined-predicate","severity":"error","message":"undefined predicate `e/2`","line":1,"column":15,"end_line":1,"end_column":16,"start":14,"end":15,"path":[],"label":null,"related":[],"notes":["the engine rejects the program"],"help":null,"fix":null}
            {"file":"c.mg","code":"MG301","rule":"undefined-predicate","severity":"error","message":"undefined predicate `f/1`","line":1,"column":25,"end_line":1,"end_column":26,"start":24,"end":25,"path":[],"label":null,"related":[],"notes":["the engine rejects the program"],"help":null,"fix":null}
            {"file":"c.mg","code":"MG302","rule":"arity-mismatch","severity":"error","message":"`q` takes 1 argument, found 2","line":1,"column":31,"end_line":1,"end_column":38,"start":30,"end":37,"path":[],"label":null,"related":[{"file":"b.mg","line":1,"column":6,"message":"`q/1` is declared here"}],"notes":["the engine rejects the program"],"help":null,"fix":null}
            {"summary":{"files":2,"clauses":2,"envelopes":0,"errors":6,"warnings":0,"information":0,"hints":0,"elapsed_ms":0,"engines":["2026-06"]},"statistics":[{"code":"MG301","rule":"undefined-predicate","severity":"error","count":5},{"code":"MG302","rule":"arity-mismatch","severity":"error","count":1}]}
            exit 1
        "#]],
    );
    let folder = folder(&files);
    let output = stdout(&run(folder.path(), &["check", "--statistics"]));
    let lines: Vec<_> = output.lines().collect();
    expect![[r#"

        5  error        MG301 undefined-predicate
        1  error        MG302 arity-mismatch

        6 errors in 2 files (2 clauses)"#]]
    .assert_eq(&lines[lines.len() - 5..].join("\n"));
    let clean = tempfile::tempdir().unwrap();
    assert!(stdout(&run(clean.path(), &["check", "--statistics"])).starts_with("Nothing to check"));
}

#[test]
fn nothing_disturbs_a_document() {
    let folder = folder(&[("b.mg", BAD)]);
    for format in ["sarif", "junit"] {
        let arguments = ["check", "--format", format, "--statistics", "--show-program", "--color", "always"];
        let output = run(folder.path(), &arguments);
        let (out, complaints) = (stdout(&output), String::from_utf8(output.stderr).unwrap());
        match format {
            "sarif" => drop(sarif(&out)),
            _ => drop(roxmltree::Document::parse(&out).unwrap()),
        }
        assert!(complaints.contains("program the given paths"), "{complaints}");
        assert!(complaints.contains("2  error        MG301 undefined-predicate"), "{complaints}");
    }
}

/// What the examples give has fixes, related places and all severities.
#[test]
fn documents_of_the_examples_are_valid() {
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let log = sarif(&stdout(&run(&examples, &["check", "--format", "sarif"])));
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert!(results.iter().any(|result| result["fixes"].is_array()));
    assert!(results.iter().any(|result| result["relatedLocations"].is_array()));
    let xml = stdout(&run(&examples, &["check", "--format", "junit"]));
    let document = roxmltree::Document::parse(&xml).unwrap();
    let cases = document.descendants().filter(|node| node.has_tag_name("testcase")).count();
    assert!(cases >= results.len());
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_utf8() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = folder(&[("a.mg", GOOD)]);
    std::fs::write(folder.path().join(std::ffi::OsStr::from_bytes(b"\xff,\n.mg")), BAD).unwrap();
    let log = sarif(&stdout(&run(folder.path(), &["check", "--format", "sarif"])));
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "%FF,%0A.mg");
    let xml = stdout(&run(folder.path(), &["check", "--format", "junit"]));
    assert!(roxmltree::Document::parse(&xml).unwrap().descendants().any(|node| node.has_tag_name("failure")));
    let annotations = stdout(&run(folder.path(), &["check", "--format", "github"]));
    assert!(annotations.starts_with("::error file=\u{fffd}%2C%0A.mg,line=2,"), "{annotations}");
    let lines = stdout(&run(folder.path(), &["check", "--format", "json"]));
    let first: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!(first["file"], "\u{fffd},\n.mg");
}
