//! Encoding of the parts of names.

use mangle_engine::kernel::Function;

use super::super::collection::UNROLLED;
use super::super::encoder::Encoder;
use super::super::expr::{Expr, Kind, Op, Sort};

impl Encoder<'_> {
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
    pub(crate) fn root_and_rest(&mut self, name: Expr, is_name: Expr) -> (Expr, Expr) {
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
