//! `[runtime] stores` through the real program: a policy whose override never permits, since its facts are in another store.

use expect_test::expect;

use super::support::{check, folder, run, stdout};

const CONFIG: (&str, &str) =
    ("mangle-ls.toml", "[runtime.stores]\ndefault = \"memory\"\npolicy = [\"pending_action\"]\n");

const POLICY: (&str, &str) = (
    "policy.mg",
    r#"Decl pending_action(Id, Action, Target, Payload, At) descr [extensional()]
  bound [/string, /name, /string, /string, /number].
Decl permitted(Action, Target, Payload) bound [/name, /string, /string].
Decl admin_override(User) descr [extensional()] bound [/string].
safe_action(/read_file).
permitted(Action, Target, Payload) :-
    pending_action(_, Action, Target, Payload, _),
    safe_action(Action).
permitted(/delete_file, Target, Payload) :-
    pending_action(_, /delete_file, Target, Payload, _),
    admin_override(_).
permission_denied(/delete_file, "An override is needed.") :-
    pending_action(_, /delete_file, _, _, _),
    !has_override().
has_override() :- admin_override(_).
"#,
);

const FACTS: (&str, &str) = (
    "facts.mg",
    "pending_action(\"r1\", /read_file, \"a.go\", \"\", 1).\npending_action(\"r2\", /delete_file, \"a.go\", \"\", 1).\n\
     admin_override(\"me\").\n",
);

