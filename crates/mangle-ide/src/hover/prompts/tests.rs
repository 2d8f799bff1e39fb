use expect_test::{Expect, expect};

use super::{SampleProvenance, prompts, prompts_in_source_file};
use crate::testing::{Fixture, Sample};
use mangle_settings::RuleSettings;
use mangle_syntax::text::slice;

/// Checks the hover at the cursor, in a policy or in another file of a preview.
#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
fn check(fixture: &str, expect: Expect) {
    let fixture = Fixture::new(fixture);
    let texts: Vec<_> = fixture.ids().map(|file| fixture.text(file).to_owned()).collect();
    let sample = Sample::new(&fixture.names, &texts, &RuleSettings::default());
    let provenance = sample.map(Sample::provenance);
    let by =
        [SampleProvenance { sample: "fix.kernel.mg", provenance: provenance.as_ref(), is_current: true }];
    let by = if provenance.is_some() { &by[..] } else { &[] };
    let place = fixture.place();
    let shown = match fixture.names[place.file.id.0 as usize].ends_with(".yaml") {
        true => prompts_in_source_file(place.file.id, place.text(), place.offset, by),
        false => prompts(place, by),
    };
    let shown = shown.map_or("nothing".to_owned(), |found| {
        format!("<{}>\n{}", slice(place.text(), found.range), found.markup.to_plain())
    });
    expect.assert_eq(&shown);
}

const SCHEMAS: &str = "\
#- schemas.gl
Decl injectable_context(Id, Text) bound [/string, /string].
Decl shard_context_atom(Id, Text, Score) bound [/string, /string, /number].
Decl specialist_knowledge(Id, Topic, Text) bound [/string, /name, /string].
Decl shard_prompt_base(Type, Text) bound [/name, /string].
Decl active_shard(Id, Type) bound [/string, /name].
Decl note(Text, Score) bound [/string, /number].
Decl other(Text) bound [/string].
";

const RULES: &str = "\
#- policy.mg
shard_context_atom(S, T, N) :- active_shard(S, _), note(T, N).
injectable_context(S, T) :- shard_context_atom(S, T, N), 50 < N.
";

