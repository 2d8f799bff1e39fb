//! Expressions of an SMT script, shared and simplified during construction.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

/// The number of an expression in its [`Exprs`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Expr(u32);

/// The sort of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Sort {
    Bool,
    Int,
    Text,
    Float,
    /// A value of any kind.
    Value,
    /// The elements of a list, or the entries of a map or struct.
    Items,
}

impl Sort {
    /// The name of the sort in SMT-LIB.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bool => "Bool",
            Self::Int => "Int",
            Self::Text => "String",
            Self::Float => "(_ FloatingPoint 11 53)",
            Self::Value => "Value",
            Self::Items => "Items",
        }
    }
}

/// The kinds of values, which are the constructors of the value sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    Number,
    String,
    Name,
    Time,
    Duration,
    Float,
    Bytes,
    Pair,
    List,
    Map,
    Struct,
}

impl Kind {
    pub(crate) const ALL: [Self; 11] = [
        Self::Number,
        Self::String,
        Self::Name,
        Self::Time,
        Self::Duration,
        Self::Float,
        Self::Bytes,
        Self::Pair,
        Self::List,
        Self::Map,
        Self::Struct,
    ];

    /// The name of the constructor.
    pub(crate) fn constructor(self) -> &'static str {
        match self {
            Self::Number => "num",
            Self::String => "str",
            Self::Name => "name",
            Self::Time => "time",
            Self::Duration => "dur",
            Self::Float => "float",
            Self::Bytes => "bytes",
            Self::Pair => "pair",
            Self::List => "list",
            Self::Map => "map",
            Self::Struct => "struct",
        }
    }
}

/// An operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    And,
    Or,
    Not,
    Ite,
    Equal,
    Add,
    Sub,
    Mul,
    /// Euclidean division.
    Div,
    Mod,
    LessEqual,
    Less,
    Concat,
    PrefixOf,
    SuffixOf,
    Contains,
    FromInt,
    ReplaceFirst,
    ReplaceAll,
    /// Tests if a text is a name, or a part of a name.
    IsName,
    IsSegment,
    FloatAdd,
    FloatMul,
    FloatDiv,
    FloatSqrt,
    FloatIsNan,
    FloatIsInfinite,
    FloatIsNegative,
    FloatIsZero,
    FloatLess,
    FloatLessEqual,
    Nil,
    Cons,
    IsCons,
    Head,
    Tail,
    /// Constructor, test and content of a kind. A pair has two contents.
    Make(Kind),
    Is(Kind),
    Content(Kind, u8),
}

/// The structure of an expression.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    Bool(bool),
    Int(i128),
    Text(Box<str>),
    /// The bits of a float.
    Float(u64),
    Variable(u32),
    Apply(Op, Box<[Expr]>),
    /// A call of an uninterpreted function.
    Call(u32, Box<[Expr]>),
}

/// A variable of a script.
#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) sort: Sort,
    /// The inclusive range of a number.
    pub(crate) range: (i128, i128),
}

/// An uninterpreted function.
#[derive(Debug, Clone)]
pub(crate) struct Unknown {
    pub(crate) name: String,
    pub(crate) args: Vec<Sort>,
    pub(crate) result: Sort,
}

/// All expressions of a script.
#[derive(Debug, Default)]
pub(crate) struct Exprs {
    nodes: Vec<Node>,
    sorts: Vec<Sort>,
    ranges: Vec<(i128, i128)>,
    numbers: FxHashMap<Node, Expr>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) unknowns: Vec<Unknown>,
}

/// The function from a finite float to its text.
pub(crate) const FLOAT_TEXT: &str = "float_text";

/// A bound that no number of a script exceeds.
const FAR: i128 = 1 << 100;

impl Exprs {
    pub(crate) fn node(&self, expr: Expr) -> &Node {
        self.nodes.get(expr.0 as usize).unwrap_or(&Node::Bool(false))
    }

