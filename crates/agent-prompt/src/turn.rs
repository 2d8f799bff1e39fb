//! Input of a turn: facts, the message, and the requested reply. Also the prompt of an
//! articulation, which puts results into words.

use super::answers::{Answer, Querier};
use super::assembly::Prompt;
use super::origin::{LineOrigin, SourcedText, TextSource};
use super::sections::{LineRole, PromptLine, Section, SectionKind, SectionSource, Wording};
use super::session::StepResult;
use super::tokens::Estimator;
use mangle_settings::{ContextBlockSettings as ContextBlock, Profile};

/// The predicate of activation scores: the fact as text, a number.
const ACTIVATION: &str = "activation";

/// The input of a turn with a message. `profile` is the protocol version of the requested reply.
pub fn turn_input(
    message: &SourcedText,
    profile: Profile,
    block: &ContextBlock,
    estimator: Estimator,
    wording: Wording<'_>,
    querier: &mut dyn Querier,
) -> Prompt {
    let mut prompt = Prompt::default();
    let state = state(block, estimator, wording, querier, &mut prompt);
    prompt.sections.push(state);
    add_message(message, profile, wording, &mut prompt);
    prompt
}

/// Adds the message, and the requested reply format.
pub(super) fn add_message(
    message: &SourcedText,
    profile: Profile,
    wording: Wording<'_>,
    prompt: &mut Prompt,
) {
    let mut said = Section::new(SectionKind::Message, SectionSource::Session, "MESSAGE");
    heading(&mut said, wording, "turn.message");
    let origin = match message.source {
        TextSource::Session => LineOrigin::session(message),
        TextSource::Header | TextSource::Caller => {
            LineOrigin::Session { pointer: "/user_input".into(), range: message.range }
        }
    };
    said.push_text(message.as_str(), &origin);
    let mut answer = Section::new(SectionKind::Answer, SectionSource::Preview, "ANSWER WITH");
    heading(&mut answer, wording, "turn.answer");
    let wanted = wording.sentence("turn.request", &[("profile", &profile.to_string())]);
    answer.push_text(&wanted, &LineOrigin::builtin("turn.request"));
    prompt.sections.extend([said, answer]);
}

/// The prompt that asks to put the results of steps into words.
pub fn articulation(
    results: &[StepResult],
    block: &ContextBlock,
    estimator: Estimator,
    wording: Wording<'_>,
    querier: &mut dyn Querier,
) -> Prompt {
    let mut prompt = Prompt::default();
    let state = state(block, estimator, wording, querier, &mut prompt);
    let mut role = Section::new(SectionKind::Base, SectionSource::Builtin("articulation".into()), "BASE");
    role.push_text(wording.text("articulation.role"), &LineOrigin::builtin("articulation.role"));
    let mut list = Section::new(SectionKind::Results, SectionSource::Session, "RESULTS");
    heading(&mut list, wording, "articulation.results");
    for result in results {
        let outcome = if result.ok { "ok" } else { "failed" };
        let detail =
            if result.detail.is_empty() { String::new() } else { format!(", {}", result.detail.as_str()) };
        let values = [("name", result.name.as_str()), ("outcome", outcome), ("detail", detail.as_str())];
        let origin = LineOrigin::Session { pointer: result.pointer.clone(), range: result.range };
        list.lines.push(wording.line("articulation.result", &values, Some("result"), origin));
    }
    let mut wanted = Section::new(SectionKind::Requirements, SectionSource::Preview, "REQUIREMENTS");
    heading(&mut wanted, wording, "articulation.requirements");
    wanted.lines.extend(wording.fixed("articulation.requirement", LineRole::Text));
    prompt.sections.extend([role, list, state, wanted]);
    prompt
}

pub(super) fn heading(section: &mut Section, wording: Wording<'_>, phrase: &str) {
    section.lines.extend(wording.heading(phrase));
}

/// The facts, sorted by predicate and then by text. Facts beyond the limits are omitted, starting
/// with the lowest activation.
fn state(
    block: &ContextBlock,
    estimator: Estimator,
    wording: Wording<'_>,
    querier: &mut dyn Querier,
    prompt: &mut Prompt,
) -> Section {
    let mut section = Section::new(SectionKind::State, SectionSource::Kernel, "STATE");
    heading(&mut section, wording, "turn.state");
    let facts = facts_of(&block.predicates, querier, prompt);
    for at in limit_facts(&facts, querier, prompt, block.max_facts, block.max_tokens, estimator) {
        let Some((text, answer)) = facts.get(at) else { continue };
        section.lines.push(PromptLine::plain(text.clone(), LineOrigin::Fact(answer.origin.whole())));
    }
    section
}

