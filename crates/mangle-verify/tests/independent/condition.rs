//! Conditions that hold for the values that some variables have.

use crate::naive::builtin::apply;
use crate::naive::syntax::{Premise, Term, Variable};
use crate::naive::value::Value;
use crate::support::Random;

/// The values of the variables of a body while it is made.
pub type Bindings = Vec<(Variable, Value)>;

fn compare(left: Term, operator: &'static str, right: Term) -> Premise {
    Premise::Compare { left, operator, right }
}

fn test(name: &'static str, args: Vec<Term>, negated: bool) -> Premise {
    Premise::Builtin { negated, name, args }
}

fn number(number: i64) -> Term {
    Term::Value(Value::Number(number))
}

/// A body that grows, with the values of its variables.
pub struct Body<'r> {
    pub random: &'r mut Random,
    pub premises: Vec<Premise>,
    pub bindings: Bindings,
    pub next: Variable,
}

impl Body<'_> {
    /// Adds a condition about one of the variables, if there is one.
    pub fn add_condition(&mut self) {
        if self.bindings.is_empty() || self.next > 16 {
            return;
        }
        let (variable, value) = self.random.pick(&self.bindings).clone();
        match value {
            Value::Number(known) => self.of_number(variable, known),
            Value::Name(known) => self.of_name(variable, &known),
            Value::Text(known) => self.of_text(variable, &known),
            Value::List(known) => self.of_list(variable, &known),
            Value::Pair(first, second) => {
                let (one, other) = (self.bind(*first), self.bind(*second));
                let args = vec![Term::Variable(variable), Term::Variable(one), Term::Variable(other)];
                self.premises.push(test(":match_pair", args, false));
            }
            _ => {}
        }
    }

    fn bind(&mut self, value: Value) -> Variable {
        let variable = self.next;
        self.next += 1;
        self.bindings.push((variable, value));
        variable
    }

    /// Adds `X = function(args)`, and often a condition about `X`.
    fn compute(&mut self, function: &'static str, args: Vec<(Term, Value)>) {
        let (terms, values): (Vec<Term>, Vec<Value>) = args.into_iter().unzip();
        let Some(value) = apply(function, &values) else { return };
        let variable = self.bind(value.clone());
        self.premises.push(compare(Term::Variable(variable), "=", Term::Apply(function, terms)));
        match value {
            Value::Number(known) => self.bound(variable, known),
            Value::Name(known) => self.plain(variable, Value::Name(known)),
            Value::Text(known) => self.of_text(variable, &known),
            _ => {}
        }
    }

    /// `X = value`, or `X != other`.
    fn plain(&mut self, variable: Variable, value: Value) {
        self.premises.push(compare(Term::Variable(variable), "=", Term::Value(value)));
    }

    fn others(&self, wanted: fn(&Value) -> bool, but: Variable) -> Vec<(Variable, Value)> {
        let all = self.bindings.iter().filter(|(variable, value)| *variable != but && wanted(value));
        all.cloned().collect()
    }

    fn bound(&mut self, variable: Variable, known: i64) {
        let gap = i64::try_from(self.random.below(4)).unwrap();
        let (operator, limit) = match self.random.below(5) {
            0 => (">", known - 1 - gap),
            1 => (">=", known - gap),
            2 => ("<", known + 1 + gap),
            3 => ("<=", known + gap),
            _ => ("=", known),
        };
        self.premises.push(compare(Term::Variable(variable), operator, number(limit)));
    }

    fn of_number(&mut self, variable: Variable, known: i64) {
        let others = self.others(|value| matches!(value, Value::Number(_)), variable);
        let this = (Term::Variable(variable), Value::Number(known));
        let constant = |number: i64| (Term::Value(Value::Number(number)), Value::Number(number));
        let choice = self.random.below(if others.is_empty() { 6 } else { 10 });
        match choice {
            0..3 => self.bound(variable, known),
            3 => {
                let divisor = 2 + i64::try_from(self.random.below(5)).unwrap();
                let function = *self.random.pick(&["fn:mod", "fn:div"]);
                self.compute(function, vec![this, constant(divisor)]);
            }
            4 => self.compute("fn:number:to_string", vec![this]),
            5 => {
                let addend = i64::try_from(self.random.below(20)).unwrap() - 4;
                self.compute("fn:plus", vec![this, constant(addend)]);
            }
            _ => {
                let (other, value) = self.random.pick(&others).clone();
                let Value::Number(second) = value else { return };
                match choice {
                    6 | 7 => {
                        let operator = if known < second { "<" } else { ">=" };
                        let sides = (Term::Variable(variable), Term::Variable(other));
                        self.premises.push(compare(sides.0, operator, sides.1));
                    }
                    _ => {
                        let function = *self.random.pick(&["fn:plus", "fn:minus", "fn:mult"]);
                        self.compute(function, vec![this, (Term::Variable(other), Value::Number(second))]);
                    }
                }
            }
        }
    }

    fn of_name(&mut self, variable: Variable, known: &str) {
        let this = (Term::Variable(variable), Value::name(known));
        let others = self.others(|value| matches!(value, Value::Name(_)), variable);
        match self.random.below(9) {
            0 => self.plain(variable, Value::name(known)),
            1 => self.compute("fn:name:root", vec![this]),
            2 => self.compute("fn:name:tip", vec![this]),
            3 => self.compute("fn:name:to_string", vec![this]),
            4 if known.len() > 3 => {
                let end = 2 + self.random.below(known.len() - 2);
                let prefix = known[..end].trim_end_matches('/');
                if prefix.len() > 1 && prefix != known {
                    let args = vec![Term::Variable(variable), Term::Value(Value::name(prefix))];
                    self.premises.push(test(":match_prefix", args, false));
                }
            }
            5 => {
                let other = *self.random.pick(&["/a", "/b", "/secret", "/a/b", "/zz"]);
                if other != known {
                    let sides = (Term::Variable(variable), Term::Value(Value::name(other)));
                    self.premises.push(compare(sides.0, "!=", sides.1));
                }
            }
            6 => {
                let list = apply("fn:name:list", &[Value::name(known)]);
                let Some(list) = list.filter(|_| self.next < 14) else { return };
                let parts = self.bind(list.clone());
                let call = Term::Apply("fn:name:list", vec![Term::Variable(variable)]);
                self.premises.push(compare(Term::Variable(parts), "=", call));
                self.compute("fn:list:len", vec![(Term::Variable(parts), list)]);
            }
            _ => {
                if let Some((other, _)) = others.iter().find(|(_, value)| *value != Value::name(known)) {
                    let sides = (Term::Variable(variable), Term::Variable(*other));
                    self.premises.push(compare(sides.0, "!=", sides.1));
                }
            }
        }
    }

    fn of_text(&mut self, variable: Variable, known: &str) {
        let part = |from: usize, to: usize| Term::Value(Value::text(&known[from..to]));
        let this = Term::Variable(variable);
        let (start, length) = (self.random.below(known.len() + 1), known.len());
        match self.random.below(7) {
            0 => self.premises.push(test(":string:starts_with", vec![this, part(0, start)], false)),
            1 => self.premises.push(test(":string:ends_with", vec![this, part(start, length)], false)),
            2 => {
                let end = start + self.random.below(length - start + 1);
                self.premises.push(test(":string:contains", vec![this, part(start, end)], false));
            }
            3 => {
                let name =
                    *self.random.pick(&[":string:contains", ":string:starts_with", ":string:ends_with"]);
                let missing = *self.random.pick(&["//", "b", "secret", "-", "zz"]);
                let holds = match name {
                    ":string:contains" => known.contains(missing),
                    ":string:starts_with" => known.starts_with(missing),
                    _ => known.ends_with(missing),
                };
                if !holds {
                    self.premises.push(test(name, vec![this, Term::Value(Value::text(missing))], true));
                }
            }
            4 if self.random.chance(40) => self.plain(variable, Value::text(known)),
            _ => {
                let others = self.others(|value| matches!(value, Value::Text(_)), variable);
                if others.is_empty() || length > 12 {
                    return;
                }
                let (other, value) = self.random.pick(&others).clone();
                let args = vec![(this, Value::text(known)), (Term::Variable(other), value)];
                self.compute("fn:string:concat", args);
            }
        }
    }

    fn of_list(&mut self, variable: Variable, known: &[Value]) {
        let this = (Term::Variable(variable), Value::List(known.to_vec()));
        match self.random.below(5) {
            0 => self.compute("fn:list:len", vec![this]),
            1 if !known.is_empty() => {
                let index = self.random.below(known.len());
                let index = Value::Number(i64::try_from(index).unwrap());
                self.compute("fn:list:get", vec![this, (Term::Value(index.clone()), index)]);
            }
            2 if !known.is_empty() => {
                let element = self.random.pick(known).clone();
                let element = self.bind(element);
                let args = vec![Term::Variable(element), Term::Variable(variable)];
                self.premises.push(test(":list:member", args, false));
            }
            3 if known.is_empty() => self.premises.push(test(":match_nil", vec![this.0], false)),
            _ if !known.is_empty() => {
                let (mut list, mut rest) = (variable, known);
                for _ in 0..=self.random.below(known.len().min(4)) {
                    let Some((first, tail)) = rest.split_first() else { break };
                    let (head, others) = (self.bind(first.clone()), self.bind(Value::List(tail.to_vec())));
                    let args = [list, head, others].map(Term::Variable).to_vec();
                    self.premises.push(test(":match_cons", args, false));
                    (list, rest) = (others, tail);
                    if self.next > 16 {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
}
