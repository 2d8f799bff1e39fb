//! Encoding of built-in predicates: solutions, and failure conditions.

use mangle_engine::kernel::{Builtin, ValueId};

use super::encoder::Encoder;
use super::expr::{Expr, Kind, Op, Sort};
use crate::obstacle::Obstacle;

/// The solutions of a built-in predicate.
pub(crate) struct Solved {
    /// The condition of each solution with the values of the outputs.
    pub(crate) solutions: Vec<(Expr, Vec<Expr>)>,
    /// The condition that the engine stops.
    pub(crate) fails: Expr,
}

/// A built-in predicate without outputs.
struct Test {
    holds: Expr,
    /// The condition that the engine stops.
    fails: Expr,
}

impl From<Test> for Solved {
    fn from(test: Test) -> Self {
        Self { solutions: vec![(test.holds, Vec::new())], fails: test.fails }
    }
}

/// Returns the kind of values that a built-in predicate compares by order.
fn ordered_kind(name: &str) -> Option<Kind> {
    Some(match name {
        "lt" | "le" | "gt" | "ge" => Kind::Number,
        "time:lt" | "time:le" | "time:gt" | "time:ge" => Kind::Time,
        "duration:lt" | "duration:le" | "duration:gt" | "duration:ge" => Kind::Duration,
        _ => return None,
    })
}

