//! What people write by habit instead of a clause that they mean.

use super::clause::{Clause, Kind, Premise, value};
use crate::support::Random;

/// What was meant, and what was written.
pub(crate) struct Planted {
    /// The rules that derive at most what was meant.
    pub(crate) meant: String,
    pub(crate) written: String,
}

type Plant = fn(&Clause, &mut Random) -> Option<Planted>;

/// The habits by name. The number says of how many in a hundred at least a safe fix must give back what was meant; where
/// it is 0, no safe fix has to exist.
pub(crate) const HABITS: &[(&str, usize, Plant)] = &[
    ("or beside commas", 0, |clause, random| {
        let word = pick(random, &["or", ";", "|", "||", "OR", "∨", "\\/"]);
        alternatives(clause, random, |left, right| format!("{left} {word} {right}"))
    }),
    ("or in parentheses", 60, |clause, random| {
        let word = pick(random, &["or", ";", "||", "OR", "∨"]);
        alternatives(clause, random, |left, right| format!("({left} {word} {right})"))
    }),
    ("is", 80, |clause, random| {
        let (at, left, function, number) = computed(clause, random)?;
        let value = match random.below(2) {
            0 => format!("{number} {} 2", operator(&function)),
            _ => format!("{}({number}, 2)", function.trim_start_matches("fn:")),
        };
        same(clause, clause.replaced(at, &format!("{left} is {value}")))
    }),
    ("some in", 0, |clause, random| {
        let at = clause.pick(random, is_generator)?;
        let Premise::Atom { name, args, .. } = &clause.premises[at] else { return None };
        let word = pick(random, &["some", "every", "any", "each", "for"]);
        same(clause, clause.replaced(at, &format!("{word} {} in {name}", args.join(", "))))
    }),
    ("like", 0, |clause, random| {
        let at = clause.pick(random, |premise| premise.to_string().starts_with(":string"))?;
        let Premise::Atom { args, .. } = &clause.premises[at] else { return None };
        let form = match random.below(6) {
            0 => format!("{} like \"src/%\"", args[0]),
            1 => format!("{} LIKE \"src/%\"", args[0]),
            2 => format!("{} contains \"src/\"", args[0]),
            3 => format!("{} matches \"src/.*\"", args[0]),
            4 => format!("{} startswith \"src/\"", args[0]),
            _ => format!("starts_with({}, \"src/\")", args[0]),
        };
        same(clause, clause.replaced(at, &form))
    }),
    ("if then", 0, |clause, random| {
        let at = random.below(clause.premises.len());
        let other = random.below(clause.premises.len());
        let (one, two) = (&clause.premises[at], &clause.premises[other]);
        let form = match random.below(3) {
            0 => format!("if {one} then {two}"),
            1 => format!("if {one} then {two} else {one}"),
            _ => format!("{two} if {one}"),
        };
        same(clause, clause.replaced(at, &form))
    }),
    ("not exists", 30, |clause, random| {
        let at = clause.pick(random, is_negated)?;
        let atom = clause.premises[at].to_string();
        let atom = atom.trim_start_matches('!');
        let form =
            pick(random, &["not exists(@)", "not exists (@)", "not exists @", "!exists(@)", "NOT EXISTS(@)"]);
        same(clause, clause.replaced(at, &form.replace('@', atom)))
    }),
    ("not exists with wildcards", 0, |clause, random| {
        let Premise::Atom { args, .. } = &clause.premises[0] else { return None };
        let id = args.first()?;
        let form = pick(
            random,
            &[
                "not exists(health(@, _, _))",
                "not health(@, _, _)",
                "!health(@, _, _)",
                "not exists health(@,_,_)",
            ],
        );
        let mut texts = clause.texts();
        texts.push(form.replace('@', id));
        let written = clause.with(&texts);
        let helper = "seen(X) :- health(X, _, _).\n";
        *texts.last_mut()? = format!("!seen({id})");
        Some(Planted { meant: format!("{helper}{}", clause.with(&texts)), written })
    }),
    ("between", 0, |clause, random| {
        let at = clause.pick(random, |premise| matches!(premise, Premise::Comparison { sign: ">=", .. }))?;
        let Premise::Comparison { left, right, .. } = &clause.premises[at] else { return None };
        let mut texts = clause.texts();
        texts[at] = format!("{left} between {right} and 3");
        let written = clause.with(&texts);
        texts[at] = format!("{left} >= {right}, {left} <= 3");
        Some(Planted { meant: clause.with(&texts), written })
    }),
    ("where", 60, |clause, random| joined(clause, random, &[" where ", " WHERE "])),
    ("and", 60, |clause, random| joined(clause, random, &[" and ", " AND ", " && ", " & ", " ∧ "])),
    ("unless", 0, |clause, random| {
        let at = clause.pick(random, is_negated).filter(|at| *at > 0)?;
        let mut texts = clause.texts();
        let atom = texts.remove(at);
        let word = pick(random, &["unless", "except", "but not"]);
        texts[at - 1] = format!("{} {word} {}", texts[at - 1], atom.trim_start_matches('!'));
        same(clause, clause.with(&texts))
    }),
    ("is not", 0, |clause, random| {
        let at = clause.pick(random, |premise| matches!(premise, Premise::Comparison { sign: "!=", .. }))?;
        let Premise::Comparison { left, right, .. } = &clause.premises[at] else { return None };
        let word = pick(random, &["is not", "isn't", "not equals", "differs", "ne", "is distinct from"]);
        same(clause, clause.replaced(at, &format!("{left} {word} {right}")))
    }),
    ("operators", 80, |clause, random| {
        let at = clause.pick(random, |premise| matches!(premise, Premise::Comparison { .. }))?;
        let Premise::Comparison { left, sign, right } = &clause.premises[at] else { return None };
        let other = match *sign {
            "=" => pick(random, &["==", "===", ":=", "=:="]),
            "!=" => pick(random, &["<>", "\\=", "≠", "!==", "\\==", "=\\="]),
            ">=" => pick(random, &["=>", "≥"]),
            _ => return None,
        };
        same(clause, clause.replaced(at, &format!("{left} {other} {right}")))
    }),
    ("missing comma", 50, |clause, random| joined(clause, random, &[" ", "\n    ", "\n"])),
    ("missing full stop", 60, |clause, _| {
        let text = clause.text();
        same(clause, text.trim_end_matches('.').trim_end().to_owned())
    }),
    ("missing bracket", 0, |clause, random| {
        let text = clause.text();
        let all: Vec<usize> =
            text.char_indices().filter(|(_, c)| "()".contains(*c)).map(|(at, _)| at).collect();
        let at = all[random.below(all.len())];
        same(clause, format!("{}{}", &text[..at], &text[at + 1..]))
    }),
    ("no parentheses", 60, |clause, random| {
        let at = clause.pick(random, |premise| premise.to_string().ends_with("()"))?;
        let text = clause.premises[at].to_string();
        same(clause, clause.replaced(at, &text.replace("()", "")))
    }),
    ("a word for a premise", 0, |clause, random| {
        let at = random.below(clause.premises.len());
        let word = pick(random, &["else", "otherwise", "ready", "ok", "default", "is", "in"]);
        same(clause, clause.replaced(at, word))
    }),
    ("null", 0, |clause, random| {
        let at =
            clause.pick(random, |premise| matches!(premise, Premise::Comparison { sign: "!=" | "=", .. }))?;
        let Premise::Comparison { left, sign, .. } = &clause.premises[at] else { return None };
        let null = pick(random, &["null", "nil", "None", "undefined", "true", "false", "NULL", "True"]);
        let written = clause.replaced(at, &format!("{left} {sign} {null}"));
        // Nothing is null.
        let never = clause.replaced(at, "0 = 1");
        Some(Planted { meant: if *sign == "=" { never } else { without(clause, at)? }, written })
    }),
    ("too few arguments", 0, |clause, random| {
        let at = clause.pick(random, |premise| {
            matches!(premise, Premise::Atom { args, negated: false, .. } if args.contains(&"_".to_owned()))
        })?;
        let Premise::Atom { name, args, .. } = &clause.premises[at] else { return None };
        let args: Vec<_> = args.iter().filter(|arg| *arg != "_").cloned().collect();
        same(clause, clause.replaced(at, &format!("{name}({})", args.join(", "))))
    }),
    ("not", 60, |clause, random| {
        let at = clause.pick(random, is_negated)?;
        let atom = clause.premises[at].to_string();
        let sign = pick(random, &["not ", "\\+ ", "~", "NOT ", "Not ", "¬", "not("]);
        let close = if sign.ends_with('(') { ")" } else { "" };
        same(clause, clause.replaced(at, &format!("{sign}{}{close}", atom.trim_start_matches('!'))))
    }),
    ("infix arithmetic", 60, |clause, random| {
        let (at, left, function, number) = computed(clause, random)?;
        same(clause, clause.replaced(at, &format!("{left} = {number} {} 2", operator(&function))))
    }),
    ("functions without fn", 60, |clause, random| {
        let (at, left, function, number) = computed(clause, random)?;
        let call = format!("{}({number}, 2)", function.trim_start_matches("fn:"));
        same(clause, clause.replaced(at, &format!("{left} = {call}")))
    }),
    ("arrows", 60, |clause, random| {
        let arrow = pick(random, &["<-", "<=", "if", "<==", "::=", ":=", "when", "-->", "=>", "->", "⇐"]);
        same(clause, clause.text().replacen(":-", arrow, 1))
    }),
    ("exists", 50, |clause, random| {
        let at = clause.pick(random, is_generator)?;
        let form = pick(random, &["exists(@)", "exists Y: @", "exists @", "exists Y (@)"]);
        same(clause, clause.replaced(at, &form.replace('@', &clause.premises[at].to_string())))
    }),
    ("sigils", 60, |clause, random| {
        let sigil = pick(random, &["$", "?"]);
        same(clause, with_variables(&clause.text(), |name| format!("{sigil}{name}")))
    }),
    ("small variables", 0, |clause, _| same(clause, with_variables(&clause.text(), str::to_lowercase))),
    ("true", 60, |clause, random| {
        let mut texts = clause.texts();
        texts.insert(random.below(texts.len() + 1), "true".into());
        same(clause, clause.with(&texts))
    }),
    ("commas", 50, |clause, random| {
        let (from, to) = [(",", ",,"), ("(", "(,"), (".", ";")][random.below(3)];
        let text = clause.text();
        let at = text.rfind(from)?;
        same(clause, format!("{}{to}{}", &text[..at], &text[at + from.len()..]))
    }),
    ("another word", 0, |clause, random| {
        let text = clause.text();
        let starts: Vec<_> = text.match_indices(' ').map(|(at, _)| at).collect();
        let at = starts[random.below(starts.len())];
        let word = pick(
            random,
            &["is", "then", "of", "the", "has", "with", "as", "=", "foo", "X", "not", ":", "->"],
        );
        same(clause, format!("{} {word}{}", &text[..at], &text[at..]))
    }),
    ("a word less", 0, |clause, random| {
        let text = clause.text();
        let words: Vec<_> = text.split_whitespace().collect();
        let at = random.below(words.len());
        let left = words.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, word)| *word);
        let left: Vec<_> = left.collect();
        // Without one of its premises the clause that is left is what was written.
        Some(Planted { meant: String::new(), written: left.join(" ") })
            .filter(|_| words[at] == ":-" || words[at] == "=")
    }),
];