#[test]
fn check_reports_the_rules() {
    check(
        &[CONFIG, POLICY],
        &["check", "--format", "github"],
        expect![[r#"
            ::warning file=policy.mg,line=11,col=5,endColumn=19,title=MG811 split-join::rule for `permitted` never fires: no store has all its premises%0Aeach store evaluates the rule over its own facts
            ::warning file=policy.mg,line=14,col=6,endColumn=18,title=MG812 blind-negation::negation of `has_override` always holds in store `policy`%0Aeach store evaluates the rule over its own facts%0Aa fact that one store derives is a fact of the program
            2 warnings in 1 file (5 clauses); engine 2026-04
            exit 0
        "#]],
    );
    check(
        &[POLICY],
        &["check", "--format", "github"],
        expect![[r#"
            No findings in 1 file (5 clauses); engine 2026-04
            exit 0
        "#]],
    );
}

#[test]
fn query_names_the_stores() {
    let files = [CONFIG, POLICY, FACTS];
    let query = |atom: &'static str| ["query", atom, "policy.mg", "--facts", "facts.mg"];
    check(
        &files,
        &query("permitted(_, _, _)"),
        expect![[r#"
            permitted(/read_file,"a.go","")  # in store policy
            exit 0
        "#]],
    );
    check(
        &files,
        &query("safe_action(_)"),
        expect![[r#"
        safe_action(/read_file)  # in all stores
        exit 0
    "#]],
    );
    check(
        &files,
        &query("permission_denied(_, _)"),
        expect![[r#"
            permission_denied(/delete_file,"An override is needed.")  # in store policy
            exit 0
        "#]],
    );
    check(
        &files,
        &[&query("permitted(/read_file, _, _)")[..], &["--why"]].concat(),
        expect![[r#"
            permitted(/read_file,"a.go","")  by policy.mg:6  in store policy
              pending_action("r1",/read_file,"a.go","",1)  [facts.mg:1]
              safe_action(/read_file)  [policy.mg:5]
            exit 0
        "#]],
    );
    check(
        &files,
        &[&query("permitted(/delete_file, _, _)")[..], &["--why-not"]].concat(),
        expect![[r#"
            policy.mg:6: in store policy: premise 2 has no solution: safe_action(/delete_file)
              near: safe_action(/read_file)
              no rule gives `safe_action/1`: the fact is missing
            policy.mg:9: in store policy: premise 2 has no solution: admin_override(_)
              `admin_override("me")` is only in `memory`
            no fact matches `permitted(/delete_file, _, _)`
              argument 1 is never `/delete_file`; its values are `/read_file`
            exit 1
        "#]],
    );
    check(
        &files,
        &[&query("permitted(_, _, _)")[..], &["--format", "json"]].concat(),
        expect![[r#"
            [
              {
                "reading": "engine",
                "facts": [
                  "permitted(/read_file,\"a.go\",\"\")"
                ],
                "proofs": [],
                "others": [],
                "stores": [
                  [
                    "policy"
                  ]
                ],
                "why_not": "",
                "stopped": null,
                "lost": []
              }
            ]
            exit 0
        "#]],
    );
    check(
        &[POLICY, FACTS],
        &query("permitted(_, _, _)"),
        expect![[r#"
            permitted(/read_file,"a.go","")
            permitted(/delete_file,"a.go","")
            policy: 2 files (facts.mg, policy.mg)
            exit 0
        "#]],
    );
}

#[test]
fn tables_of_facts_go_to_their_stores() {
    let files = [CONFIG, POLICY, ("admin_override.csv", "User\nme\n")];
    check(
        &files,
        &["query", "has_override()", "policy.mg", "--facts", "admin_override.csv"],
        expect![[r#"
        has_override()  # in store memory
        exit 0
    "#]],
    );
}

#[test]
fn tests_are_evaluated_per_store() {
    let tests = "# @test name: an override permits\n\
        pending_action(\"r2\", /delete_file, \"a.go\", \"\", 1).\nadmin_override(\"me\").\n\
        # @expect permitted(/delete_file, \"a.go\", \"\")\n# @forbid permission_denied(/delete_file, _)\n\n\
        # @test name: reading is permitted\npending_action(\"r1\", /read_file, \"a.go\", \"\", 1).\n\
        # @expect permitted(/read_file, \"a.go\", \"\")\n";
    check(
        &[CONFIG, POLICY, ("policy_test.mg", tests)],
        &["test"],
        expect![[r#"
            policy_test.mg
              FAILED  an override permits
                line 4: `permitted(/delete_file, "a.go", "")` is expected, and there is no such fact.
                  policy.mg:6: in store policy: premise 2 has no solution: safe_action(/delete_file)
                    near: safe_action(/read_file)
                  policy.mg:9: in store policy: premise 2 has no solution: admin_override(_)
                line 5: `permission_denied(/delete_file, _)` is forbidden, but holds.
                  permission_denied(/delete_file,"An override is needed.")  by policy.mg:12  in store policy
                    pending_action("r2",/delete_file,"a.go","",1)  [policy_test.mg:2]
                    no has_override()
              ok      reading is permitted
            2 cases in 1 file: 1 passed, 1 failed
            exit 1
        "#]],
    );
}

/// A session that reads a file and deletes it.
const SESSION: (&str, &str) = (
    "session.jsonl",
    concat!(
        "{\"role\":\"assistant\",\"content\":\"{\\\"control_packet\\\":{\\\"mangle_updates\\\":[],\\\"tool_requests\\\":",
        "[{\\\"id\\\":\\\"r1\\\",\\\"tool_name\\\":\\\"read_file\\\",\\\"tool_args\\\":{\\\"path\\\":\\\"a.go\\\"}},",
        "{\\\"id\\\":\\\"r2\\\",\\\"tool_name\\\":\\\"delete_file\\\",\\\"tool_args\\\":{\\\"path\\\":\\\"a.go\\\"}}]},",
        "\\\"surface_response\\\":\\\"I look at it.\\\"}\"}\n",
    ),
);

#[test]
fn a_replay_names_the_store_that_decides() {
    let facts = ("admin_override.csv", "User\nme\n");
    let replay = [
        "replay",
        "session.jsonl",
        "--policy",
        "policy.mg",
        "--facts",
        "admin_override.csv",
        "--show-permits",
    ];
    check(
        &[CONFIG, POLICY, SESSION, facts],
        &replay,
        expect![[r#"
        turn 1  session.jsonl:1  json
          says     I look at it.
          PERMIT   /read_file a.go  r1
                   permitted by the constitution in store `policy`  by policy.mg:6
                    the request
                    safe_action(/read_file)  [policy.mg:5]
          DENY     /delete_file a.go  r2
                   An override is needed  by policy.mg:12
                    the request
                    no has_override()
                   policy.mg:6 in store policy lacks safe_action(/delete_file)
                   policy.mg:9 in store policy lacks admin_override(_)
          information[PB503 permitted]: `/read_file` on `a.go` is permitted
            --> session.jsonl:1:123
            = note: in store `policy`
          error[PB502 denied]: `/delete_file` on `a.go` is denied
            --> session.jsonl:1:201
            = note: reason: An override is needed

        1 turn, 2 requests: 1 permitted, 1 denied; 0 updates asserted, 0 lost; 1 error, 0 warnings
        exit 1
    "#]],
    );
    check(
        &[POLICY, SESSION, facts],
        &replay,
        expect![[r#"
        turn 1  session.jsonl:1  json
          says     I look at it.
          PERMIT   /read_file a.go  r1
                   permitted by the constitution  by policy.mg:6
                    the request
                    safe_action(/read_file)  [policy.mg:5]
          PERMIT   /delete_file a.go  r2
                   permitted by the constitution  by policy.mg:9
                    the request
                    admin_override("me")  [given]
          information[PB503 permitted]: `/read_file` on `a.go` is permitted
            --> session.jsonl:1:123
          information[PB503 permitted]: `/delete_file` on `a.go` is permitted
            --> session.jsonl:1:201
          warning[PB510 override-only]: only an override permits `/delete_file`
            --> session.jsonl:1:201
            = note: no fact of the policy lists the action as safe

        1 turn, 2 requests: 2 permitted, 0 denied; 0 updates asserted, 0 lost; 0 errors, 1 warning
        exit 0
    "#]],
    );
    let folder = folder(&[CONFIG, POLICY, SESSION, facts]);
    let output = stdout(&run(folder.path(), &[&replay[..], &["--format", "json"]].concat()));
    let turn: serde_json::Value = serde_json::from_str(output.lines().next().unwrap()).unwrap();
    let stores: Vec<_> =
        turn["verdicts"].as_array().unwrap().iter().map(|one| one["store"].clone()).collect();
    assert_eq!(stores, ["policy", "policy"]);
}

#[test]
fn verify_decides_nothing() {
    let properties =
        "# @never permission_denied(/delete_file, _)\n\n# @always admin_override(_) then has_override()\n";
    check(
        &[CONFIG, POLICY, ("policy_test.mg", properties)],
        &["verify", "."],
        expect![[r#"
        policy_test.mg:1 @never permission_denied(/delete_file, _)
          not decided: `[runtime] stores` is set, and worlds are not divided into stores (reading `engine`)

        policy_test.mg:3 @always admin_override(_) then has_override()
          not decided: `[runtime] stores` is set, and worlds are not divided into stores (reading `engine`)

        0 as expected, 0 not, 2 not decided
        exit 2
    "#]],
    );
    check(
        &[CONFIG, POLICY],
        &["verify", "--rules", "policy.mg"],
        expect![[r#"
        4 rules looked at, 0 findings, 9 questions not decided
        exit 2
    "#]],
    );
}

#[test]
fn a_wrong_word_is_reported() {
    let config = ("mangle-ls.toml", "[runtime]\nstores = \"codenrd\"\n");
    check(
        &[config, POLICY],
        &["check"],
        expect![[r#"
            error[MG903 config-bad-value]: unknown stores `codenrd`
             --> mangle-ls.toml:2:11
              |
            2 | stores = "codenrd"
              |           ^^^^^^^ this value is ignored
              |
              = note: the known runtimes are `codenerd`
              = note: a table `[runtime.stores]` lists the predicates of each store
              = help: write `codenerd` (a guess, look before you apply it)

            1 error in 1 file (5 clauses); engine 2026-04
            error: the settings cannot be used
              mangle-ls.toml:2:11: unknown stores `codenrd` (MG903)
            exit 2
        "#]],
    );
}

/// Policies with the same rules differ if one of them has stores.
#[test]
fn diff_of_other_stores_is_not_decided() {
    let plain = ("plain/mangle-ls.toml", "[kernel]\n");
    let stores = ("divided/mangle-ls.toml", CONFIG.1);
    let files = [plain, stores, ("plain/policy.mg", POLICY.1), ("divided/policy.mg", POLICY.1)];
    check(
        &files,
        &["diff", "plain", "divided", "permitted(_, _, _)"],
        expect![[r#"
        permitted(_, _, _): not decided: `[runtime] stores` is set, and worlds are not divided into stores

        0 equivalent, 0 different, 1 not decided
        exit 2
    "#]],
    );
}

#[test]
fn config_and_status_name_the_stores() {
    let folder = folder(&[CONFIG, POLICY]);
    let lines = |arguments: &[&str]| {
        let out = stdout(&run(folder.path(), arguments));
        let lines = out.lines().filter(|line| line.contains("stores:") || line.contains("\"memory\""));
        lines.map(|line| format!("{}\n", line.trim())).collect::<String>()
    };
    expect![[r#"
        stores = { "default" = "memory", "policy" = ["pending_action"] }
        # [runtime] 2 stores: memory (default), policy
    "#]]
    .assert_eq(&lines(&["config", "show"]));
    expect![[r#"
                            2 stores: memory (default), policy
    "#]]
    .assert_eq(&lines(&["config", "show", "policy.mg"]));
    expect![[r#"
          facts    2 stores: memory (default), policy
    "#]]
    .assert_eq(&lines(&["config", "files"]));
    expect![[r#"
                "memory",
    "#]]
    .assert_eq(&lines(&["config", "files", "--format", "json"]));
}
