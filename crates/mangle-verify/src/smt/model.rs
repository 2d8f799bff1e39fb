//! Reading of the facts of a model from the output of a solver.

use std::collections::BTreeSet;

use mangle_engine::kernel::{Datum, ValueId, Values};
use rustc_hash::FxHashMap;

use super::encoder::Encoder;
use super::expr::{Expr, Exprs, Kind, Node, Op};
use super::script::Sexpr;

/// The maximum number of elements of a list in a model.
const MAX_ELEMENTS: usize = 64;

/// The maximum length of a text in a model, in bytes.
const MAX_TEXT_BYTES: usize = 10_000;

/// A value that is not interned in a value table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Plain {
    Number(i64),
    Time(i64),
    Duration(i64),
    Float(u64),
    String(String),
    Name(String),
    Bytes(Vec<u8>),
    Pair(Box<(Plain, Plain)>),
    List(Vec<Plain>),
    Map(Vec<Plain>),
    Struct(Vec<Plain>),
}

impl Plain {
    /// Interns the value in a table. `None` if it has no literal.
    pub(crate) fn intern(&self, values: &mut Values) -> Option<ValueId> {
        let all = |values: &mut Values, parts: &[Self]| -> Option<Vec<ValueId>> {
            parts.iter().map(|part| part.intern(values)).collect()
        };
        let entries = |values: &mut Values, parts: &[Self]| -> Option<Box<[(ValueId, ValueId)]>> {
            let entry = |part: &Self| match part {
                Self::Pair(pair) => Some((pair.0.intern(values)?, pair.1.intern(values)?)),
                _ => None,
            };
            parts.iter().map(entry).collect()
        };
        Some(match self {
            Self::Number(number) => values.number(*number),
            Self::Time(nanos) => values.time(*nanos),
            Self::Duration(nanos) => values.duration(*nanos),
            Self::Float(bits) => values.float(f64::from_bits(*bits)),
            Self::String(text) => values.string(text),
            Self::Name(text) => values.name(text),
            Self::Bytes(bytes) => values.intern(Datum::Bytes(bytes.as_slice().into())).ok()?,
            Self::Pair(pair) => {
                let (first, second) = (pair.0.intern(values)?, pair.1.intern(values)?);
                values.pair(first, second).ok()?
            }
            Self::List(parts) => {
                let parts = all(values, parts)?;
                values.list(&parts).ok()?
            }
            Self::Map(parts) => {
                let entries = entries(values, parts)?;
                values.intern(Datum::Map(entries)).ok()?
            }
            Self::Struct(parts) => {
                let entries = entries(values, parts)?;
                values.intern(Datum::Struct(entries)).ok()?
            }
        })
    }

    fn visit_texts(&mut self, visit: &mut dyn FnMut(&mut String)) {
        match self {
            Self::String(text) | Self::Name(text) => visit(text),
            Self::Pair(pair) => {
                pair.0.visit_texts(visit);
                pair.1.visit_texts(visit);
            }
            Self::List(parts) | Self::Map(parts) | Self::Struct(parts) => {
                parts.iter_mut().for_each(|part| part.visit_texts(visit));
            }
            _ => {}
        }
    }
}

/// The facts of a world: the number of an input, and the values.
pub(crate) type PlainFacts = Vec<(usize, Vec<Plain>)>;

pub(crate) struct ModelValues<'e, 's> {
    encoder: &'e Encoder<'s>,
    values: FxHashMap<Expr, Sexpr>,
    /// Texts for the numbers that do not stand for the text of a constant.
    fresh: FxHashMap<(Kind, i128), String>,
}

/// Returns the expressions whose values determine the facts of a world and the open calls.
pub(crate) fn wanted(encoder: &Encoder<'_>) -> Vec<Expr> {
    let mut wanted = BTreeSet::new();
    for fact in encoder.slots.iter().flatten() {
        wanted.insert(fact.taken);
        fact.columns.iter().for_each(|column| leaves(&encoder.exprs, *column, &mut wanted));
    }
    for call in &encoder.open_calls {
        call.args.iter().for_each(|arg| leaves(&encoder.exprs, *arg, &mut wanted));
    }
    wanted.into_iter().collect()
}

