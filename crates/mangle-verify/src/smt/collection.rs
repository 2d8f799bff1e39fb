//! Encoding of lists, maps, structs and pairs.
//!
//! Functions over a list of unknown length are uninterpreted functions with defining equations for
//! the first elements.

use mangle_engine::kernel::{Datum, Function, ValueId};

use super::encoder::Encoder;
use super::expr::{Expr, Kind, Node, Op, Sort};
use super::function::Applied;
use crate::obstacle::Obstacle;

/// The number of elements of an unknown list that are expanded.
pub(crate) const UNROLLED: usize = 6;

/// Functions that fold the elements of a list from its end.
const FOLDS: [&str; 8] =
    ["sum", "max", "min", "duration:sum", "duration:max", "duration:min", "time:max", "time:min"];

/// A function over a list: the result for an empty list, and for a first element and the result of
/// the rest.
struct Walk<'w, 's> {
    name: &'static str,
    extra: &'w [Expr],
    sort: Sort,
    nil: &'w dyn Fn(&mut Encoder<'s>) -> Expr,
    cons: &'w dyn Fn(&mut Encoder<'s>, Expr, Expr) -> Expr,
}

/// Returns the name in the script of a fold over elements of a kind.
fn fold_name(operation: &str, kind: Kind) -> &'static str {
    match (operation, kind) {
        ("max", Kind::Number) => "greatest_number",
        ("max", Kind::Duration) => "greatest_duration",
        ("max", _) => "greatest_time",
        ("min", Kind::Number) => "least_number",
        ("min", Kind::Duration) => "least_duration",
        ("min", _) => "least_time",
        (_, Kind::Number) => "sum_of_numbers",
        _ => "sum_of_durations",
    }
}

impl<'s> Encoder<'s> {
    /// Encodes functions that construct or access lists, maps, structs and pairs.
    pub(crate) fn collection(&mut self, function: Function, args: &[Expr]) -> Applied {
        let yes = self.exprs.bool(true);
        match (function.name(), args) {
            ("list", _) => {
                let items = self.items(args);
                Ok((self.exprs.make(Kind::List, &[items]), yes))
            }
            ("pair", [_, _]) => Ok((self.exprs.make(Kind::Pair, args), yes)),
            ("tuple", [before @ .., last]) => {
                let pair = |tuple: Expr, arg: &Expr| self.exprs.make(Kind::Pair, &[*arg, tuple]);
                Ok((before.iter().rev().fold(*last, pair), yes))
            }
            ("struct" | "map", _) if args.len().is_multiple_of(2) => self.entries_of(function, args),
            ("list:cons", [head, tail]) => {
                let (items, is) = self.of_kind(Kind::List, *tail);
                let items = self.exprs.cons(*head, items);
                Ok((self.exprs.make(Kind::List, &[items]), is))
            }
            ("list:append", [all, last]) => {
                let (items, is) = self.of_kind(Kind::List, *all);
                let items = self.with_last(items, *last);
                Ok((self.exprs.make(Kind::List, &[items]), is))
            }
            ("list:contains", [all, wanted]) => self.contains(*all, *wanted),
            ("list:len", [all]) => {
                let (items, is) = self.of_kind(Kind::List, *all);
                let length = self.length_of(items);
                Ok((self.exprs.make(Kind::Number, &[length]), is))
            }
            ("list:get", [all, index]) => self.element(*all, *index),
            ("struct:get" | "map:get", [value, key]) => {
                let kind = if function.name() == "map:get" { Kind::Map } else { Kind::Struct };
                let (items, is) = self.of_kind(kind, *value);
                let (found, value) = self.entry(items, *key);
                Ok((value, self.exprs.and([is, found])))
            }
            (name, [all]) if FOLDS.contains(&name) => self.list_fold(name, *all),
            _ => self.fallback(function, args, None),
        }
    }

