//! One program: what the engine makes of it against what is made of it here.

use super::engine::{Fact, Facts, Outcome, Stage};
use super::known;
use super::ours::Ours;

pub enum Comparison {
    /// The same facts.
    Same,
    /// Neither evaluates it.
    Rejected,
    /// Both begin to evaluate it, and end with an error.
    Aborts,
    /// A difference that is known.
    Known(&'static str),
    Different(String),
}

/// The engine evaluates rules in a random order.
const UNDETERMINED: &str = "the result depends on the order, and the kernel says so";

pub fn compare(files: &[String], outcomes: &[Outcome], ours: &Ours) -> Comparison {
    match difference(outcomes, ours) {
        Ok(comparison) => comparison,
        Err(text) => match known::explain(files, outcomes, ours) {
            Some(name) => Comparison::Known(name),
            None => Comparison::Different(text),
        },
    }
}

fn difference(outcomes: &[Outcome], ours: &Ours) -> Result<Comparison, String> {
    let Some(first) = outcomes.first() else { return Err("no outcome".to_owned()) };
    let errors = || {
        let all: Vec<_> = ours.errors.iter().map(|(rule, headline)| format!("{rule}: {headline}")).collect();
        all.join("; ")
    };
    let rejected = outcomes.iter().find(|outcome| outcome.stage < Stage::Evaluation);
    if let Some(outcome) = rejected {
        return if !ours.errors.is_empty() {
            Ok(Comparison::Rejected)
        } else {
            Err(format!(
                "rejected at {:?} ({}), but the errors are [{}]",
                outcome.stage,
                outcome.message,
                errors()
            ))
        };
    }
    if let Some((rule, headline)) = ours.errors.iter().find(|error| !known::is_about_evaluation(error)) {
        return Err(format!("accepted ({:?} {}), but: {rule}: {headline}", first.stage, first.message));
    }
    if ours.is_limited || outcomes.iter().any(Outcome::is_limited) {
        return Ok(Comparison::Known("a limit ends the evaluation"));
    }
    if outcomes.iter().any(|outcome| outcome.stage == Stage::Panic) {
        let is_said = !ours.errors.is_empty();
        let text = format!("panics ({}), and nothing reports it", first.message);
        return if is_said { Ok(Comparison::Aborts) } else { Err(text) };
    }
    let (aborts, ends): (Vec<_>, Vec<_>) = outcomes.iter().partition(|one| one.stage == Stage::Evaluation);
    match (&ours.stopped, aborts.first(), ends.first()) {
        (Some(_), Some(_), _) => Ok(Comparison::Aborts),
        (Some(_), None, _) if ours.is_undetermined => Ok(Comparison::Known(UNDETERMINED)),
        (Some(stopped), None, _) => Err(format!("evaluated, but the kernel stops: {stopped}")),
        (None, Some(abort), None) => Err(format!("aborts ({}), but the kernel does not", abort.message)),
        (None, _, _) if !ours.faults.is_empty() => Err(format!("evaluated, but: {}", ours.faults.join("; "))),
        (None, _, _) => same_facts(outcomes, ours),
    }
}

fn same_facts(outcomes: &[Outcome], ours: &Ours) -> Result<Comparison, String> {
    let found = unordered(&ours.facts);
    let all: Vec<Facts> = outcomes.iter().map(|outcome| unordered(&outcome.facts)).collect();
    let is_one = all.iter().all(|facts| Some(facts) == all.first());
    if !is_one || outcomes.iter().any(|outcome| outcome.stage != Stage::Ok) {
        return if ours.is_undetermined {
            Ok(Comparison::Known(UNDETERMINED))
        } else {
            let kinds: Vec<_> = outcomes.iter().map(|one| (one.count, one.stage, one.facts.len())).collect();
            Err(format!("several results, and the kernel gives one: {kinds:?}{}", lines(&all, &found)))
        };
    }
    let Some(wanted) = all.first() else { return Err("no outcome".to_owned()) };
    // Two runs in three may choose the same order.
    if ours.is_undetermined {
        return Ok(Comparison::Known(UNDETERMINED));
    }
    if *wanted == found { Ok(Comparison::Same) } else { Err(format!("other facts{}", lines(&all, &found))) }
}

fn lines(all: &[Facts], found: &Facts) -> String {
    let mut text = String::new();
    for wanted in all {
        let show =
            |facts: Vec<&Fact>| facts.iter().map(|fact| format!("\n      {fact:?}")).collect::<String>();
        text += &format!(
            "\n  missing:{}\n  too many:{}",
            show(wanted.difference(found).collect()),
            show(found.difference(wanted).collect())
        );
    }
    text
}

/// The facts with the elements of their lists sorted: `fn:collect` has a random order.
fn unordered(facts: &Facts) -> Facts {
    let sorted = |arg: &String| {
        if arg.starts_with('[') || arg.contains('[') { sorted_elements(arg) } else { arg.clone() }
    };
    facts.iter().map(|fact| Fact { args: fact.args.iter().map(sorted).collect(), ..fact.clone() }).collect()
}

/// The text with the parts between the commas of each bracket sorted.
fn sorted_elements(text: &str) -> String {
    let mut stack: Vec<(char, Vec<String>)> = vec![(' ', vec![String::new()])];
    let (mut is_quoted, mut is_escaped) = (false, false);
    for letter in text.chars() {
        if is_quoted {
            is_quoted = letter != '"' || is_escaped;
            is_escaped = letter == '\\' && !is_escaped;
            stack.last_mut().unwrap().1.last_mut().unwrap().push(letter);
            continue;
        }
        match letter {
            '[' | '(' | '{' => stack.push((letter, vec![String::new()])),
            ']' | ')' | '}' if stack.len() > 1 => {
                let (open, mut parts) = stack.pop().unwrap();
                if open != '(' {
                    parts.iter_mut().for_each(|part| *part = part.trim().to_owned());
                    parts.sort();
                }
                let joined = format!("{open}{}{letter}", parts.join(","));
                stack.last_mut().unwrap().1.last_mut().unwrap().push_str(&joined);
            }
            ',' => stack.last_mut().unwrap().1.push(String::new()),
            _ => {
                is_quoted = letter == '"';
                stack.last_mut().unwrap().1.last_mut().unwrap().push(letter);
            }
        }
    }
    stack.into_iter().map(|(_, parts)| parts.join(",")).collect()
}