    pub(crate) fn sort(&self, expr: Expr) -> Sort {
        self.sorts.get(expr.0 as usize).copied().unwrap_or(Sort::Bool)
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the inclusive range of a number.
    pub(crate) fn range(&self, expr: Expr) -> (i128, i128) {
        self.ranges.get(expr.0 as usize).copied().unwrap_or((-FAR, FAR))
    }

    fn push(&mut self, node: Node, sort: Sort) -> Expr {
        if let Some(known) = self.numbers.get(&node) {
            return *known;
        }
        let range = self.range_of(&node);
        let expr = Expr(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(node.clone());
        self.sorts.push(sort);
        self.ranges.push(range);
        self.numbers.insert(node, expr);
        expr
    }

    fn range_of(&self, node: &Node) -> (i128, i128) {
        let limited = |(low, high): (i128, i128)| (low.clamp(-FAR, FAR), high.clamp(-FAR, FAR));
        let Node::Apply(op, args) = node else {
            return match node {
                Node::Int(number) => (*number, *number),
                Node::Variable(at) => {
                    self.variables.get(*at as usize).map_or((-FAR, FAR), |variable| variable.range)
                }
                _ => (-FAR, FAR),
            };
        };
        let ranges: Vec<(i128, i128)> = args.iter().map(|arg| self.range(*arg)).collect();
        match (op, ranges.as_slice()) {
            (Op::Add, all) => limited(all.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))),
            (Op::Sub, [left, right]) => limited((left.0 - right.1, left.1 - right.0)),
            (Op::Mul, [left, right]) => {
                let product = |left: i128, right: i128| left.checked_mul(right);
                let corners = [(left.0, right.0), (left.0, right.1), (left.1, right.0), (left.1, right.1)];
                let products: Option<Vec<i128>> =
                    corners.iter().map(|(left, right)| product(*left, *right)).collect();
                products.map_or((-FAR, FAR), |all| {
                    let (low, high) = (all.iter().min(), all.iter().max());
                    limited((low.copied().unwrap_or(-FAR), high.copied().unwrap_or(FAR)))
                })
            }
            (Op::Mod, [_, (low, high)]) if low == high && *low > 0 => (0, low - 1),
            (Op::Div, [(low, high), (by, same)]) if by == same && *by > 0 => {
                (low.div_euclid(*by), high.div_euclid(*by))
            }
            (Op::Ite, [_, left, right]) => (left.0.min(right.0), left.1.max(right.1)),
            _ => (-FAR, FAR),
        }
    }

    pub(crate) fn bool(&mut self, value: bool) -> Expr {
        self.push(Node::Bool(value), Sort::Bool)
    }

    pub(crate) fn int(&mut self, value: i128) -> Expr {
        self.push(Node::Int(value), Sort::Int)
    }

    pub(crate) fn text(&mut self, value: &str) -> Expr {
        self.push(Node::Text(value.into()), Sort::Text)
    }

    pub(crate) fn float(&mut self, bits: u64) -> Expr {
        self.push(Node::Float(bits), Sort::Float)
    }

    /// Creates a variable.
    pub(crate) fn variable(&mut self, name: String, sort: Sort) -> Expr {
        self.variable_in(name, sort, -FAR, FAR)
    }

    /// Creates a variable for a number in a range.
    pub(crate) fn variable_in(&mut self, name: String, sort: Sort, low: i128, high: i128) -> Expr {
        let number = u32::try_from(self.variables.len()).unwrap_or(u32::MAX);
        self.variables.push(Variable { name, sort, range: (low, high) });
        self.push(Node::Variable(number), sort)
    }

    /// Returns the number of an uninterpreted function, which is added if it is new.
    pub(crate) fn unknown(&mut self, name: &str, args: &[Sort], result: Sort) -> u32 {
        if let Some(at) = self.unknowns.iter().position(|known| known.name == name) {
            return u32::try_from(at).unwrap_or(0);
        }
        self.unknowns.push(Unknown { name: name.to_owned(), args: args.to_vec(), result });
        u32::try_from(self.unknowns.len() - 1).unwrap_or(0)
    }

    /// Creates a call of an uninterpreted function.
    pub(crate) fn call(&mut self, unknown: u32, args: &[Expr]) -> Expr {
        let sort = self.unknowns.get(unknown as usize).map_or(Sort::Bool, |known| known.result);
        self.push(Node::Call(unknown, args.into()), sort)
    }