    fn entries_of(&mut self, function: Function, args: &[Expr]) -> Applied {
        let kind = if function.name() == "map" { Kind::Map } else { Kind::Struct };
        let mut entries: Vec<(Expr, Expr)> = args
            .chunks(2)
            .filter_map(|pair| match pair {
                [key, value] => Some((*key, *value)),
                _ => None,
            })
            .collect();
        if entries.len() > 1 {
            let keys: Option<Vec<ValueId>> = entries.iter().map(|(key, _)| self.constant_of(*key)).collect();
            let Some(keys) = keys else { return self.fallback(function, args, Some(kind)) };
            let order = self.key_order(kind, &keys);
            let mut distinct = keys.clone();
            distinct.sort_unstable();
            distinct.dedup();
            if distinct.len() < keys.len() {
                return self.fallback(function, args, Some(kind));
            }
            let mut numbered: Vec<(usize, (Expr, Expr))> = keys
                .iter()
                .map(|key| order.iter().position(|one| one == key).unwrap_or(usize::MAX))
                .zip(entries)
                .collect();
            numbered.sort_by_key(|(at, _)| *at);
            entries = numbered.into_iter().map(|(_, entry)| entry).collect();
        }
        let pairs: Vec<Expr> =
            entries.into_iter().map(|(key, value)| self.exprs.make(Kind::Pair, &[key, value])).collect();
        let items = self.items(&pairs);
        let yes = self.exprs.bool(true);
        Ok((self.exprs.make(kind, &[items]), yes))
    }

    /// Sorts keys in the order of a map or struct.
    fn key_order(&mut self, kind: Kind, keys: &[ValueId]) -> Vec<ValueId> {
        let mut order = keys.to_vec();
        if kind == Kind::Struct {
            order.sort_by_cached_key(|key| self.values.display(*key).to_string());
            return order;
        }
        let entries: Vec<(ValueId, ValueId)> = keys.iter().map(|key| (*key, *key)).collect();
        if let Ok(map) = self.values.intern(Datum::Map(entries.into()))
            && let Datum::Map(entries) = self.values.get(map)
        {
            return entries.iter().map(|(key, _)| *key).collect();
        }
        order
    }

    /// Returns the number of items.
    pub(crate) fn length_of(&mut self, items: Expr) -> Expr {
        let walk = Walk {
            name: "list_len",
            extra: &[],
            sort: Sort::Int,
            nil: &|this| this.exprs.int(0),
            cons: &|this, _, rest| {
                let one = this.exprs.int(1);
                this.exprs.add([one, rest])
            },
        };
        self.walk(&walk, items, 0)
    }

    /// Returns the condition that an item equals a value.
    pub(crate) fn has_item(&mut self, items: Expr, wanted: Expr) -> Expr {
        let walk = Walk {
            name: "list_has",
            extra: &[wanted],
            sort: Sort::Bool,
            nil: &|this| this.exprs.bool(false),
            cons: &|this, head, rest| {
                let equal = this.exprs.equal(head, wanted);
                this.exprs.or([equal, rest])
            },
        };
        self.walk(&walk, items, 0)
    }

    /// Returns the condition that an entry for a key exists, and the value of the first such entry.
    pub(crate) fn entry(&mut self, items: Expr, key: Expr) -> (Expr, Expr) {
        let found = Walk {
            name: "has_key",
            extra: &[key],
            sort: Sort::Bool,
            nil: &|this| this.exprs.bool(false),
            cons: &|this, head, rest| {
                let own = this.exprs.content(Kind::Pair, 0, head, Sort::Value);
                let equal = this.exprs.equal(own, key);
                this.exprs.or([equal, rest])
            },
        };
        let found = self.walk(&found, items, 0);
        let value = Walk {
            name: "value_at",
            extra: &[key],
            sort: Sort::Value,
            nil: &|this| {
                let zero = this.exprs.int(0);
                this.exprs.make(Kind::Number, &[zero])
            },
            cons: &|this, head, rest| {
                let own = this.exprs.content(Kind::Pair, 0, head, Sort::Value);
                let value = this.exprs.content(Kind::Pair, 1, head, Sort::Value);
                let equal = this.exprs.equal(own, key);
                // If no other entry exists, the value is the only candidate.
                match this.exprs.node(rest) {
                    Node::Apply(Op::Make(Kind::Number), _) => value,
                    _ => this.exprs.ite(equal, value, rest),
                }
            },
        };
        let value = self.walk(&value, items, 0);
        (found, value)
    }