const KERNEL: &str = "\
#- fix.kernel.mg
# @preview name: fix
# @preview shard: coder-7 coder
note(\"Mind the clock.\", 70).
note(\"Be brief.\", 80).
";

fn with(more: &str) -> String {
    format!("{SCHEMAS}{RULES}{KERNEL}{more}")
}

#[test]
fn facts_and_rules_show_the_lines_that_come_of_them() {
    check(
        &with("").replace("note(\"Mind", "no$0te(\"Mind"),
        expect![[r#"
        <note>
        In the prompt fix (coder-7) of fix.kernel.mg, mode legacy, section context: 5 of 343 tokens.

          - Be brief.
        > - Mind the clock."#]],
    );
    check(
        &with("").replace("Be brief", "Be b$0rief"),
        expect![[r#"
        <"Be brief.">
        In the prompt fix (coder-7) of fix.kernel.mg, mode legacy, section context: 3 of 343 tokens.

        > - Be brief.
          - Mind the clock."#]],
    );
    check(
        &with("").replace("injectable_context(S, T) :-", "injectable_c$0ontext(S, T) :-"),
        expect![[r#"
        <injectable_context>
        In the prompt fix (coder-7) of fix.kernel.mg, mode legacy, section context: 8 of 343 tokens.

        > - Be brief.
        > - Mind the clock."#]],
    );
    check(
        &with("injectable_context(\"*\", \"Mono$0repo.\\nOne place.\").\n"),
        expect![[r#"
        <"Monorepo.\nOne place.">
        In the prompt fix (coder-7) of fix.kernel.mg, mode legacy, section context: 6 of 349 tokens.

        > - Monorepo.
        > One place.
          - Be brief."#]],
    );
}

#[test]
fn premises_and_declarations_tell_what_they_contribute() {
    check(
        &with("").replace(":- active_shard(", ":- active$0_shard("),
        expect![[r#"
        <active_shard>
        Contributes to prompts: 2 lines of fix (coder-7) depend on its facts."#]],
    );
    check(
        &with("").replace("Decl note", "Decl no$0te"),
        expect![[r#"
        <note>
        Contributes to prompts: 2 lines of fix (coder-7) depend on its facts."#]],
    );
    check(
        &with("").replace("Decl specialist", "Decl special$0ist"),
        expect![[r#"
        <specialist_knowledge>
        Possible source of prompts. No line of fix (coder-7) depends on its facts."#]],
    );
    check(
        &with("").replace("Decl shard_prompt_base", "Decl shard_$0prompt_base"),
        expect![[r#"
        <shard_prompt_base>
        Possible source of prompts. No line of fix (coder-7) depends on its facts.

        No template for coder: fix (coder-7) begins with the built-in text coder."#]],
    );
    check(&with("").replace("Decl other", "Decl ot$0her"), expect!["nothing"]);
}

#[test]
fn what_reaches_no_prompt_says_why() {
    check(
        &with("injectable$0_context(/coder, \"Wrong key.\").\n"),
        expect![[r#"
        <injectable_context>
        Not in fix (coder-7): its shard key is /coder, but a prompt accepts only the exact ID of its shard, * and /_all."#]],
    );
    check(
        &with("shard_context$0_atom(\"coder-7\", \"Weak.\", 50).\n"),
        expect![[r#"
        <shard_context_atom>
        Not in fix (coder-7): its score is 50, and only scores above 50 are injected."#]],
    );
    check(
        &with("specialist$0_knowledge(\"coder-7\", /jwt, \"Tokens expire.\").\n"),
        expect![[r#"
            <specialist_knowledge>
            Not in fix (coder-7): mode legacy shows knowledge only if rules derive context from it."#]],
    );
    check(
        &with("shard_prompt$0_base(/tester, \"You test.\").\n"),
        expect![[r#"
        <shard_prompt_base>
        Not in fix (coder-7): it is the template of /tester."#]],
    );
    check(
        &with("shard_prompt_base(/coder, \"You.\").\nshard_prompt$0_base(/coder, \"Me.\").\n"),
        expect![[r#"
        <shard_prompt_base>
        Not in fix (coder-7): another template of this type comes first; empty templates are ignored."#]],
    );
    check(
        &with("injectable$0_context(S, T) :- active_shard(S, /tester), other(T).\n"),
        expect![[r#"
        <injectable_context>
        Not in fix (coder-7): with fix.kernel.mg it derives no additional fact."#]],
    );
    check(
        &with("no$0te(\"Mind the gap.\", 10).\n"),
        expect![[r#"
        <note>
        Possible source of prompts. No line of fix (coder-7) depends on it."#]],
    );
}

#[test]
fn without_a_sample_kernel_only_what_prompts_read_is_told_of() {
    let alone = format!("{SCHEMAS}#- policy.mg\ninjectable$0_context(\"*\", \"x\").\nother(\"y\").\n");
    check(
        &alone,
        expect![[r#"
        <injectable_context>
        No sample kernel shows a prompt of it: # @preview comments in a *.kernel.mg select prompts."#]],
    );
    check(&alone.replace("$0", "").replace("other(\"y\")", "ot$0her(\"y\")"), expect!["nothing"]);
}

const ATOMS: &str = "\
#- atoms/a.yaml
- {id: who, category: identity, is_mandatory: true, content: \"You write {{language}}.\", shard_types: [/coder]}
- {id: tests, category: methodology, is_mandatory: true, content: \"Test it. {{nobody}}\", shard_types: [/tester]}
- {id: goes, category: safety, is_mandatory: true, languages: [/go], content: Mind races.}
";

fn compiled(atoms: &str) -> String {
    format!("{SCHEMAS}{RULES}{KERNEL}{atoms}")
        .replace("coder-7 coder\n", "coder-7 coder\n# @preview mode: jit(atoms=atoms)\n")
}

#[test]
fn atoms_tell_what_became_of_them() {
    check(
        &compiled(&ATOMS.replace("id: who", "id: w$0ho")),
        expect![[r#"
        <who>
        In the prompt fix (coder-7): place 1, 6 tokens."#]],
    );
    check(
        &compiled(&ATOMS.replace("id: tests", "id: tes$0ts")),
        expect![[r#"
        <tests>
        Not in the prompt fix (coder-7): blocked: no value of its 'shard_types' holds here."#]],
    );
    check(
        &compiled(&ATOMS.replace("[/tester]", "[/test$0er]")),
        expect![[r#"
        </tester>
        The prompt fix (coder-7) has shard_types = /coder."#]],
    );
    check(
        &compiled(&ATOMS.replace("[/go]", "[/g$0o]")),
        expect![[r#"
        </go>
        The prompt fix (coder-7) has no value for languages."#]],
    );
    check(
        &compiled(&ATOMS.replace("{{language}}", "{{lan$0guage}}")),
        expect![[r#"
        <{{language}}>
        unknown in the prompt fix (coder-7)."#]],
    );
    check(
        &compiled(&ATOMS.replace("{{nobody}}", "{{no$0body}}")),
        expect![[r#"
        <{{nobody}}>
        The runtime does not know this name: it is unchanged in fix (coder-7)."#]],
    );
    check(
        &compiled(&ATOMS.replace("Mind races", "Mi$0nd races")),
        expect![[r#"
        <Mind races.>
        In the prompt fix (coder-7) of fix.kernel.mg, mode jit, section safety: 3 of 274 tokens.

        > Mind races."#]],
    );
}

#[test]
fn types_of_shards_in_sessions_show_their_limits() {
    let session = "#- fix.session.yaml\nprior_shard_outputs:\n  - shard_type: cod$0er\n    task: look\n    summary: done\n";
    let kernel = with("").replace("coder-7 coder\n", "coder-7 coder\n# @preview session: fix.session.yaml\n");
    check(
        &format!("{kernel}{session}"),
        expect![[r#"
        <coder>
        In the prompt fix (coder-7) of fix.kernel.mg, mode legacy, section session: 8 of 394 tokens.

          RESULTS OF OTHER SHARDS:
        >   [coder] FAILED: look - done

        The prompt fix (coder-7) has 394 tokens; its budget is 191500.

        The context of coder is limited to 30000 tokens by the default of the runtime."#]],
    );
    let other = session.replace("cod$0er", "tes$0ter");
    check(
        &format!("{kernel}{other}"),
        expect![[r#"
        <tester>
        In the prompt fix (coder-7) of fix.kernel.mg, mode legacy, section session: 8 of 395 tokens.

          RESULTS OF OTHER SHARDS:
        >   [tester] FAILED: look - done

        The context of tester is limited to 20000 tokens by the default of the runtime."#]],
    );
    let empty = session.replace("cod$0er", "$0");
    check(
        &format!("{kernel}{empty}"),
        expect![[r#"
        <shard_type: 
            task: look
            summary: done>
        In the prompt fix (coder-7) of fix.kernel.mg, mode legacy, section session: 6 of 393 tokens.

          RESULTS OF OTHER SHARDS:
        >   [] FAILED: look - done"#]],
    );
}

#[test]
fn values_of_sessions_show_their_lines() {
    let session =
        "#- fix.session.yaml\nrecent_findings:\n  - the cl$0ock\n  - the door\ngit_unstaged_count: 3\n";
    let kernel = with("").replace("coder-7 coder\n", "coder-7 coder\n# @preview session: fix.session.yaml\n");
    check(
        &format!("{kernel}{session}"),
        expect![[r#"
        <the clock>
        In the prompt fix (coder-7) of fix.kernel.mg, mode legacy, section session: 4 of 391 tokens.

          FOUND SO FAR:
        >   - the clock
            - the door"#]],
    );
    let unshown = session.replace("$0", "").replace("count: 3", "count: $03");
    check(&format!("{kernel}{unshown}"), expect!["nothing"]);
}