/// Collects the parts of an expression that only a solver can evaluate.
fn leaves(exprs: &Exprs, expr: Expr, found: &mut BTreeSet<Expr>) {
    match exprs.node(expr) {
        Node::Apply(Op::Make(_) | Op::Cons | Op::Nil | Op::Ite, args) => {
            args.iter().for_each(|arg| leaves(exprs, *arg, found));
        }
        Node::Bool(_) | Node::Int(_) | Node::Text(_) | Node::Float(_) => {}
        _ => {
            found.insert(expr);
        }
    }
}

impl<'e, 's> ModelValues<'e, 's> {
    /// Parses the answer to a request for the values of `wanted`.
    pub(crate) fn new(encoder: &'e Encoder<'s>, wanted: &[Expr], answer: &Sexpr) -> Option<Self> {
        let pairs = answer.list()?;
        let mut values = FxHashMap::default();
        for (expr, pair) in wanted.iter().zip(pairs) {
            values.insert(*expr, pair.list()?.get(1)?.clone());
        }
        (values.len() == wanted.len()).then_some(Self { encoder, values, fresh: FxHashMap::default() })
    }

    /// Returns the facts of the world.
    pub(crate) fn facts(&mut self) -> Option<PlainFacts> {
        let encoder = self.encoder;
        let mut facts = Vec::new();
        for slot in &encoder.slots {
            for fact in slot {
                if self.bool(fact.taken)? {
                    let columns: Option<Vec<Plain>> =
                        fact.columns.iter().map(|column| self.plain(*column)).collect();
                    facts.push((fact.input, columns?));
                }
            }
        }
        Some(facts)
    }

    fn bool(&self, expr: Expr) -> Option<bool> {
        match self.encoder.exprs.node(expr) {
            Node::Bool(value) => Some(*value),
            _ => match self.values.get(&expr)?.atom()? {
                "true" => Some(true),
                "false" => Some(false),
                _ => None,
            },
        }
    }

    /// Returns the branch of a conditional in the model.
    fn chosen(&self, args: &[Expr]) -> Option<Expr> {
        let [condition, then, other] = args else { return None };
        Some(if self.bool(*condition)? { *then } else { *other })
    }

    /// Returns the value of an expression of the value sort.
    pub(crate) fn plain(&mut self, expr: Expr) -> Option<Plain> {
        let encoder = self.encoder;
        match encoder.exprs.node(expr) {
            Node::Apply(Op::Make(kind), args) => {
                let first = *args.first()?;
                Some(match kind {
                    Kind::Pair => {
                        let (first, second) = (self.plain(first)?, self.plain(*args.get(1)?)?);
                        Plain::Pair(Box::new((first, second)))
                    }
                    Kind::List => Plain::List(self.items(first)?),
                    Kind::Map => Plain::Map(self.items(first)?),
                    Kind::Struct => Plain::Struct(self.items(first)?),
                    _ => {
                        let content = self.content(first)?;
                        self.made(*kind, &content)?
                    }
                })
            }
            Node::Apply(Op::Ite, args) => {
                let chosen = self.chosen(args)?;
                self.plain(chosen)
            }
            _ => {
                let value = self.values.get(&expr)?.clone();
                self.read(&value, &mut FxHashMap::default())
            }
        }
    }

    fn items(&mut self, expr: Expr) -> Option<Vec<Plain>> {
        let encoder = self.encoder;
        let (mut rest, mut items) = (expr, Vec::new());
        loop {
            match encoder.exprs.node(rest) {
                Node::Apply(Op::Nil, _) => return Some(items),
                Node::Apply(Op::Cons, args) => {
                    items.push(self.plain(*args.first()?)?);
                    rest = *args.get(1)?;
                }
                Node::Apply(Op::Ite, args) => rest = self.chosen(args)?,
                _ => {
                    let value = self.values.get(&rest)?.clone();
                    items.extend(self.read_items(&value, &mut FxHashMap::default())?);
                    return Some(items);
                }
            }
            if items.len() > MAX_ELEMENTS {
                return None;
            }
        }
    }

