//! `preview --why` and `--why-not`: lines, parts of lines, lines that a rule builds from variables, prompt atoms, values of
//! sessions, in every mode.

use expect_test::{Expect, expect};

use super::support::{check, folder, render, run};

const SCHEMAS: &str = "Decl active_shard(Id, Type) bound [/string, /name].\n\
    Decl injectable_context(Id, Text) bound [/string, /string].\n\
    Decl specialist_knowledge(Id, Topic, Text) bound [/string, /name, /string].\n\
    Decl shard_prompt_base(Type, Text) bound [/name, /string].\n\
    Decl test_state(State) bound [/name].\nDecl lang(L) bound [/name].\nDecl lesson(Id, Text) bound [/name, /string].\n\
    Decl lesson_applies(Id) bound [/name].\nDecl waived(Id) bound [/name].\n";
const POLICY: &str = "injectable_context(\"*\", Text) :- lesson(Id, Text), lesson_applies(Id).\n\
    lesson_applies(Id) :- lesson(Id, _), test_state(/failing), !waived(Id).\n\
    injectable_context(/_all, Line) :- lang(L), test_state(S), Line = fn:string:concat(\"Language \", L, \" is \", S, \".\").\n\
    injectable_context(Id, Line) :- active_shard(Id, /tester), Line = fn:string:concat(\"You test as \", Id).\n\
    injectable_context(\"tester-1\", \"Only for testers.\").\n";
pub(super) const KERNEL: &str = "# @preview use: schemas.gl, policy.mg\n# @preview name: fix\n# @preview shard: coder-7 coder\n\
    # @preview session: fix.session.yaml\nlang(/go).\ntest_state(/passing).\nlesson(/l1, \"Retry twice before failing.\").\n\
    specialist_knowledge(\"coder-7\", /jwt, \"Tokens expire soon.\").\nshard_prompt_base(/tester, \"You test code.\").\n";
const ATOMS: &str = "# The corpus.\n- id: me\n  category: identity\n  is_mandatory: true\n  content: |\n    You are a coder.\n    \
    You write code.\n\n- id: envelope\n  category: protocol\n  is_mandatory: true\n  content: Write \"control_packet\" first.\n\
    - id: safe\n  category: safety\n  is_mandatory: true\n  shard_types: [/reviewer]\n  content: Delete nothing.\n\
    - id: method\n  category: methodology\n  is_mandatory: true\n  content: Test first.\n\
    - id: style/short\n  category: domain\n  content: Be short.\n- id: odd\n  category: style\n  content: Odd.\n";
pub(super) const FILES: &[(&str, &str)] = &[
    ("schemas.gl", SCHEMAS),
    ("policy.mg", POLICY),
    ("fix.kernel.mg", KERNEL),
    (
        "fix.session.yaml",
        "git_branch: main\nactive_files: [auth.go]\nrecent_findings:\n  - The clock was frozen.\n",
    ),
    ("atoms/a.yaml", ATOMS),
];

/// What `--why-not` says of a text for `coder-7`, with more options.
fn why_not(text: &str, more: &[&str]) -> String {
    let mut args = vec!["preview", "fix.kernel.mg", "--why-not", "coder-7", text];
    args.extend(more);
    render(&run(folder(FILES).path(), &args))
}

/// The same with the prompt compiler.
fn why_not_compiled(text: &str) -> String {
    let kernel =
        KERNEL.replace("# @preview session", "# @preview mode: jit(atoms=atoms)\n# @preview session");
    let mut files = FILES.to_vec();
    files[2].1 = &kernel;
    render(&run(folder(&files).path(), &["preview", "fix.kernel.mg", "--why-not", "coder-7", text]))
}

