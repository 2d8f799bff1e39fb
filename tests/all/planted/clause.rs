//! Intended clauses, made at random from a few predicates.

use std::fmt::Write as _;

use crate::support::Random;

/// What all clauses are about. Each column has a kind of values.
pub(crate) const SCHEMA: &str = "\
Decl req(Id) bound [/name].
Decl listed(Id) bound [/name].
Decl spare(Id) bound [/name].
Decl link(From, To) bound [/name, /name].
Decl score(Id, Points) bound [/name, /number].
Decl path(Id, Text) bound [/name, /string].
Decl health(Id, Status, At) bound [/name, /name, /number].
Decl halted() bound [].
Decl open() bound [].
";

/// The predicates with the kinds of their columns.
const PREDICATES: [(&str, &[Kind]); 7] = [
    ("req", &[Kind::Name]),
    ("listed", &[Kind::Name]),
    ("spare", &[Kind::Name]),
    ("link", &[Kind::Name, Kind::Name]),
    ("score", &[Kind::Name, Kind::Number]),
    ("path", &[Kind::Name, Kind::Text]),
    ("health", &[Kind::Name, Kind::Name, Kind::Number]),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Name,
    Number,
    Text,
}

/// A premise, as its parts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Premise {
    Atom { negated: bool, name: &'static str, args: Vec<String> },
    Comparison { left: String, sign: &'static str, right: String },
}

/// A clause whose head has all its variables.
#[derive(Debug, Clone)]
pub(crate) struct Clause {
    pub(crate) head: String,
    pub(crate) premises: Vec<Premise>,
    /// Whether each premise stands on a line of its own.
    pub(crate) lines: bool,
}

pub(crate) fn value(kind: Kind, random: &mut Random) -> String {
    match kind {
        Kind::Name => ["/a", "/b", "/c"][random.below(3)].to_owned(),
        Kind::Number => random.below(4).to_string(),
        Kind::Text => ["\"src/x\"", "\"src/y\"", "\"doc\""][random.below(3)].to_owned(),
    }
}

impl Premise {
    pub(crate) fn atom(name: &'static str, args: Vec<String>) -> Self {
        Self::Atom { negated: false, name, args }
    }

    pub(crate) fn comparison(left: &str, sign: &'static str, right: &str) -> Self {
        Self::Comparison { left: left.to_owned(), sign, right: right.to_owned() }
    }
}

impl std::fmt::Display for Premise {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Atom { negated, name, args } => {
                write!(f, "{}{name}({})", if *negated { "!" } else { "" }, args.join(", "))
            }
            Self::Comparison { left, sign, right } => write!(f, "{left} {sign} {right}"),
        }
    }
}

/// The kinds of the variables that a body binds.
type Bound = Vec<(String, Kind)>;

fn generator(bound: &mut Bound, random: &mut Random) -> Premise {
    let (name, kinds) = PREDICATES[random.below(PREDICATES.len())];
    let args = kinds.iter().enumerate().map(|(at, kind)| {
        let same: Vec<_> =
            bound.iter().filter(|(_, known)| known == kind).map(|(name, _)| name.clone()).collect();
        match random.below(6) {
            0 if at > 0 => "_".to_owned(),
            1 if at > 0 => value(*kind, random),
            2 | 3 if !same.is_empty() => same[random.below(same.len())].clone(),
            _ => {
                let fresh = format!("{}{}", ["A", "B", "Id", "From", "Status"][random.below(5)], bound.len());
                bound.push((fresh.clone(), *kind));
                fresh
            }
        }
    });
    let args = args.collect();
    Premise::atom(name, args)
}

fn test(bound: &Bound, random: &mut Random) -> Premise {
    let (variable, kind) = &bound[random.below(bound.len())];
    let others: Vec<_> = bound.iter().filter(|(name, known)| known == kind && name != variable).collect();
    let other = match others.is_empty() || random.below(2) == 0 {
        true => value(*kind, random),
        false => others[random.below(others.len())].0.clone(),
    };
    match (kind, random.below(4)) {
        (Kind::Number, 0) => Premise::comparison(variable, "<", &other),
        (Kind::Number, 1) => Premise::comparison(variable, ">=", &other),
        (Kind::Text, 0) => Premise::atom(":string:starts_with", vec![variable.clone(), "\"src/\"".into()]),
        (_, 2) => Premise::comparison(variable, "=", &other),
        _ => Premise::comparison(variable, "!=", &other),
    }
}

