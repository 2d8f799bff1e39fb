//! What clauses say of values: comparisons, built-in predicates, functions.

use super::{Generator, NAMES, Type, apply, number, value};
use crate::naive::syntax::{Premise, Term};
use crate::naive::value::Value;

impl Generator {
    pub(super) fn compare(&mut self, left: Term, operator: &'static str, right: Term) {
        self.body.push(Premise::Compare { left, operator, right });
    }

    /// A premise that is no positive atom.
    pub(super) fn about(&mut self, layer: usize) {
        let types = [
            Type::Number,
            Type::Name,
            Type::Text,
            Type::Pair,
            Type::List,
            Type::Map,
            Type::Struct,
            Type::Bag,
            Type::Tuples,
        ];
        if self.next > 14 || self.chance(25) {
            return self.negation(layer);
        }
        if self.chance(15) {
            let of = self.pick(&[Type::Number, Type::Name, Type::Text, Type::Pair, Type::List, Type::Struct]);
            let right = self.expression(of);
            let left = if self.chance(35) { self.simple(of) } else { self.new_variable(of) };
            return self.compare(left, "=", right);
        }
        let start = self.below(types.len());
        for at in 0..types.len() {
            let of = types[(start + at) % types.len()];
            if let Some(known) = self.known(of) {
                return self.about_one(of, known);
            }
        }
    }

    pub(super) fn about_one(&mut self, of: Type, known: Term) {
        let negated = self.chance(40);
        match (of, self.below(4)) {
            (Type::Number, 0) => {
                let operator = self.pick(&["<", "<=", ">", ">=", "!="]);
                let right = self.simple(Type::Number);
                self.compare(known, operator, right);
            }
            (Type::Number, 1) => {
                let name = self.pick(&[":lt", ":le", ":gt", ":ge"]);
                let right = self.simple(Type::Number);
                self.push(negated, name, [known, right]);
            }
            (Type::Number, 2) => {
                let other = self.simple(Type::Number);
                self.push(false, ":within_distance", [known, other, number(2)]);
            }
            (Type::Number, _) => {
                // Fails where it is 0.
                let divisor = if self.chance(10) { known.clone() } else { number(2) };
                let right = apply("fn:div", [number(6), divisor]);
                let operator = self.pick(&["<", "!=", ">"]);
                self.compare(known, operator, right);
            }
            (Type::Name, 0) => {
                let prefix = value(Value::name(self.pick(&["/a", "/a/b", "/c"])));
                self.push(negated, ":match_prefix", [known, prefix]);
            }
            (Type::Name, 1) if self.chance(8) => self.compare(known, "<", number(3)),
            (Type::Name | Type::Map | Type::Struct, 2) => {
                let right = self.simple(of);
                let operator = self.pick(&["!=", "="]);
                self.compare(known, operator, right);
            }
            (Type::Name, _) => {
                let left = self.new_variable(Type::Name);
                let name = self.pick(&["fn:name:root", "fn:name:tip"]);
                self.compare(left, "=", apply(name, [known]));
            }
            (Type::Text, _) => {
                let name = self.pick(&[":string:starts_with", ":string:ends_with", ":string:contains"]);
                let part = self.simple(Type::Text);
                self.push(negated, name, [known, part]);
            }
            (Type::Pair, _) => {
                let args = [known, self.new_variable(Type::Number), self.new_variable(Type::Name)];
                self.push(false, ":match_pair", args);
            }
            (Type::List, 0) => {
                let args = [known, self.new_variable(Type::Number), self.new_variable(Type::List)];
                self.push(false, ":match_cons", args);
            }
            (Type::List, 1) => self.push(negated, ":match_nil", [known]),
            (Type::Map, _) => {
                let key = value(Value::name(self.pick(&NAMES)));
                let args = [known, key, self.new_variable(Type::Number)];
                self.push(false, ":match_entry", args);
            }
            (Type::Struct, 0) => {
                let args = [known, value(Value::name("/g")), self.new_variable(Type::Name)];
                self.push(false, ":match_field", args);
            }
            (Type::Struct, _) => {
                let left = self.new_variable(Type::Number);
                // Fails where there is no such field.
                let field = if self.chance(10) { "/h" } else { "/f" };
                self.compare(left, "=", apply("fn:struct:get", [known, value(Value::name(field))]));
            }
            (Type::List | Type::Bag, 2) if negated => {
                let member = self.simple(Type::Number);
                self.push(true, ":list:member", [member, known]);
            }
            (Type::List | Type::Bag, 2) => {
                let member = self.new_variable(Type::Number);
                self.push(false, ":list:member", [member, known]);
            }
            (Type::List | Type::Bag, 3) => {
                let one = self.simple(Type::Number);
                self.push(negated, ":filter", [apply("fn:list:contains", [known, one])]);
            }
            (Type::List, _) | (Type::Bag | Type::Tuples, _) => {
                let left = self.new_variable(Type::Number);
                let name = if of == Type::Tuples {
                    "fn:list:len"
                } else {
                    self.pick(&["fn:list:len", "fn:sum", "fn:max", "fn:min"])
                };
                self.compare(left, "=", apply(name, [known]));
            }
            _ => {}
        }
    }