    fn contains(&mut self, all: Expr, wanted: Expr) -> Applied {
        let (items, is) = self.of_kind(Kind::List, all);
        let found = self.has_item(items, wanted);
        Ok((self.truth(found)?, is))
    }

    /// Appends an item.
    fn with_last(&mut self, items: Expr, last: Expr) -> Expr {
        let walk = Walk {
            name: "list_append",
            extra: &[last],
            sort: Sort::Items,
            nil: &|this| {
                let nil = this.exprs.nil();
                this.exprs.cons(last, nil)
            },
            cons: &|this, head, rest| this.exprs.cons(head, rest),
        };
        self.walk(&walk, items, 0)
    }

    /// Returns the condition that all items have a kind.
    fn are_of_kind(&mut self, items: Expr, kind: Kind) -> Expr {
        let are = Walk {
            name: match kind {
                Kind::Duration => "all_durations",
                Kind::Time => "all_times",
                _ => "all_numbers",
            },
            extra: &[],
            sort: Sort::Bool,
            nil: &|this| this.exprs.bool(true),
            cons: &|this, head, rest| {
                let is = this.exprs.is(kind, head);
                this.exprs.and([is, rest])
            },
        };
        self.walk(&are, items, 0)
    }

    fn list_fold(&mut self, name: &str, all: Expr) -> Applied {
        let kind = match name.split_once(':') {
            Some(("duration", _)) => Kind::Duration,
            Some(_) => Kind::Time,
            None => Kind::Number,
        };
        let (items, is) = self.of_kind(Kind::List, all);
        let are = self.are_of_kind(items, kind);
        let operation = name.rsplit(':').next().unwrap_or(name);
        let start: i128 = match operation {
            "max" => i64::MIN.into(),
            "min" => i64::MAX.into(),
            _ => 0,
        };
        let total = Walk {
            name: fold_name(operation, kind),
            extra: &[],
            sort: Sort::Int,
            nil: &|this| this.exprs.int(start),
            cons: &|this, head, rest| {
                let own = this.exprs.content(kind, 0, head, Sort::Int);
                match operation {
                    "max" => {
                        let is_less = this.exprs.less(own, rest);
                        this.exprs.ite(is_less, rest, own)
                    }
                    "min" => {
                        let is_less = this.exprs.less(rest, own);
                        this.exprs.ite(is_less, rest, own)
                    }
                    _ => {
                        let sum = this.exprs.add([own, rest]);
                        this.wrapped(sum)
                    }
                }
            },
        };
        let total = self.walk(&total, items, 0);
        let total = self.named(total, i64::MIN.into(), i64::MAX.into());
        Ok((self.exprs.make(kind, &[total]), self.exprs.and([is, are])))
    }

    /// Returns the element of a list at an index.
    fn element(&mut self, all: Expr, index: Expr) -> Applied {
        let ((items, is_list), (index, is_number)) =
            (self.of_kind(Kind::List, all), self.of_kind(Kind::Number, index));
        let length = self.length_of(items);
        let zero = self.exprs.int(0);
        let (above, below) = (self.exprs.less_equal(zero, index), self.exprs.less(index, length));
        let mut rest = items;
        let mut found: Option<Expr> = None;
        let mut choices = Vec::new();
        let wanted = self.exprs.as_int(index);
        let most = wanted.map_or(UNROLLED, |wanted| usize::try_from(wanted).unwrap_or(0).min(64) + 1);
        for at in 0..most {
            let (is_some, head, tail) = self.exprs.taken_apart(rest);
            if self.exprs.as_bool(is_some) == Some(false) {
                break;
            }
            let number = self.exprs.int(i128::try_from(at).unwrap_or(0));
            if wanted == Some(i128::try_from(at).unwrap_or(-1)) {
                found = Some(head);
            }
            choices.push((number, head));
            rest = tail;
        }
        let value = match found {
            Some(value) => value,
            None => {
                let unknown = self.exprs.unknown("list_get", &[Sort::Items, Sort::Int], Sort::Value);
                let mut value = self.exprs.call(unknown, &[items, index]);
                if wanted.is_none() {
                    for (number, head) in choices.into_iter().rev() {
                        let is_it = self.exprs.equal(index, number);
                        value = self.exprs.ite(is_it, head, value);
                    }
                }
                value
            }
        };
        let succeeds = self.exprs.and([is_list, is_number, above, below]);
        Ok((value, succeeds))
    }

