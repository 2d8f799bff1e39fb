//! Questions whose answers depend on values that no list has, decided by solvers and without.

use std::time::{Duration, Instant};

use mangle_engine::kernel::Reading;
use mangle_syntax::text::Cancel;

use super::process_solver::solver;
use super::{question, told};
use crate::{Scope, search};

/// A question with its answer: the number of facts of the smallest world, or `None` if the property holds.
struct SolverQuestion {
    name: String,
    policy: String,
    body: String,
    facts: Option<usize>,
    witness: String,
}

fn questions() -> Vec<SolverQuestion> {
    let text = include_str!("solver_questions.txt").to_owned();
    let text = std::env::var("SOLVER_QUESTIONS")
        .ok()
        .and_then(|path| std::fs::read_to_string(path).ok())
        .unwrap_or(text);
    text.split("\n## ").skip(1).map(SolverQuestion::parse).collect()
}

impl SolverQuestion {
    fn parse(block: &str) -> Self {
        let mut lines = block.lines();
        let name = lines.next().unwrap_or_default().to_owned();
        let mut parsed =
            Self { name, policy: String::new(), body: String::new(), facts: None, witness: String::new() };
        for line in lines {
            match line.split_at(line.len().min(2)) {
                ("? ", body) => parsed.body = body.to_owned(),
                ("= ", answer) => parsed.facts = answer.parse().ok(),
                ("! ", witness) => parsed.witness = witness.to_owned(),
                _ => parsed.policy.push_str(&format!("{line}\n")),
            }
        }
        parsed
    }

    /// The answer of the search, in a word.
    fn answer(&self, name: Option<&'static str>) -> String {
        let mut question = question(&self.policy, &self.body, Reading::Go);
        question.solvers = name.and_then(solver).unwrap_or_default();
        let scope = Scope { time: Duration::from_secs(20), ..Scope::default() };
        told(&mut search(&question, scope, &Cancel::new()))
    }

    /// Right, wrong or open.
    fn judge(&self, told: &str) -> &'static str {
        let found = told.split(' ').next().and_then(|count| count.parse::<usize>().ok());
        match (found, self.facts) {
            (Some(found), Some(facts)) if found == facts => "right",
            (None, None) if told == "not in scope" || told.starts_with("never") => "right",
            (None, _) if told.starts_with("undecided") => "open",
            _ => "WRONG",
        }
    }
}

/// The facts behind `!` break the property: the kernel derives the goal from them.
#[test]
fn witnesses_are_worlds() {
    for one in questions().iter().filter(|one| one.facts.is_some()) {
        let policy = format!("{}{}\n", one.policy, one.witness);
        let question = question(&policy, &one.body, Reading::Go);
        let mut kernel = mangle_engine::kernel::Kernel::new(question.compiled.clone());
        kernel.evaluate(question.limits, question.clock, &Cancel::new());
        let has_goal = kernel.model().relation(question.goal).is_some_and(|relation| !relation.is_empty());
        assert!(has_goal && kernel.model().stopped.is_none(), "{}", one.name);
    }
}

/// Prints the table: how many questions each solver decides.
#[test]
fn questions_are_decided() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let with = std::env::var("WITH").unwrap_or_else(|_| "z3,cvc5,-".to_owned());
    let names = [Some("z3"), Some("cvc5"), None];
    for name in names.into_iter().filter(|name| with.contains(name.unwrap_or("-"))) {
        if name.is_some_and(|name| solver(name).is_none()) {
            println!("skipped: {} is not on the path", name.unwrap_or_default());
            continue;
        }
        let (mut counts, mut times) = ([0; 3], Vec::new());
        for one in questions().iter().filter(|one| one.name.contains(&only)) {
            let start = Instant::now();
            let told = one.answer(name);
            times.push(start.elapsed());
            let judged = one.judge(&told);
            let at = ["right", "open", "WRONG"].iter().position(|word| *word == judged).unwrap_or(2);
            counts[at] += 1;
            let seconds = start.elapsed().as_secs_f64();
            println!(
                "{judged:5} {:5} {seconds:6.2} {:45} {:?} {told}",
                name.unwrap_or("-"),
                one.name,
                one.facts
            );
        }
        times.sort();
        let p95 = times.get(times.len().saturating_sub(1) * 95 / 100).copied().unwrap_or_default();
        println!(
            "{}: {} right, {} open, {} wrong, p95 {:.2} s",
            name.unwrap_or("no solver"),
            counts[0],
            counts[1],
            counts[2],
            p95.as_secs_f64()
        );
    }
}
