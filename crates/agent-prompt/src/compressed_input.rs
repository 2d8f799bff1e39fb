//! Compressed input of a turn in a long session: facts instead of the conversation.
//!
//! Sections in this order: core facts, active facts, the history of older turns, the recent turns
//! without their text, and the message.

use std::sync::Arc;

use super::answers::{Answer, Querier};
use super::assembly::Prompt;
use super::origin::{LineOrigin, SourcedText};
use super::sections::{LineRole, PromptLine, Section, SectionKind, SectionSource, Wording};
use super::session::PromptSession;
use super::tokens::Estimator;
use super::turn::{add_message, facts_of, heading, limit_facts};
use mangle_settings::{ContextBlockSettings as ContextBlock, Profile};
use mangle_syntax::text::TextRange;

/// The predicates of the core facts, in the order of the prompt. The policy rules that permit or
/// deny (constitution) define them.
const CORE: [&str; 5] =
    ["permitted", "dangerous_action", "admin_override", "security_violation", "block_commit"];

/// The number of recent turns that the runtime keeps as separate entries.
const RECENT: usize = 5;

/// The maximum number of facts that the runtime keeps of older turns.
const KEY_ATOMS: usize = 64;

/// The default context window of the model in tokens.
const WINDOW: u64 = 200_000;

/// The shares of core facts and active facts in the context window, in percent.
const CONTEXT_SHARES_PERCENT: (u64, u64) = (5, 30);

/// A replayed session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecordedSession {
    /// The display name of the file with the session.
    pub file: Arc<str>,
    /// The turns, up to and including the requested turn.
    pub turns: Vec<RecordedTurn>,
}

/// A turn of a recorded session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecordedTurn {
    /// The number of the turn, from 1.
    pub number: u64,
    /// The time of the turn, for example `2026-01-31T12:00:00Z`.
    pub time: String,
    /// The line of the record in the file, from 1.
    pub line: usize,
    /// The facts that the turn asserted, as the engine prints them.
    pub facts: Vec<String>,
}

/// The input of [`compressed`] except the kernel.
#[derive(Debug, Clone, Copy)]
pub(super) struct CompressedInput<'a> {
    pub(super) message: &'a SourcedText,
    /// The protocol version of the requested reply.
    pub(super) profile: Profile,
    pub(super) recorded: &'a RecordedSession,
    pub(super) session: Option<&'a PromptSession>,
    /// The context window of the model in tokens. Default: [`WINDOW`].
    pub(super) window: Option<u64>,
    /// The headings and sentences of the prompt.
    pub(super) wording: Wording<'a>,
}

pub(super) fn compressed(
    input: &CompressedInput<'_>,
    block: &ContextBlock,
    querier: &mut dyn Querier,
) -> Prompt {
    let mut prompt = Prompt::default();
    let window = input.window.unwrap_or(WINDOW);
    let share = |percent: u64| usize::try_from(window.saturating_mul(percent) / 100).unwrap_or(usize::MAX);
    let core: Vec<String> = CORE.iter().map(|name| (*name).to_owned()).collect();
    let part = FactSection {
        wording: input.wording,
        kind: SectionKind::Core,
        title: "CORE FACTS",
        phrase: "compressed.core",
    };
    let core = facts(part, &core, share(CONTEXT_SHARES_PERCENT.0), querier, &mut prompt);
    let active = active(input.recorded, block);
    let part = FactSection {
        wording: input.wording,
        kind: SectionKind::State,
        title: "ACTIVE FACTS",
        phrase: "compressed.active",
    };
    let active = facts(part, &active, share(CONTEXT_SHARES_PERCENT.1), querier, &mut prompt);
    let (older, recent) = input.recorded.turns.split_at(input.recorded.turns.len().saturating_sub(RECENT));
    let mut sections = vec![core, active, history(input, older), turns(input, recent)];
    sections.retain(|section| section.lines.len() > 1);
    let text: String = sections.iter().map(Section::text).collect();
    sections.insert(0, title(input, Estimator::Chars4.count(&text)));
    prompt.sections = sections;
    add_message(input.message, input.profile, input.wording, &mut prompt);
    prompt
}

