//! `preview` of prompts that are compiled from prompt atoms.

use expect_test::expect;

use super::preview::{SCHEMAS, check_but_suffix, lines_with};
use super::support::{check, folder, render, run, stdout};

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
              191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by codeNERD
              identity            5    1.8 %
              context            10    3.7 %
              suffix            253   94.7 %
              atoms left out: 1
                review (atoms/skeleton.yaml:2): blocked: no value of its `shard_types` holds here
            warning[skeleton-gap] a.kernel.mg:1 no prompt atom of `protocol`, `safety` and `methodology`; in preview `a` (coder-7), the runtime only logs the gap
            policy: 1 file (schemas.gl); left out: a.kernel.mg
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

            1 warning in 1 file (1 clause); engine 2026-04
            policy: 1 file (schemas.gl); left out: a.kernel.mg
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
        policy: 1 file (schemas.gl); left out: a.kernel.mg
        exit 0
    "#]]
    .assert_eq(&why_not("coder-7", "By its name."));
    expect![[r#"
        wrong shard key: it is injected for `coder`; `expert-coder-7` accepts only `expert-coder-7`, `expert-coder`, `*`, `/_all`, exactly
        policy: 1 file (schemas.gl); left out: a.kernel.mg
        exit 0
    "#]].assert_eq(&why_not("expert-coder-7", "By its name."));
    expect![[r#"
        wrong shard key: it is injected for `tester`; `coder-7` accepts only `coder-7`, `coder`, `*`, `/_all`, exactly
        policy: 1 file (schemas.gl); left out: a.kernel.mg
        exit 0
    "#]].assert_eq(&why_not("coder-7", "For another."));
    let kernel = kernel.replace("/coder-7", "/expert");
    let files = [("schemas.gl", schemas), ("a.kernel.mg", &kernel), ("atoms/a.yaml", atoms)];
    let arguments =
        ["preview", "a.kernel.mg", "--shard", "expert-1", "coder", "--why-not", "expert-1", "As a name."];
    expect![[r#"
        it is injected for the shard, but the prompt compiler omits injected context; blocked: no value of its `shard_types` holds here
        policy: 1 file (schemas.gl); left out: a.kernel.mg
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
              191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by codeNERD
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