    /// Returns the content of a value without parts.
    fn content(&self, expr: Expr) -> Option<Sexpr> {
        let exprs = &self.encoder.exprs;
        Some(match exprs.node(expr) {
            Node::Int(number) => Sexpr::Atom(number.to_string()),
            Node::Text(text) => Sexpr::Text(text.to_string()),
            Node::Float(bits) => Sexpr::Atom(format!("#f{bits}")),
            Node::Apply(Op::Ite, args) => return self.content(self.chosen(args)?),
            _ => self.values.get(&expr)?.clone(),
        })
    }

    fn made(&mut self, kind: Kind, content: &Sexpr) -> Option<Plain> {
        let number = || i64::try_from(integer(content)?).ok();
        Some(match kind {
            Kind::Number => Plain::Number(number()?),
            Kind::Time => Plain::Time(number()?),
            Kind::Duration => Plain::Duration(number()?),
            Kind::Float => Plain::Float(float(content)?),
            Kind::String => Plain::String(self.text(kind, content)?),
            Kind::Name => Plain::Name(self.text(kind, content)?),
            Kind::Bytes => {
                let text = self.text(kind, content)?;
                let bytes: Option<Vec<u8>> =
                    text.chars().map(|char| u8::try_from(u32::from(char)).ok()).collect();
                Plain::Bytes(bytes?)
            }
            _ => return None,
        })
    }

    fn text(&mut self, kind: Kind, content: &Sexpr) -> Option<String> {
        if let Sexpr::Text(text) = content {
            return (text.len() <= MAX_TEXT_BYTES).then(|| text.clone());
        }
        let number = integer(content)?;
        if let Some(((_, text), _)) =
            self.encoder.numbers.iter().find(|((of, _), at)| *of == kind && **at == number)
        {
            return Some(text.to_string());
        }
        if let Some(known) = self.fresh.get(&(kind, number)) {
            return Some(known.clone());
        }
        let prefix = if kind == Kind::Name { "/" } else { "" };
        let is_taken = |text: &str| {
            self.encoder.numbers.contains_key(&(kind, text.into()))
                || self.fresh.iter().any(|((of, _), known)| *of == kind && known == text)
        };
        let mut names = (0u32..).map(|number| {
            let letter = char::from(b'a' + u8::try_from(number % 26).unwrap_or(0));
            let round = number / 26;
            if round == 0 { format!("{prefix}{letter}") } else { format!("{prefix}{letter}{round}") }
        });
        let fresh = names.find(|name| !is_taken(name))?;
        self.fresh.insert((kind, number), fresh.clone());
        Some(fresh)
    }

    /// Parses a value in the format of the solver.
    fn read(&mut self, value: &Sexpr, bound: &mut FxHashMap<String, Sexpr>) -> Option<Plain> {
        if let Some(of_name) = value.atom().and_then(|name| bound.get(name)).cloned() {
            return self.read(&of_name, bound);
        }
        let list = value.list()?;
        if let [head, bindings, body] = list
            && head.atom() == Some("let")
        {
            bind(bindings, bound)?;
            return self.read(body, bound);
        }
        let (head, args) = list.split_first()?;
        let constructor = constructor(head)?;
        let kind = Kind::ALL.into_iter().find(|kind| kind.constructor() == constructor)?;
        let first = args.first()?;
        Some(match kind {
            Kind::Pair => {
                let (first, second) = (self.read(first, bound)?, self.read(args.get(1)?, bound)?);
                Plain::Pair(Box::new((first, second)))
            }
            Kind::List => Plain::List(self.read_items(first, bound)?),
            Kind::Map => Plain::Map(self.read_items(first, bound)?),
            Kind::Struct => Plain::Struct(self.read_items(first, bound)?),
            _ => self.made(kind, first)?,
        })
    }

