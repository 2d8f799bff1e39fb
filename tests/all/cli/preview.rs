//! `preview`: prompts with their reasons.

use expect_test::{Expect, expect};

use super::support::{check, folder, render, run, stdout};

const SCHEMAS: &str = "Decl active_shard(Id, Type) bound [/string, /name].\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
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
              191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by the runtime
              base               44   11.4 %
              context            44   11.4 %
              session            44   11.4 %
              suffix            253   65.8 %
            information[template-missing] fix.kernel.mg:3 no template for shard type `coder`; in preview `fix` (coder-7), a built-in text is the base of the prompt
            information[below-threshold] policy.mg:1 score 40 of `Too weak.` is too low; in preview `fix` (coder-7), the policy injects only scores above 50
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
        exit 0
    "#]],
    );
    check(
        FILES,
        &["preview", "fix.kernel.mg", "--why-not", "coder-7", "Too weak."],
        expect![[r#"
            below threshold: its score is 40 (policy.mg:1), and only what is above 50 is injected
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
            exit 0
        "#]],
    );
    check(
        FILES,
        &["preview", "fix.kernel.mg", "--why", "nobody says this"],
        expect![[r#"
            error: no line of `fix` has the text "nobody says this"; `--why-not coder-7 "nobody says this"` says why
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

            191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by the runtime.

            - information `below-threshold` (policy.mg:1): score 40 of \`Too weak.\` is too low; in preview \`fix\` (coder-7), the policy injects only scores above 50
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
              191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by the runtime
              state               2   12.5 %
              message             4   25.0 %
              answer             11   68.7 %
            information[below-threshold] policy.mg:1 score 40 of `Too weak.` is too low; in preview `fix` (coder-7), the policy injects only scores above 50
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
              191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by the runtime
              context             2  100.0 %
            warning[no-active-shard] fix.kernel.mg:3 no `active_shard` fact for `coder-7`; in preview `fix` (coder-7), rules that depend on it derive nothing
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
              191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by the runtime
              context            12  100.0 %
            information[below-threshold] policy.mg:1 score 40 of `Too weak.` is too low; in preview `fix` (coder-7), the policy injects only scores above 50
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
              191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by the runtime
              context             8  100.0 %
            information[below-threshold] policy.mg:1 score 40 of `Too weak.` is too low; in preview `fix` (coder-7), the policy injects only scores above 50
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
        error: no file has `# @preview` comments; name a shard with `--shard coder-7 coder`
        exit 2
    "#]],
    );
    check(
        FILES,
        &["preview", "fix.kernel.mg", "--name", "other"],
        expect![[r#"
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
              191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by the runtime
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
            a  x-1 (x), section
            ── context · kernel · 3 tokens
            - There.
            ──
            [█░░░░░░░░░░░░░░░░░░░░░░░░░░░░░] 3 of 191500 tokens, 0.0 % (bytes/4: 3, characters/4: 2)
              191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by the runtime
              context             3  100.0 %
            error[missing-bracket] a.kernel.mg:3 missing `)` after `p(X`
            warning: the runtime loads no kernel with such mistakes as in a.kernel.mg, and makes the prompt of built-in texts; shown is what the rest gives
            exit 1
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
              191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by the runtime
              context             3  100.0 %
            exit 0
        "#]],
    );
}

#[test]
fn prompts_are_compiled_from_atoms() {
    let kernel = "# @preview use: schemas.gl\n# @preview shard: coder-7 coder\n# @preview mode: jit(atoms=atoms)\n\
                  injectable_context(\"*\", \"Mind the clock.\").\n";
    let skeleton = "- {id: me, category: identity, is_mandatory: true, content: 'You are a {{shard_type}}.'}\n\
                    - id: review\n  category: methodology\n  is_mandatory: true\n  shard_types: [/reviewer]\n  content: Be fair.\n";
    let files = [("schemas.gl", SCHEMAS), ("a.kernel.mg", kernel), ("atoms/skeleton.yaml", skeleton)];
    check_but_suffix(
        &files,
        &["preview", "a.kernel.mg", "--provenance"],
        expect![[r#"
            a  coder-7 (coder), jit
            ── identity · atoms · 5 tokens
            You are a coder.                                                        ← atom me atoms/skeleton.yaml:1

            ── context · atoms · 10 tokens
            // KERNEL CONTEXT                                                       ← builtin injected
            - Mind the clock.                                                       ← fact a.kernel.mg:4
                                                                                    ← builtin injected

            ── suffix · builtin suffix · 253 tokens
            == REPLY FORMAT ==                                                      ← suffix because the compiled text does not name "control_packet"
            …
            ──
            [█░░░░░░░░░░░░░░░░░░░░░░░░░░░░░] 267 of 191500 tokens, 0.1 % (bytes/4: 267, characters/4: 266)
              191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by the runtime
              identity            5    1.8 %
              context            10    3.7 %
              suffix            253   94.7 %
              atoms left out: 1
                review (atoms/skeleton.yaml:2): blocked: no value of its `shard_types` holds here
            warning[skeleton-gap] a.kernel.mg:1 no prompt atom of `protocol`, `safety` and `methodology`; in preview `a` (coder-7), the runtime only logs the gap
            exit 0
        "#]],
    );
    check(
        &files,
        &["check", "a.kernel.mg", "--fail-on", "never"],
        expect![[r#"
            warning[PP056 skeleton-gap]: no prompt atom of `protocol`, `safety` and `methodology`
             --> a.kernel.mg:1:1
              |
            1 | # @preview use: schemas.gl
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = note: in preview `a` (coder-7), the runtime only logs the gap

            1 warning in 1 file (1 clause)
            exit 0
        "#]],
    );
}

/// Under which keys and as what facts are injected is another matter where a prompt is compiled.
#[test]
fn the_compiler_takes_more_than_the_assembler() {
    let schemas = "Decl injectable_context(Id, Text).\nDecl specialist_knowledge(Id, Topic, Text).\n";
    let kernel = "# @preview use: schemas.gl\n# @preview shard: coder-7 coder\n# @preview mode: jit(atoms=atoms)\n\
                  injectable_context(\"coder\", \"By its name.\").\ninjectable_context(/coder-7, \"As a name.\").\n\
                  injectable_context(\"*\", 8).\ninjectable_context(\"tester\", \"For another.\").\n";
    let atoms = "- {id: me, category: identity, is_mandatory: true, content: You code.}\n\
                 - {id: how, category: protocol, is_mandatory: true, content: 'Write \"control_packet\" first.'}\n\
                 - {id: safe, category: safety, is_mandatory: true, content: Do no harm.}\n\
                 - {id: small, category: methodology, is_mandatory: true, content: Change little.}\n";
    let files = [("schemas.gl", schemas), ("a.kernel.mg", kernel), ("atoms/a.yaml", atoms)];
    let words = ["- ", "[dead-target]", "[wrong-key-kind]", "[short-fact]"];
    let lines = |more: &[&str]| {
        let arguments: Vec<_> = ["preview", "a.kernel.mg"].iter().chain(more).copied().collect();
        lines_with(&files, &arguments, &words)
    };
    expect![[r#"
        - By its name.
        - As a name.
        - 8
        warning[dead-target] a.kernel.mg:7 no shard has the id `tester`; this line is in no prompt; the ids are `coder-7`
    "#]].assert_eq(&lines(&[]));
    expect![[r#"
        warning[dead-target] a.kernel.mg:4 no shard has the id `coder`; this line is in no prompt; the ids are `coder-7`
        warning[wrong-key-kind] a.kernel.mg:5 shard key `/coder-7` is a name, not a string; ids of shards are compared as text, so this is in no prompt
        warning[short-fact] a.kernel.mg:6 argument 2 of `injectable_context` is not text; prompts silently ignore the fact
        warning[dead-target] a.kernel.mg:7 no shard has the id `tester`; this line is in no prompt; the ids are `coder-7`
    "#]].assert_eq(&lines(&["--mode", "legacy"]));
    let why_not = |shard: &str, atom: &str| {
        let arguments = ["preview", "a.kernel.mg", "--shard", shard, "coder", "--why-not", shard, atom];
        render(&run(folder(&files).path(), &arguments))
    };
    expect![[r#"
        it is in the prompt
        exit 0
    "#]]
    .assert_eq(&why_not("coder-7", "By its name."));
    expect![[r#"
        wrong shard key: it is injected for `coder`; what reaches `expert-coder-7` is `expert-coder-7`, `expert-coder`, `*`, `/_all`, letter for letter
        exit 0
    "#]].assert_eq(&why_not("expert-coder-7", "By its name."));
    expect![[r#"
        wrong shard key: it is injected for `tester`; what reaches `coder-7` is `coder-7`, `coder`, `*`, `/_all`, letter for letter
        exit 0
    "#]].assert_eq(&why_not("coder-7", "For another."));
    let kernel = kernel.replace("/coder-7", "/expert");
    let files = [("schemas.gl", schemas), ("a.kernel.mg", &kernel), ("atoms/a.yaml", atoms)];
    let arguments =
        ["preview", "a.kernel.mg", "--shard", "expert-1", "coder", "--why-not", "expert-1", "As a name."];
    expect![[r#"
        it is injected for the shard, but the prompt compiler leaves what is injected out; blocked: no value of its `shard_types` holds here
        exit 0
    "#]].assert_eq(&render(&run(folder(&files).path(), &arguments)));
}

#[test]
fn what_asks_for_reasons_stands_below_everything() {
    let shown = |reasoning: &str, shard: &str, more: &[&str]| {
        let kernel = format!("# @preview use: schemas.gl\n# @preview shard: {shard}\n");
        let settings = format!("[prompt]\n{reasoning}\n");
        let files = [("mangle-ls.toml", &*settings), ("schemas.gl", SCHEMAS), ("a.kernel.mg", &*kernel)];
        let arguments: Vec<_> = ["preview", "a.kernel.mg"].iter().chain(more).copied().collect();
        lines_with(&files, &arguments, &["──", "reasoning", "Why", "competing"])
    };
    expect![[r#"
        ── base · builtin generic · 28 tokens
        ── reasoning · builtin reasoning · 49 tokens
          reasoning_trace  what was asked, how you went about it, what limited you, how sure you are and why
        ──
          reasoning          49   64.4 %
    "#]]
    .assert_eq(&shown("reasoning = \"full\"", "legislator-1 legislator", &[]));
    expect![[r#"
        ── base · builtin coder · 44 tokens
        ── suffix · builtin suffix · 253 tokens
          reasoning_trace      how you got there
        ── reasoning · builtin reasoning · 22 tokens
        Add a member `reasoning`: in a few words, how you went about it and how sure you are.
        ──
          reasoning          22    6.8 %
        warning[competing-output] a.kernel.mg:1 `[prompt] reasoning` conflicts with the JSON envelope; in preview `a` (coder-7), the prompt requests an envelope and an object with reasons; an envelope has no fields for reasons, and other objects do not reach the kernel
    "#]].assert_eq(&shown("reasoning = \"short\"", "coder-7 coder", &[]));
    let own = "reasoning = \"full\"\n[prompt.templates]\nreasoning = \"Why?\"";
    expect![[r#"
        ── base · builtin generic · 28 tokens
        ── reasoning · configured reasoning · 2 tokens
        Why?
        ──
          reasoning           2    6.8 %
    "#]]
    .assert_eq(&shown(own, "legislator-1 legislator", &[]));
    expect![[r#"
        ──
    "#]]
    .assert_eq(&shown(own, "legislator-1 legislator", &["--mode", "section"]));
}

#[test]
fn hits_that_do_not_go_together_are_told() {
    let kernel = "# @preview use: schemas.gl\n# @preview shard: coder-7 coder\n# @preview mode: jit(atoms=atoms)\n\
                  # @preview session: a.session.yaml\n";
    let atoms = "- {id: me, category: identity, is_mandatory: true, content: You code.}\n\
                 - {id: a, category: domain, conflicts_with: [b], content: A.}\n\
                 - {id: b, category: domain, conflicts_with: [a], content: B.}\n";
    let told = |scores: &str| {
        let session = format!("vectors: {{{scores}}}\n");
        let files = [
            ("schemas.gl", SCHEMAS),
            ("a.kernel.mg", kernel),
            ("a.session.yaml", &*session),
            ("atoms/a.yaml", atoms),
        ];
        lines_with(&files, &["preview", "a.kernel.mg"], &["A.", "B.", "one-sided"])
    };
    expect![[r#"
        A.
        warning[conflict-one-sided] atoms/a.yaml:2 conflict between `a` and `b` cannot be resolved; in preview `a` (coder-7), a search finds both; the engine cannot compare their scores, so the selection fails; the runtime then uses every prompt atom whose selectors all hold; the preview does not
        warning[conflict-one-sided] atoms/a.yaml:3 conflict between `b` and `a` cannot be resolved; in preview `a` (coder-7), a search finds both; the engine cannot compare their scores, so the selection fails; the runtime then uses every prompt atom whose selectors all hold; the preview does not
    "#]].assert_eq(&told("a: 0.5, b: 0.4"));
    expect![[r#"
        A.
        warning[conflict-one-sided] atoms/a.yaml:2 conflict between `a` and `b` cannot be resolved; in preview `a` (coder-7), a search finds both; the engine cannot compare their scores, so the selection fails; the runtime then uses every prompt atom whose selectors all hold; the preview does not
        warning[conflict-one-sided] atoms/a.yaml:3 conflict between `b` and `a` cannot be resolved; in preview `a` (coder-7), a search finds both; the engine cannot compare their scores, so the selection fails; the runtime then uses every prompt atom whose selectors all hold; the preview does not
    "#]].assert_eq(&told("a: 1, b: 1"));
    expect![[r#"
        B.
    "#]]
    .assert_eq(&told("a: 0, b: 1"));
}

#[test]
fn directives_are_atoms_that_a_search_can_find() {
    let kernel = "# @preview shard: coder-7 coder\n# @preview session: a.session.yaml\n\
                  # @preview mode: jit(atoms=atoms)\ninjectable_context(\"*\", \"Mind the clock.\").\n";
    let words =
        "PROMPT: /style/short [domain] -> \"Be brief.\"\nPROMPT: /style/odd [oddity] -> \"Be odd.\"\n";
    let atoms = "- {id: me, category: identity, is_mandatory: true, content: You code.}\n\
                 - {id: safe, category: safety, is_mandatory: true, content: Do no harm.}\n\
                 - {id: how, category: protocol, is_mandatory: true, content: Say what you do.}\n";
    let settings = "[[program]]\nname = \"all\"\ninclude = [\"*.mg\", \"*.gl\"]\nhybrid = [\"words.mg\"]\n";
    let files = [
        ("mangle-ls.toml", settings),
        ("schemas.gl", SCHEMAS),
        ("words.mg", words),
        ("a.kernel.mg", kernel),
        ("a.session.yaml", "vectors: {style/short: 0.9}\n"),
        ("atoms/one.yaml", atoms),
    ];
    check_but_suffix(
        &files,
        &["preview", "a.kernel.mg", "--provenance"],
        expect![[r#"
            a  coder-7 (coder), jit
            ── identity · atoms · 3 tokens
            You code.                                                               ← atom me atoms/one.yaml:1

            ── safety · atoms · 4 tokens
            Do no harm.                                                             ← atom safe atoms/one.yaml:2

            ── protocol · atoms · 5 tokens
            Say what you do.                                                        ← atom how atoms/one.yaml:3

            ── domain · atoms · 3 tokens
            Be brief.                                                               ← atom style/short words.mg:1

            ── context · atoms · 10 tokens
            // KERNEL CONTEXT                                                       ← builtin injected
            - Mind the clock.                                                       ← fact a.kernel.mg:4
                                                                                    ← builtin injected

            ── suffix · builtin suffix · 253 tokens
            == REPLY FORMAT ==                                                      ← suffix because the compiled text does not name "control_packet"
            …
            ──
            [█░░░░░░░░░░░░░░░░░░░░░░░░░░░░░] 276 of 191500 tokens, 0.1 % (bytes/4: 276, characters/4: 275)
              191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by the runtime
              identity            3    1.0 %
              safety              4    1.4 %
              protocol            5    1.8 %
              domain              3    1.0 %
              context            10    3.6 %
              suffix            253   91.6 %
            warning[skeleton-gap] a.kernel.mg:1 no prompt atom of category `methodology`; in preview `a` (coder-7), the runtime only logs the gap
            warning[hybrid-directive] words.mg:2 unknown category `oddity` of a prompt atom; the first tag is the category; the runtime does not store prompt atoms of unknown categories
            exit 0
        "#]],
    );
}

/// [`check`], without what the built-in suffix says: it is the same in every prompt, and the first test shows it.
#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
fn check_but_suffix(files: &[(&str, &str)], arguments: &[&str], expected: Expect) {
    let said = render(&run(folder(files).path(), arguments));
    let (before, suffix) = said.split_once("Reply with a single JSON object").unwrap();
    let (_, after) = suffix.split_once("inside facts.").unwrap();
    expected.assert_eq(&format!("{before}…{after}"));
}

/// The lines of an output that have one of these words.
fn lines_with(files: &[(&str, &str)], arguments: &[&str], words: &[&str]) -> String {
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
              191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by the runtime
              title              14   10.5 %
              state              37   27.8 %
              history             9    6.7 %
              recent             59   44.3 %
              message             4    3.0 %
              answer             11    8.2 %
            information[below-threshold] policy.mg:1 score 40 of `Too weak.` is too low; in preview `fix` (coder-7), the policy injects only scores above 50
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
              8000 left of 9000 (agent's configuration): 500 reserved for the answer (agent's configuration), 500 kept free by the runtime
              166.6 % of the 3 tokens that the agent's configuration gives a `coder`
              context             5  100.0 %
            warning[over-budget] a.kernel.mg:2 prompt of about 5 tokens exceeds its limit of 3; in preview `a` (coder-1), the limit is `max_context_tokens` of `coder` in `.nerd/config.json`; the runtime sends all of it, and the service of the model cuts or rejects it
            information[drift] traces.jsonl:1 captured prompt differs from the preview; in preview `a` (coder-1), 0 % of the lines are equal, less than 90 %
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

            1 warning, 1 information in 1 file (1 clause)
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

#[test]
fn atoms_are_checked_without_a_kernel() {
    let atoms = "- {id: me, category: identiti, is_mandatory: true, content: You code.}\n\
                 - {id: how, category: domain, depends_on: [mee], content: \"In {{languag}}.\"}\n";
    let files = [("mangle-ls.toml", "[prompt]\natoms = [\"atoms\"]\n"), ("atoms/a.yaml", atoms)];
    let codes = &["check", "--format", "json", "--fail-on", "never"];
    let found = |files: &[(&str, &str)]| -> Vec<String> {
        let out = stdout(&run(folder(files).path(), codes));
        let rows = out.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        let rows = rows.filter(|row| row["file"] == "atoms/a.yaml");
        rows.map(|row| row["rule"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(found(&files), ["atom-category", "missing-dependency", "unknown-placeholder"]);
    // With a kernel that asks for prompts of them, each is said once.
    let kernel = ("x.kernel.mg", "# @preview shard: coder-7 coder\n");
    let with: Vec<_> = files.into_iter().chain([kernel]).collect();
    let mut all = found(&with);
    all.retain(|rule| rule == "atom-category");
    assert_eq!(all.len(), 1);
}

#[test]
fn atoms_are_found_for_a_kernel_that_no_program_includes() {
    let files = [
        (
            "mangle-ls.toml",
            "[prompt]\natoms = [\"atoms\"]\n[[program]]\nname = \"policy\"\ninclude = [\"policy\"]\n",
        ),
        ("policy/schemas.gl", SCHEMAS),
        (
            "atoms/one.yaml",
            "- {id: me, category: identity, is_mandatory: true, content: You code in verse.}\n",
        ),
        (
            "samples/deep/a.kernel.mg",
            "# @preview shard: coder-1 coder\n# @preview use: ../../policy/schemas.gl\n",
        ),
    ];
    let shown = stdout(&run(folder(&files).path(), &["preview", "samples/deep/a.kernel.mg"]));
    assert!(shown.contains("You code in verse."), "{shown}");
    let found = stdout(&run(folder(&files).path(), &["check", "--format", "json", "samples"]));
    assert!(!found.contains("unmatched-pattern"), "{found}");
}

#[test]
fn settings_of_prompts_that_nothing_uses_are_found() {
    let files = [
        (
            "mangle-ls.toml",
            "[prompt]\natoms = [\"atoms/*.yaml\", \"atom\", \"lost.yaml\"]\n[prompt.templates]\nsufix = \"Answer.\"\n\
             codr = \"You code.\"\nsuffix = \"prompts/suffix.md\"\nplanner = \"You plan.\"\ntester = \"You test it.\"\n",
        ),
        ("schemas.gl", SCHEMAS),
        ("atoms/one.yaml", "- {id: me, category: identity, is_mandatory: true, content: You code.}\n"),
        ("late.kernel.mg", "injectable_context(\"*\", \"Be brief.\").\n# @preview shard: coder-1 coder\n"),
        ("named.mg", "# @preview shard: coder-1 coder\n"),
    ];
    let out = stdout(&run(folder(&files).path(), &["check", "--format", "json", "--fail-on", "never"]));
    let rows = out.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let rows = rows.filter(|row| row["file"] != "schemas.gl" && row["rule"] != "template-missing");
    let rows = rows.filter(|row| row["file"].is_string());
    let shown: String = rows
        .map(|row| {
            format!("{}:{} {}: {}\n", row["file"], row["line"], row["rule"], row["message"]).replace('"', "")
        })
        .collect();
    expect![[r#"
        late.kernel.mg:2 preview-key: `# @preview` comment is below the first statement
        mangle-ls.toml:2 unmatched-pattern: `atom` in `atoms` matches no file
        mangle-ls.toml:2 unmatched-pattern: `lost.yaml` in `atoms` matches no file
        mangle-ls.toml:4 config-unknown-key: unknown template `sufix`
        mangle-ls.toml:5 config-unknown-key: unknown template `codr`
        mangle-ls.toml:6 config-bad-value: template is the path `prompts/suffix.md`
        named.mg:1 preview-outside-kernel: `# @preview` comment is ignored in this file
    "#]]
    .assert_eq(&shown);
    // Where the types of shards are listed, every other name is a mistake.
    let text = "[prompt]\nshards = [\"coder-7 coder\"]\n[prompt.templates]\nplanner = \"You plan.\"\ncoder = \"You code.\"\n";
    let out = stdout(&run(folder(&[("mangle-ls.toml", text), ("a.mg", "p(1).\n")]).path(), &["check"]));
    assert!(out.contains("unknown template `planner`") && !out.contains("template `coder`"), "{out}");
}
