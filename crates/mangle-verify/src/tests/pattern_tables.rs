//! Tests that a text test against the patterns of a table is equivalent to one rule per pattern.

use mangle_engine::kernel::Reading;
use mangle_syntax::text::Cancel;

use super::generated::Random;
use super::{question, told};
use crate::{Outcome, Scope, search};

/// The patterns with their kinds.
const TABLE: [(&str, &str); 4] = [("aa", "/danger"), ("a", "/danger"), ("b/", "/warn"), ("cab", "/info")];

const TESTS: [&str; 3] = [":string:contains", ":string:starts_with", ":string:ends_with"];

/// Generates a rule `hit(X, …)` over the table: the head, and the premises after `act(I, X), pat(P,
/// K)`.
fn rule(random: &mut Random) -> (String, String) {
    let head = random
        .pick(&["hit(I, P)", "hit(I, P)", "hit(I, K)", "hit(I, K)", "hit(P, K)", "hit(X, I)"])
        .to_owned();
    let test = random.pick(&TESTS);
    let mut body = match random.below(5) {
        0 => format!("Q = fn:string:concat(\"b\", P), {test}(X, Q)"),
        1 => format!("Q = fn:string:concat(P, \"/\"), {test}(X, Q)"),
        _ => format!("{test}(X, P)"),
    };
    match random.below(16) {
        0 => body.push_str(", K != /warn "),
        1 => body.push_str(&format!(", !{}(X, P)", random.pick(&TESTS))),
        2 => body.push_str(", act(J, P)"),
        3 => body.push_str(", kind(K)"),
        4 => body.push_str(&format!(", {}(I, P)", random.pick(&TESTS))),
        _ => {}
    }
    (head, body)
}

/// Generates the rules that read `hit`, and the body of a goal.
fn readers(random: &mut Random) -> (String, String) {
    let mut rules = String::new();
    let hit = |random: &mut Random| {
        let first = ["X", "X", "X", "X", "_", "I", "\"aa\"", "/danger"];
        let second = ["_", "K", "\"cab\"", "\"b/\"", "\"aa\"", "/danger", "/warn", "/info"];
        format!("hit({}, {})", random.pick(&first), random.pick(&second))
    };
    rules.push_str(&match random.below(4) {
        0 => format!("bad(X) :- act(X, _), {}, !{}.\n", hit(random), hit(random)),
        1 => {
            "n(X, N) :- hit(X, K) |> do fn:group_by(X), let N = fn:count().\nbad(X) :- n(X, 2).\n".to_owned()
        }
        2 => "more(X) :- hit(X, Y), hit(X, Z), Y != Z.\nbad(X) :- more(X).\n".to_owned(),
        _ => format!(
            "bad(X) :- {}, act(X, _), !hit(X, {}).\n",
            hit(random),
            random.pick(&["_", "/info", "\"a\""])
        ),
    });
    let goal = match random.below(8) {
        0 => format!("bad(X), {}", hit(random)),
        1 => format!("act(I, X), !bad(I), {}", hit(random)),
        2 => format!("act(I, X), !{}, {}(X, \"a\")", hit(random), random.pick(&TESTS)),
        3 => "bad(_)".to_owned(),
        _ => format!("act(X, _), {}, !{}", hit(random), hit(random)),
    };
    (rules, goal)
}

const INPUTS: &str = "
Decl act(I, X) descr [extensional()] bound [/string, /string].
Decl kind(K) descr [extensional()] bound [/name].
";

#[test]
fn table_of_patterns_is_answered_like_a_rule_for_each_pattern() {
    let (mut found, mut none) = (0, 0);
    for seed in 0..120_u64 {
        let mut random = Random::seeded(seed);
        let rules = [rule(&mut random), rule(&mut random)];
        let (readers, goal) = readers(&mut random);
        let (mut of_table, mut of_patterns) = (String::new(), String::new());
        for (pattern, kind) in TABLE {
            of_table.push_str(&format!("pat(\"{pattern}\", {kind}).\n"));
        }
        for (head, body) in &rules {
            of_table.push_str(&format!("{head} :- act(I, X), pat(P, K), {body}.\n"));
            for (pattern, kind) in TABLE {
                let with = |text: &str| {
                    let text = text.replace('P', &format!("\"{pattern}\""));
                    text.replace("K", &format!("{kind} "))
                };
                of_patterns.push_str(&format!("{} :- act(I, X), {}.\n", with(head), with(body)));
            }
        }
        let mut outcomes = Vec::new();
        for rules in [of_table, of_patterns] {
            let policy = format!("{INPUTS}{rules}{readers}");
            let question = question(&policy, &goal, Reading::Engine);
            let mut searched = search(&question, Scope { facts: 2, ..Scope::default() }, &Cancel::new());
            let text = format!("seed {seed}\n{policy}goal() :- {goal}.\n{}\n", told(&mut searched));
            let size = match &searched.outcome {
                Outcome::Found { world, is_smallest: true } => Some(world.facts.len()),
                _ => None,
            };
            outcomes.push((size, matches!(searched.outcome, Outcome::Undecided { .. }), text));
        }
        let [(one, is_open, text), (other, is_other_open, other_text)] = &outcomes[..] else { continue };
        assert!(one == other || *is_open || *is_other_open, "{text}\n{other_text}");
        assert!(!is_open || *is_other_open, "the table is not decided\n{text}\n{other_text}");
        found += usize::from(one.is_some());
        none += usize::from(one.is_none() && !is_open);
    }
    assert!(found > 20 && none > 20, "{found} {none}");
}

#[test]
fn patterns_that_a_question_tells_apart_stay_apart() {
    let patterns: String = (1..=31).map(|number| format!("pat(\"p{number}\").\n")).collect();
    let policy = format!(
        "Decl p(X) bound [/string].\nDecl q(X) bound [/string].\n{patterns}\
         hit(X, P) :- p(X), pat(P), :string:contains(X, P).\nbad(X) :- hit(X, _).\n"
    );
    let check = |body: &str, expected: &str| super::values::check(&policy, body, expected);
    check(r#"hit(X, "p13"), !bad(X)"#, "not in scope");
    check(r#"hit(X, "p31"), !hit(X, "p30")"#, r#"1 p("p31")"#);
    check(r#"hit(X, "p11"), !hit(X, "p1")"#, "not in scope");
    check(r#"p(X), q(X), !bad(X)"#, r#"2 p("a") q("a")"#);
    check(r#"bad(X), !hit(X, "p2"), !hit(X, "p13")"#, r#"1 p("p1")"#);
}