impl Encoder<'_> {
    /// Returns the solutions of a built-in predicate. `None` marks arguments that the predicate
    /// assigns.
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
        let name = name.trim_start_matches(':');
        if let (Some(kind), [Some(left), Some(right)]) = (ordered_kind(name), args) {
            return Ok(self.order(name, kind, *left, *right).into());
        }
        if let (Some(operator), [Some(left), Some(right)]) = (name.strip_prefix("float:"), args) {
            return Ok(self.float_order(operator, *left, *right).into());
        }
        Ok(match (name, args) {
            ("within_distance", [Some(left), Some(right), Some(limit)]) => {
                self.within_distance([*left, *right, *limit]).into()
            }
            ("filter", [Some(value)]) => {
                let yes = self.exprs.bool(true);
                let truth = self.truth(yes)?;
                Test { holds: self.exprs.equal(*value, truth), fails: self.exprs.bool(false) }.into()
            }
            (
                "match_prefix" | "string:starts_with" | "string:ends_with" | "string:contains",
                [Some(text), Some(part)],
            ) => self.text_test(name, *text, *part).into(),
            ("match_pair" | "match_cons", _) | ("match_nil", [Some(_)]) => self.parts(name, args),
            ("match_entry" | "match_field", [Some(value), key, wanted]) => {
                let kind = if name == "match_entry" { Kind::Map } else { Kind::Struct };
                self.entry_of(kind, *value, *key, *wanted)
            }
            ("list:member", [member, Some(all)]) => self.list_members(*member, *all)?,
            (_, [Some(left), Some(right)]) if name.starts_with("interval:") => {
                self.intervals(name.trim_start_matches("interval:"), *left, *right).into()
            }
            _ => return Err(Obstacle::Unsupported(format!("the solver does not know `:{name}`"))),
        })
    }

    /// Tests membership in a list, or enumerates the members.
    fn list_members(&mut self, member: Option<Expr>, all: Expr) -> Result<Solved, Obstacle> {
        let (items, is) = self.of_kind(Kind::List, all);
        if let Some(member) = member {
            let holds = self.has_item(items, member);
            return Ok(Test { holds: self.exprs.and([is, holds]), fails: self.exprs.not(is) }.into());
        }
        let elements = self.elements(items)?;
        let solutions = elements.into_iter().map(|(guard, head)| (self.exprs.and([is, guard]), vec![head]));
        Ok(Solved { solutions: solutions.collect(), fails: self.exprs.bool(false) })
    }

    /// Tests if the distance of two numbers is less than a limit. The engine computes it in 64
    /// bits.
    fn within_distance(&mut self, [left, right, limit]: [Expr; 3]) -> Test {
        let all = [left, right, limit].map(|value| self.of_kind(Kind::Number, value));
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
        Test { holds: self.exprs.and([are, holds]), fails: self.exprs.not(are) }
    }

    /// Tests a text or name for a part. The engine stops if the part has another kind.
    fn text_test(&mut self, name: &str, text: Expr, part: Expr) -> Test {
        let (kind, op) = match name {
            "match_prefix" => (Kind::Name, Op::PrefixOf),
            "string:starts_with" => (Kind::String, Op::PrefixOf),
            "string:ends_with" => (Kind::String, Op::SuffixOf),
            _ => (Kind::String, Op::Contains),
        };
        let (part, is_part) = self.of_kind(kind, part);
        let (text, is) = self.of_kind(kind, text);
        let mut all = vec![is_part, is, self.exprs.text_test(op, text, part)];
        if name == "match_prefix" {
            let same = self.exprs.equal(text, part);
            all.push(self.exprs.not(same));
        }
        Test { holds: self.exprs.and(all), fails: self.exprs.not(is_part) }
    }

    /// Extracts the parts of a pair or list. The engine stops if an argument for a part already has
    /// a value.
    fn parts(&mut self, name: &str, args: &[Option<Expr>]) -> Solved {
        let no = self.exprs.bool(false);
        match (name, args) {
            ("match_nil", [Some(value)]) => {
                let (items, is) = self.of_kind(Kind::List, *value);
                let (is_some, _, _) = self.exprs.taken_apart(items);
                let is_empty = self.exprs.not(is_some);
                Test { holds: self.exprs.and([is, is_empty]), fails: no }.into()
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
            _ => Solved { solutions: Vec::new(), fails: self.exprs.bool(true) },
        }
    }

    /// Extracts the value of a map entry or struct field. The engine stops if the key has no value.
    fn entry_of(&mut self, kind: Kind, whole: Expr, key: Option<Expr>, wanted: Option<Expr>) -> Solved {
        let (items, is) = self.of_kind(kind, whole);
        let (is_some, _, _) = self.exprs.taken_apart(items);
        let is_some = self.exprs.and([is, is_some]);
        let Some(key) = key else { return Solved { solutions: Vec::new(), fails: is_some } };
        let (found, value) = self.entry(items, key);
        let holds = self.exprs.and([is, found]);
        let no = self.exprs.bool(false);
        match wanted {
            None => Solved { solutions: vec![(holds, vec![value])], fails: no },
            Some(wanted) => {
                let equal = self.exprs.equal(value, wanted);
                Test { holds: self.exprs.and([holds, equal]), fails: no }.into()
            }
        }
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

    fn order(&mut self, name: &str, kind: Kind, left: Expr, right: Expr) -> Test {
        let operator = name.rsplit(':').next().unwrap_or(name);
        let is_turned = operator.starts_with('g');
        let values = if is_turned { [right, left] } else { [left, right] };
        let (holds, fails) = self.ordered_values(kind, values, operator.ends_with('e'));
        Test { holds, fails }
    }

    /// Compares two floats. The engine stops if an argument is an integer.
    fn float_order(&mut self, operator: &str, left: Expr, right: Expr) -> Test {
        let [left, right] = if operator.starts_with('g') { [right, left] } else { [left, right] };
        let [(left, is_left), (right, is_right)] =
            [left, right].map(|value| self.of_kind(Kind::Float, value));
        let are = self.exprs.and([is_left, is_right]);
        let op = if operator.ends_with('e') { Op::FloatLessEqual } else { Op::FloatLess };
        let holds = self.exprs.raw(op, &[left, right], Sort::Bool);
        Test { holds: self.exprs.and([are, holds]), fails: self.exprs.not(are) }
    }

    /// Tests the relation of two intervals, which must be pairs of numbers.
    fn intervals(&mut self, relation: &str, left: Expr, right: Expr) -> Test {
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
        let [l0, l1, r0, r1] = ends[..] else { return Test { holds: are, fails: are } };
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
        Test { holds: x.and([are, holds]), fails: x.not(are) }
    }
}