fn pick<'a>(random: &mut Random, all: &[&'a str]) -> &'a str {
    all[random.below(all.len())]
}

fn same(clause: &Clause, written: String) -> Option<Planted> {
    Some(Planted { meant: clause.text(), written })
}

fn is_negated(premise: &Premise) -> bool {
    matches!(premise, Premise::Atom { negated: true, .. })
}

fn is_generator(premise: &Premise) -> bool {
    matches!(premise, Premise::Atom { negated: false, name, args } if !name.starts_with(':') && !args.is_empty())
}

/// The clause without a premise.
fn without(clause: &Clause, at: usize) -> Option<String> {
    let mut texts = clause.texts();
    texts.remove(at);
    (!texts.is_empty()).then(|| clause.with(&texts))
}

/// The last two premises as alternatives, where each binds nothing that the head needs.
fn alternatives(
    clause: &Clause,
    random: &mut Random,
    form: impl Fn(&str, &str) -> String,
) -> Option<Planted> {
    let at = clause.pick(random, |premise| matches!(premise, Premise::Comparison { sign, right, .. } if *sign != "<" && !right.starts_with("fn:")))?;
    let Premise::Comparison { left, right, .. } = &clause.premises[at] else { return None };
    let kind = match right.chars().next()? {
        '/' => Kind::Name,
        '"' => Kind::Text,
        '0'..='9' => Kind::Number,
        _ => return None,
    };
    let other = format!("{left} = {}", value(kind, random));
    let one = clause.premises[at].to_string();
    let meant = format!("{}\n{}", clause.text(), clause.replaced(at, &other));
    Some(Planted { meant, written: clause.replaced(at, &form(&one, &other)) })
}