    /// Returns the elements of a list with the conditions that they exist. Longer lists are
    /// excluded from the search.
    pub(crate) fn elements(&mut self, items: Expr) -> Result<Vec<(Expr, Expr)>, Obstacle> {
        let (mut rest, mut guard, mut elements) = (items, self.exprs.bool(true), Vec::new());
        let mut count = 0;
        loop {
            let (is_some, head, tail) = self.exprs.taken_apart(rest);
            guard = self.exprs.and([guard, is_some]);
            if self.exprs.as_bool(guard) == Some(false) {
                return Ok(elements);
            }
            if count >= UNROLLED && !matches!(self.exprs.node(rest), Node::Apply(Op::Cons, _)) {
                let short = self.exprs.not(guard);
                self.required.push(short);
                self.cut = Some("the elements of lists of more than 6 elements were not looked at");
                return Ok(elements);
            }
            elements.push((guard, head));
            rest = tail;
            count += 1;
        }
    }

    /// Encodes a function over items.
    fn walk(&mut self, walk: &Walk<'_, 's>, items: Expr, depth: usize) -> Expr {
        match self.exprs.node(items).clone() {
            Node::Apply(Op::Nil, _) => (walk.nil)(self),
            Node::Apply(Op::Cons, parts) => {
                let (Some(head), Some(tail)) = (parts.first(), parts.get(1)) else { return (walk.nil)(self) };
                let rest = self.walk(walk, *tail, depth);
                (walk.cons)(self, *head, rest)
            }
            Node::Apply(Op::Ite, parts) => {
                let [condition, then, other] = parts[..] else { return (walk.nil)(self) };
                let (then, other) = (self.walk(walk, then, depth), self.walk(walk, other, depth));
                self.exprs.ite(condition, then, other)
            }
            _ => self.open_walk(walk, items, depth),
        }
    }

    fn open_walk(&mut self, walk: &Walk<'_, 's>, items: Expr, depth: usize) -> Expr {
        let mut sorts = vec![Sort::Items];
        sorts.extend(walk.extra.iter().map(|expr| self.exprs.sort(*expr)));
        let unknown = self.exprs.unknown(walk.name, &sorts, walk.sort);
        let args: Vec<Expr> = std::iter::once(items).chain(walk.extra.iter().copied()).collect();
        let result = self.exprs.call(unknown, &args);
        if !self.unrolled.insert((unknown, args.into())) {
            return result;
        }
        if walk.name == "list_len" {
            let zero = self.exprs.int(0);
            let counted = self.exprs.raw(Op::LessEqual, &[zero, result], Sort::Bool);
            self.required.push(counted);
        }
        let (is_some, head, tail) = self.exprs.taken_apart(items);
        if depth >= UNROLLED {
            let without = (walk.nil)(self);
            let same = self.exprs.equal(result, without);
            let ends = self.exprs.or([is_some, same]);
            self.required.push(ends);
            return result;
        }
        let rest = self.open_walk(walk, tail, depth + 1);
        let (with, without) = ((walk.cons)(self, head, rest), (walk.nil)(self));
        let whole = self.exprs.ite(is_some, with, without);
        let same = self.exprs.equal(result, whole);
        self.required.push(same);
        result
    }
}