/// The predicates of active facts: the configured predicates, then predicates that occur in the
/// session.
fn active(recorded: &RecordedSession, block: &ContextBlock) -> Vec<String> {
    let spoken = recorded.turns.iter().flat_map(|turn| &turn.facts);
    let spoken = spoken.filter_map(|fact| Some(fact.split_once('(')?.0.to_owned()));
    let mut all: Vec<String> = Vec::new();
    for name in block.predicates.iter().cloned().chain(spoken) {
        if !CORE.contains(&&*name) && !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// A section with facts of the kernel, and the phrase of its heading.
struct FactSection<'t> {
    wording: Wording<'t>,
    kind: SectionKind,
    title: &'static str,
    phrase: &'static str,
}

fn facts(
    part: FactSection<'_>,
    predicates: &[String],
    tokens: usize,
    querier: &mut dyn Querier,
    prompt: &mut Prompt,
) -> Section {
    let mut section = Section::new(part.kind, SectionSource::Kernel, part.title);
    heading(&mut section, part.wording, part.phrase);
    let found: Vec<(String, Answer)> = facts_of(predicates, querier, prompt);
    for at in limit_facts(&found, querier, prompt, usize::MAX, tokens, Estimator::Chars4) {
        let Some((text, answer)) = found.get(at) else { continue };
        section.lines.push(PromptLine::plain(text.clone(), LineOrigin::Fact(answer.origin.whole())));
    }
    section
}

fn title(input: &CompressedInput<'_>, tokens: usize) -> Section {
    let mut section = Section::new(SectionKind::Title, SectionSource::Preview, "CONTEXT");
    let tokens = tokens.to_string();
    let (name, said) = match input.recorded.turns.last() {
        Some(turn) => {
            let number = turn.number.to_string();
            let values = [("turn", number.as_str()), ("time", &turn.time), ("tokens", &tokens)];
            ("compressed.title", input.wording.sentence("compressed.title", &values))
        }
        None => ("compressed.first", input.wording.sentence("compressed.first", &[("tokens", &tokens)])),
    };
    section.lines.push(PromptLine::plain(said, LineOrigin::builtin(name)));
    section
}

/// The history of older turns: the text of the session file, and the facts of the turns.
fn history(input: &CompressedInput<'_>, older: &[RecordedTurn]) -> Section {
    let mut section = Section::new(SectionKind::History, SectionSource::Session, "HISTORY");
    heading(&mut section, input.wording, "compressed.history");
    if let Some(session) = input.session.filter(|session| !session.compressed_history.is_empty()) {
        let said = &session.compressed_history;
        section.push_text(said.as_str(), &LineOrigin::session(said));
    }
    if let (Some(first), Some(last)) = (older.first(), older.last()) {
        let (from, to) = (first.number.to_string(), last.number.to_string());
        let values = [("first", from.as_str()), ("last", to.as_str())];
        let line = input.wording.line("compressed.turns", &values, None, origin(input.recorded, last));
        // The numbers are computed and have no source location.
        section.lines.push(PromptLine { role: LineRole::Heading, value: TextRange::default(), ..line });
    }
    let all = older.iter().flat_map(|turn| turn.facts.iter().map(move |fact| (turn, fact)));
    for (turn, fact) in all.take(KEY_ATOMS) {
        section.lines.push(PromptLine::plain(format!("{fact}."), origin(input.recorded, turn)));
    }
    section
}

/// The recent turns: facts without the text of the conversation.
fn turns(input: &CompressedInput<'_>, recent: &[RecordedTurn]) -> Section {
    let recorded = input.recorded;
    let mut section = Section::new(SectionKind::Recent, SectionSource::Session, "RECENT TURNS");
    heading(&mut section, input.wording, "compressed.recent");
    for turn in recent {
        let number = turn.number.to_string();
        let values = [("turn", number.as_str()), ("time", &turn.time)];
        let line = input.wording.line("compressed.turn", &values, None, origin(recorded, turn));
        section.lines.push(PromptLine { role: LineRole::Heading, ..line });
        let facts = turn.facts.iter();
        section.lines.extend(facts.map(|fact| PromptLine::plain(format!("{fact}."), origin(recorded, turn))));
    }
    section
}

fn origin(recorded: &RecordedSession, turn: &RecordedTurn) -> LineOrigin {
    LineOrigin::Turn { number: turn.number, file: Arc::clone(&recorded.file), line: turn.line }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::answers::FactList;
    use crate::origin::FactOrigin;

    fn listed(facts: &[&str]) -> FactList {
        let fact = |fact: &&str| {
            let (name, _) = fact.split_once('(').unwrap_or((fact, ""));
            (name.to_owned(), Answer { args: Vec::new(), origin: FactOrigin::listed(*fact) })
        };
        FactList { facts: facts.iter().map(fact).collect(), failing: Vec::new() }
    }

    fn turn(number: u64) -> RecordedTurn {
        let facts = vec![format!("task_status(\"t{number}\",/done)")];
        RecordedTurn { number, time: format!("2026-01-0{number}T00:00:00Z"), line: 1, facts }
    }

    #[test]
    fn a_long_session_becomes_facts() {
        let mut kernel = listed(&[
            "dangerous_action(/delete_file)",
            "test_state(/failing)",
            "task_status(\"t7\",/done)",
            "other(1)",
        ]);
        let recorded = RecordedSession { file: "s.jsonl".into(), turns: (1..=7).map(turn).collect() };
        let said = SourcedText::by_caller("Go on.");
        let of = CompressedInput {
            message: &said,
            profile: Profile::Current,
            recorded: &recorded,
            session: None,
            window: None,
            wording: Wording::built_in(),
        };
        let prompt = compressed(&of, &ContextBlock::default(), &mut kernel);
        expect![[r#"
            CONTEXT after turn 7 (2026-01-07T00:00:00Z), 115 tokens
            CORE FACTS
            dangerous_action(/delete_file).
            ACTIVE FACTS
            test_state(/failing).
            task_status("t7",/done).
            HISTORY
            turns 1 to 2
            task_status("t1",/done).
            task_status("t2",/done).
            RECENT TURNS
            turn 3 (2026-01-03T00:00:00Z)
            task_status("t3",/done).
            turn 4 (2026-01-04T00:00:00Z)
            task_status("t4",/done).
            turn 5 (2026-01-05T00:00:00Z)
            task_status("t5",/done).
            turn 6 (2026-01-06T00:00:00Z)
            task_status("t6",/done).
            turn 7 (2026-01-07T00:00:00Z)
            task_status("t7",/done).
            MESSAGE
            Go on.
            ANSWER WITH
            one Piggyback object (current)
        "#]]
        .assert_eq(&prompt.text());
        let lines = prompt.lines().filter(|(_, line)| matches!(line.origin, LineOrigin::Turn { .. }));
        assert_eq!(lines.count(), 1 + 2 + 5 * 2);
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        let mut kernel = listed(&["test_state(/failing)"]);
        let (said, recorded) = (SourcedText::by_caller("Go."), RecordedSession::default());
        // 30% of the window are 3 tokens.
        let of = CompressedInput {
            message: &said,
            profile: Profile::Current,
            recorded: &recorded,
            session: None,
            window: Some(10),
            wording: Wording::built_in(),
        };
        let prompt = compressed(&of, &ContextBlock::default(), &mut kernel);
        expect![[r#"
            CONTEXT before the first turn, 0 tokens
            MESSAGE
            Go.
            ANSWER WITH
            one Piggyback object (current)
        "#]]
        .assert_eq(&prompt.text());
    }
}