/// The facts of predicates as lines, in the order of the predicates and then by text.
pub(super) fn facts_of(
    predicates: &[String],
    querier: &mut dyn Querier,
    prompt: &mut Prompt,
) -> Vec<(String, Answer)> {
    let mut facts: Vec<(String, Answer)> = Vec::new();
    for predicate in predicates {
        let found = querier.query(predicate, 0).unwrap_or_else(|why| {
            prompt.failed.push(("context block", why));
            Vec::new()
        });
        let mut of_it: Vec<_> =
            found.into_iter().map(|answer| (format!("{}.", answer.origin.fact), answer)).collect();
        of_it.sort_by(|(one, _), (other, _)| one.cmp(other));
        facts.extend(of_it);
    }
    facts
}

/// The indexes of the facts within the limits. Facts with the highest activation are kept.
pub(super) fn limit_facts(
    facts: &[(String, Answer)],
    querier: &mut dyn Querier,
    prompt: &mut Prompt,
    max_facts: usize,
    max_tokens: usize,
    estimator: Estimator,
) -> Vec<usize> {
    let scores = querier.query(ACTIVATION, 2).unwrap_or_else(|why| {
        prompt.failed.push((ACTIVATION, why));
        Vec::new()
    });
    let plain = |fact: &str| -> String {
        fact.trim_end_matches('.').chars().filter(|char| !char.is_whitespace()).collect()
    };
    let score = |fact: &str| {
        let of_it =
            scores.iter().filter(|score| score.text(0).is_some_and(|text| plain(text) == plain(fact)));
        let numbers = of_it.filter_map(|score| score.args.get(1)?.whole());
        numbers.max().unwrap_or(0)
    };
    let mut order: Vec<(i64, usize)> = facts
        .iter()
        .enumerate()
        .map(|(at, (fact, _))| (if scores.is_empty() { 0 } else { score(fact) }, at))
        .collect();
    // The highest score first; ties keep the order of the facts.
    order.sort_by_key(|(score, at)| (std::cmp::Reverse(*score), *at));
    let (mut kept, mut tokens) = (Vec::new(), 0);
    for (_, at) in order {
        let more = facts.get(at).map_or(0, |(fact, _)| estimator.count(fact));
        if kept.len() >= max_facts || tokens + more > max_tokens {
            break;
        }
        tokens += more;
        kept.push(at);
    }
    kept.sort_unstable();
    kept
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::answers::{Arg, FactList};
    use crate::origin::FactOrigin;

    fn listed(facts: &[(&str, &str, Vec<Arg>)]) -> FactList {
        let fact = |(name, fact, args): &(&str, &str, Vec<Arg>)| {
            ((*name).to_owned(), Answer { args: args.clone(), origin: FactOrigin::listed(*fact) })
        };
        FactList { facts: facts.iter().map(fact).collect(), failing: Vec::new() }
    }

    #[test]
    fn facts_stand_above_the_message() {
        let mut facts = listed(&[
            ("test_state", "test_state(/failing)", Vec::new()),
            ("task_status", "task_status(\"b\",/open)", Vec::new()),
            ("task_status", "task_status(\"a\",/done)", Vec::new()),
            ("other", "other(1)", Vec::new()),
        ]);
        let said = SourcedText::by_caller("Fix it.\nSoon.");
        let prompt = turn_input(
            &said,
            Profile::Current,
            &ContextBlock::default(),
            Estimator::Bytes4,
            Wording::built_in(),
            &mut facts,
        );
        expect![[r#"
            STATE
            test_state(/failing).
            task_status("a",/done).
            task_status("b",/open).
            MESSAGE
            Fix it.
            Soon.
            ANSWER WITH
            one Piggyback object (current)
        "#]]
        .assert_eq(&prompt.text());
    }

    #[test]
    fn what_matters_least_is_cut_first() {
        let mut facts = listed(&[
            ("diagnostic", "diagnostic(1)", Vec::new()),
            ("diagnostic", "diagnostic(2)", Vec::new()),
            ("diagnostic", "diagnostic(3)", Vec::new()),
            ("activation", "", vec![Arg::Text("diagnostic( 3 ).".into()), Arg::Number(9)]),
        ]);
        let block = ContextBlock { max_facts: 2, ..ContextBlock::default() };
        let prompt = turn_input(
            &SourcedText::by_caller("x"),
            Profile::Current,
            &block,
            Estimator::Bytes4,
            Wording::built_in(),
            &mut facts,
        );
        assert!(prompt.text().starts_with("STATE\ndiagnostic(1).\ndiagnostic(3).\nMESSAGE"));
    }

    #[test]
    fn results_are_put_into_words() {
        let result = StepResult { name: SourcedText::by_caller("build"), ok: true, ..StepResult::default() };
        let failed = StepResult {
            name: SourcedText::by_caller("test"),
            detail: SourcedText::by_caller("2 of 9"),
            ..StepResult::default()
        };
        let prompt = articulation(
            &[result, failed],
            &ContextBlock::default(),
            Estimator::Chars4,
            Wording::built_in(),
            &mut FactList::default(),
        );
        assert!(
            prompt
                .text()
                .contains("RESULTS\n- build: ok\n- test: failed, 2 of 9\nSTATE\nREQUIREMENTS\n- Tell")
        );
    }
}
