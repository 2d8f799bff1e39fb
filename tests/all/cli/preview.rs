//! `preview`: prompts with their reasons.

use expect_test::{Expect, expect};

use super::support::{check, folder, render, run};

pub(super) const SCHEMAS: &str = "Decl active_shard(Id, Type) bound [/string, /name].\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
    Decl note(Text, Score) bound [/string, /number].\nDecl shard_context_atom(Id, Text, Score) bound [/string, /string, /number].\n";
const POLICY: &str = "shard_context_atom(S, T, N) :- active_shard(S, _), note(T, N).\n\
    injectable_context(S, T) :- shard_context_atom(S, T, N), 50 < N.\n";
const KERNEL: &str = "# @preview use: schemas.gl, policy.mg\n# @preview name: fix\n# @preview shard: coder-7 coder\n\
    # @preview session: fix.session.yaml\nnote(\"Mind the clock.\", 70).\nnote(\"Too weak.\", 40).\n";
const FILES: &[(&str, &str)] = &[
    ("schemas.gl", SCHEMAS),
    ("policy.mg", POLICY),
    ("fix.kernel.mg", KERNEL),
    ("fix.session.yaml", "git_branch: main\nuser_input: Go on.\n"),
];

#[test]
fn every_line_says_where_it_comes_from() {
    check(
        FILES,
        &["preview", "fix.kernel.mg", "--provenance"],
        expect![[r#"
            fix  coder-7 (coder), legacy
            ── base · builtin coder · 44 tokens
            You write and change code. Keep behaviour outside the request intact, handle every error, follow the project's idiom, return whole files, and state why each change is needed.  ← builtin coder

            ── context · kernel · 44 tokens
            // ----------------------------------------------------------------
            // KERNEL CONTEXT
            // ----------------------------------------------------------------

            - Mind the clock.                                                       ← derived by policy.mg:2
                  injectable_context("coder-7","Mind the clock.")  by policy.mg:2
                    shard_context_atom("coder-7","Mind the clock.",70)  by policy.mg:1
                      active_shard("coder-7",/coder)  [synthetic]
                      note("Mind the clock.",70)  [fix.kernel.mg:5]
                    50 < 70

            ── session · session · 44 tokens
            // ----------------------------------------------------------------
            // SESSION
            // ----------------------------------------------------------------

            REPOSITORY:
              Branch: main                                                          ← session /git_branch fix.session.yaml:1

            ── suffix · builtin suffix · 253 tokens
            == REPLY FORMAT ==                                                      ← suffix because the base is a built-in text
            Reply with a single JSON object and nothing around it. Write "control_packet" first and finish it before "surface_response".
            control_packet:
              intent_classification {category: /query | /mutation | /instruction, verb, target, constraint, confidence 0..1}
              mangle_updates       list of ground facts, each closed by a period, e.g. task_status("build-3", /in_progress).
              memory_operations    list of {op: promote_to_long_term | forget | store_vector | note, key, value}
              self_correction      {triggered, hypothesis}
              reasoning_trace      how you got there
              knowledge_requests   list of {specialist | "researcher" | "_any_specialist", query, purpose, priority: required | optional}
              context_feedback     {overall_usefulness 0..1, helpful_facts, noise_facts, missing_context}
              tool_requests        list of {id, tool_name, tool_args, purpose, required}
            surface_response: what the person should read.
            Leave nothing out: an unused list is [], an unused text is "". Avoid ` $ ; | inside facts.
            ──
            [█░░░░░░░░░░░░░░░░░░░░░░░░░░░░░] 384 of 191500 tokens, 0.2 % (bytes/4: 384, characters/4: 384)
              191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by codeNERD
              base               44   11.4 %
              context            44   11.4 %
              session            44   11.4 %
              suffix            253   65.8 %
            information[template-missing] fix.kernel.mg:3 no template for shard type `coder`; in preview `fix` (coder-7), a built-in text is the base of the prompt
            information[below-threshold] policy.mg:1 score 40 of `Too weak.` is too low; in preview `fix` (coder-7), the policy injects only scores above 50
            policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
            exit 0
        "#]],
    );
}

#[test]
fn why_and_why_not() {
    check(
        FILES,
        &["preview", "fix.kernel.mg", "--why", "clock"],
        expect![[r#"
            - Mind the clock.
              derived by policy.mg:2
              injectable_context("coder-7","Mind the clock.")  by policy.mg:2
                shard_context_atom("coder-7","Mind the clock.",70)  by policy.mg:1
                  active_shard("coder-7",/coder)  [synthetic]
                  note("Mind the clock.",70)  [fix.kernel.mg:5]
                50 < 70
            policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
            exit 0
        "#]],
    );
    check(
        FILES,
        &["preview", "fix.kernel.mg", "--why-not", "coder-7", "Too weak."],
        expect![[r#"
            below threshold: its score is 40 (policy.mg:1), and only scores above 50 are injected
            policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
            exit 0
        "#]],
    );
    check(
        FILES,
        &["preview", "fix.kernel.mg", "--why-not", "coder-7", "Nothing."],
        expect![[r#"
            not derived:
            policy.mg:2: gives lines `{T}`
              premise 1 has no solution: shard_context_atom("coder-7","Nothing.",_)
                near: shard_context_atom("coder-7","Mind the clock.",70)
                near: shard_context_atom("coder-7","Too weak.",40)
                policy.mg:1: premise 2 has no solution: note("Nothing.",_)
                  near: note("Mind the clock.",70)
                  near: note("Too weak.",40)
                  no rule gives `note/2`: the fact is missing
            policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
            exit 0
        "#]],
    );
    check(
        FILES,
        &["preview", "fix.kernel.mg", "--why", "nobody says this"],
        expect![[r#"
            error: no line of `fix` has the text "nobody says this"; `--why-not coder-7 "nobody says this"` says why
            policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
            exit 1
        "#]],
    );
}

#[test]
fn other_modes_parts_and_formats() {
    check(
        FILES,
        &["preview", "fix.kernel.mg", "--mode", "section", "--format", "markdown"],
        expect![[r#"
            # fix

            `coder-7` (`coder`), section

            ## KERNEL CONTEXT (kernel, 5 tokens)

            ```text
            - Mind the clock.
            ```

            5 of 191500 tokens, 0.0 %, by `bytes4`; 5 by bytes/4, 4 by characters/4.

            191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by codeNERD.

            - information `below-threshold` (`policy.mg:1`): score 40 of `Too weak.` is too low; in preview `fix` (coder-7), the policy injects only scores above 50
            policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
            exit 0
        "#]],
    );
    check(
        FILES,
        &["preview", "fix.kernel.mg", "--mode", "section", "--format", "json", "--provenance"],
        expect![[r#"
            {
              "name": "fix",
              "shard": "coder-7",
              "shard_type": "coder",
              "mode": "section",
              "sections": [
                {
                  "section": "context",
                  "from": "kernel",
                  "title": "KERNEL CONTEXT",
                  "tokens": 5,
                  "lines": [
                    {
                      "text": "- Mind the clock.",
                      "role": "text",
                      "tokens": 5,
                      "origin": {
                        "kind": "derived",
                        "file": "policy.mg",
                        "line": 2,
                        "range": [
                          63,
                          127
                        ],
                        "fact": "injectable_context(\"coder-7\",\"Mind the clock.\")",
                        "rule": "policy.mg:2",
                        "proof": [
                          "injectable_context(\"coder-7\",\"Mind the clock.\")  by policy.mg:2\n  shard_context_atom(\"coder-7\",\"Mind the clock.\",70)  by policy.mg:1\n    active_shard(\"coder-7\",/coder)  [synthetic]\n    note(\"Mind the clock.\",70)  [fix.kernel.mg:5]\n  50 < 70\n"
                        ]
                      }
                    }
                  ]
                }
              ],
              "derived": {
                "instance": "coder-7",
                "shard_type": "/coder",
                "shard_id": "coder",
                "operational_mode": "/active",
                "token_budget": 200000,
                "reserved": 8000,
                "top_k": 20
              },
              "suffix": false,
              "totals": {
                "bytes": 18,
                "tokenizer": "bytes4",
                "tokens": 5,
                "bytes4": 5,
                "chars4": 4,
                "available": 191500,
                "budget": {
                  "tokens": 200000,
                  "by": "default",
                  "reserved": 8000,
                  "reserved_by": "default",
                  "headroom": 500
                }
              },
              "manifest": null,
              "diagnostics": [
                {
                  "code": "PP004",
                  "rule": "below-threshold",
                  "severity": "information",
                  "message": "score 40 of `Too weak.` is too low; in preview `fix` (coder-7), the policy injects only scores above 50",
                  "place": "policy.mg:1"
                }
              ]
            }
            policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
            exit 0
        "#]],
    );
    check(
        FILES,
        &["preview", "fix.kernel.mg", "--part", "turn"],
        expect![[r#"
            fix  coder-7 (coder), turn
            ── state · kernel · 2 tokens
            STATE
            ── message · session · 4 tokens
            MESSAGE
            Go on.
            ── answer · preview · 11 tokens
            ANSWER WITH
            one Piggyback object (current)
            ──
            [█░░░░░░░░░░░░░░░░░░░░░░░░░░░░░] 16 of 191500 tokens, 0.0 % (bytes/4: 16, characters/4: 16)
              191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by codeNERD
              state               2   12.5 %
              message             4   25.0 %
              answer             11   68.7 %
            information[below-threshold] policy.mg:1 score 40 of `Too weak.` is too low; in preview `fix` (coder-7), the policy injects only scores above 50
            policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
            exit 0
        "#]],
    );
    check(
        FILES,
        &[
            "preview",
            "fix.kernel.mg",
            "--mode",
            "section",
            "--no-synthetic",
            "--fact",
            "injectable_context(\"*\", \"All.\")",
        ],
        expect![[r#"
            fix  coder-7 (coder), section
            ── context · kernel · 2 tokens
            - All.
            ──
            [█░░░░░░░░░░░░░░░░░░░░░░░░░░░░░] 2 of 191500 tokens, 0.0 % (bytes/4: 2, characters/4: 1)
              191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by codeNERD
              context             2  100.0 %
            warning[no-active-shard] fix.kernel.mg:3 no `active_shard` fact for `coder-7`; in preview `fix` (coder-7), rules that depend on it derive nothing
            policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
            exit 0
        "#]],
    );
}

#[test]
fn a_session_leaves_facts() {
    let turn = |text: &str| {
        format!(
            "{{\"control_packet\":{{\"intent_classification\":{{\"category\":\"/query\",\"verb\":\"/explain\",\"target\":\"\",\
             \"constraint\":\"\",\"confidence\":1}},\"mangle_updates\":[\"note(\\\"{text}\\\", 90).\"]}},\"surface_response\":\"Yes.\"}}\n"
        )
    };
    let session = turn("Said first.") + &turn("Said then.");
    let mut files = FILES.to_vec();
    files.push(("s.piggyback.jsonl", &session));
    let command = ["preview", "fix.kernel.mg", "--mode", "section", "--transcript", "s.piggyback.jsonl"];
    check(
        &files,
        &command,
        expect![[r#"
            fix  coder-7 (coder), section
            ── context · kernel · 12 tokens
            - Mind the clock.
            - Said first.
            - Said then.
            ──
            [█░░░░░░░░░░░░░░░░░░░░░░░░░░░░░] 12 of 191500 tokens, 0.0 % (bytes/4: 12, characters/4: 11)
              191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by codeNERD
              context            12  100.0 %
            information[below-threshold] policy.mg:1 score 40 of `Too weak.` is too low; in preview `fix` (coder-7), the policy injects only scores above 50
            policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
            exit 0
        "#]],
    );
    check(
        &files,
        &[&command[..], &["--turn", "1"]].concat(),
        expect![[r#"
            fix  coder-7 (coder), section
            ── context · kernel · 8 tokens
            - Mind the clock.
            - Said first.
            ──
            [█░░░░░░░░░░░░░░░░░░░░░░░░░░░░░] 8 of 191500 tokens, 0.0 % (bytes/4: 8, characters/4: 8)
              191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by codeNERD
              context             8  100.0 %
            information[below-threshold] policy.mg:1 score 40 of `Too weak.` is too low; in preview `fix` (coder-7), the policy injects only scores above 50
            policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
            exit 0
        "#]],
    );
}

#[test]
fn what_cannot_be_shown_is_said() {
    check(
        FILES,
        &["preview", "policy.mg"],
        expect![[r#"
            policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
            error: no file has `# @preview` comments; name a shard with `--shard coder-7 coder`
            exit 2
        "#]],
    );
    check(
        FILES,
        &["preview", "fix.kernel.mg", "--name", "other"],
        expect![[r#"
            policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
            error: there is no preview `other`, but `fix`
            exit 2
        "#]],
    );
    check(
        FILES,
        &["preview", "missing.mg"],
        expect![[r#"
        error: missing.mg: no such file or directory
        exit 2
    "#]],
    );
    check(
        FILES,
        &["preview", "fix.kernel.mg", "--fact", "p(X) :- q(X)"],
        expect![[r#"
        error: `p(X) :- q(X)` is no fact; `test_state(/failing)` is one
        exit 2
    "#]],
    );
    let outside = "# @preview name: a\n# @preview shard: x-1 x\n# @preview sesion: y\n# @preview session: ../../../etc/x.json\n";
    check(
        &[("a.kernel.mg", outside)],
        &["preview", "a.kernel.mg", "--mode", "section"],
        expect![[r#"
            a  x-1 (x), section
            ──
            [░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░] 0 of 191500 tokens, 0.0 % (bytes/4: 0, characters/4: 0)
              191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by codeNERD
            error[empty-prompt] a.kernel.mg:1 prompt is empty; in preview `a` (x-1), the kernel has no context and no knowledge for the shard
            warning[pred-undeclared] a.kernel.mg:2 `injectable_context` is not declared or defined; in preview `a` (x-1), the prompt queries it with 2 arguments and finds nothing
            warning[preview-key] a.kernel.mg:3 unknown preview key `sesion`; the comment is ignored; the keys are `name:`, `shard:`, `intent:`, `use:`, `session:`, `mode:`, `captured:`
            error[preview-path] a.kernel.mg:4 session file `../../../etc/x.json` cannot be used; it is outside of the repository (without one, the folder with `mangle-ls.toml`)
            exit 1
        "#]],
    );
    let damaged = "# @preview shard: x-1 x\ninjectable_context(\"*\", \"There.\").\np(X :- q(X).\n";
    check(
        &[("a.kernel.mg", damaged)],
        &["preview", "a.kernel.mg", "--mode", "section"],
        expect![[r#"
            error: the program does not load
              a.kernel.mg:3:3: missing `)` after `p(X` (MG037)
              `--anyway` evaluates the rest of it
            exit 2
        "#]],
    );
}

#[test]
fn any_file_can_be_previewed_for_a_shard() {
    let policy = "injectable_context(\"t-1\", \"For one.\").\n";
    check(
        &[("p.mg", policy)],
        &["preview", "p.mg", "--shard", "t-1", "tester", "--mode", "section"],
        expect![[r#"
            p  t-1 (tester), section
            ── context · kernel · 3 tokens
            - For one.
            ──
            [█░░░░░░░░░░░░░░░░░░░░░░░░░░░░░] 3 of 191500 tokens, 0.0 % (bytes/4: 3, characters/4: 2)
              191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by codeNERD
              context             3  100.0 %
            exit 0
        "#]],
    );
}

/// [`check`], without what the built-in suffix says: it is the same in every prompt, and the first test shows it.
#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
pub(super) fn check_but_suffix(files: &[(&str, &str)], arguments: &[&str], expected: Expect) {
    let said = render(&run(folder(files).path(), arguments));
    let (before, suffix) = said.split_once("Reply with a single JSON object").unwrap();
    let (_, after) = suffix.split_once("inside facts.").unwrap();
    expected.assert_eq(&format!("{before}…{after}"));
}

/// The lines of an output that have one of these words.
pub(super) fn lines_with(files: &[(&str, &str)], arguments: &[&str], words: &[&str]) -> String {
    let said = render(&run(folder(files).path(), arguments));
    let is_wanted = |line: &&str| words.iter().any(|word| line.contains(word));
    said.lines().filter(is_wanted).map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_kernel_that_is_never_cleaned_lets_more_in() {
    let kernel = "# @preview use: schemas.gl\n# @preview mode: jit(atoms=atoms)\n# @preview name: code\n\
                  # @preview shard: coder-1 coder\n# @preview name: review\n# @preview shard: reviewer-1 reviewer\n\
                  injectable_context(\"*\", \"Mind the clock.\").\n";
    let atoms = "- {id: me, category: identity, is_mandatory: true, content: 'You are a {{shard_type}}.'}\n\
                 - {id: how, category: protocol, is_mandatory: true, content: 'Write \"control_packet\" first.'}\n\
                 - {id: small, category: methodology, is_mandatory: true, shard_types: [/coder], content: Change little.}\n\
                 - {id: safe, category: safety, is_mandatory: true, content: Do no harm.}\n";
    let files = [("schemas.gl", SCHEMAS), ("a.kernel.mg", kernel), ("atoms/one.yaml", atoms)];
    let words = ["(coder)", "(reviewer)", "Change", "after", "sticky`"];
    expect![[r#"
        code  coder-1 (coder), jit
        Change little.
        review  reviewer-1 (reviewer), jit
    "#]]
    .assert_eq(&lines_with(&files, &["preview", "a.kernel.mg"], &words));
    expect![[r#"
        code  coder-1 (coder), jit
        Change little.
        review  reviewer-1 (reviewer), jit
        after code: only therefore with small
        Change little.
    "#]]
    .assert_eq(&lines_with(&files, &["preview", "a.kernel.mg", "--sticky"], &words));
    let alone = ["preview", "a.kernel.mg", "--sticky", "--mode", "legacy"];
    expect![[r#"
        code  coder-1 (coder), legacy
        Change little.
        review  reviewer-1 (reviewer), legacy
        warning: `--sticky` changes nothing here: it takes two prompts that are compiled (`jit`)
    "#]]
    .assert_eq(&lines_with(&files, &alone, &words));
}

#[test]
fn long_sessions_are_shown_as_facts() {
    let reply = |update: &str| {
        let reply = format!(
            "{{\"control_packet\":{{\"intent_classification\":{{\"category\":\"/mutation\",\"verb\":\"fix\",\"target\":\"x\",\"constraint\":\"\",\
             \"confidence\":0.9}},\"mangle_updates\":[{}],\"memory_operations\":[]}},\"surface_response\":\"Yes.\"}}",
            serde_json::Value::from(update)
        );
        serde_json::json!({ "role": "assistant", "content": reply }).to_string()
    };
    let session: String = (1..=7).map(|at| reply(&format!("note(\"n{at}\", {at}).")) + "\n").collect();
    let files: Vec<_> = FILES.iter().copied().chain([("s.piggyback.jsonl", session.as_str())]).collect();
    check(
        &files,
        &[
            "preview",
            "fix.kernel.mg",
            "--compressed",
            "--transcript",
            "s.piggyback.jsonl",
            "--turn",
            "6",
            "--now",
            "2026-01-01T00:00:00Z",
            "--provenance",
        ],
        expect![[r#"
            fix  coder-7 (coder), compressed
            ── title · preview · 14 tokens
            CONTEXT after turn 6 (2026-01-01T00:00:00Z), 103 tokens                 ← builtin compressed.title
            ── state · kernel · 37 tokens
            ACTIVE FACTS
            note("Mind the clock.",70).                                             ← fact fix.kernel.mg:5
            note("Too weak.",40).                                                   ← fact fix.kernel.mg:6
            note("n1",1).                                                           ← fact s.piggyback.jsonl:1
            note("n2",2).                                                           ← fact s.piggyback.jsonl:2
            note("n3",3).                                                           ← fact s.piggyback.jsonl:3
            note("n4",4).                                                           ← fact s.piggyback.jsonl:4
            note("n5",5).                                                           ← fact s.piggyback.jsonl:5
            note("n6",6).                                                           ← fact s.piggyback.jsonl:6
            ── history · session · 9 tokens
            HISTORY
            turns 1 to 1
            note("n1",1).                                                           ← turn 1 s.piggyback.jsonl:1
            ── recent · session · 59 tokens
            RECENT TURNS
            turn 2 (2026-01-01T00:00:00Z)
            note("n2",2).                                                           ← turn 2 s.piggyback.jsonl:2
            turn 3 (2026-01-01T00:00:00Z)
            note("n3",3).                                                           ← turn 3 s.piggyback.jsonl:3
            turn 4 (2026-01-01T00:00:00Z)
            note("n4",4).                                                           ← turn 4 s.piggyback.jsonl:4
            turn 5 (2026-01-01T00:00:00Z)
            note("n5",5).                                                           ← turn 5 s.piggyback.jsonl:5
            turn 6 (2026-01-01T00:00:00Z)
            note("n6",6).                                                           ← turn 6 s.piggyback.jsonl:6
            ── message · session · 4 tokens
            MESSAGE
            Go on.                                                                  ← session /user_input fix.session.yaml:2
            ── answer · preview · 11 tokens
            ANSWER WITH
            one Piggyback object (current)                                          ← builtin turn.request
            ──
            [█░░░░░░░░░░░░░░░░░░░░░░░░░░░░░] 133 of 191500 tokens, 0.0 % (bytes/4: 133, characters/4: 132)
              191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by codeNERD
              title              14   10.5 %
              state              37   27.8 %
              history             9    6.7 %
              recent             59   44.3 %
              message             4    3.0 %
              answer             11    8.2 %
            information[below-threshold] policy.mg:1 score 40 of `Too weak.` is too low; in preview `fix` (coder-7), the policy injects only scores above 50
            policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
            exit 0
        "#]],
    );
}

#[test]
fn what_was_captured_and_what_the_agent_may_have_count() {
    let kernel = "# @preview use: schemas.gl\n# @preview shard: coder-1 coder\n# @preview mode: section\n\
                  # @preview captured: traces.jsonl\ninjectable_context(\"*\", \"Mind the clock.\").\n";
    let rows = "{\"shard_type\":\"coder\",\"system_prompt\":\"- Mind the gap.\",\"user_prompt\":\"u\",\"response\":\"r\"}\n";
    let limits = "{\"shard_profiles\": {\"coder\": {\"max_context_tokens\": 3}}, \"jit\": {\"token_budget\": 9000, \"reserved_tokens\": 500}}";
    let files = [
        ("schemas.gl", SCHEMAS),
        ("a.kernel.mg", kernel),
        ("traces.jsonl", rows),
        (".nerd/config.json", limits),
    ];
    check(
        &files,
        &["preview", "a.kernel.mg"],
        expect![[r#"
            a  coder-1 (coder), section
            ── context · kernel · 5 tokens
            - Mind the clock.
            ──
            [█░░░░░░░░░░░░░░░░░░░░░░░░░░░░░] 5 of 8000 tokens, 0.0 % (bytes/4: 5, characters/4: 4)
              8000 left of 9000 (agent's configuration): 500 reserved for the answer (agent's configuration), 500 kept free by codeNERD
              166.6 % of the 3 tokens that the agent's configuration gives a `coder`
              context             5  100.0 %
            warning[over-budget] a.kernel.mg:2 prompt of about 5 tokens exceeds its limit of 3; in preview `a` (coder-1), the limit is `max_context_tokens` of `coder` in `.nerd/config.json`; the runtime sends all of it, and the service of the model cuts or rejects it
            information[drift] traces.jsonl:1 captured prompt differs from the preview; in preview `a` (coder-1), 0 % of the lines are equal, less than 90 %
            policy: 1 file (schemas.gl); left out: a.kernel.mg
            exit 0
        "#]],
    );
    check(
        &files,
        &["check", "a.kernel.mg", "--fail-on", "never"],
        expect![[r#"
            warning[PP070 over-budget]: prompt of about 5 tokens exceeds its limit of 3
             --> a.kernel.mg:2:27
              |
            2 | # @preview shard: coder-1 coder
              |                           ^^^^^
              |
              = note: in preview `a` (coder-1), the limit is `max_context_tokens` of `coder` in `.nerd/config.json`
              = note: the runtime sends all of it, and the service of the model cuts or rejects it

            information[PP073 drift]: captured prompt differs from the preview
             --> traces.jsonl:1:40
              |
            1 | {"shard_type":"coder","system_prompt":"- Mind the gap.","user_prompt":"u","response":"r"}
              |                                        ^^^^^^^^^^^^^^^
              |
              = note: in preview `a` (coder-1), 0 % of the lines are equal, less than 90 %
              = help: show the lines that differ with `preview --diff`

            1 warning, 1 information in 1 file (1 clause); engine 2026-04
            policy: 1 file (schemas.gl); left out: a.kernel.mg
            exit 0
        "#]],
    );
    let other = kernel.replace("traces", "other");
    let files = [("schemas.gl", SCHEMAS), ("a.kernel.mg", &other), ("other.jsonl", "{\"role\":\"user\"}\n")];
    expect![[r#"
        error[preview-path] a.kernel.mg:4 captured prompt `other.jsonl` cannot be used; it has no system prompt of a `coder`
    "#]].assert_eq(&lines_with(&files, &["preview", "a.kernel.mg"], &["captured"]));
}

#[test]
fn a_session_that_is_not_shown_has_a_fix() {
    let kernel = "# @preview use: schemas.gl\n# @preview mode: jit(atoms=atoms)\n# @preview name: code\n\
                  # @preview shard: coder-1 coder\n# @preview session: fix.session.yaml\n\
                  injectable_context(\"*\", \"Mind the clock.\").\n";
    let atoms = "- {id: me, category: identity, is_mandatory: true, content: You code.}\n";
    let files = [
        ("schemas.gl", SCHEMAS),
        ("a.kernel.mg", kernel),
        ("atoms/one.yaml", atoms),
        ("fix.session.yaml", "git_branch: main\n"),
    ];
    let said = lines_with(&files, &["check", "a.kernel.mg"], &["session-in-jit", "Assemble"]);
    expect![[r#"
        information[PP022 session-in-jit]: compiled prompt does not show `git_branch`
    "#]]
    .assert_eq(&said);
}
