//! Tests of previews: rendered samples, origins of lines, and incremental updates against rebuilds.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::{AbsenceReason, Preview, PreviewSettings, PromptRequest};
use crate::jit::{AtomFile, AtomKind, Corpus, JitCompiler};
use crate::session::{SessionFile, SessionForm};
use crate::{Header, LineOrigin, OriginPlace};
use mangle_engine::kernel::{Clock, Limits, Reading};
use mangle_engine::program::{FileSummary, Program};
use mangle_settings::PromptSettings;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Cancel, FileId, slice};

const POLICY: &str = "\
Decl active_shard(Id, Type) bound [/string, /name].
Decl context_budget(Id, Tokens) bound [/string, /number].
Decl specialist_knowledge(Id, Topic, Text) bound [/string, /name, /string].
Decl shard_context_atom(Id, Text, Score) bound [/string, /string, /number].
Decl injectable_context(Id, Text) bound [/string, /string].
Decl note(Text, Score) bound [/string, /number].
shard_context_atom(S, T, 80) :- active_shard(S, _), specialist_knowledge(S, _, T).
shard_context_atom(S, T, N) :- active_shard(S, _), note(T, N).
injectable_context(S, T) :- shard_context_atom(S, T, N), 50 < N.
injectable_context(S, Line) :- context_budget(S, N), 1000 < N, note(T, _), Line = fn:string:concat(\"also: \", T).
";

fn program(sample: &str) -> Arc<Program> {
    joined(POLICY, sample)
}

fn joined(policy: &str, sample: &str) -> Arc<Program> {
    let file = |id, text: &str| Arc::new(FileSummary::new(FileId(id), &SourceFile::parse(text.into())));
    Arc::new(Program::new(vec![file(0, policy), file(1, sample)]))
}

fn wanted(sample: &str, session: Option<&str>) -> Vec<PromptRequest> {
    let header = Header::read(sample);
    let session = session.map(|text| SessionFile::read(text, SessionForm::Yaml));
    header
        .groups
        .iter()
        .filter_map(|group| PromptRequest::from_group(group, session.clone(), "sample"))
        .collect()
}

fn settings() -> PreviewSettings {
    PreviewSettings::from_settings(
        &PromptSettings::default(),
        Reading::Engine,
        Limits::default(),
        Clock { now_ns: 0 },
    )
}

fn preview(sample: &str, session: Option<&str>) -> Preview {
    Preview::new(program(sample), Some(FileId(1)), wanted(sample, session), settings(), &Cancel::new())
}

/// Formats all lines with their origins and the texts at these locations.
fn shown(preview: &mut Preview, session: &str) -> String {
    let (common, prompts) = preview.parts();
    let mut out = String::new();
    for of in prompts {
        out.push_str(&format!("{} ({})\n", of.request.name, of.request.context.shard_id));
        let lines: Vec<_> = of.prompt.lines().map(|(_, line)| line.clone()).collect();
        for line in lines.iter().filter(|line| line.value().len() > 1 && line.origin.kind() != "suffix") {
            let written = match common.place(of, &line.origin) {
                Some(OriginPlace::File(file, range)) => {
                    format!("{}: {}", file.0, slice(&common.program().file(file).unwrap().text, range))
                }
                Some(OriginPlace::Header(range)) => slice(&common.program().files[1].text, range).to_owned(),
                Some(OriginPlace::Session(range)) => slice(session, range).to_owned(),
                None => "-".to_owned(),
            };
            if line.origin.kind() != "builtin" {
                out.push_str(&format!("{:?} {} {written}\n", line.text, line.origin.kind()));
            }
        }
    }
    out
}

fn check(sample: &str, session: Option<&str>, expected: Expect) -> Preview {
    let mut preview = preview(sample, session);
    expected.assert_eq(&shown(&mut preview, session.unwrap_or_default()));
    preview
}

const SAMPLE: &str = "\
# @preview name: fix
# @preview shard: coder-7 coder
# @preview intent: i1 /mutation /fix \"auth.go\" \"no new deps\"
specialist_knowledge(\"coder-7\", /jwt, \"Tokens expire.\").
note(\"Mind the clock.\", 70).
note(\"Too weak.\", 40).
injectable_context(\"*\", \"Monorepo.\").
";

#[test]
fn lines_know_where_they_come_from() {
    check(
        SAMPLE,
        Some("failing_tests: [t_renew]\n"),
        expect![[r#"
        fix (coder-7)
        "- Monorepo." fact 1: "Monorepo."
        "- Mind the clock." derived 0: injectable_context(S, T) :- shard_context_atom(S, T, N), 50 < N.
        "- Tokens expire." derived 0: injectable_context(S, T) :- shard_context_atom(S, T, N), 50 < N.
        "- also: Mind the clock." derived 0: injectable_context(S, Line) :- context_budget(S, N), 1000 < N, note(T, _), Line = fn:string:concat("also: ", T).
        "- also: Too weak." derived 0: injectable_context(S, Line) :- context_budget(S, N), 1000 < N, note(T, _), Line = fn:string:concat("also: ", T).
        "  - t_renew" session t_renew
        "Intent: i1" intent i1
        "Category: /mutation" intent /mutation
        "Verb: /fix" intent /fix
        "Target: auth.go" intent "auth.go"
        "Constraint: no new deps" intent "no new deps"
    "#]],
    );
}

#[test]
fn the_situation_holds_while_a_prompt_is_compiled() {
    let policy = format!(
        "{POLICY}Decl compile_context(Dimension, Value).\n\
         injectable_context(S, \"Mend the tests.\") :- active_shard(S, _),\n\
         compile_context(/world_state, \"failing_tests\"), compile_context(/intent_verb, /fix).\n"
    );
    let atoms = "- {id: a, category: identity, is_mandatory: true, content: A}\n";
    let file = AtomFile { file: FileId(9), kind: AtomKind::Corpus, agent: None, text: atoms.into() };
    let corpus = Arc::new(Corpus::read(&[file], &mut |_, _| None));
    let found = ["jit", "legacy"].map(|mode| {
        let sample = SAMPLE
            .replace("# @preview name: fix\n", &format!("# @preview name: fix\n# @preview mode: {mode}\n"));
        let settings =
            PreviewSettings { compiler: Some(Arc::new(JitCompiler::new(Arc::clone(&corpus)))), ..settings() };
        let wanted = wanted(&sample, Some("failing_tests: [a]\n"));
        let preview =
            Preview::new(joined(&policy, &sample), Some(FileId(1)), wanted, settings, &Cancel::new());
        let [shown] = preview.prompts() else { panic!() };
        (shown.prompt.mode.as_str(), shown.prompt.text().contains("- Mend the tests."))
    });
    assert_eq!(found, [("jit", true), ("legacy", false)]);
}

#[test]
fn several_groups_are_several_shards() {
    let sample = "# @preview name: one\n# @preview shard: coder-7 coder\n# @preview name: two\n# @preview shard: t-1 tester\n\
                  # @preview mode: section\nspecialist_knowledge(\"t-1\", /go, \"Run all.\").\n";
    check(
        sample,
        None,
        expect![[r###"
        one (coder-7)
        two (t-1)
        "- Run all." derived 0: injectable_context(S, T) :- shard_context_atom(S, T, N), 50 < N.
        "## /go" fact 1: /go
        "Run all." fact 1: "Run all."
    "###]],
    );
}

#[test]
fn without_synthetic_facts_policies_that_ask_for_them_give_nothing() {
    let settings = PreviewSettings { synthetic: false, ..settings() };
    let wanted = wanted(SAMPLE, None);
    let mut preview = Preview::new(program(SAMPLE), Some(FileId(1)), wanted, settings, &Cancel::new());
    let text = shown(&mut preview, "");
    assert!(text.contains("Monorepo.") && !text.contains("- Tokens expire."), "{text}");
}

#[test]
fn what_is_not_there_is_explained() {
    let mut preview = preview(SAMPLE, None);
    let (common, prompts) = preview.parts();
    let of = &mut prompts[0];
    assert_eq!(common.why_not(of, "coder-7", "Monorepo.", 3), AbsenceReason::Shown);
    assert_eq!(
        common.why_not(of, "coder-8", "Tokens expire.", 3),
        AbsenceReason::WrongKey {
            keys: vec!["coder-7".to_owned()],
            wanted: ["coder-8", "*", "/_all"].map(str::to_owned).to_vec()
        }
    );
    let AbsenceReason::BelowThreshold(scores) = common.why_not(of, "coder-7", "Too weak.", 3) else {
        panic!()
    };
    let scores: Vec<_> = scores.iter().map(|(score, rule)| (*score, common.line_of_rule(*rule))).collect();
    assert_eq!(scores, [(40, Some((FileId(0), 8)))]);
    let AbsenceReason::NotDerived(misses) = common.why_not(of, "coder-7", "No rule derives this.", 3) else {
        panic!()
    };
    assert_eq!(misses.len(), 2);
    let why = common.why(of, "Tokens");
    assert_eq!((why.len(), why[0].proofs.len()), (1, 1));
}

/// The words of each line occur at its origin or in its derivation.
#[test]
fn origins_contain_the_words_of_their_lines() {
    let session =
        "failing_tests: [t_renew]\ngit_branch: main\nprior_shard_outputs:\n  - {task: run, success: true}\n";
    let mut preview = preview(SAMPLE, Some(session));
    let (common, prompts) = preview.parts();
    let mut lines = 0;
    for of in prompts {
        let all: Vec<_> = of.prompt.lines().map(|(_, line)| line.clone()).collect();
        for line in all {
            let mut texts: Vec<String> =
                common.opened(of, &line.origin).into_iter().map(|opened| opened.text).collect();
            match common.place(of, &line.origin) {
                Some(OriginPlace::Session(range)) => texts.push(slice(session, range).to_owned()),
                _ if matches!(line.origin, LineOrigin::Builtin { .. } | LineOrigin::Suffix { .. }) => {
                    continue;
                }
                _ => {}
            }
            // Texts that the runtime adds: brackets and the outcome of a task.
            let ours = ["[]", "SUCCESS:", "-"];
            let words = line.value().split_whitespace().filter(|word| !ours.contains(word));
            for word in words {
                assert!(
                    texts.iter().any(|text| text.contains(word)),
                    "{word:?} of {:?} in {texts:?}",
                    line.text
                );
            }
            lines += 1;
        }
    }
    assert!(lines > 8, "only {lines}");
}

/// A fact of the sample from a small set, so that edits often repeat facts.
fn fact() -> impl Strategy<Value = String> {
    prop_oneof![
        (0..4u8, 0..3u8)
            .prop_map(|(text, score)| format!("note(\"n{text}\", {}).", 40 + i32::from(score) * 10)),
        (0..3u8, 0..3u8)
            .prop_map(|(shard, text)| format!("specialist_knowledge(\"coder-{shard}\", /t, \"k{text}\").")),
        (0..3u8, 0..3u8)
            .prop_map(|(shard, text)| format!("injectable_context(\"coder-{shard}\", \"n{text}\").")),
        Just("active_shard(\"coder-1\", /tester).".to_owned()),
        Just("injectable_context(S, T) :- note(T, _), active_shard(S, /tester).".to_owned()),
        Just("note(\"twice\", 60).".to_owned()),
        Just("other(1).".to_owned()),
    ]
}

/// A clause of a policy: facts that also occur in the sample, recursion, negation, aggregation,
/// failing evaluation, and syntax errors.
fn clause() -> impl Strategy<Value = String> {
    prop_oneof![
        fact(),
        (5..9u8).prop_map(|score| format!(
            "injectable_context(S, T) :- shard_context_atom(S, T, N), {score}0 < N."
        )),
        Just("shard_context_atom(S, T, 90) :- active_shard(S, /coder), note(T, N), !weak(T).".to_owned()),
        Just("weak(T) :- note(T, 40).".to_owned()),
        Just("near(T, U) :- note(T, N), note(U, N).".to_owned()),
        Just("near(T, U) :- near(T, V), near(V, U).".to_owned()),
        Just("injectable_context(\"*\", U) :- near(\"n0\", U).".to_owned()),
        Just("count(N) :- note(T, _) |> do fn:group_by(), let N = fn:count().".to_owned()),
        Just("injectable_context(\"*\", \"many\") :- count(N), 2 < N.".to_owned()),
        Just("bad(X) :- note(_, N), X = fn:div(1, 0).".to_owned()),
        Just("injectable_context(S, \"un".to_owned()),
    ]
}

/// Checks that a preview updated through a sequence of texts equals a preview built from the last
/// text.
fn follow(texts: &[(Vec<String>, Vec<String>)]) -> Result<(), TestCaseError> {
    let header = "# @preview name: one\n# @preview shard: coder-1 coder\n# @preview name: two\n\
                  # @preview shard: coder-2 coder\n# @preview mode: section\n";
    let mut kept: Option<Preview> = None;
    for (clauses, facts) in texts {
        let (policy, sample) =
            (format!("{POLICY}{}\n", clauses.join("\n")), format!("{header}{}\n", facts.join("\n")));
        let program = || joined(&policy, &sample);
        let build = || {
            let wanted = wanted(&sample, None);
            Preview::new(program(), Some(FileId(1)), wanted, settings(), &Cancel::new())
        };
        let mut anew = build();
        let kept = kept.get_or_insert_with(build);
        kept.update(program(), wanted(&sample, None), &Cancel::new());
        prop_assert_eq!(shown(kept, ""), shown(&mut anew, ""));
        for (one, other) in kept.prompts().iter().zip(anew.prompts()) {
            prop_assert_eq!(one.prompt.text(), other.prompt.text());
            prop_assert_eq!(one.stopped().is_some(), other.stopped().is_some());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn following_edits_of_facts_is_as_good_as_starting_anew(
        texts in prop::collection::vec(prop::collection::vec(fact(), 0..8), 1..6),
    ) {
        let texts: Vec<_> = texts.into_iter().map(|facts| (Vec::new(), facts)).collect();
        follow(&texts)?;
    }

    #[test]
    fn following_edits_of_rules_is_as_good_as_starting_anew(
        texts in prop::collection::vec(
            (prop::collection::vec(clause(), 0..6), prop::collection::vec(fact(), 0..5)),
            1..6,
        ),
    ) {
        follow(&texts)?;
    }

    /// Only facts change; rules of all kinds are present.
    #[test]
    fn following_edits_of_facts_beside_rules_is_as_good_as_starting_anew(
        clauses in prop::collection::vec(clause(), 0..8),
        samples in prop::collection::vec(prop::collection::vec(fact(), 0..6), 2..6),
    ) {
        let texts: Vec<_> = samples.into_iter().map(|facts| (clauses.clone(), facts)).collect();
        follow(&texts)?;
    }
}