/// The premise `Sum = fn:plus(N, 2)`: its place, variable, function and number.
fn computed(clause: &Clause, random: &mut Random) -> Option<(usize, String, String, String)> {
    let at = clause.pick(random, |premise| premise.to_string().contains("fn:"))?;
    let Premise::Comparison { left, right, .. } = &clause.premises[at] else { return None };
    let (function, rest) = right.split_once('(')?;
    Some((at, left.clone(), function.to_owned(), rest.split_once(',')?.0.to_owned()))
}

fn operator(function: &str) -> &'static str {
    match function {
        "fn:plus" => "+",
        "fn:minus" => "-",
        _ => "*",
    }
}

/// Two premises with something else than a comma in between.
fn joined(clause: &Clause, random: &mut Random, words: &[&str]) -> Option<Planted> {
    let mut texts = clause.texts();
    let at = 1 + random.below(texts.len().checked_sub(1).filter(|more| *more > 0)?);
    let behind = texts.remove(at);
    texts[at - 1] = format!("{}{}{behind}", texts[at - 1], pick(random, words));
    same(clause, clause.with(&texts))
}

/// A text in which each variable is written as `write` says.
fn with_variables(text: &str, write: impl Fn(&str) -> String) -> String {
    let mut new = String::new();
    let mut word = String::new();
    for c in text.chars().chain(Some(' ')) {
        if c.is_ascii_alphanumeric() {
            word.push(c);
            continue;
        }
        let is_variable = word.starts_with(|c: char| c.is_ascii_uppercase());
        new.push_str(&if is_variable { write(&word) } else { word.clone() });
        word.clear();
        new.push(c);
    }
    new.pop();
    new
}