#[test]
fn part_of_a_line_is_explained_by_the_rule_that_could_give_it() {
    expect![[r#"
        not derived:
        policy.mg:1: gives lines `{Text}`
          premise 2 has no solution: lesson_applies(/l1)
            policy.mg:2: premise 2 has no solution: test_state(/failing)
              near: test_state(/passing)
              no rule gives `test_state/1`: the fact is missing
        policy.mg:3: derives other lines: `Language {L} is {S}.`
        policy.mg:4: derives other lines: `You test as {Id}`
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 0
    "#]]
    .assert_eq(&why_not("Retry twice", &[]));
    assert_eq!(why_not("Retry twice before failing.", &[]), why_not("Retry twice", &[]));
    expect![[r#"
        not derived:
        policy.mg:1: gives lines `{Text}`
          premise 2 has no solution: lesson_applies(/l1)
            its own rules are not explained; a greater `--depth` does it
        policy.mg:3: derives other lines: `Language {L} is {S}.`
        policy.mg:4: derives other lines: `You test as {Id}`
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 0
    "#]]
    .assert_eq(&why_not("Retry", &["--depth", "0"]));
    expect![[r#"
        it is in the prompt
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 0
    "#]]
    .assert_eq(&why_not("is /passing", &[]));
}

#[test]
fn line_built_from_variables_shows_its_pattern() {
    expect![[r#"
        not derived:
        policy.mg:3: gives lines `Language {L} is {S}.`
          premise 2 has no solution: test_state(/failing)
            near: test_state(/passing)
            no rule gives `test_state/1`: the fact is missing
        policy.mg:1: derives other lines: `{Text}`
        policy.mg:4: derives other lines: `You test as {Id}`
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 0
    "#]]
    .assert_eq(&why_not("Language /go is /failing.", &[]));
    expect![[r#"
        not derived:
        policy.mg:4: gives lines `You test as {Id}`
          premise 1 has no solution: active_shard("coder-7",/tester)
            near: active_shard("coder-7",/coder)
            no rule gives `active_shard/2`: the fact is missing
        policy.mg:1: derives other lines: `{Text}`
        policy.mg:3: derives other lines: `Language {L} is {S}.`
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 0
    "#]]
    .assert_eq(&why_not("You test as coder", &[]));
}

#[test]
fn value_in_a_line_built_from_variables_shows_the_premise_that_it_fails() {
    expect![[r#"
        not derived:
        policy.mg:3: gives lines `Language {L} is {S}.`
          premise 1 has no solution: lang(/rust)
            near: lang(/go)
            no rule gives `lang/1`: the fact is missing
        policy.mg:1: derives other lines: `{Text}`
        policy.mg:4: derives other lines: `You test as {Id}`
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 0
    "#]]
    .assert_eq(&why_not("Language /rust", &[]));
    expect![[r#"
        not derived:
        policy.mg:3: gives lines `Language {L} is {S}.`
          premise 2 has no solution: test_state(/failing)
            near: test_state(/passing)
            no rule gives `test_state/1`: the fact is missing
        policy.mg:1: derives other lines: `{Text}`
        policy.mg:4: derives other lines: `You test as {Id}`
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 0
    "#]]
    .assert_eq(&why_not("is /failing.", &[]));
}

/// What `--why-not` says of a text for the only rule of a policy.
fn of_rule(rule: &str, facts: &str, shard: &str, text: &str) -> String {
    let policy = format!("Decl injectable_context(Id, Text) bound [/string, /string].\n{rule}\n");
    let kernel = format!("# @preview use: p.mg\n# @preview shard: coder-7 coder\n{facts}\n");
    let files = [("p.mg", &*policy), ("k.kernel.mg", &*kernel)];
    render(&run(folder(&files).path(), &["preview", "k.kernel.mg", "--why-not", shard, text]))
}

#[test]
fn failing_comparison_is_the_one_of_the_text() {
    let rule = |test: &str| {
        format!("injectable_context(\"*\",L) :- task(T,N), {test}, L = fn:string:concat(\"Task \",T,\".\").")
    };
    let facts = "task(\"a\",3). task(\"b\",12). task(\"c\",50). done(\"a\").";
    let at_least = of_rule(&rule("N >= 10"), facts, "coder-7", "Task a");
    expect![[r#"
        not derived:
        p.mg:2: gives lines `Task {T}.`
          premise 2 has no solution: 3 >= 10
        policy: 1 file (p.mg); left out: k.kernel.mg
        exit 0
    "#]]
    .assert_eq(&at_least);
    let whole = of_rule(&rule("N >= 10"), facts, "coder-7", "Task a.");
    assert_eq!(whole, at_least);
    let all = of_rule(&rule("N >= 10").replace("\"*\"", "/_all"), facts, "coder-7", "Task a.");
    assert_eq!(all, at_least);
    expect![[r#"
        not derived:
        p.mg:2: gives lines `Task {T}.`
          premise 2 fails: !done("a"), but there is done("a")
        policy: 1 file (p.mg); left out: k.kernel.mg
        exit 0
    "#]]
    .assert_eq(&of_rule(&rule("!done(T)"), facts, "coder-7", "Task a"));
    // Where the rule gives no line at all, too.
    expect![[r#"
        not derived:
        p.mg:2: gives lines `Task {T}.`
          premise 2 has no solution: 50 > 100
        policy: 1 file (p.mg); left out: k.kernel.mg
        exit 0
    "#]]
    .assert_eq(&of_rule(&rule("N > 100"), facts, "coder-7", "Task c."));
}

#[test]
fn failing_premise_has_all_values_of_the_text() {
    let rule = "injectable_context(\"*\",L) :- blockedby(A,B), L = fn:string:concat(A,\" waits for \",B).";
    expect![[r#"
        not derived:
        p.mg:2: gives lines `{A} waits for {B}`
          premise 1 has no solution: blockedby("a","c")
            no rule gives `blockedby/2`: the fact is missing
        policy: 1 file (p.mg); left out: k.kernel.mg
        exit 0
    "#]]
    .assert_eq(&of_rule(rule, "Decl blockedby(A,B).", "coder-7", "a waits for c"));
    expect![[r#"
        not derived:
        p.mg:2: gives lines `{A} waits for {B}`
          premise 1 has no solution: blockedby("a","c")
            near: blockedby("a","b")
            no rule gives `blockedby/2`: the fact is missing
        policy: 1 file (p.mg); left out: k.kernel.mg
        exit 0
    "#]]
    .assert_eq(&of_rule(rule, "blockedby(\"a\",\"b\").", "coder-7", "a waits for c"));
    expect![[r#"
        not derived:
        p.mg:2: gives lines `You are {S}.`
          for another shard: argument 1 of the head is "coder-8"
        policy: 1 file (p.mg); left out: k.kernel.mg
        exit 0
    "#]]
    .assert_eq(&of_rule(
        "injectable_context(S,L) :- shard(S), L = fn:string:concat(\"You are \",S,\".\").",
        "shard(\"coder-7\"). shard(\"tester-1\").",
        "coder-7",
        "You are coder-8.",
    ));
}

#[test]
fn failing_premise_of_an_aggregation_has_the_values_of_the_text() {
    let rule = "injectable_context(\"*\",L) :- task(T,N) |> do fn:group_by(T), let S = fn:sum(N), \
                let L = fn:string:concat(\"Task \",T,\".\").";
    expect![[r#"
        not derived:
        p.mg:2: gives lines `Task {T}.`
          premise 1 has no solution: task("b",_)
            near: task("a",3)
            no rule gives `task/2`: the fact is missing
        policy: 1 file (p.mg); left out: k.kernel.mg
        exit 0
    "#]]
    .assert_eq(&of_rule(rule, "task(\"a\",3).", "coder-7", "Task b."));
}

#[test]
fn line_for_another_shard_names_it() {
    expect![[r#"
        wrong shard key: it is injected for `tester-1`; `coder-7` accepts only `coder-7`, `*`, `/_all`, exactly
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 0
    "#]].assert_eq(&why_not("Only for", &[]));
    expect![[r#"
        a fact of `specialist_knowledge` has the text, but `legacy` shows no knowledge of specialists; `section` and `jit` do
        not derived:
        policy.mg:1: gives lines `{Text}`
          premise 1 has no solution: lesson(_,"Tokens expire soon.")
            near: lesson(/l1,"Retry twice before failing.")
            no rule gives `lesson/2`: the fact is missing
        policy.mg:3: gives lines `Language {L} is {S}.`
          for this shard it derives other lines:
            Language /go is /passing.
        policy.mg:4: gives lines `You test as {Id}`
          premise 1 has no solution: active_shard("coder-7",/tester)
            near: active_shard("coder-7",/coder)
            no rule gives `active_shard/2`: the fact is missing
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 0
    "#]].assert_eq(&why_not("Tokens expire", &[]));
    expect![[r#"
        a fact of `shard_prompt_base` has the text, but it is the template of another type of shard, or not the first of this type
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 0
    "#]].assert_eq(&why_not("You test code.", &[]));
}

#[test]
fn value_of_the_session_that_is_not_shown_is_named() {
    expect![[r#"
        fix.session.yaml:2 has the text, but `active_files` is not shown in any prompt
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 0
    "#]]
    .assert_eq(&why_not("auth.go", &[]));
    expect![[r#"
        fix.session.yaml:4 has the text, but prompts in mode `jit` do not show `recent_findings`; `legacy` does
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 1
    "#]].assert_eq(&why_not_compiled("The clock was"));
    expect![[r#"
        fix.session.yaml:4 has the text, but prompts in mode `section` do not show `recent_findings`; `legacy` does
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 0
    "#]].assert_eq(&why_not("The clock was", &["--mode", "section"]));
}

#[test]
fn atom_is_explained_by_id_and_by_a_part_of_its_text() {
    expect![[r#"
        it is in the prompt
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 1
    "#]]
    .assert_eq(&why_not_compiled("me"));
    expect![[r#"
        prompt atom safe (atoms/a.yaml:13): blocked: no value of its `shard_types` holds here
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 1
    "#]]
    .assert_eq(&why_not_compiled("safe"));
    expect![[r#"
        prompt atom style/short (atoms/a.yaml:22): not a candidate: not mandatory, not needed, not found by a search
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 1
    "#]].assert_eq(&why_not_compiled("Be sho"));
    expect![[r#"
        prompt atom odd (atoms/a.yaml:26): unknown category `style` of a prompt atom; the runtime ignores the prompt atom; only its log reports that; the categories are `identity`, `safety`, `protocol`, `capability`, `methodology`, `hallucination`, `language`, `framework`, `domain`, `campaign`, `init`, `northstar`, `ouroboros`, `autopoiesis`, `context`, `reviewer`, `eval`, `exemplar`, `knowledge`, `build_layer`, `intent`, `world_state`
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 1
    "#]].assert_eq(&why_not_compiled("odd"));
    expect![[r#"
        no prompt atom is called `style/shrt`; did you mean `style/short`?
        not derived:
        policy.mg:1: gives lines `{Text}`
          premise 1 has no solution: lesson(_,"style/shrt")
            near: lesson(/l1,"Retry twice before failing.")
            no rule gives `lesson/2`: the fact is missing
        policy.mg:3: gives lines `Language {L} is {S}.`
          for this shard it derives other lines:
            Language /go is /passing.
        policy.mg:4: gives lines `You test as {Id}`
          premise 1 has no solution: active_shard("coder-7",/tester)
            near: active_shard("coder-7",/coder)
            no rule gives `active_shard/2`: the fact is missing
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 1
    "#]]
    .assert_eq(&why_not_compiled("style/shrt"));
}

#[test]
fn atom_is_explained_in_modes_without_the_prompt_compiler() {
    let with_atoms = |text: &str, mode: &str| {
        let kernel = KERNEL.replace(
            "# @preview session",
            &format!("# @preview mode: {mode}(atoms=atoms)\n# @preview session"),
        );
        let mut files = FILES.to_vec();
        files[2].1 = &kernel;
        render(&run(folder(&files).path(), &["preview", "fix.kernel.mg", "--why-not", "coder-7", text]))
    };
    expect![[r#"
        prompt atom safe (atoms/a.yaml:13): `legacy` takes it only where a value of its `shard_types` holds
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 1
    "#]]
    .assert_eq(&with_atoms("safe", "legacy"));
    expect![[r#"
        prompt atom style/short (atoms/a.yaml:22): `legacy` takes mandatory atoms alone, and it is not mandatory
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 1
    "#]].assert_eq(&with_atoms("style/short", "legacy"));
    expect![[r#"
        it is in the prompt
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 1
    "#]]
    .assert_eq(&with_atoms("me", "legacy"));
    expect![[r#"
        prompt atom me (atoms/a.yaml:2): `section` shows no prompt atoms
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 1
    "#]]
    .assert_eq(&with_atoms("me", "section"));
}

#[test]
fn why_takes_atoms_and_several_lines() {
    let kernel =
        KERNEL.replace("# @preview session", "# @preview mode: jit(atoms=atoms)\n# @preview session");
    let mut files = FILES.to_vec();
    files[2].1 = &kernel;
    let why =
        |text: &str, expected: Expect| check(&files, &["preview", "fix.kernel.mg", "--why", text], expected);
    why(
        "me",
        expect![[r#"
            You are a coder.
              atom me atoms/a.yaml:6
            You write code.
              atom me atoms/a.yaml:7
            policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
            exit 1
        "#]],
    );
    why(
        "You are\nTest first",
        expect![[r#"
            You are a coder.
              atom me atoms/a.yaml:6
            Test first.
              atom method atoms/a.yaml:21
            policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
            exit 1
        "#]],
    );
    why(
        "nothing has this",
        expect![[r#"
            error: no line of `fix` has the text "nothing has this"; `--why-not coder-7 "nothing has this"` says why
            policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
            exit 1
        "#]],
    );
}

#[test]
fn atoms_have_their_lines_and_those_left_out_their_reasons() {
    let kernel =
        KERNEL.replace("# @preview session", "# @preview mode: jit(atoms=atoms)\n# @preview session");
    let mut files = FILES.to_vec();
    files[2].1 = &kernel;
    check(
        &files,
        &["preview", "fix.kernel.mg", "--provenance"],
        expect![[r#"
            fix  coder-7 (coder), jit
            ── identity · atoms · 9 tokens
            You are a coder.                                                        ← atom me atoms/a.yaml:6
            You write code.                                                         ← atom me atoms/a.yaml:7


            ── protocol · atoms · 8 tokens
            Write "control_packet" first.                                           ← atom envelope atoms/a.yaml:12

            ── methodology · atoms · 4 tokens
            Test first.                                                             ← atom method atoms/a.yaml:21

            ── context · atoms · 12 tokens
            // KERNEL CONTEXT                                                       ← builtin injected
            - Language /go is /passing.                                             ← derived by policy.mg:3
                  injectable_context(/_all,"Language /go is /passing.")  by policy.mg:3
                    lang(/go)  [fix.kernel.mg:6]
                    test_state(/passing)  [fix.kernel.mg:7]
                                                                                    ← builtin injected

            ── knowledge · atoms · 13 tokens
            // SPECIALIST KNOWLEDGE                                                 ← builtin injected
            ## /jwt                                                                 ← fact fix.kernel.mg:9
            Tokens expire soon.
            ──
            [█░░░░░░░░░░░░░░░░░░░░░░░░░░░░░] 45 of 191500 tokens, 0.0 % (bytes/4: 45, characters/4: 44)
              191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by codeNERD
              identity            9   20.0 %
              protocol            8   17.7 %
              methodology         4    8.8 %
              context            12   26.6 %
              knowledge          13   28.8 %
              atoms left out: 2
                safe (atoms/a.yaml:13): blocked: no value of its `shard_types` holds here
                style/short (atoms/a.yaml:22): not a candidate: not mandatory, not needed, not found by a search
            error[atom-category] atoms/a.yaml:26 unknown category `style` of a prompt atom; the runtime ignores the prompt atom; only its log reports that; the categories are `identity`, `safety`, `protocol`, `capability`, `methodology`, `hallucination`, `language`, `framework`, `domain`, `campaign`, `init`, `northstar`, `ouroboros`, `autopoiesis`, `context`, `reviewer`, `eval`, `exemplar`, `knowledge`, `build_layer`, `intent`, `world_state`
            information[vector-only] fix.kernel.mg:2 1 prompt atom needs a search to be selected; in preview `fix` (coder-7), it is left out, because a preview has no search
            warning[skeleton-gap] fix.kernel.mg:2 no prompt atom of category `safety`; in preview `fix` (coder-7), the runtime only logs the gap
            information[session-in-jit] fix.kernel.mg:4 compiled prompt does not show 2 given values; in preview `fix` (coder-7), only a prompt without the compiler shows `git_branch`, `recent_findings`
            warning[dead-target] policy.mg:5 no shard has the id `tester-1`; this line is in no prompt; the ids are `coder-7`
            policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
            exit 1
        "#]],
    );
    check(
        &files,
        &["preview", "fix.kernel.mg", "--format", "markdown"],
        expect![[r##"
            # fix

            `coder-7` (`coder`), jit

            ## identity (atoms, 9 tokens)

            ```text
            You are a coder.
            You write code.

            ```

            ## protocol (atoms, 8 tokens)

            ```text
            Write "control_packet" first.
            ```

            ## methodology (atoms, 4 tokens)

            ```text
            Test first.
            ```

            ## context (atoms, 12 tokens)

            ```text
            // KERNEL CONTEXT
            - Language /go is /passing.

            ```

            ## knowledge (atoms, 13 tokens)

            ```text
            // SPECIALIST KNOWLEDGE
            ## /jwt
            Tokens expire soon.
            ```

            45 of 191500 tokens, 0.0 %, by `bytes4`; 45 by bytes/4, 44 by characters/4.

            191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by codeNERD.

            Atoms left out: 2.

            - safe `(atoms/a.yaml:13):` blocked: no value of its `shard_types` holds here
            - `style/short (atoms/a.yaml:22):` not a candidate: not mandatory, not needed, not found by a search

            - error `atom-category` (`atoms/a.yaml:26`): unknown category `style` of a prompt atom; the runtime ignores the prompt atom; only its log reports that; the categories are `identity`, `safety`, `protocol`, `capability`, `methodology`, `hallucination`, `language`, `framework`, `domain`, `campaign`, `init`, `northstar`, `ouroboros`, `autopoiesis`, `context`, `reviewer`, `eval`, `exemplar`, `knowledge`, `build_layer`, `intent`, `world_state`
            - information `vector-only` (`fix.kernel.mg:2`): 1 prompt atom needs a search to be selected; in preview `fix` (coder-7), it is left out, because a preview has no search
            - warning `skeleton-gap` (`fix.kernel.mg:2`): no prompt atom of category `safety`; in preview `fix` (coder-7), the runtime only logs the gap
            - information `session-in-jit` (`fix.kernel.mg:4`): compiled prompt does not show 2 given values; in preview `fix` (coder-7), only a prompt without the compiler shows `git_branch`, `recent_findings`
            - warning `dead-target` (`policy.mg:5`): no shard has the id `tester-1`; this line is in no prompt; the ids are `coder-7`
            policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
            exit 1
        "##]],
    );
}

#[test]
fn legacy_says_what_it_does_with_atoms() {
    let of = |base: &str, expected: Expect| {
        let kernel = KERNEL
            .replace("# @preview session", "# @preview mode: legacy(atoms=atoms)\n# @preview session")
            .replace("shard_prompt_base(/tester", &format!("shard_prompt_base({base}"));
        let mut files = FILES.to_vec();
        files[2].1 = &kernel;
        let shown = render(&run(folder(&files).path(), &["preview", "fix.kernel.mg"]));
        let lines: Vec<&str> = shown.lines().filter(|line| line.contains("`legacy`")).collect();
        expected.assert_eq(&lines.join("\n"));
    };
    of(
        "/tester",
        expect![
            "`legacy` uses no prompt compiler: its base is the mandatory atoms whose selectors match, all other atoms are ignored, and no reply format is appended to atoms"
        ],
    );
    of(
        "/coder",
        expect![
            "`legacy` uses no prompt compiler: its base is the template of `shard_prompt_base`, and all prompt atoms are ignored"
        ],
    );
}

#[test]
fn predicate_that_the_runtime_supplies_is_said_plainly() {
    let schemas = SCHEMAS.replace("Decl active_shard(Id, Type) bound [/string, /name].\n", "");
    let mut files = FILES.to_vec();
    files[0].1 = &schemas;
    let shown = |more: &[&str]| {
        let mut args = vec!["preview", "fix.kernel.mg", "--anyway"];
        args.extend(more);
        let shown = render(&run(folder(&files).path(), &args));
        let lines: Vec<&str> = shown.lines().filter(|line| line.contains("active_shard")).collect();
        lines.join("\n")
    };
    expect![[r##"
        # the program does not load: policy.mg:4:33: undefined predicate `active_shard/2` (MG301)
        `active_shard` has no `Decl` here; the runtime declares and asserts it, and so does this preview: `active_shard("coder-7",/coder)`
        error[undefined-predicate] policy.mg:4 undefined predicate `active_shard/2`; the runtime supplies this predicate when it assembles prompts; the engine rejects the program
        warning: the program does not load: policy.mg:4:33: undefined predicate `active_shard/2` (MG301)"##]].assert_eq(&shown(&[]));
    expect![[r#"
        # the program does not load: policy.mg:4:33: undefined predicate `active_shard/2` (MG301)
        `active_shard` has no `Decl` here; the runtime declares and asserts it, but this preview does not, because it adds no facts of its own
        error[undefined-predicate] policy.mg:4 undefined predicate `active_shard/2`; the runtime supplies this predicate when it assembles prompts; the engine rejects the program
        warning[no-active-shard] fix.kernel.mg:3 no `active_shard` fact for `coder-7`; in preview `fix` (coder-7), rules that depend on it derive nothing
        warning: the program does not load: policy.mg:4:33: undefined predicate `active_shard/2` (MG301)"#]].assert_eq(&shown(&["--no-synthetic"]));
}

#[test]
fn budget_says_what_is_reserved_and_when_it_is_over_full() {
    for (session, expected) in [
        (
            "git_branch: main\n",
            expect![[r#"
            [█░░░░░░░░░░░░░░░░░░░░░░░░░░░░░] 387 of 191500 tokens, 0.2 % (bytes/4: 387, characters/4: 386)
              191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by codeNERD"#]],
        ),
        (
            "budget: 300\n",
            expect![[r#"
                [██████████████████████████████] 343 tokens, and the budget has no room for any (bytes/4: 343, characters/4: 342)
                  nothing left of 300 (session file): 30 reserved for the answer (a tenth, because all of the budget cannot be reserved), 500 kept free by codeNERD
                warning[over-budget] fix.kernel.mg:2 prompt of about 343 tokens exceeds its budget of 0; in preview `fix` (coder-7), 30 of 300 tokens are reserved for the answer, and 500 stay free; the runtime sends all of it, and the service of the model cuts or rejects it"#]],
        ),
        (
            "budget: {tokens: 800, reserved: 100}\n",
            expect![[r#"
                [██████████████████████████████] 343 of 200 tokens, 171.5 %: 143 too many (bytes/4: 343, characters/4: 342)
                  200 left of 800 (session file): 100 reserved for the answer (session file), 500 kept free by codeNERD
                warning[over-budget] fix.kernel.mg:2 prompt of about 343 tokens exceeds its budget of 200; in preview `fix` (coder-7), 100 of 800 tokens are reserved for the answer, and 500 stay free; the runtime sends all of it, and the service of the model cuts or rejects it"#]],
        ),
        (
            "budget: ten\n",
            expect![[r#"
                [█░░░░░░░░░░░░░░░░░░░░░░░░░░░░░] 343 of 191500 tokens, 0.1 % (bytes/4: 343, characters/4: 342)
                  191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by codeNERD
                warning[session-key] fix.session.yaml:1 expected a number of tokens or a table like `{tokens: 300, reserved: 30}`, found `ten`; the value is ignored"#]],
        ),
    ] {
        let mut files = FILES.to_vec();
        files[3].1 = session;
        let shown = render(&run(folder(&files).path(), &["preview", "fix.kernel.mg"]));
        let is_meant = |line: &&str| {
            ["tokens,", "left of", "over-budget", "session-key"].iter().any(|word| line.contains(word))
        };
        let lines: Vec<&str> = shown.lines().filter(is_meant).collect();
        expected.assert_eq(&lines.join("\n"));
    }
}

#[test]
fn answers_have_no_colours_in_markdown_and_no_json() {
    let mut files = FILES.to_vec();
    files.push(("sent.txt", "- Language /rust is /passing.\n"));
    let shown = |args: &[&str]| {
        render(&run(
            folder(&files).path(),
            &[&["preview", "fix.kernel.mg", "--mode", "section"], args].concat(),
        ))
    };
    expect![[r#"
        ```text
        --- sent.txt
        +++ preview fix
        @@ -1 +1,4 @@
        -- Language /rust is /passing.
        +- Language /go is /passing.  ← derived by policy.mg:3
        +  ← builtin layout
        +## /jwt  ← fact fix.kernel.mg:8
        +Tokens expire soon.  ← fact fix.kernel.mg:8
        ```
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 1
    "#]]
    .assert_eq(&shown(&["--diff", "sent.txt", "--format", "markdown"]));
    expect![[r#"
        ```text
        - Language /go is /passing.
          derived by policy.mg:3
          injectable_context(/_all,"Language /go is /passing.")  by policy.mg:3
            lang(/go)  [fix.kernel.mg:5]
            test_state(/passing)  [fix.kernel.mg:6]
        ```
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 0
    "#]]
    .assert_eq(&shown(&["--why", "is /passing", "--format", "markdown"]));
    expect![[r#"
        error: `--why`, `--why-not` and `--diff` have no JSON; leave `--format json` out
        exit 2
    "#]]
    .assert_eq(&shown(&["--diff", "sent.txt", "--format", "json"]));
    let json = shown(&["--diff", "sent.txt", "--format", "json"]);
    assert_eq!(shown(&["--why", "is /passing", "--format", "json"]), json);
    assert_eq!(shown(&["--why-not", "coder-7", "is /passing", "--format", "json"]), json);
}

#[test]
fn shard_without_a_preview_is_named() {
    let other =
        "# @preview session: fix.session.yaml\n# @preview name: other\n# @preview shard: tester-1 tester\n";
    let kernel = KERNEL.replace("# @preview session: fix.session.yaml\n", other);
    let mut files = FILES.to_vec();
    files[2].1 = &kernel;
    let shown =
        |args: &[&str]| render(&run(folder(&files).path(), &[&["preview", "fix.kernel.mg"], args].concat()));
    expect![[r#"
        error: no preview has the shard `nobody-9`; the previews are for `coder-7`, `tester-1`
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 1
    "#]]
    .assert_eq(&shown(&["--why-not", "nobody-9", "Language /rust"]));
    expect![[r#"
        error: no preview has the shard `tester-1`; the previews are for `coder-7`
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 1
    "#]]
    .assert_eq(&shown(&["--name", "fix", "--why-not", "tester-1", "Language /rust"]));
    expect![[r#"
        it is in the prompt
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 0
    "#]]
    .assert_eq(&shown(&["--why-not", "tester-1", "You test as"]));
}

#[test]
fn knowledge_that_the_prompt_compiler_blocks_has_its_reason() {
    let kernel = KERNEL
        .replace("# @preview session", "# @preview mode: jit(atoms=atoms)\n# @preview session")
        .replace("coder-7", "secrev-7");
    let mut files = FILES.to_vec();
    files[2].1 = &kernel;
    expect![[r#"
        a fact of `specialist_knowledge` has the text, but the prompt compiler leaves it out; blocked: no value of its `shard_types` holds here
        not derived:
        policy.mg:1: gives lines `{Text}`
          premise 1 has no solution: lesson(_,"Tokens expire soon.")
            near: lesson(/l1,"Retry twice before failing.")
            no rule gives `lesson/2`: the fact is missing
        policy.mg:3: gives lines `Language {L} is {S}.`
          for this shard it derives other lines:
            Language /go is /passing.
        policy.mg:4: gives lines `You test as {Id}`
          premise 1 has no solution: active_shard("secrev-7",/tester)
            near: active_shard("secrev-7",/coder)
            no rule gives `active_shard/2`: the fact is missing
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 1
    "#]].assert_eq(&render(&run(
        folder(&files).path(),
        &["preview", "fix.kernel.mg", "--why-not", "secrev-7", "Tokens"],
    )));
}

#[test]
fn line_in_another_case_is_named() {
    expect![[r#"
        error: no line of `fix` has the text "language /GO"; in another case one has: - Language /go is /passing.
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 1
    "#]]
        .assert_eq(&render(&run(folder(FILES).path(), &["preview", "fix.kernel.mg", "--why", "language /GO"])));
}
