//! Encoding of functions of texts and names: concatenation, replacement, conversion to text, and parts of
//! names.

use mangle_engine::kernel::Function;

use super::Applied;
use crate::obstacle::Obstacle;
use crate::smt::collection::UNROLLED;
use crate::smt::encoder::{Encoder, OpenCall};
use crate::smt::expr::{Expr, FLOAT_TEXT, Kind, Op, Sort};

impl Encoder<'_> {
    /// Encodes a function with a text result.
    pub(super) fn text_value(&mut self, function: Function, args: &[Expr]) -> Applied {
        let (text, is) = match (function.name(), args) {
            ("string:concat", _) => self.joined(args)?,
            ("string:replace", [text, old, new, count]) => {
                return self.replaced(function, args, [*text, *old, *new, *count]);
            }
            ("number:to_string", [value]) => {
                let (number, is) = self.of_kind(Kind::Number, *value);
                (self.number_text(number), is)
            }
            ("float64:to_string", [value]) => {
                let (float, is) = self.of_kind(Kind::Float, *value);
                (self.float_text(float), is)
            }
            ("name:to_string", [value]) => self.of_kind(Kind::Name, *value),
            _ => return self.fallback(function, args, None),
        };
        Ok((self.exprs.make(Kind::String, &[text]), is))
    }

    fn joined(&mut self, args: &[Expr]) -> Result<(Expr, Expr), Obstacle> {
        let (mut texts, mut are) = (Vec::new(), Vec::new());
        for arg in args {
            let (text, is) = self.text_of(*arg)?;
            texts.push(text);
            are.push(is);
        }
        Ok((self.exprs.concat(texts), self.exprs.and(are)))
    }

    /// Returns the text of a value in a concatenation, and the condition that it has one.
    fn text_of(&mut self, value: Expr) -> Result<(Expr, Expr), Obstacle> {
        let (mut text, mut known) = (self.exprs.text(""), Vec::new());
        for kind in [Kind::Float, Kind::Number, Kind::Name, Kind::String] {
            let is = self.exprs.is(kind, value);
            if self.exprs.as_bool(is) == Some(false) {
                continue;
            }
            let (content, _) = self.of_kind(kind, value);
            let of_kind = match kind {
                Kind::Number => self.number_text(content),
                Kind::Float => self.float_text(content),
                _ => content,
            };
            text = self.exprs.ite(is, of_kind, text);
            known.push(is);
        }
        Ok((text, self.exprs.or(known)))
    }

    fn number_text(&mut self, number: Expr) -> Expr {
        if let Some(number) = self.exprs.as_int(number) {
            return self.exprs.text(&number.to_string());
        }
        let zero = self.exprs.int(0);
        let negative = self.exprs.sub(zero, number);
        let minus = self.exprs.text("-");
        let plain = self.exprs.raw(Op::FromInt, &[number], Sort::Text);
        let mirrored = self.exprs.raw(Op::FromInt, &[negative], Sort::Text);
        let below = self.exprs.concat([minus, mirrored]);
        let is_below = self.exprs.less(number, zero);
        self.exprs.ite(is_below, below, plain)
    }

    fn float_text(&mut self, float: Expr) -> Expr {
        let unknown = self.exprs.unknown(FLOAT_TEXT, &[Sort::Float], Sort::Text);
        let finite = self.exprs.call(unknown, &[float]);
        let [is_nan, is_infinite, is_negative] = [Op::FloatIsNan, Op::FloatIsInfinite, Op::FloatIsNegative]
            .map(|op| self.exprs.float_test(op, float));
        let [nan, up, down] = ["NaN", "+Inf", "-Inf"].map(|text| self.exprs.text(text));
        for odd in [nan, up, down] {
            let equal = self.exprs.equal(finite, odd);
            let not = self.exprs.not(equal);
            self.required.push(not);
        }
        let infinite = self.exprs.ite(is_negative, down, up);
        let text = self.exprs.ite(is_infinite, infinite, finite);
        let text = self.exprs.ite(is_nan, nan, text);
        if let Some(function) = Function::from_name("fn:float64:to_string") {
            let (arg, result) =
                (self.exprs.make(Kind::Float, &[float]), self.exprs.make(Kind::String, &[text]));
            let succeeds = self.exprs.bool(true);
            if !self.open_calls.iter().any(|call| call.result == result) {
                self.open_calls.push(OpenCall { function, args: vec![arg], result, succeeds });
            }
        }
        text
    }

    fn replaced(&mut self, function: Function, args: &[Expr], [text, old, new, count]: [Expr; 4]) -> Applied {
        let (texts, are) = self.all_of_kind(Kind::String, &[text, old, new]);
        let (count, is_number) = self.of_kind(Kind::Number, count);
        let succeeds = self.exprs.and([are, is_number]);
        let [whole, old, new] = texts[..] else { return self.fallback(function, args, Some(Kind::String)) };
        let is_plain = self.exprs.as_text(old).is_some_and(|old| !old.is_empty());
        let replaced = match self.exprs.as_int(count) {
            Some(0) => whole,
            _ if old == new => whole,
            Some(1) => self.exprs.raw(Op::ReplaceFirst, &[whole, old, new], Sort::Text),
            Some(..0) if is_plain => self.exprs.raw(Op::ReplaceAll, &[whole, old, new], Sort::Text),
            _ => {
                let (value, _) = self.fallback(function, args, Some(Kind::String))?;
                return Ok((value, succeeds));
            }
        };
        Ok((self.exprs.make(Kind::String, &[replaced]), succeeds))
    }

    /// Returns the first part, the last part or the list of all parts of a name.
    pub(super) fn part_of_name(&mut self, function: Function, value: Expr) -> (Expr, Expr) {
        let (text, is) = self.of_kind(Kind::Name, value);
        let (kind, content) = match function.name() {
            "name:root" => (Kind::Name, self.root_and_rest(text, is).0),
            "name:tip" => (Kind::Name, self.tip(text, is)),
            _ => (Kind::List, self.segments(text, is, 0)),
        };
        (self.exprs.make(kind, &[content]), is)
    }

    /// Returns the first part of a name, and the rest.
    fn root_and_rest(&mut self, name: Expr, is_name: Expr) -> (Expr, Expr) {
        let key = ("root", vec![name].into_boxed_slice());
        if let Some(known) = self.memo.get(&key) {
            return *known;
        }
        let (root, rest) = (self.unknown("root", Sort::Text), self.unknown("rest", Sort::Text));
        let joined = self.exprs.concat([root, rest]);
        let same = self.exprs.equal(name, joined);
        let is_segment = self.exprs.raw(Op::IsSegment, &[root], Sort::Bool);
        let (empty, slash) = (self.exprs.text(""), self.exprs.text("/"));
        let is_empty = self.exprs.equal(rest, empty);
        let goes_on = self.exprs.text_test(Op::PrefixOf, rest, slash);
        let ends = self.exprs.or([is_empty, goes_on]);
        let all = self.exprs.and([same, is_segment, ends]);
        let all = self.exprs.implies(is_name, all);
        self.required.push(all);
        self.memo.insert(key, (root, rest));
        (root, rest)
    }

    /// Returns the last part of a name, which is the first part if it is the only one.
    fn tip(&mut self, name: Expr, is_name: Expr) -> Expr {
        let (root, rest) = self.root_and_rest(name, is_name);
        let empty = self.exprs.text("");
        let is_only = self.exprs.equal(rest, empty);
        let goes_on = self.exprs.not(is_only);
        let has_more = self.exprs.and([is_name, goes_on]);
        let tip = self.tip_of_rest(rest, has_more);
        self.exprs.ite(is_only, root, tip)
    }

    fn tip_of_rest(&mut self, name: Expr, is_name: Expr) -> Expr {
        let (before, tip) = (self.unknown("before", Sort::Text), self.unknown("tip", Sort::Text));
        let joined = self.exprs.concat([before, tip]);
        let same = self.exprs.equal(name, joined);
        let is_segment = self.exprs.raw(Op::IsSegment, &[tip], Sort::Bool);
        let empty = self.exprs.text("");
        let is_empty = self.exprs.equal(before, empty);
        let is_begun = self.is_name(before);
        let starts = self.exprs.or([is_empty, is_begun]);
        let all = self.exprs.and([same, is_segment, starts]);
        let all = self.exprs.implies(is_name, all);
        self.required.push(all);
        tip
    }

    /// Returns the parts of a name.
    fn segments(&mut self, name: Expr, is_name: Expr, depth: usize) -> Expr {
        if depth >= UNROLLED {
            let unknown = self.exprs.unknown("segments", &[Sort::Text], Sort::Items);
            let items = self.exprs.call(unknown, &[name]);
            let is_some = self.exprs.raw(Op::IsCons, &[items], Sort::Bool);
            self.required.push(is_some);
            return items;
        }
        let (root, rest) = self.root_and_rest(name, is_name);
        let head = self.exprs.make(Kind::Name, &[root]);
        let empty = self.exprs.text("");
        let is_last = self.exprs.equal(rest, empty);
        let goes_on = self.exprs.not(is_last);
        let has_more = self.exprs.and([is_name, goes_on]);
        let tail = self.segments(rest, has_more, depth + 1);
        let nil = self.exprs.nil();
        let tail = self.exprs.ite(is_last, nil, tail);
        self.exprs.cons(head, tail)
    }
}