    /// Something of this type computed from what is known.
    pub(super) fn expression(&mut self, of: Type) -> Term {
        match of {
            Type::Number => self.number_expression(),
            Type::Name => {
                let name = self.pick(&["fn:name:root", "fn:name:tip"]);
                apply(name, [self.simple(Type::Name)])
            }
            Type::Text => match self.below(3) {
                0 => apply("fn:number:to_string", [self.simple(Type::Number)]),
                1 if !self.recursive => apply(
                    "fn:string:concat",
                    [self.simple(Type::Text), self.simple(Type::Number), self.simple(Type::Name)],
                ),
                _ => apply("fn:name:to_string", [self.simple(Type::Name)]),
            },
            Type::Float if self.recursive => value(self.constant(of)),
            Type::Float => apply("fn:float:plus", [self.simple(Type::Float), self.simple(Type::Float)]),
            Type::Pair => {
                let name = self.pick(&["fn:pair", "fn:tuple"]);
                apply(name, [self.simple(Type::Number), self.simple(Type::Name)])
            }
            Type::List => match self.below(3) {
                0 => apply("fn:list", [self.simple(Type::Number), self.simple(Type::Number)]),
                _ => {
                    let longer = self.simple(Type::List);
                    if self.recursive {
                        self.compare(apply("fn:list:len", [longer.clone()]), "<", number(3));
                    }
                    if self.chance(50) {
                        apply("fn:list:cons", [self.simple(Type::Number), longer])
                    } else {
                        apply("fn:list:append", [longer, self.simple(Type::Number)])
                    }
                }
            },
            Type::Map => apply("fn:map", [self.simple(Type::Name), self.simple(Type::Number)]),
            Type::Struct => apply(
                "fn:struct",
                [
                    value(Value::name("/g")),
                    self.simple(Type::Name),
                    value(Value::name("/f")),
                    self.simple(Type::Number),
                ],
            ),
            Type::Index | Type::Bag | Type::Tuples => unreachable!("nothing is made of this type"),
        }
    }

    pub(super) fn number_expression(&mut self) -> Term {
        let (one, other) = (self.simple(Type::Number), self.simple(Type::Number));
        if self.recursive {
            if self.chance(50) {
                self.compare(one.clone(), "<", number(6));
                return apply("fn:plus", [one, number(1)]);
            }
            return apply("fn:mod", [apply("fn:plus", [one, other]), number(5)]);
        }
        match self.below(8) {
            0 => apply("fn:minus", [one, other]),
            1 => apply("fn:mult", [one, other]),
            2 => apply("fn:mod", [one, number(3)]),
            3 => apply("fn:div", [one, number(2)]),
            4 => apply("fn:list:len", [self.simple(Type::List)]),
            5 => {
                let name = self.pick(&["fn:sum", "fn:max", "fn:min"]);
                apply(name, [self.simple(Type::List)])
            }
            // Fails where the list is too short.
            6 if self.chance(25) => apply("fn:list:get", [self.simple(Type::List), number(0)]),
            _ => apply("fn:plus", [one, other]),
        }
    }
}