    fn apply(&mut self, op: Op, args: &[Expr], sort: Sort) -> Expr {
        self.push(Node::Apply(op, args.into()), sort)
    }

    pub(crate) fn as_bool(&self, expr: Expr) -> Option<bool> {
        if let Node::Bool(value) = self.node(expr) { Some(*value) } else { None }
    }

    pub(crate) fn as_int(&self, expr: Expr) -> Option<i128> {
        if let Node::Int(value) = self.node(expr) { Some(*value) } else { None }
    }

    pub(crate) fn as_text(&self, expr: Expr) -> Option<&str> {
        if let Node::Text(value) = self.node(expr) { Some(value) } else { None }
    }

    fn applied(&self, expr: Expr) -> Option<(Op, &[Expr])> {
        if let Node::Apply(op, args) = self.node(expr) { Some((*op, args)) } else { None }
    }

    fn is_literal(&self, expr: Expr) -> bool {
        matches!(self.node(expr), Node::Bool(_) | Node::Int(_) | Node::Text(_) | Node::Float(_))
    }

    pub(crate) fn not(&mut self, expr: Expr) -> Expr {
        match self.node(expr) {
            Node::Bool(value) => {
                let value = !*value;
                self.bool(value)
            }
            Node::Apply(Op::Not, args) => args.first().copied().unwrap_or(expr),
            _ => self.apply(Op::Not, &[expr], Sort::Bool),
        }
    }

    fn joined(&mut self, op: Op, neutral: bool, parts: impl IntoIterator<Item = Expr>) -> Expr {
        let mut all: Vec<Expr> = Vec::new();
        for part in parts {
            match self.node(part) {
                Node::Bool(value) if *value == neutral => {}
                Node::Bool(_) => return part,
                Node::Apply(inner, args) if *inner == op => all.extend(args.iter().copied()),
                _ => all.push(part),
            }
        }
        all.sort_unstable();
        all.dedup();
        for part in all.clone() {
            if let Some((Op::Not, [inner])) = self.applied(part)
                && all.binary_search(inner).is_ok()
            {
                return self.bool(!neutral);
            }
        }
        match all.as_slice() {
            [] => self.bool(neutral),
            [only] => *only,
            _ => self.apply(op, &all, Sort::Bool),
        }
    }

    pub(crate) fn and(&mut self, parts: impl IntoIterator<Item = Expr>) -> Expr {
        self.joined(Op::And, true, parts)
    }

    pub(crate) fn or(&mut self, parts: impl IntoIterator<Item = Expr>) -> Expr {
        self.joined(Op::Or, false, parts)
    }

    pub(crate) fn implies(&mut self, condition: Expr, then: Expr) -> Expr {
        let not = self.not(condition);
        self.or([not, then])
    }

    pub(crate) fn ite(&mut self, condition: Expr, then: Expr, other: Expr) -> Expr {
        if then == other {
            return then;
        }
        if let Some(value) = self.as_bool(condition) {
            return if value { then } else { other };
        }
        let sort = self.sort(then);
        if sort == Sort::Bool {
            match (self.as_bool(then), self.as_bool(other)) {
                (Some(true), _) => return self.or([condition, other]),
                (Some(false), _) => {
                    let not = self.not(condition);
                    return self.and([not, other]);
                }
                (_, Some(false)) => return self.and([condition, then]),
                (_, Some(true)) => return self.implies(condition, then),
                _ => {}
            }
        }
        if let (Some((Op::Make(kind), left)), Some((Op::Make(same), right))) =
            (self.applied(then), self.applied(other))
            && kind == same
        {
            let pairs: Vec<(Expr, Expr)> = left.iter().copied().zip(right.iter().copied()).collect();
            let parts: Vec<Expr> =
                pairs.into_iter().map(|(left, right)| self.ite(condition, left, right)).collect();
            return self.apply(Op::Make(kind), &parts, Sort::Value);
        }
        self.apply(Op::Ite, &[condition, then, other], sort)
    }

