//! `preview`: prompts with their reasons.

use expect_test::expect;

use super::support::check;

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
              base               44   11.4 %
              context            44   11.4 %
              session            44   11.4 %
              suffix            253   65.8 %
            information[below-threshold] policy.mg:1 `Too weak.` has a score of 40 in preview `fix` (coder-7), and the policy injects what is above 50: it is in no prompt.
            information[template-missing] fix.kernel.mg:3 The kernel has no template for `coder` in preview `fix` (coder-7), so a built-in text is its base: add a fact `shard_prompt_base(/coder, "…")`.
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
        below threshold: its score is 40, and only what is above 50 is injected
        exit 0
    "#]],
    );
    check(
        FILES,
        &["preview", "fix.kernel.mg", "--why-not", "coder-7", "Nothing."],
        expect![[r#"
        not derived:
        policy.mg:2: premise 1 has no solution: shard_context_atom("coder-7","Nothing.",_)
          near: shard_context_atom("coder-7","Mind the clock.",70)
          near: shard_context_atom("coder-7","Too weak.",40)
        exit 0
    "#]],
    );
    check(
        FILES,
        &["preview", "fix.kernel.mg", "--why", "nobody says this"],
        expect![[r#"
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

            5 of 191500 tokens (0.0 %), by `bytes4`; 5 by bytes/4, 4 by characters/4.

            - information `below-threshold` (policy.mg:1): \`Too weak.\` has a score of 40 in preview \`fix\` (coder\-7), and the policy injects what is above 50: it is in no prompt.
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
                "available": 191500
              },
              "manifest": null,
              "diagnostics": [
                {
                  "code": "PP004",
                  "rule": "below-threshold",
                  "severity": "information",
                  "message": "`Too weak.` has a score of 40 in preview `fix` (coder-7), and the policy injects what is above 50: it is in no prompt.",
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
              state               2   12.5 %
              message             4   25.0 %
              answer             11   68.7 %
            information[below-threshold] policy.mg:1 `Too weak.` has a score of 40 in preview `fix` (coder-7), and the policy injects what is above 50: it is in no prompt.
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
              context             2  100.0 %
            warning[no-active-shard] fix.kernel.mg:3 The kernel does not know that the shard is at work in preview `fix` (coder-7), so rules that ask for it give nothing: state `active_shard("coder-7", /coder)`, or leave out `--no-synthetic`.
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
          context            12  100.0 %
        information[below-threshold] policy.mg:1 `Too weak.` has a score of 40 in preview `fix` (coder-7), and the policy injects what is above 50: it is in no prompt.
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
          context             8  100.0 %
        information[below-threshold] policy.mg:1 `Too weak.` has a score of 40 in preview `fix` (coder-7), and the policy injects what is above 50: it is in no prompt.
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
            error[empty-prompt] a.kernel.mg:1 Nothing is assembled in preview `a` (x-1): the kernel injects nothing and knows nothing for the shard.
            warning[pred-undeclared] a.kernel.mg:2 The prompt asks for `injectable_context`, which nobody declares or defines with 2 arguments or more in preview `a` (x-1): the answer is empty. Declare it in the schemas.
            warning[preview-key] a.kernel.mg:3 There is no setting `sesion:` of previews, so this comment is ignored; there are `name:`, `shard:`, `intent:`, `use:`, `session:`, `mode:`. Did you mean `session:`?
            error[preview-path] a.kernel.mg:4 The session file `../../../etc/x.json` cannot be used: it lies outside. Paths count from the folder of this file and stay inside of the repository.
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
              context             3  100.0 %
            warning: a.kernel.mg:3: this statement cannot be read and gives nothing; `check` says why
            exit 0
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
    check(
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
        [█░░░░░░░░░░░░░░░░░░░░░░░░░░░░░] 267 of 191500 tokens, 0.1 % (bytes/4: 267, characters/4: 266)
          identity            5    1.8 %
          context            10    3.7 %
          suffix            253   94.7 %
        warning[skeleton-gap] a.kernel.mg:1 There is no atom of category `protocol` in preview a (coder-7).
        exit 0
    "#]],
    );
    check(
        &files,
        &["check", "a.kernel.mg", "--fail-on", "never"],
        expect![[r#"
        warning[PP056 skeleton-gap]: There is no atom of category `protocol` in preview a (coder-7).
         --> a.kernel.mg:1:1
          |
        1 | # @preview use: schemas.gl
          | ^^^^^^^^^^^^^^^^^^^^^^^^^^

        1 warning in 1 file (1 clause)
        exit 0
    "#]],
    );
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
    check(
        &files,
        &["preview", "a.kernel.mg", "--provenance"],
        expect![[r#"
            a  coder-7 (coder), jit
            ── identity · atoms · 3 tokens
            You code.                                                               ← atom me atoms/one.yaml:1

            ── safety · atoms · 4 tokens
            Do no harm.                                                             ← atom safe atoms/one.yaml:1

            ── protocol · atoms · 5 tokens
            Say what you do.                                                        ← atom how atoms/one.yaml:1

            ── domain · atoms · 3 tokens
            Be brief.                                                               ← atom style/short words.mg:1

            ── context · atoms · 10 tokens
            // KERNEL CONTEXT                                                       ← builtin injected
            - Mind the clock.                                                       ← fact a.kernel.mg:4
                                                                                    ← builtin injected
            ── suffix · builtin suffix · 253 tokens
            == REPLY FORMAT ==                                                      ← suffix because the compiled text does not name "control_packet"
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
            [█░░░░░░░░░░░░░░░░░░░░░░░░░░░░░] 275 of 191500 tokens, 0.1 % (bytes/4: 275, characters/4: 275)
              identity            3    1.0 %
              safety              4    1.4 %
              protocol            5    1.8 %
              domain              3    1.0 %
              context            10    3.6 %
              suffix            253   92.0 %
            warning[hybrid-directive] words.mg:2 There is no category `oddity`, so the runtime does not store this atom: the first tag is its category.
            warning[skeleton-gap] a.kernel.mg:1 There is no atom of category `methodology` in preview a (coder-7).
            exit 0
        "#]],
    );
}
