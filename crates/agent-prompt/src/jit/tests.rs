//! Tests of the compiler with small corpora.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::sync::Arc;

use expect_test::{Expect, expect};

use super::{AtomFile, AtomKind, Corpus, JitCompiler, Residue};
use crate::answers::{Answer, Arg, FactList};
use crate::context::{DerivedContext, PromptContext};
use crate::origin::FactOrigin;
use crate::testing::words_of;
use mangle_syntax::text::FileId;

/// A corpus of one file.
fn corpus(kind: AtomKind, text: &str) -> Arc<Corpus> {
    let file = AtomFile { file: FileId(0), kind, agent: None, text: Arc::from(text) };
    let open =
        |_, name: &str| (name == "there.md").then(|| (FileId(1), Arc::from("From a file.\nOf two lines.\n")));
    Arc::new(Corpus::read(&[file], &mut { open }))
}

struct Setup {
    context: PromptContext,
    facts: Vec<(String, Answer)>,
}

fn shard(id: &str, kind: &str) -> Setup {
    Setup { context: PromptContext::for_shard(id, kind), facts: Vec::new() }
}

impl Setup {
    fn fact(mut self, predicate: &str, args: &[&str]) -> Self {
        let args: Vec<_> = args.iter().map(|arg| Arg::Text((*arg).to_owned())).collect();
        self.facts.push((predicate.to_owned(), Answer { args, origin: FactOrigin::listed(predicate) }));
        self
    }

    fn vectors(mut self, vectors: &[(&str, f64)]) -> Self {
        self.context.vectors = vectors.iter().map(|(id, score)| ((*id).to_owned(), *score)).collect();
        self
    }

    fn budget(mut self, tokens: u32, reserved: u32) -> Self {
        self.context.budget = (Some(tokens), Some(reserved));
        self
    }

    fn derived(&self) -> DerivedContext {
        DerivedContext::from_context(&self.context)
    }

    fn check(&self, atoms: &str, expected: &Expect) {
        let corpus = corpus(AtomKind::Corpus, atoms);
        let compiler = JitCompiler::new(Arc::clone(&corpus));
        let mut listed = FactList { facts: self.facts.clone(), failing: Vec::new() };
        let mut shown = String::new();
        for fault in &corpus.faults {
            let _ = writeln!(shown, "fault {:?}", fault.kind);
        }
        match compiler.compile(&self.context, &self.derived(), &mut listed, &Residue::default()) {
            Err(why) => {
                let _ = writeln!(shown, "error: {why}");
            }
            Ok(compilation) => {
                for selected in &compilation.manifest.selected {
                    let (id, variant) = (&selected.id, &selected.variant);
                    let (tokens, printed) = selected.tokens;
                    let _ = writeln!(shown, "+ {id} {variant} {tokens}/{printed}");
                }
                for dropped in &compilation.manifest.dropped {
                    let _ = writeln!(shown, "- {}: {}", dropped.id, dropped.reason);
                }
                for section in &compilation.sections {
                    let _ = write!(shown, "[{}]\n{}", section.title, section.text());
                }
            }
        }
        expected.assert_eq(&shown);
    }
}

const SKELETON: &str = "
- {id: me, category: identity, is_mandatory: true, priority: 9, content: 'I am {{shard_type}}.'}
- {id: envelope, category: protocol, is_mandatory: true, content: 'Write \"control_packet\" first.'}
";

