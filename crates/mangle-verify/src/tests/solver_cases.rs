//! Tests of questions whose answers depend on unlisted values, with each solver and without a
//! solver.

use std::time::{Duration, Instant};

use mangle_engine::kernel::Reading;
use mangle_syntax::text::Cancel;

use super::process_solver::solver;
use super::{question, told};
use crate::{Scope, Solvers, search};

/// A question with its answer: the number of facts of the smallest world, or `None` if the property
/// holds.
struct SolverQuestion {
    name: String,
    policy: String,
    body: String,
    facts: Option<usize>,
    /// The facts of a violating world.
    witness: String,
}

/// The comparison of a result with the true answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Judgment {
    Right,
    Open,
    Wrong,
}

fn questions() -> Vec<SolverQuestion> {
    include_str!("solver_questions.txt").split("\n## ").skip(1).map(SolverQuestion::parse).collect()
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

    /// Formats the answer of the search in one line.
    fn answer(&self, solvers: &Solvers, seconds: u64) -> String {
        let mut question = question(&self.policy, &self.body, Reading::Engine);
        question.solvers = solvers.clone();
        let scope = Scope { time: Duration::from_secs(seconds), ..Scope::default() };
        told(&mut search(&question, scope, &Cancel::new()))
    }

    fn judge(&self, told: &str) -> Judgment {
        let found = told.split(' ').next().and_then(|count| count.parse::<usize>().ok());
        match (found, self.facts) {
            (Some(found), Some(facts)) if found == facts => Judgment::Right,
            (None, None) if told == "not in scope" || told.starts_with("never") => Judgment::Right,
            (None, _) if told.starts_with("undecided") => Judgment::Open,
            _ => Judgment::Wrong,
        }
    }
}

/// The kernel derives the goal from the facts after `!`.
#[test]
fn witnesses_are_worlds() {
    for one in questions().iter().filter(|one| one.facts.is_some()) {
        let policy = format!("{}{}\n", one.policy, one.witness);
        let question = question(&policy, &one.body, Reading::Engine);
        let mut kernel = mangle_engine::kernel::Kernel::new(question.compiled.clone());
        kernel.evaluate(question.limits, question.clock, &Cancel::new());
        let has_goal = kernel.model().relation(question.goal).is_some_and(|relation| !relation.is_empty());
        assert!(has_goal && kernel.model().stopped.is_none(), "{}", one.name);
        let facts = one.witness.matches(").").count();
        assert_eq!(Some(facts), one.facts, "{}", one.name);
    }
}

/// Answers all questions and prints one line per question and a summary. Returns the number of
/// right, open and wrong answers.
fn table(label: &str, solvers: &Solvers, seconds: u64) -> [usize; 3] {
    let (mut counts, mut times) = ([0; 3], Vec::new());
    let questions = questions();
    for one in &questions {
        let start = Instant::now();
        let told = one.answer(solvers, seconds);
        let (judged, time) = (one.judge(&told), start.elapsed());
        let (at, word) = match judged {
            Judgment::Right => (0, "right"),
            Judgment::Open => (1, "open"),
            Judgment::Wrong => (2, "WRONG"),
        };
        counts[at] += 1;
        times.push(time);
        println!("{word:5} {label:10} {:6.2} s  {:48} {told}", time.as_secs_f64(), one.name);
    }
    times.sort();
    let p95 = times.get(questions.len() * 95 / 100).copied().unwrap_or_default();
    let [right, open, wrong] = counts;
    println!(
        "{label}: {right} of {} right, {open} open, {wrong} wrong, p95 {:.2} s",
        questions.len(),
        p95.as_secs_f64()
    );
    counts
}

fn check(names: &[&'static str], least: usize) {
    let solvers: Option<Vec<Solvers>> = names.iter().map(|name| solver(name)).collect();
    let solvers = Solvers::joined(solvers.expect("`cargo xtask test --step solvers` installs the solvers"));
    let [right, open, wrong] = table(&names.join("+"), &solvers, 20);
    assert_eq!(wrong, 0);
    assert!(right * 100 >= least * (right + open), "{right} right, {open} open");
}

#[test]
#[ignore = "needs cvc5 and z3: cargo xtask test --step solvers"]
fn both_solvers_decide_95_percent() {
    check(&["cvc5", "z3"], 95);
}

#[test]
#[ignore = "needs cvc5: cargo xtask test --step solvers"]
fn cvc5_decides_90_percent() {
    check(&["cvc5"], 90);
}

#[test]
#[ignore = "needs z3: cargo xtask test --step solvers"]
fn z3_decides_90_percent() {
    check(&["z3"], 90);
}

#[test]
#[ignore = "takes minutes: cargo xtask test --step solvers"]
fn no_answer_without_a_solver_is_wrong() {
    let [_, _, wrong] = table("none", &Solvers::default(), 5);
    assert_eq!(wrong, 0);
}