fn negation(bound: &Bound, random: &mut Random) -> Premise {
    let names: Vec<_> = bound.iter().filter(|(_, kind)| *kind == Kind::Name).collect();
    if names.is_empty() || random.below(4) == 0 {
        return Premise::Atom { negated: true, name: "halted", args: Vec::new() };
    }
    let name = ["req", "listed", "spare"][random.below(3)];
    Premise::Atom { negated: true, name, args: vec![names[random.below(names.len())].0.clone()] }
}

/// A clause for the predicate `head`.
pub(crate) fn clause(head: &str, random: &mut Random) -> Clause {
    let mut bound = Bound::new();
    let mut premises = vec![generator(&mut bound, random)];
    for _ in 0..random.below(3) {
        premises.push(generator(&mut bound, random));
    }
    for _ in 0..random.below(3) {
        let at = 1 + random.below(premises.len());
        let premise = if random.below(3) == 0 { negation(&bound, random) } else { test(&bound, random) };
        // What tests a variable comes behind what binds it.
        premises.insert(if random.below(2) == 0 { premises.len() } else { at.max(premises.len()) }, premise);
    }
    if random.below(4) == 0 {
        premises.push(Premise::atom("open", Vec::new()));
    }
    let mut args = Vec::new();
    let numbers: Vec<_> = bound.iter().filter(|(_, kind)| *kind == Kind::Number).cloned().collect();
    if let (Some((number, _)), 0) = (numbers.first(), random.below(3)) {
        let (sign, function) = [("+", "fn:plus"), ("-", "fn:minus"), ("*", "fn:mult")][random.below(3)];
        let _ = sign;
        premises.push(Premise::comparison("Sum", "=", &format!("{function}({number}, 2)")));
        args.push("Sum".to_owned());
    }
    let mut head_variables: Vec<_> = bound.iter().map(|(name, _)| name.clone()).collect();
    head_variables.truncate(1 + random.below(2));
    args.splice(0..0, head_variables);
    Clause { head: format!("{head}({})", args.join(", ")), premises, lines: random.below(3) == 0 }
}

impl Clause {
    /// What stands before the first premise.
    pub(crate) fn start(&self) -> String {
        format!("{} :-{}", self.head, if self.lines { "\n    " } else { " " })
    }

    pub(crate) fn comma(&self) -> &'static str {
        if self.lines { ",\n    " } else { ", " }
    }

    /// The clause with premises as they are given.
    pub(crate) fn with(&self, premises: &[String]) -> String {
        let mut text = self.start();
        let _ = write!(text, "{}{}", premises.join(self.comma()), stop(premises.last().unwrap()));
        text
    }

    pub(crate) fn texts(&self) -> Vec<String> {
        self.premises.iter().map(ToString::to_string).collect()
    }

    pub(crate) fn text(&self) -> String {
        self.with(&self.texts())
    }

    /// The premise `at` written as `text`.
    pub(crate) fn replaced(&self, at: usize, text: &str) -> String {
        let mut texts = self.texts();
        texts[at] = text.to_owned();
        self.with(&texts)
    }

    /// One of the premises that pass.
    pub(crate) fn pick(&self, random: &mut Random, pass: impl Fn(&Premise) -> bool) -> Option<usize> {
        let all: Vec<_> = (0..self.premises.len()).filter(|at| pass(&self.premises[*at])).collect();
        (!all.is_empty()).then(|| all[random.below(all.len())])
    }
}

/// The full stop behind a premise.
pub(crate) fn stop(premise: &str) -> &'static str {
    let word = premise.rsplit(|c: char| c.is_whitespace() || "(),".contains(c)).next().unwrap();
    if word.starts_with('/') { " ." } else { "." }
}