#[test]
fn values_are_those_of_the_runtimes_reader() {
    let atoms = |more: &str| format!("{SKELETON}{more}");
    // Null entries of a list are ignored. A merged table has a lower priority than own keys.
    let merged = atoms(
        "- ~
- &base {id: base, category: domain, is_mandatory: on, content: Base., depends_on: [~, me, null]}
- {<<: *base, id: own, content: Own.}
- {<<: [*base, {priority: 7}], id: last, is_mandatory: no, depends_on: }
",
    );
    shard("coder-1", "coder").check(
        &merged,
        &expect![[r#"
        + me standard 5/5
        + envelope standard 8/8
        + base standard 2/2
        + own standard 1/1
        - last: not a candidate: not mandatory, not needed, not found by a search
        [identity]
        I am coder.

        [protocol]
        Write "control_packet" first.

        [domain]
        Base.

        Own.
    "#]],
    );
    for (wrong, atom) in [
        ("twice", "- {id: a, id: b, category: domain, content: x}\n"),
        ("quoted", "- {id: a, category: domain, content: x, priority: '9'}\n"),
        ("truth", "- {id: a, category: domain, content: x, is_mandatory: 'true'}\n"),
    ] {
        let corpus = corpus(AtomKind::Corpus, &atoms(atom));
        assert!(corpus.atoms.is_empty() && corpus.faults.len() == 1, "{wrong}: {:?}", corpus.faults);
    }
    let bom = corpus(AtomKind::Corpus, &format!("\u{feff}{}", SKELETON.trim_start()));
    assert_eq!((bom.atoms.len(), bom.faults.len()), (2, 0));
    assert_eq!(&*bom.atoms[0].content.text, "I am {{shard_type}}.");
}

#[test]
fn mandatory_atoms_come_in_the_order_of_categories() {
    shard("coder-1", "coder").check(
        SKELETON,
        &expect![[r#"
        + me standard 5/5
        + envelope standard 8/8
        [identity]
        I am coder.

        [protocol]
        Write "control_packet" first.
    "#]],
    );
}

#[test]
fn what_a_mandatory_atom_needs_is_pulled_in_even_if_it_is_blocked() {
    let atoms = format!(
        "{SKELETON}
- {{id: a, category: domain, is_mandatory: true, depends_on: [b], content: Needs b.}}
- {{id: b, category: domain, shard_types: [/reviewer], content: For reviewers.}}
- {{id: c, category: domain, shard_types: [/reviewer], is_mandatory: true, content: For reviewers too.}}
- {{id: d, category: domain, content: Found by nobody.}}
- {{id: e, category: domain, is_mandatory: true, depends_on: [nobody], content: Needs what is not there.}}
"
    );
    shard("coder-1", "coder").check(
        &atoms,
        &expect![[r#"
        + me standard 5/5
        + envelope standard 8/8
        + e standard 6/6
        + b standard 4/4
        + a standard 2/2
        - c: blocked: no value of its `shard_types` holds here
        - d: not a candidate: not mandatory, not needed, not found by a search
        [identity]
        I am coder.

        [protocol]
        Write "control_packet" first.

        [domain]
        Needs what is not there.

        For reviewers.

        Needs b.
    "#]],
    );
}

#[test]
fn conflicting_mandatory_atoms_are_both_in() {
    let atoms = format!(
        "{SKELETON}
- {{id: a, category: domain, is_mandatory: true, conflicts_with: [b], content: A.}}
- {{id: b, category: domain, is_mandatory: true, content: B.}}
- {{id: c, category: domain, content: C., depends_on: [b]}}
- {{id: d, category: domain, is_mandatory: true, content: D., depends_on: [x]}}
- {{id: x, category: domain, content: X., depends_on: [y]}}
- {{id: y, category: domain, content: Y.}}
- {{id: z, category: domain, is_mandatory: true, content: Z., conflicts_with: [y]}}
"
    );
    shard("coder-1", "coder").vectors(&[("c", 0.9)]).check(
        &atoms,
        &expect![[r#"
        + me standard 5/5
        + envelope standard 8/8
        + a standard 1/1
        + b standard 1/1
        + z standard 1/1
        - c: prohibited: it, or what it needs, conflicts with the mandatory `a`
        - d: invalid: it needs `x`, which is not in
        - x: prohibited: it, or what it needs, conflicts with the mandatory `z`
        - y: prohibited: it, or what it needs, conflicts with the mandatory `z`
        [identity]
        I am coder.

        [protocol]
        Write "control_packet" first.

        [domain]
        A.

        B.

        Z.
    "#]],
    );
}

#[test]
fn of_conflicting_hits_the_better_one_stays() {
    let atoms = format!(
        "{SKELETON}
- {{id: a, category: domain, conflicts_with: [b], content: A.}}
- {{id: b, category: domain, content: B.}}
- {{id: c, category: domain, content: C.}}
- {{id: d, category: domain, conflicts_with: [c], content: D.}}
"
    );
    let setup = shard("coder-1", "coder").vectors(&[("a", 0.5), ("b", 0.4), ("c", 0.5), ("d", 0.5)]);
    setup.check(
        &atoms,
        &expect![[r#"
        + me standard 5/5
        + envelope standard 8/8
        + a standard 1/1
        + c standard 1/1
        + d standard 1/1
        - b: suppressed: it conflicts with `a`, which the search prefers
        [identity]
        I am coder.

        [protocol]
        Write "control_packet" first.

        [domain]
        A.

        C.

        D.
    "#]],
    );
}

#[test]
fn injected_atoms_are_blocked_where_the_shard_is_not_called_as_its_type() {
    let facts = |setup: Setup| {
        let setup = setup.fact("injectable_context", &["*", "Two\nlines {{language}}."]);
        let setup = setup.fact("injectable_context", &["/expert", "Mine."]);
        setup.fact("specialist_knowledge", &["/_all", "/jwt", "Expires."])
    };
    facts(shard("expert-1", "coder")).check(
        SKELETON,
        &expect![[r#"
        + me standard 5/5
        + envelope standard 8/8
        - kernel/context/588d76af: blocked: no value of its `shard_types` holds here
        - kernel/knowledge/81afc758: blocked: no value of its `shard_types` holds here
        [identity]
        I am coder.

        [protocol]
        Write "control_packet" first.
    "#]],
    );
    facts(shard("coder-1", "coder")).check(
        SKELETON,
        &expect![[r#"
        + me standard 5/5
        + envelope standard 8/8
        + kernel/context/72c220aa standard 11/11
        + kernel/knowledge/81afc758 standard 10/10
        [identity]
        I am coder.

        [protocol]
        Write "control_packet" first.

        [context]
        // KERNEL CONTEXT
        - Two
        lines unknown.


        [knowledge]
        // SPECIALIST KNOWLEDGE
        ## /jwt
        Expires.
    "#]],
    );
}

#[test]
fn what_the_kernel_cannot_say_is_not_injected() {
    let compiler = JitCompiler::new(corpus(AtomKind::Corpus, SKELETON));
    let setup = shard("coder-1", "coder").fact("injectable_context", &["*", "Mine."]);
    let setup = setup.fact("specialist_knowledge", &["*", "/jwt", "Expires."]);
    let injected = |failing: &str| {
        let mut listed = FactList { facts: setup.facts.clone(), failing: vec![failing.to_owned()] };
        let left = Residue::default();
        let compilation = compiler.compile(&setup.context, &setup.derived(), &mut listed, &left).unwrap();
        let kernel = compilation.atoms.iter().filter(|atom| atom.kind == AtomKind::Kernel);
        let failed: Vec<_> = compilation.failed.iter().map(|(predicate, _)| *predicate).collect();
        (kernel.map(|atom| atom.category.as_str()).collect::<Vec<_>>(), failed)
    };
    assert_eq!(injected(""), (vec!["context", "knowledge"], vec![]));
    assert_eq!(injected("specialist_knowledge"), (vec!["context"], vec!["specialist_knowledge"]));
    // The runtime stops at the first failed query, and queries knowledge last.
    assert_eq!(injected("injectable_context"), (vec![], vec!["injectable_context"]));
}

#[test]
fn an_atom_of_which_nothing_is_left_is_no_section() {
    let atoms = |more: &str| {
        format!(
            "{SKELETON}- {{id: a, category: campaign, is_mandatory: true, content: '{{{{campaign_phase}}}}'}}\n{more}"
        )
    };
    shard("coder-1", "coder").check(
        &atoms(""),
        &expect![[r#"
        + me standard 5/5
        + envelope standard 8/8
        + a standard 5/5
        [identity]
        I am coder.

        [protocol]
        Write "control_packet" first.
    "#]],
    );
    shard("coder-1", "coder").check(
        &atoms("- {id: b, category: campaign, is_mandatory: true, content: Go on.}\n"),
        &expect![[r#"
            + me standard 5/5
            + envelope standard 8/8
            + a standard 5/5
            + b standard 2/2
            [identity]
            I am coder.

            [protocol]
            Write "control_packet" first.

            [campaign]


            Go on.
        "#]],
    );
}

#[test]
fn mandatory_atoms_are_in_whatever_the_budget() {
    let long = "x".repeat(900);
    let atoms = format!(
        "{SKELETON}
- {{id: long, category: domain, is_mandatory: true, content: {long}}}
- {{id: hit, category: exemplar, content: {long}, content_concise: Shorter by far., content_min: Tiny.}}
"
    );
    let setup = shard("coder-1", "coder").vectors(&[("hit", 1.0)]).budget(740, 0);
    let cut = |text: &str| text.replace(&long, "x…");
    let corpus = corpus(AtomKind::Corpus, &atoms);
    let compiler = JitCompiler::new(corpus);
    let compilation = compiler
        .compile(&setup.context, &setup.derived(), &mut FactList::default(), &Residue::default())
        .unwrap();
    let mut shown = format!("usable {} mandatory {}\n", compilation.usable, compilation.mandatory);
    for selected in &compilation.manifest.selected {
        let _ = writeln!(shown, "+ {} {} {:?}", selected.id, selected.variant, selected.tokens);
    }
    for dropped in &compilation.manifest.dropped {
        let _ = writeln!(shown, "- {}: {}", dropped.id, dropped.reason);
    }
    expect![[r#"
        usable 240 mandatory 238
        + me standard (5, 5)
        + envelope standard (8, 8)
        + long standard (225, 225)
        + hit min (2, 225)
    "#]]
    .assert_eq(&cut(&shown));
}

#[test]
fn circles_are_errors() {
    let atoms = format!(
        "{SKELETON}
- {{id: a, category: domain, is_mandatory: true, depends_on: [b], content: A.}}
- {{id: b, category: domain, depends_on: [c], content: B.}}
- {{id: c, category: domain, depends_on: [b], content: C.}}
"
    );
    shard("coder-1", "coder").check(
        &atoms,
        &expect![[r#"
        error: failed to resolve dependencies: dependency cycle detected: b -> c -> b
    "#]],
    );
    shard("coder-1", "coder").check(
        "- {id: a, category: domain, is_mandatory: true, content: A.}",
        &expect![[r#"
        error: CRITICAL: no skeleton atoms found in corpus
    "#]],
    );
    shard("coder-1", "coder").budget(500, 0).check(
        SKELETON,
        &expect![[r#"
            error: total budget 500 is less than reserved headroom 500
        "#]],
    );
    shard("coder-1", "coder").budget(500, 500).check(
        SKELETON,
        &expect![[r#"
        error: total budget 450 is less than reserved headroom 500
    "#]],
    );
}

#[test]
fn shards_of_structured_output_get_no_protocol_atoms() {
    let atoms = format!(
        "{SKELETON}
- {{id: protocol/piggyback/envelope, category: protocol, is_mandatory: true, content: Envelope.}}
- {{id: protocol/reasoning/trace, category: protocol, is_mandatory: true, content: Trace.}}
"
    );
    shard("legislator-1", "legislator").check(
        &atoms,
        &expect![[r#"
        + me standard 5/5
        + envelope standard 8/8
        - protocol/piggyback/envelope: left out: this shard answers with structured output alone
        - protocol/reasoning/trace: left out: this shard answers with structured output alone
        [identity]
        I am legislator.

        [protocol]
        Write "control_packet" first.
    "#]],
    );
}

#[test]
fn a_baseline_wants_all_selectors_to_hold() {
    let atoms = format!(
        "{SKELETON}
- {{id: a, category: domain, is_mandatory: true, intent_verbs: [/fix], content: Only to fix.}}
- {{id: b, category: domain, is_mandatory: true, shard_types: [coder], content: For coders.}}
- {{id: c, category: domain, content: Not mandatory.}}
"
    );
    let corpus = corpus(AtomKind::Corpus, &atoms);
    let compiler = JitCompiler::new(corpus);
    let base = compiler.baseline(&shard("coder-1", "coder").derived()).unwrap();
    expect![[r#"
        I am coder.

        Write "control_packet" first.

        For coders.
    "#]]
    .assert_eq(&base.text());
    assert!(base.lines.iter().all(|line| line.origin.kind() == "atom" || line.text.is_empty()));
}

#[test]
fn files_are_read_as_the_runtime_reads_them() {
    let show = |kind: AtomKind, text: &str| {
        let corpus = corpus(kind, text);
        let mut shown = String::new();
        for atom in &corpus.atoms {
            let lines: Vec<_> =
                atom.content.lines.iter().map(|range| mangle_syntax::text::slice(text, *range)).collect();
            let _ =
                writeln!(shown, "{} {} {} {:?}", atom.id.text, atom.category.as_str(), atom.tokens, lines);
        }
        for fault in &corpus.faults {
            let _ = writeln!(shown, "{:?}", fault.kind);
        }
        shown
    };
    let text = "
- id: a
  category: Domain_Knowledge
  content: |
    One.

    Two é.
- {id: b, category: nothing, content: x}
- {id: c, category: domain}
- {id: d, category: domain, content: x, depends_on: [d], intent_verb: [/fix]}
- {category: domain, content: x}
- {id: e, category: domain, content_file: there.md}
- {id: f, category: domain, content_file: ../../etc/passwd}
";
    expect![[r#"
        a domain 4 ["One.", "", "Two é.", ""]
        e domain 7 ["\n- id: a\n  c", "tegory: Domai", ""]
        Category("nothing")
        NoContent
        Key { key: "intent_verb", nearest: Some("intent_verbs") }
        SelfReference("depends_on")
        Missing("id")
        ContentFile("../../etc/passwd")
    "#]]
    .assert_eq(&show(AtomKind::Corpus, text));
    expect![[r#"
        Value { key: "priority", wants: "a whole number", instead: None }
    "#]]
    .assert_eq(&show(AtomKind::Corpus, "- {id: a, category: domain, content: x}\n- {id: b, priority: high}"));
    expect![[r#"
        a domain 0 ["x"]
        Key { key: "is_mandatory", nearest: Some("ismandatory") }
    "#]]
    .assert_eq(&show(
        AtomKind::Evolved,
        "atom:\n  id: a\n  category: domain\n  content: x\n  is_mandatory: true\n  ismandatory: true\n",
    ));
    expect![[r#"
        File("while parsing a flow sequence, expected ',' or ']'")
    "#]]
    .assert_eq(&show(AtomKind::Corpus, "id: [unclosed"));
}

/// The findings about a file of atoms, with words and fixes.
fn said(kind: AtomKind, text: &str) -> String {
    let found = super::rules::check_corpus(&corpus(kind, text), &|_, _| true);
    let mut out = String::new();
    for (_, finding) in found {
        let fix = finding.fix.as_ref().map_or(String::new(), |fix| format!(" [{}]", fix.title));
        let _ = writeln!(out, "{}: {}{fix}", finding.rule.code, words_of(&finding));
    }
    out
}

#[test]
fn keys_are_suggested_and_faults_name_their_atom() {
    expect![[r#"
        PP067: unknown key `text` of a prompt atom | the runtime ignores it | help: did you mean `content`? [write `content`]
        PP065: prompt atom `a` has no text | the runtime ignores the prompt atom; only its log reports that
        PP067: unknown key `shards` of a prompt atom | the runtime ignores it | help: did you mean `shard_types`? [write `shard_types`]
        PP067: unknown key `Priority` of a prompt atom | the runtime ignores it | help: did you mean `priority`? [write `priority`]
        PP064: unknown category `style` of a prompt atom | the runtime ignores the prompt atom; only its log reports that | the categories are `identity`, `safety`, `protocol`, `capability`, `methodology`, `hallucination`, `language`, `framework`, `domain`, `campaign`, `init`, `northstar`, `ouroboros`, `autopoiesis`, `context`, `reviewer`, `eval`, `exemplar`, `knowledge`, `build_layer`, `intent`, `world_state`
        PP067: unknown key `requires` of a prompt atom | the runtime ignores it | help: did you mean `depends_on`? [write `depends_on`]
        PP067: unknown key `is-mandatory` of a prompt atom | the runtime ignores it | help: did you mean `is_mandatory`? [write `is_mandatory`]
        PP064: prompt atom `d` has no `category` | the runtime ignores the prompt atom; only its log reports that | the categories are `identity`, `safety`, `protocol`, `capability`, `methodology`, `hallucination`, `language`, `framework`, `domain`, `campaign`, `init`, `northstar`, `ouroboros`, `autopoiesis`, `context`, `reviewer`, `eval`, `exemplar`, `knowledge`, `build_layer`, `intent`, `world_state`
        PP065: prompt atom has no `id` | the runtime ignores the prompt atom; only its log reports that
        PP067: unknown key `colour` of a prompt atom | the runtime ignores it
    "#]].assert_eq(&said(
        AtomKind::Corpus,
        "- {id: a, category: domain, text: x}\n- {id: b, category: domain, content: x, shards: [/coder], Priority: 3}\n\
         - {id: c, category: style, content: x}\n- {id: d, content: x, requires: [a], is-mandatory: true}\n\
         - {category: domain, content: x}\n- {id: e, category: domain, content: x, colour: red}\n",
    ));
    expect![[r#"
        PP066: `shard_types` is not a list of texts [in prompt atom `a`] | the runtime uses no prompt atom of this file; only its log reports that [write `[/coder]`]
    "#]]
        .assert_eq(&said(AtomKind::Corpus, "- {id: a, category: domain, content: x, shard_types: /coder}\n"));
    expect![[r#"
        PP067: unknown key `text` of a prompt atom | the runtime ignores it | help: did you mean `content`? [write `content`]
        PP067: unknown key `shard_types` of a prompt atom | the runtime ignores it | help: did you mean `shardtypes`? [write `shardtypes`]
        PP067: unknown key `verbs` of a prompt atom | the runtime ignores it | help: did you mean `intentverbs`? [write `intentverbs`]
    "#]].assert_eq(&said(
        AtomKind::Evolved,
        "atom: {id: a, category: domain, text: x, content: y, shard_types: [/coder], verbs: [/fix]}\n",
    ));
}