    /// Simplifies an equality with a known truth value, or of numbers with disjoint ranges.
    fn known_equality(&mut self, one: Expr, other: Expr) -> Option<Expr> {
        match self.sort(one) {
            Sort::Bool => match (self.as_bool(one), self.as_bool(other)) {
                (Some(true), _) => Some(other),
                (_, Some(true)) => Some(one),
                (Some(false), _) => Some(self.not(other)),
                (_, Some(false)) => Some(self.not(one)),
                _ => None,
            },
            Sort::Int => {
                let (left, right) = (self.range(one), self.range(other));
                (left.1 < right.0 || right.1 < left.0).then(|| self.bool(false))
            }
            _ => None,
        }
    }

    pub(crate) fn equal(&mut self, one: Expr, other: Expr) -> Expr {
        if one == other {
            return self.bool(true);
        }
        if self.is_literal(one) && self.is_literal(other) {
            return self.bool(false);
        }
        let (one, other) = (one.min(other), one.max(other));
        if self.is_no_float_text(one, other) || self.is_no_float_text(other, one) {
            return self.bool(false);
        }
        if let Some(known) = self.known_equality(one, other) {
            return known;
        }
        if let (Some((left_op, left)), Some((right_op, right))) = (self.applied(one), self.applied(other)) {
            let is_made = |op: Op| matches!(op, Op::Make(_) | Op::Cons | Op::Nil);
            if is_made(left_op) && is_made(right_op) {
                if left_op != right_op {
                    return self.bool(false);
                }
                let pairs: Vec<(Expr, Expr)> = left.iter().copied().zip(right.iter().copied()).collect();
                let mut parts = Vec::with_capacity(pairs.len());
                for (left, right) in pairs {
                    parts.push(self.equal(left, right));
                }
                return self.and(parts);
            }
        }
        // A value of unknown kind is compared with a value of known kind.
        for (value, made) in [(one, other), (other, one)] {
            let is_known = self.is_literal(made)
                || matches!(self.applied(made), Some((Op::Make(_) | Op::Nil | Op::Cons, _)));
            if let (Some((Op::Ite, &[condition, then, otherwise])), true) = (self.applied(value), is_known) {
                let (then, otherwise) = (self.equal(then, made), self.equal(otherwise, made));
                return self.ite(condition, then, otherwise);
            }
        }
        self.apply(Op::Equal, &[one, other], Sort::Bool)
    }

    pub(crate) fn add(&mut self, parts: impl IntoIterator<Item = Expr>) -> Expr {
        let (mut total, mut rest) = (0_i128, Vec::new());
        for part in parts {
            match self.node(part) {
                Node::Int(number) => total = total.saturating_add(*number),
                Node::Apply(Op::Add, args) => {
                    for arg in args {
                        match self.node(*arg) {
                            Node::Int(number) => total = total.saturating_add(*number),
                            _ => rest.push(*arg),
                        }
                    }
                }
                _ => rest.push(part),
            }
        }
        if total != 0 || rest.is_empty() {
            rest.push(self.int(total));
        }
        match rest.as_slice() {
            [only] => *only,
            _ => self.apply(Op::Add, &rest, Sort::Int),
        }
    }

    pub(crate) fn sub(&mut self, left: Expr, right: Expr) -> Expr {
        match (self.as_int(left), self.as_int(right)) {
            (Some(left), Some(right)) => self.int(left.saturating_sub(right)),
            (_, Some(0)) => left,
            (_, Some(right)) => {
                let negative = self.int(-right);
                self.add([left, negative])
            }
            _ if left == right => self.int(0),
            _ => self.apply(Op::Sub, &[left, right], Sort::Int),
        }
    }

    pub(crate) fn mul(&mut self, left: Expr, right: Expr) -> Expr {
        match (self.as_int(left), self.as_int(right)) {
            (Some(left), Some(right)) => match left.checked_mul(right) {
                Some(product) => self.int(product),
                None => {
                    let factors = [self.int(left), self.int(right)];
                    self.apply(Op::Mul, &factors, Sort::Int)
                }
            },
            (Some(0), _) | (_, Some(0)) => self.int(0),
            (Some(1), _) => right,
            (_, Some(1)) => left,
            _ => self.apply(Op::Mul, &[left.min(right), left.max(right)], Sort::Int),
        }
    }

