//! A made program: declarations, facts and rules with texts of several lines in every kind of quote.

use super::Rng;

const WORDS: [&str; 40] = [
    "the",
    "pump",
    "valve",
    "is",
    "closed",
    "before",
    "water",
    "runs",
    "check",
    "pressure",
    "twice",
    "and",
    "write",
    "it",
    "down",
    "never",
    "open",
    "a",
    "line",
    "under",
    "load",
    "first",
    "call",
    "Maria",
    "(she knows)",
    "then",
    "wait",
    "for",
    "her",
    "answer:",
    "yes,",
    "no;",
    "maybe.",
    "Don\u{2019}t",
    "hurry,",
    "5",
    "bar",
    "at",
    "most!",
    "\u{20ac}20",
];

/// A program of `statements` statements; the same seed gives the same text.
pub fn program(statements: usize, seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let mut text = String::from("# A made program.\n");
    for number in 0..statements {
        match rng.below(10) {
            0 => declaration(&mut text, &mut rng, number),
            1 | 2 => rule(&mut text, &mut rng, number),
            3 => long_rule(&mut text, &mut rng, number),
            4 | 5 => short_fact(&mut text, &mut rng, number),
            _ => long_fact(&mut text, &mut rng, number),
        }
        if rng.below(4) == 0 {
            text.push('\n');
        }
    }
    text
}

fn declaration(out: &mut String, rng: &mut Rng, number: usize) {
    let doc = string(rng, 3, '"');
    *out += &format!(
        "Decl topic_{number}(ID, Text)\n  descr [doc({doc}), arg(ID, \"a key\")]\n  bound [/name, /string].\n"
    );
}

fn short_fact(out: &mut String, rng: &mut Rng, number: usize) {
    let (a, b) = (string(rng, 1, '"'), string(rng, 1, '"'));
    *out += &format!("label(/item/{number}, {a}, {b}, {}).\n", rng.below(100));
}

fn long_fact(out: &mut String, rng: &mut Rng, number: usize) {
    let quote = *rng.pick(&['"', '"', '"', '\'', '`']);
    let lines = 2 + rng.below(4);
    let text = string(rng, lines, quote);
    let weight = rng.below(100);
    *out += &match rng.below(3) {
        0 => format!("step(/item/{number}, {weight}, {text}).\n"),
        1 => format!("note({text}, /item/{number}).\n"),
        _ => format!("pair(/item/{number}, {text}, {}).\n", string(rng, 2, '"')),
    };
}

fn rule(out: &mut String, rng: &mut Rng, number: usize) {
    let text = string(rng, 1, '"');
    *out += &format!(
        "shown_{number}(ID, Text) :-\n    step(ID, Weight, Text),\n    !hidden(ID),\n    :string:contains(Text, {text}),\n    Weight > {}.\n",
        rng.below(100)
    );
}

fn long_rule(out: &mut String, rng: &mut Rng, number: usize) {
    let text = string(rng, 3, '"');
    *out += &format!(
        "full_{number}(ID, Full) :-\n    label(ID, A, _, _),\n    Full = fn:string:concat(A, {text}, \".\"),\n    shown(ID, Full).\n"
    );
}

/// A string of `lines` lines, now and then with a line of example code.
fn string(rng: &mut Rng, lines: usize, quote: char) -> String {
    let mut text = String::from(quote);
    for line in 0..lines {
        if line > 0 {
            text.push('\n');
        }
        if line > 0 && rng.below(12) == 0 {
            text += "  example(X) :- step(X, _, _).";
            continue;
        }
        for word in 0..1 + rng.below(8) {
            if word > 0 {
                text.push(' ');
            }
            text += WORDS[rng.below(WORDS.len())];
        }
    }
    text.push(quote);
    text
}
