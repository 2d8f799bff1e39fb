//! The unknown facts of a world: a slot holds one fact of one input, whose columns are values of
//! their declared types.

use mangle_engine::kernel::plan::{BEGINNING, END};
use mangle_engine::types::{Base, StructField, Type};

use super::encoder::Encoder;
use super::expr::{Expr, Kind, Op, Sort};
use crate::symbolic::Uses;

/// The number of elements of a list whose types are asserted.
const TYPED_ELEMENTS: usize = 6;

/// The maximum depth of type assertions for values of unknown kind.
const TYPED_DEPTH: usize = 3;

/// The possible fact of a slot for one input.
#[derive(Debug)]
pub(crate) struct SlotFact {
    /// The number of the input.
    pub(crate) input: usize,
    /// True if the slot holds a fact of this input.
    pub(crate) taken: Expr,
    pub(crate) columns: Box<[Expr]>,
    pub(crate) uses: Uses,
}

impl Encoder<'_> {
    /// Adds `count` slots. The facts are in the order of the inputs.
    pub(crate) fn add_slots(&mut self, count: usize) {
        let (compiled, inputs) = (self.setting.compiled, self.setting.inputs);
        for slot in 0..count {
            let mut facts = Vec::new();
            let mut number = 0_u16;
            for (at, input) in inputs.iter().enumerate() {
                let is_temporal = input.predicates.iter().any(|id| compiled.is_temporal(*id));
                for row in &input.rows {
                    let taken = self.unknown(&format!("slot{slot}_is"), Sort::Bool);
                    let mut columns = Vec::with_capacity(row.len());
                    let mut typed = Vec::new();
                    for ty in row {
                        let (value, holds) = self.typed(&format!("f{slot}"), ty);
                        columns.push(value);
                        typed.push(holds);
                    }
                    if is_temporal {
                        let (start, end) = (self.instant_in(slot), self.instant_in(slot));
                        typed.push(self.exprs.less_equal(start, end));
                        let (first, last) = (self.exprs.int(BEGINNING.into()), self.exprs.int(END.into()));
                        typed.push(self.exprs.less(start, last));
                        typed.push(self.exprs.less(first, end));
                        for instant in [start, end] {
                            columns.push(self.exprs.make(Kind::Time, &[instant]));
                        }
                    }
                    let typed = self.exprs.and(typed);
                    let required = self.exprs.implies(taken, typed);
                    self.required.push(required);
                    let uses = Uses::only(count, slot, number);
                    facts.push(SlotFact { input: at, taken, columns: columns.into(), uses });
                    number = number.saturating_add(1);
                }
            }
            self.one_of(&facts);
            self.slots.push(facts);
        }
        for slot in 1..count {
            self.ordered(slot);
        }
    }

    fn instant_in(&mut self, slot: usize) -> Expr {
        self.number_in(&format!("f{slot}"), i64::MIN.into(), i64::MAX.into())
    }

    /// Asserts that exactly one of the inputs is used.
    fn one_of(&mut self, facts: &[SlotFact]) {
        let any = self.exprs.or(facts.iter().map(|fact| fact.taken));
        self.required.push(any);
        let mut earlier = self.exprs.bool(false);
        for fact in facts {
            let both = self.exprs.and([earlier, fact.taken]);
            let not = self.exprs.not(both);
            self.required.push(not);
            earlier = self.exprs.or([earlier, fact.taken]);
        }
    }

    /// Asserts that the fact of a slot does not precede the fact of the previous slot, because the
    /// order of facts is irrelevant.
    fn ordered(&mut self, slot: usize) {
        let (Some(before), Some(behind)) = (self.slots.get(slot - 1), self.slots.get(slot)) else { return };
        let pairs: Vec<_> = before
            .iter()
            .zip(behind)
            .map(|(one, other)| (one.taken, other.taken, self.first_numbers(one, other)))
            .collect();
        let mut later = self.exprs.bool(false);
        for (one, other, numbers) in pairs.into_iter().rev() {
            let both = self.exprs.and([later, other]);
            let ordered = self.exprs.not(both);
            self.required.push(ordered);
            later = self.exprs.or([later, one]);
            if let Some((first, second)) = numbers {
                let both = self.exprs.and([one, other]);
                let ascending = self.exprs.less_equal(first, second);
                let ascending = self.exprs.implies(both, ascending);
                self.required.push(ascending);
            }
        }
    }

    /// Returns the numbers in the first numeric column of two facts.
    fn first_numbers(&self, one: &SlotFact, other: &SlotFact) -> Option<(Expr, Expr)> {
        let mut columns = one.columns.iter().zip(&other.columns).filter_map(|(one, other)| {
            let content = |value: &Expr| match self.exprs.node(*value) {
                super::expr::Node::Apply(Op::Make(_), args) => {
                    args.first().copied().filter(|arg| self.exprs.sort(*arg) == Sort::Int)
                }
                _ => None,
            };
            Some((content(one)?, content(other)?))
        });
        columns.find(|(one, other)| one != other)
    }

    /// Returns a new value of a type, and the condition that it has the type.
    fn typed(&mut self, prefix: &str, ty: &Type) -> (Expr, Expr) {
        match ty {
            Type::Base(base) => {
                let kind = kind_of(*base);
                let (content, holds) = self.scalar(prefix, kind);
                (self.exprs.make(kind, &[content]), holds)
            }
            Type::Singleton(_) | Type::Literal(_) | Type::Prefix(_) => self.typed_name(prefix, ty),
            Type::Pair(parts) => {
                let (first, second) = (self.typed(prefix, &parts.0), self.typed(prefix, &parts.1));
                let holds = self.exprs.and([first.1, second.1]);
                (self.exprs.make(Kind::Pair, &[first.0, second.0]), holds)
            }
            Type::List(_) | Type::Map(_) => {
                let kind = if matches!(ty, Type::List(_)) { Kind::List } else { Kind::Map };
                let items = self.unknown(prefix, Sort::Items);
                let value = self.exprs.make(kind, &[items]);
                let holds = self.conforms(value, ty, TYPED_DEPTH);
                (value, holds)
            }
            Type::Struct(fields) => self.typed_struct(prefix, fields),
            Type::Union(_) if ty.is_name() => self.typed_name(prefix, ty),
            Type::Union(_) | Type::Any | Type::Variable(_) => {
                let value = self.unknown(prefix, Sort::Value);
                let holds = self.conforms(value, ty, TYPED_DEPTH);
                (value, holds)
            }
            Type::Option(_) => (self.unknown(prefix, Sort::Value), self.exprs.bool(false)),
        }
    }

    fn typed_name(&mut self, prefix: &str, ty: &Type) -> (Expr, Expr) {
        let (content, _) = self.scalar(prefix, Kind::Name);
        let value = self.exprs.make(Kind::Name, &[content]);
        let holds = self.conforms(value, ty, 1);
        (value, holds)
    }

    fn name_constant(&mut self, text: &str) -> Result<Expr, crate::obstacle::Obstacle> {
        let value = self.values.name(text);
        self.constant(value)
    }

    /// Returns the content of a new value without parts, and the condition that it has a literal.
    fn scalar(&mut self, prefix: &str, kind: Kind) -> (Expr, Expr) {
        let yes = self.exprs.bool(true);
        match kind {
            Kind::Number | Kind::Time | Kind::Duration => {
                (self.number_in(prefix, i64::MIN.into(), i64::MAX.into()), yes)
            }
            Kind::Float => {
                let float = self.unknown(prefix, Sort::Float);
                (float, self.is_finite(float))
            }
            Kind::Name | Kind::String if self.sort_of(kind) == Sort::Text => {
                let text = self.unknown(prefix, Sort::Text);
                let holds = if kind == Kind::Name { self.is_name(text) } else { yes };
                (text, holds)
            }
            _ => (self.unknown(prefix, Sort::Int), yes),
        }
    }

    fn is_finite(&mut self, float: Expr) -> Expr {
        let odd = [Op::FloatIsNan, Op::FloatIsInfinite].map(|op| self.exprs.raw(op, &[float], Sort::Bool));
        let odd = self.exprs.or(odd);
        self.exprs.not(odd)
    }

    /// Returns the condition that a text is a name.
    pub(crate) fn is_name(&mut self, text: Expr) -> Expr {
        self.exprs.raw(Op::IsName, &[text], Sort::Bool)
    }

    fn typed_struct(&mut self, prefix: &str, fields: &[StructField]) -> (Expr, Expr) {
        let mut items = self.exprs.nil();
        let mut all = Vec::new();
        let mut fields: Vec<_> = fields.iter().collect();
        fields.sort_by_key(|field| field.label.as_str());
        for field in fields.into_iter().rev() {
            let (value, holds) = self.typed(prefix, &field.ty);
            all.push(holds);
            let Ok(label) = self.name_constant(field.label.as_str()) else {
                return (value, self.exprs.bool(false));
            };
            let entry = self.exprs.make(Kind::Pair, &[label, value]);
            let longer = self.exprs.cons(entry, items);
            items = if field.optional {
                let is_present = self.unknown(prefix, Sort::Bool);
                self.exprs.ite(is_present, longer, items)
            } else {
                longer
            };
        }
        let holds = self.exprs.and(all);
        (self.exprs.make(Kind::Struct, &[items]), holds)
    }

    /// Returns the condition that a name is below another name.
    fn is_below(&mut self, value: Expr, prefix: &str) -> Expr {
        let is = self.exprs.is(Kind::Name, value);
        let text = self.exprs.content(Kind::Name, 0, value, self.sorts.names);
        if self.sorts.names != Sort::Text {
            return is;
        }
        let part = self.exprs.text(&format!("{prefix}/"));
        let starts = self.exprs.text_test(Op::PrefixOf, text, part);
        let sound = self.is_name(text);
        self.exprs.and([is, starts, sound])
    }

    /// Returns the condition that a value has a kind and its first items have a type.
    fn are_items(&mut self, value: Expr, kind: Kind, item: &Type, depth: usize) -> Expr {
        let is = self.exprs.is(kind, value);
        let items = self.exprs.content(kind, 0, value, Sort::Items);
        let all = self.all_items(items, TYPED_ELEMENTS, &mut |this, value| this.conforms(value, item, depth));
        self.exprs.and([is, all])
    }

    /// Returns the condition that a value has a type, checked up to `depth` and for the first
    /// elements of lists.
    fn conforms(&mut self, value: Expr, ty: &Type, depth: usize) -> Expr {
        let yes = self.exprs.bool(true);
        let Some(below) = depth.checked_sub(1) else { return yes };
        match ty {
            Type::Any | Type::Variable(_) => self.is_sound(value, below),
            Type::Base(base) => {
                let kind = kind_of(*base);
                let is = self.exprs.is(kind, value);
                let sound = self.is_sound_scalar(value, kind);
                self.exprs.and([is, sound])
            }
            Type::Singleton(name) | Type::Literal(name) => match self.name_constant(name.as_str()) {
                Ok(constant) => self.exprs.equal(value, constant),
                Err(_) => self.exprs.bool(false),
            },
            Type::Prefix(prefix) => self.is_below(value, prefix.as_str()),
            Type::Pair(parts) => {
                let is = self.exprs.is(Kind::Pair, value);
                let [first, second] =
                    [0, 1].map(|part| self.exprs.content(Kind::Pair, part, value, Sort::Value));
                let first = self.conforms(first, &parts.0, below);
                let second = self.conforms(second, &parts.1, below);
                self.exprs.and([is, first, second])
            }
            Type::List(element) => self.are_items(value, Kind::List, element, below),
            Type::Map(parts) => self.are_items(value, Kind::Map, &Type::Pair(parts.clone()), below + 1),
            Type::Struct(_) => {
                // The set of fields is known only for columns of this type.
                let is = self.exprs.is(Kind::Struct, value);
                self.open.insert("structs inside of other values");
                is
            }
            Type::Union(members) => {
                let members: Vec<Expr> =
                    members.iter().map(|member| self.conforms(value, member, depth)).collect();
                self.exprs.or(members)
            }
            Type::Option(_) => self.exprs.bool(false),
        }
    }

    fn all_items(
        &mut self,
        items: Expr,
        most: usize,
        holds: &mut dyn FnMut(&mut Self, Expr) -> Expr,
    ) -> Expr {
        let mut rest = items;
        let (mut guard, mut all) = (self.exprs.bool(true), Vec::new());
        for _ in 0..most {
            let (is_some, head, tail) = self.exprs.taken_apart(rest);
            guard = self.exprs.and([guard, is_some]);
            if self.exprs.as_bool(guard) == Some(false) {
                break;
            }
            let held = holds(self, head);
            let held = self.exprs.implies(guard, held);
            all.push(held);
            rest = tail;
        }
        self.exprs.and(all)
    }

    /// Returns the condition that a value of any kind has a literal.
    fn is_sound(&mut self, value: Expr, depth: usize) -> Expr {
        let mut all = Vec::new();
        for kind in Kind::ALL {
            let is = self.exprs.is(kind, value);
            let sound = match kind {
                Kind::Pair => {
                    let parts = [0, 1].map(|part| self.exprs.content(kind, part, value, Sort::Value));
                    let parts = parts.map(|part| self.conforms(part, &Type::Any, depth));
                    self.exprs.and(parts)
                }
                Kind::List if depth > 0 => {
                    let items = self.exprs.content(kind, 0, value, Sort::Items);
                    self.all_items(items, 3, &mut |this, item| this.conforms(item, &Type::Any, depth))
                }
                // Entries are pairs.
                Kind::Map | Kind::Struct => {
                    let items = self.exprs.content(kind, 0, value, Sort::Items);
                    self.all_items(items, 3, &mut |this, item| this.exprs.is(Kind::Pair, item))
                }
                _ => self.is_sound_scalar(value, kind),
            };
            let sound = self.exprs.implies(is, sound);
            all.push(sound);
        }
        self.exprs.and(all)
    }

    fn is_sound_scalar(&mut self, value: Expr, kind: Kind) -> Expr {
        match kind {
            Kind::Number | Kind::Time | Kind::Duration => {
                let number = self.exprs.content(kind, 0, value, Sort::Int);
                if self.exprs.range(number).0 >= i64::MIN.into()
                    && self.exprs.range(number).1 <= i64::MAX.into()
                {
                    return self.exprs.bool(true);
                }
                self.exprs.between(i64::MIN.into(), number, i64::MAX.into())
            }
            Kind::Float => {
                let float = self.exprs.content(kind, 0, value, Sort::Float);
                self.is_finite(float)
            }
            Kind::Name if self.sorts.names == Sort::Text => {
                let text = self.exprs.content(kind, 0, value, Sort::Text);
                self.is_name(text)
            }
            _ => self.exprs.bool(true),
        }
    }
}

fn kind_of(base: Base) -> Kind {
    match base {
        Base::Number => Kind::Number,
        Base::Float => Kind::Float,
        Base::String => Kind::String,
        Base::Bytes => Kind::Bytes,
        Base::Name => Kind::Name,
        Base::Time => Kind::Time,
        Base::Duration => Kind::Duration,
    }
}