    /// Returns the quotient and remainder of Euclidean division by a nonzero number.
    pub(crate) fn div_mod(&mut self, left: Expr, right: Expr) -> (Expr, Expr) {
        if let (Some(left), Some(right)) = (self.as_int(left), self.as_int(right))
            && right != 0
        {
            return (self.int(left.div_euclid(right)), self.int(left.rem_euclid(right)));
        }
        if self.as_int(right) == Some(1) {
            return (left, self.int(0));
        }
        (self.apply(Op::Div, &[left, right], Sort::Int), self.apply(Op::Mod, &[left, right], Sort::Int))
    }

    pub(crate) fn less(&mut self, left: Expr, right: Expr) -> Expr {
        let (one, other) = (self.range(left), self.range(right));
        if one.1 < other.0 {
            return self.bool(true);
        }
        if left == right || one.0 >= other.1 {
            return self.bool(false);
        }
        self.apply(Op::Less, &[left, right], Sort::Bool)
    }

    pub(crate) fn less_equal(&mut self, left: Expr, right: Expr) -> Expr {
        let (one, other) = (self.range(left), self.range(right));
        if left == right || one.1 <= other.0 {
            return self.bool(true);
        }
        if one.0 > other.1 {
            return self.bool(false);
        }
        self.apply(Op::LessEqual, &[left, right], Sort::Bool)
    }

    pub(crate) fn between(&mut self, low: i128, expr: Expr, high: i128) -> Expr {
        let (low, high) = (self.int(low), self.int(high));
        let (above, below) = (self.less_equal(low, expr), self.less_equal(expr, high));
        self.and([above, below])
    }

    pub(crate) fn concat(&mut self, parts: impl IntoIterator<Item = Expr>) -> Expr {
        let mut all: Vec<Expr> = Vec::new();
        for part in parts {
            let inner = match self.applied(part) {
                Some((Op::Concat, args)) => args.to_vec(),
                _ => vec![part],
            };
            for part in inner {
                let joined = all
                    .last()
                    .and_then(|last| Some(format!("{}{}", self.as_text(*last)?, self.as_text(part)?)));
                match joined {
                    Some(joined) => {
                        all.pop();
                        all.push(self.text(&joined));
                    }
                    None if self.as_text(part) == Some("") => {}
                    None => all.push(part),
                }
            }
        }
        match all.as_slice() {
            [] => self.text(""),
            [only] => *only,
            _ => self.apply(Op::Concat, &all, Sort::Text),
        }
    }

    /// Tests two texts with `op`, applied to part and whole.
    pub(crate) fn text_test(&mut self, op: Op, whole: Expr, part: Expr) -> Expr {
        if let (Some(whole), Some(part)) = (self.as_text(whole), self.as_text(part)) {
            let holds = match op {
                Op::PrefixOf => whole.starts_with(part),
                Op::SuffixOf => whole.ends_with(part),
                _ => whole.contains(part),
            };
            return self.bool(holds);
        }
        if whole == part || self.as_text(part) == Some("") {
            return self.bool(true);
        }
        match op {
            Op::Contains => self.apply(op, &[whole, part], Sort::Bool),
            _ => self.apply(op, &[part, whole], Sort::Bool),
        }
    }

    /// Tests a float. The result for a square root follows from its argument.
    pub(crate) fn float_test(&mut self, op: Op, float: Expr) -> Expr {
        let Some((Op::FloatSqrt, &[of])) = self.applied(float) else {
            return self.apply(op, &[float], Sort::Bool);
        };
        let is_negative = self.float_test(Op::FloatIsNegative, of);
        let is_zero = self.float_test(Op::FloatIsZero, of);
        match op {
            Op::FloatIsNan => {
                let is_nan = self.float_test(Op::FloatIsNan, of);
                let not_zero = self.not(is_zero);
                let is_below = self.and([is_negative, not_zero]);
                self.or([is_nan, is_below])
            }
            Op::FloatIsInfinite => {
                let is_infinite = self.float_test(Op::FloatIsInfinite, of);
                let not_negative = self.not(is_negative);
                self.and([is_infinite, not_negative])
            }
            Op::FloatIsNegative => self.and([is_negative, is_zero]),
            _ => is_zero,
        }
    }

