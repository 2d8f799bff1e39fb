//! Built-in predicates over expressions: their solutions, and when they fail.

use mangle_engine::kernel::{Builtin, ValueId};

use super::encoder::Encoder;
use super::expr::{Expr, Kind, Op, Sort};
use crate::obstacle::Obstacle;

/// The solutions of a built-in predicate.
pub(crate) struct Solved {
    /// When there is a solution, and the values of the outputs.
    pub(crate) solutions: Vec<(Expr, Vec<Expr>)>,
    /// When the engine stops.
    pub(crate) fails: Expr,
}

impl Encoder<'_> {
    /// The solutions of a built-in predicate; `None` for arguments that get a value.
    pub(crate) fn solved(
        &mut self,
        builtin: Builtin,
        name: &str,
        args: &[Option<Expr>],
        outputs: usize,
    ) -> Result<Solved, Obstacle> {
        let known: Vec<Expr> = args.iter().flatten().copied().collect();
        let constants: Option<Vec<ValueId>> = known.iter().map(|arg| self.constant_of(*arg)).collect();
        if let Some(constants) = constants {
            return self.solved_constants(builtin, args, &constants, outputs);
        }
        let no = self.exprs.bool(false);
        let test = |(holds, fails): (Expr, Expr)| Solved { solutions: vec![(holds, Vec::new())], fails };
        let name = name.trim_start_matches(':');
        Ok(match (name, args) {
            ("lt" | "le" | "gt" | "ge", [Some(left), Some(right)]) => {
                test(self.order(name, Kind::Number, *left, *right))
            }
            ("time:lt" | "time:le" | "time:gt" | "time:ge", [Some(left), Some(right)]) => {
                test(self.order(name, Kind::Time, *left, *right))
            }
            ("duration:lt" | "duration:le" | "duration:gt" | "duration:ge", [Some(left), Some(right)]) => {
                test(self.order(name, Kind::Duration, *left, *right))
            }
            ("within_distance", [Some(left), Some(right), Some(limit)]) => {
                let all = [*left, *right, *limit].map(|value| self.of_kind(Kind::Number, value));
                let are = self.exprs.and(all.map(|(_, is)| is));
                let [left, right, limit] = all.map(|(number, _)| number);
                let difference = self.exprs.sub(left, right);
                let difference = self.wrapped(difference);
                let zero = self.exprs.int(0);
                let negative = self.exprs.sub(zero, difference);
                let is_below = self.exprs.less(difference, zero);
                let size = self.exprs.ite(is_below, negative, difference);
                let greatest = self.exprs.int(i64::MAX.into());
                let is_beyond = self.exprs.less(greatest, size);
                let size = self.exprs.ite(is_beyond, greatest, size);
                let holds = self.exprs.less(size, limit);
                test((self.exprs.and([are, holds]), self.exprs.not(are)))
            }
            ("filter", [Some(value)]) => {
                let yes = self.exprs.bool(true);
                let truth = self.truth(yes)?;
                test((self.exprs.equal(*value, truth), no))
            }
            ("match_prefix", [Some(value), Some(prefix)]) => {
                let (prefix, is_name) = self.of_kind(Kind::Name, *prefix);
                let (text, is) = self.of_kind(Kind::Name, *value);
                let starts = self.exprs.text_test(Op::PrefixOf, text, prefix);
                let same = self.exprs.equal(text, prefix);
                let longer = self.exprs.not(same);
                test((self.exprs.and([is_name, is, starts, longer]), self.exprs.not(is_name)))
            }
            ("string:starts_with" | "string:ends_with" | "string:contains", [Some(text), Some(part)]) => {
                let op = match name {
                    "string:starts_with" => Op::PrefixOf,
                    "string:ends_with" => Op::SuffixOf,
                    _ => Op::Contains,
                };
                let (part, is_text) = self.of_kind(Kind::String, *part);
                let (text, is) = self.of_kind(Kind::String, *text);
                let holds = self.exprs.text_test(op, text, part);
                test((self.exprs.and([is_text, is, holds]), self.exprs.not(is_text)))
            }
            ("match_nil", [Some(value)]) => {
                let (items, is) = self.of_kind(Kind::List, *value);
                let (is_some, _, _) = self.exprs.taken_apart(items);
                let is_empty = self.exprs.not(is_some);
                test((self.exprs.and([is, is_empty]), no))
            }
            ("match_pair", [Some(value), None, None]) => {
                let is = self.exprs.is(Kind::Pair, *value);
                let parts = [0, 1].map(|part| self.exprs.content(Kind::Pair, part, *value, Sort::Value));
                Solved { solutions: vec![(is, parts.to_vec())], fails: no }
            }
            ("match_cons", [Some(value), None, None]) => {
                let (items, is) = self.of_kind(Kind::List, *value);
                let (is_some, head, tail) = self.exprs.taken_apart(items);
                let holds = self.exprs.and([is, is_some]);
                let tail = self.exprs.make(Kind::List, &[tail]);
                Solved { solutions: vec![(holds, vec![head, tail])], fails: no }
            }
            ("match_pair" | "match_cons", _) => {
                Solved { solutions: Vec::new(), fails: self.exprs.bool(true) }
            }
            ("match_entry" | "match_field", [Some(value), key, wanted]) => {
                let kind = if name == "match_entry" { Kind::Map } else { Kind::Struct };
                let (items, is) = self.of_kind(kind, *value);
                let (is_some, _, _) = self.exprs.taken_apart(items);
                let is_some = self.exprs.and([is, is_some]);
                let Some(key) = key else { return Ok(Solved { solutions: Vec::new(), fails: is_some }) };
                let (found, value) = self.entry(items, *key);
                let holds = self.exprs.and([is, found]);
                match wanted {
                    None => Solved { solutions: vec![(holds, vec![value])], fails: no },
                    Some(wanted) => {
                        let equal = self.exprs.equal(value, *wanted);
                        test((self.exprs.and([holds, equal]), no))
                    }
                }
            }
            ("list:member", [Some(member), Some(all)]) => {
                let (items, is) = self.of_kind(Kind::List, *all);
                let holds = self.has_item(items, *member);
                test((self.exprs.and([is, holds]), self.exprs.not(is)))
            }
            ("list:member", [None, Some(all)]) => {
                let (items, is) = self.of_kind(Kind::List, *all);
                let elements = self.elements(items)?;
                let solutions =
                    elements.into_iter().map(|(guard, head)| (self.exprs.and([is, guard]), vec![head]));
                Solved { solutions: solutions.collect(), fails: no }
            }
            (_, [Some(left), Some(right)]) if name.starts_with("interval:") => {
                test(self.intervals(name.trim_start_matches("interval:"), *left, *right))
            }
            _ => return Err(Obstacle::Unsupported(format!("the solver does not know `:{name}`"))),
        })
    }

    fn solved_constants(
        &mut self,
        builtin: Builtin,
        args: &[Option<Expr>],
        constants: &[ValueId],
        outputs: usize,
    ) -> Result<Solved, Obstacle> {
        let mut constants = constants.iter().copied();
        let args: Vec<Option<ValueId>> = args.iter().map(|arg| arg.and_then(|_| constants.next())).collect();
        let mut out = Vec::new();
        let (yes, no) = (self.exprs.bool(true), self.exprs.bool(false));
        Ok(match builtin.solve(&mut self.values, &args, &mut out) {
            Ok(count) => {
                let mut solutions = Vec::with_capacity(count);
                for solution in 0..count {
                    let values = out.iter().skip(solution * outputs).take(outputs);
                    let values: Vec<ValueId> = values.copied().collect();
                    let values =
                        values.iter().map(|value| self.constant(*value)).collect::<Result<_, _>>()?;
                    solutions.push((yes, values));
                }
                Solved { solutions, fails: no }
            }
            Err(_) => Solved { solutions: Vec::new(), fails: yes },
        })
    }

    fn order(&mut self, name: &str, kind: Kind, left: Expr, right: Expr) -> (Expr, Expr) {
        let operator = name.rsplit(':').next().unwrap_or(name);
        let is_turned = operator.starts_with('g');
        let values = if is_turned { [right, left] } else { [left, right] };
        self.ordered_values(kind, values, operator.ends_with('e'))
    }

    /// How two intervals are related, which must be pairs of numbers.
    fn intervals(&mut self, relation: &str, left: Expr, right: Expr) -> (Expr, Expr) {
        let mut are = Vec::new();
        let mut ends = Vec::new();
        for value in [left, right] {
            are.push(self.exprs.is(Kind::Pair, value));
            for part in [0, 1] {
                let end = self.exprs.content(Kind::Pair, part, value, Sort::Value);
                let (end, is) = self.of_kind(Kind::Number, end);
                are.push(is);
                ends.push(end);
            }
        }
        let are = self.exprs.and(are);
        let [l0, l1, r0, r1] = ends[..] else { return (are, are) };
        let x = &mut self.exprs;
        let holds = match relation {
            "before" => x.less(l1, r0),
            "after" => x.less(r1, l0),
            "meets" => x.equal(l1, r0),
            "overlaps" => {
                let parts = [x.less_equal(r0, l1), x.less_equal(l0, r1)];
                x.and(parts)
            }
            "during" => {
                let parts = [x.less_equal(r0, l0), x.less_equal(l1, r1)];
                x.and(parts)
            }
            "contains" => {
                let parts = [x.less_equal(l0, r0), x.less_equal(r1, l1)];
                x.and(parts)
            }
            "starts" => x.equal(l0, r0),
            "finishes" => x.equal(l1, r1),
            _ => {
                let parts = [x.equal(l0, r0), x.equal(l1, r1)];
                x.and(parts)
            }
        };
        (x.and([are, holds]), x.not(are))
    }
}