    fn read_items(&mut self, value: &Sexpr, bound: &mut FxHashMap<String, Sexpr>) -> Option<Vec<Plain>> {
        let (mut rest, mut items) = (value.clone(), Vec::new());
        loop {
            if let Some(of_name) = rest.atom().and_then(|name| bound.get(name)).cloned() {
                rest = of_name;
                continue;
            }
            if constructor(&rest) == Some("nil") {
                return Some(items);
            }
            let list = rest.list()?.to_vec();
            match list.as_slice() {
                [head, bindings, body] if head.atom() == Some("let") => {
                    bind(bindings, bound)?;
                    rest = body.clone();
                }
                [head, first, others] if constructor(head) == Some("cons") => {
                    items.push(self.read(first, bound)?);
                    rest = others.clone();
                }
                _ => return None,
            }
            if items.len() > MAX_ELEMENTS {
                return None;
            }
        }
    }
}

/// Returns the name of a constructor: `nil` or `(as nil Items)`.
fn constructor(head: &Sexpr) -> Option<&str> {
    match head {
        Sexpr::Atom(name) => Some(name),
        Sexpr::List(parts) => match parts.as_slice() {
            [word, name, _] if word.atom() == Some("as") => name.atom(),
            _ => None,
        },
        Sexpr::Text(_) => None,
    }
}

fn bind(bindings: &Sexpr, bound: &mut FxHashMap<String, Sexpr>) -> Option<()> {
    for binding in bindings.list()? {
        let [name, value] = binding.list()? else { return None };
        bound.insert(name.atom()?.to_owned(), value.clone());
    }
    Some(())
}

fn integer(value: &Sexpr) -> Option<i128> {
    match value {
        Sexpr::Atom(digits) => digits.parse().ok(),
        Sexpr::List(parts) => match parts.as_slice() {
            [minus, number] if minus.atom() == Some("-") => integer(number)?.checked_neg(),
            _ => None,
        },
        Sexpr::Text(_) => None,
    }
}

/// Returns the bits of a float.
fn float(value: &Sexpr) -> Option<u64> {
    if let Some(bits) = value.atom().and_then(|atom| atom.strip_prefix("#f")) {
        return bits.parse().ok();
    }
    match value.list()? {
        [fp, sign, exponent, fraction] if fp.atom() == Some("fp") => {
            let (sign, exponent, fraction) = (bits(sign)?, bits(exponent)?, bits(fraction)?);
            Some(sign << 63 | exponent << 52 | fraction)
        }
        [underscore, name, ..] if underscore.atom() == Some("_") => Some(match name.atom()? {
            "+zero" => 0.0_f64.to_bits(),
            "-zero" => (-0.0_f64).to_bits(),
            "+oo" => f64::INFINITY.to_bits(),
            "-oo" => f64::NEG_INFINITY.to_bits(),
            "NaN" => f64::NAN.to_bits(),
            _ => return None,
        }),
        _ => None,
    }
}

fn bits(value: &Sexpr) -> Option<u64> {
    let atom = value.atom()?;
    match atom.strip_prefix("#b") {
        Some(digits) => u64::from_str_radix(digits, 2).ok(),
        None => u64::from_str_radix(atom.strip_prefix("#x")?, 16).ok(),
    }
}

/// Replaces unusual characters in facts by plain letters, except for characters in constants of the
/// program.
pub(crate) fn with_plain_letters(facts: &PlainFacts, exprs: &Exprs) -> PlainFacts {
    let mut special: BTreeSet<char> = exprs.characters();
    special.extend("0123456789-+./".chars());
    let mut facts = facts.clone();
    let mut found: BTreeSet<char> = BTreeSet::new();
    let visit = |facts: &mut PlainFacts, visit: &mut dyn FnMut(&mut String)| {
        facts.iter_mut().flat_map(|(_, values)| values).for_each(|value| value.visit_texts(visit));
    };
    visit(&mut facts, &mut |text| found.extend(text.chars()));
    let is_plain = |char: &char| char.is_ascii_alphanumeric();
    let mut free =
        ('a'..='z').chain('A'..='Z').filter(|char| !special.contains(char) && !found.contains(char));
    let mut replaced: FxHashMap<char, char> = FxHashMap::default();
    for char in found.iter().filter(|char| !is_plain(char) && !special.contains(char)) {
        if let Some(letter) = free.next() {
            replaced.insert(*char, letter);
        }
    }
    visit(&mut facts, &mut |text| {
        *text = text.chars().map(|char| replaced.get(&char).copied().unwrap_or(char)).collect();
    });
    facts
}
