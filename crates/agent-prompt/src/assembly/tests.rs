//! Tests of the assembly with small kernels.
#![allow(clippy::unwrap_used)]

use super::{AssemblyRequest, assemble};
use crate::session::{SessionFile, SessionForm};
use crate::{
    AnswerOrder, FactLocations, KernelAnswers, Mode, Prompt, PromptContext, SectionKind, SectionSource,
};
use mangle_engine::kernel::{Clock, Limits, Reading, compile, run};
use mangle_engine::program::{FileSummary, Program};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Cancel, FileId};

fn prompt_of(kernel: &str, context: &PromptContext, mode: Mode) -> Prompt {
    let program = Program::new(vec![FileSummary::new(FileId(0), &SourceFile::parse(kernel.into())).into()]);
    let compiled = compile(&program, Reading::Engine);
    let model = run(&compiled, Limits::default(), Clock { now_ns: 0 }, &Cancel::new());
    let marks = FactLocations::default();
    let mut answers = KernelAnswers::new(&program, &compiled, &model, &marks, AnswerOrder::Sorted);
    assemble(&AssemblyRequest::plain(context, mode), &mut answers)
}

fn legacy(kernel: &str, id: &str, kind: &str) -> Prompt {
    prompt_of(kernel, &PromptContext::for_shard(id, kind), Mode::Legacy)
}

fn kinds(prompt: &Prompt) -> Vec<&str> {
    prompt.sections.iter().map(|section| section.kind.as_str()).collect()
}

fn values(prompt: &Prompt, kind: SectionKind) -> Vec<&str> {
    let section = prompt.sections.iter().find(|section| section.kind == kind);
    section.into_iter().flat_map(|section| section.content()).map(|line| line.value()).collect()
}

#[test]
fn vector_1_without_anything_the_base_is_built_in() {
    let prompt = legacy("", "coder-1", "coder");
    assert_eq!(kinds(&prompt), ["base", "suffix"]);
    assert_eq!(prompt.sections[0].from, SectionSource::Builtin("coder".into()));
}

#[test]
fn vectors_2_and_3_a_template_is_found_by_name_and_by_text() {
    for key in ["/reviewer", "\"reviewer\""] {
        let prompt = legacy(&format!("shard_prompt_base({key}, \"R\")."), "reviewer-1", "reviewer");
        assert_eq!(values(&prompt, SectionKind::Base), ["R"]);
        assert_eq!(
            (kinds(&prompt), &prompt.sections[0].from),
            (vec!["base", "suffix"], &SectionSource::Kernel)
        );
    }
}

#[test]
fn vector_4_three_keys_reach_a_shard() {
    let kernel = "injectable_context(\"coder-7\", \"own\"). injectable_context(\"*\", \"star\").\n\
                  injectable_context(/_all, \"all\"). injectable_context(\"coder-8\", \"other\").";
    let prompt = legacy(kernel, "coder-7", "coder");
    assert_eq!(values(&prompt, SectionKind::Context), ["own", "star", "all"]);
}

#[test]
fn lists_are_read_as_empty_texts_and_numbers_are_passed_over() {
    let kernel = "injectable_context(\"*\", [1, 2]). injectable_context(\"*\", 2.5). injectable_context(\"*\", 3).\n\
                  injectable_context([1], \"x\"). injectable_context(\"*\", b\"bytes\").\n\
                  specialist_knowledge(\"coder-7\", /t, [1]). shard_prompt_base(/coder, 7).\n\
                  shard_prompt_base(/coder, {}). shard_prompt_base(/coder, \"late\").";
    let prompt = legacy(kernel, "coder-7", "coder");
    assert_eq!(values(&prompt, SectionKind::Context), ["", "bytes"]);
    assert_eq!(prompt.sections[0].from, SectionSource::Builtin("coder".into()));
    let section = prompt_of(kernel, &PromptContext::for_shard("coder-7", "coder"), Mode::Section);
    assert_eq!(kinds(&section), ["context"]);
}

#[test]
fn vector_5_the_name_of_a_type_is_no_key() {
    let prompt = legacy("injectable_context(/coder, \"x\").", "coder-7", "coder");
    assert_eq!(kinds(&prompt), ["base", "suffix"]);
}

#[test]
fn vector_6_knowledge_is_injected_by_policy_and_a_block_only_in_section_mode() {
    let kernel = "active_shard(\"coder-7\", /coder).\nspecialist_knowledge(\"coder-7\", /jwt, \"15 minutes.\").\n\
                  shard_context_atom(S, T, 80) :- active_shard(S, _), specialist_knowledge(S, _, T).\n\
                  injectable_context(S, T) :- shard_context_atom(S, T, N), N > 50.";
    let prompt = legacy(kernel, "coder-7", "coder");
    assert_eq!(values(&prompt, SectionKind::Context), ["15 minutes."]);
    assert_eq!(values(&prompt, SectionKind::Knowledge), [""; 0]);
    let section = prompt_of(kernel, &PromptContext::for_shard("coder-7", "coder"), Mode::Section);
    assert_eq!(section.text(), "- 15 minutes.\n\n## /jwt\n15 minutes.\n");
}

#[test]
fn vector_7_a_legislator_gets_no_envelope_instructions() {
    let prompt = legacy("shard_prompt_base(/legislator, \"L\").", "legislator-1", "legislator");
    assert_eq!((kinds(&prompt), prompt.suffix), (vec!["base"], false));
}

#[test]
fn vector_8_a_long_history_is_left_out() {
    let shown = |bytes: usize| {
        let yaml = format!("compressed_history: {}", "x".repeat(bytes));
        let session = SessionFile::read(&yaml, SessionForm::Yaml).session;
        let context =
            PromptContext { session: Some(session), ..PromptContext::for_shard("coder-7", "coder") };
        kinds(&prompt_of("", &context, Mode::Legacy)).contains(&"session")
    };
    assert!(shown(1_499) && !shown(1_500));
}

#[test]
fn vector_9_failing_tests_are_shown_whatever_the_state_is() {
    let session = SessionFile::read("{test_state: /passing, failing_tests: [t]}", SessionForm::Yaml).session;
    let context = PromptContext { session: Some(session), ..PromptContext::for_shard("coder-7", "coder") };
    let prompt = prompt_of("", &context, Mode::Legacy);
    assert_eq!(values(&prompt, SectionKind::Session), ["t"]);
}

#[test]
fn vector_10_reversed_files_give_the_same_lines() {
    // Facts in files keep their order. The order of facts derived by one rule does not depend on
    // it.
    let rule = "injectable_context(\"*\", T) :- note(T).\n";
    let one = legacy(&format!("{rule}note(\"a\").\nnote(\"b\").\n"), "coder-7", "coder");
    let other = legacy(&format!("{rule}note(\"b\").\nnote(\"a\").\n"), "coder-7", "coder");
    assert_eq!(one.text(), other.text());
}

#[test]
fn without_a_corpus_jit_mode_falls_back() {
    let prompt = prompt_of("", &PromptContext::for_shard("coder-7", "coder"), Mode::Jit);
    assert!(prompt.fallback.unwrap().contains("no corpus"));
    assert_eq!(prompt.sections.len(), 2);
}
