//! Policies and logs of programs that use Mangle and are not codeNERD: read as they are, or said to be unknown.

use expect_test::expect;

use super::support::check;

#[test]
fn a_policy_in_prologs_syntax_is_rejected_with_the_spelling_of_mangle() {
    let policy = "% Rules of a shield\n\
                  Decl command(Text) bound [/string].\n\
                  blocked(Command) :- command(Command), \\+ allowed(Command).\n\
                  allowed(\"ls\").\n";
    check(
        &[("shield.mg", policy)],
        &["check", "shield.mg"],
        expect![[r#"
        error[MG020 wrong-comment]: `%` does not start a comment
         --> shield.mg:1:1
          |
        1 | % Rules of a shield
          | ^^^^^^^^^^^^^^^^^^^ comments start with `#`
          |
          = help: turn it into a `#` comment

        error[MG019 not-keyword]: `\+` does not negate a premise
         --> shield.mg:3:39
          |
        3 | blocked(Command) :- command(Command), \+ allowed(Command).
          |                                       ^^ negation is written `!p(X)`
          |
          = help: write `!`

        2 errors in 1 file (2 clauses)
        exit 1
    "#]],
    );
}

#[test]
fn rules_over_meta_facts_of_a_host_are_read() {
    let policy = "# Decisions of a tier\n\
                  halt(\"Req\", \"budget exceeded\") :- meta(\"cost\", \"high\").\n";
    let settings =
        "[[program]]\nname = \"tiers\"\nhost_predicates = [\"meta/2\"]\n[files]\nextensions = [\"dl\"]\n";
    check(
        &[("tiers.dl", policy), ("mangle-ls.toml", settings)],
        &["check"],
        expect![[r#"
        No findings in 1 file (1 clause)
        exit 0
    "#]],
    );
}

#[test]
fn lines_of_verdicts_are_no_replies() {
    let log = "[2026-09-01T10:00:00Z] [BLOCK] rm is not allowed {\"command\":\"rm -rf /\",\"pattern\":\"rm\"}\n\
               [2026-09-01T10:00:05Z] [ALLOW] listing {\"command\":\"ls\",\"pattern\":null}\n";
    check(
        &[("shield.log", log)],
        &["transcript", "parse", "shield.log"],
        expect![[r#"
        error: shield.log: no reply is recognised in it
        exit 2
    "#]],
    );
}

#[test]
fn spans_without_messages_have_no_replies() {
    let spans = "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"name\":\"Datalog.PreCheck\",\"traceId\":\"a1\",\"spanId\":\"b1\",\
                 \"startTimeUnixNano\":\"1756720800000000000\",\"attributes\":[{\"key\":\"outcome\",\"value\":{\"stringValue\":\"DENIED\"}},\
                 {\"key\":\"AuditTrail.MatchedRules\",\"value\":{\"stringValue\":\"halt\"}}]}]}]}]}\n";
    check(
        &[("spans.jsonl", spans)],
        &["transcript", "parse", "spans.jsonl"],
        expect![[r#"
        error: spans.jsonl: no reply is recognised in it
        exit 2
    "#]],
    );
    check(
        &[("spans.jsonl", spans)],
        &["check", "--transcripts", "spans.jsonl"],
        expect![[r#"
        warning[PB045 no-reply-found]: no reply found in this transcript
         --> spans.jsonl:1:1
          |
        1 | {"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"Datalog.PreCheck","traceId":"a1","spanId":"b1","startTimeUnixNano":"1756720800000...
          | ^
          |
          = note: the first record is an object with the key `resourceSpans`
          = note: known formats: envelopes, chat messages, answers of model APIs, streams, OpenAI batch output, Anthropic batch results, batch requests, requests with responses, Gemini contents, Codex rollout, OTLP spans, OTLP logs, ShareGPT, SWE-agent trajectory, Inspect log, GenAI spans, OpenInference spans, AI SDK spans, Langfuse spans, Traceloop spans, traces (Langfuse, LangSmith), prompts with completions
          = help: name the format with `--container`, or describe it with `[[transcripts.shape]]`

        1 warning in 1 file (0 clauses); no declarations for 1 transcript, so predicates were not looked up
        exit 0
    "#]],
    );
}

#[test]
fn temporal_rules_of_a_forge_are_read() {
    let policy = "Decl merged(Pr, Author) temporal bound [/string, /string].\n\
                  Decl reviewed(Pr) bound [/string].\n\
                  Decl violation_unreviewed(Pr) bound [/string].\n\
                  merged_once(Pr) :- merged(Pr, _)@[Start, _].\n\
                  violation_unreviewed(Pr) :- merged_once(Pr), !reviewed(Pr).\n";
    check(
        &[("forge_lint.mg", policy)],
        &["check", "forge_lint.mg"],
        expect![[r#"
        No findings in 1 file (2 clauses)
        exit 0
    "#]],
    );
}