    /// True if a text is not the text of any finite float.
    fn is_no_float_text(&self, call: Expr, text: Expr) -> bool {
        let Node::Call(unknown, _) = self.node(call) else { return false };
        let is_float_text = self.unknowns.get(*unknown as usize).is_some_and(|one| one.name == FLOAT_TEXT);
        let is_finite = |text: &str| text.parse::<f64>().is_ok_and(f64::is_finite);
        is_float_text && self.as_text(text).is_some_and(|text| !is_finite(text))
    }

    /// Returns all characters of the texts in the script.
    pub(crate) fn characters(&self) -> BTreeSet<char> {
        let texts =
            self.nodes.iter().filter_map(|node| if let Node::Text(text) = node { Some(text) } else { None });
        texts.flat_map(|text| text.chars()).collect()
    }

    /// Creates an application without simplification.
    pub(crate) fn raw(&mut self, op: Op, args: &[Expr], sort: Sort) -> Expr {
        self.apply(op, args, sort)
    }

    pub(crate) fn make(&mut self, kind: Kind, parts: &[Expr]) -> Expr {
        self.apply(Op::Make(kind), parts, Sort::Value)
    }

    /// Returns the condition that a value has a kind.
    pub(crate) fn is(&mut self, kind: Kind, value: Expr) -> Expr {
        match self.applied(value) {
            Some((Op::Make(made), _)) => {
                let holds = made == kind;
                self.bool(holds)
            }
            Some((Op::Ite, &[condition, then, other])) => {
                let (then, other) = (self.is(kind, then), self.is(kind, other));
                self.ite(condition, then, other)
            }
            _ => self.apply(Op::Is(kind), &[value], Sort::Bool),
        }
    }

    /// Returns a part of a value of a kind.
    pub(crate) fn content(&mut self, kind: Kind, part: u8, value: Expr, sort: Sort) -> Expr {
        match self.applied(value) {
            Some((Op::Make(made), args)) if made == kind => {
                args.get(usize::from(part)).copied().unwrap_or(value)
            }
            Some((Op::Ite, &[condition, then, other])) => {
                let (is_then, is_other) = (self.is(kind, then), self.is(kind, other));
                // A branch of another kind is unreachable.
                if self.as_bool(is_then) == Some(false) {
                    return self.content(kind, part, other, sort);
                }
                if self.as_bool(is_other) == Some(false) {
                    return self.content(kind, part, then, sort);
                }
                let (then, other) =
                    (self.content(kind, part, then, sort), self.content(kind, part, other, sort));
                self.ite(condition, then, other)
            }
            _ => self.apply(Op::Content(kind, part), &[value], sort),
        }
    }

    pub(crate) fn nil(&mut self) -> Expr {
        self.apply(Op::Nil, &[], Sort::Items)
    }

    pub(crate) fn cons(&mut self, head: Expr, tail: Expr) -> Expr {
        self.apply(Op::Cons, &[head, tail], Sort::Items)
    }

    /// Returns the condition that the list is not empty, its first element, and the rest.
    pub(crate) fn taken_apart(&mut self, items: Expr) -> (Expr, Expr, Expr) {
        match self.applied(items) {
            Some((Op::Cons, &[head, tail])) => (self.bool(true), head, tail),
            Some((Op::Ite, &[condition, then, other])) => {
                let (then, other) = (self.taken_apart(then), self.taken_apart(other));
                if self.as_bool(then.0) == Some(false) {
                    let not = self.not(condition);
                    return (self.and([not, other.0]), other.1, other.2);
                }
                if self.as_bool(other.0) == Some(false) {
                    return (self.and([condition, then.0]), then.1, then.2);
                }
                let is_some = self.ite(condition, then.0, other.0);
                let head = self.ite(condition, then.1, other.1);
                (is_some, head, self.ite(condition, then.2, other.2))
            }
            Some((Op::Nil, _)) => {
                let head = self.raw(Op::Head, &[items], Sort::Value);
                (self.bool(false), head, items)
            }
            _ => (
                self.raw(Op::IsCons, &[items], Sort::Bool),
                self.raw(Op::Head, &[items], Sort::Value),
                self.raw(Op::Tail, &[items], Sort::Items),
            ),
        }
    }
}
