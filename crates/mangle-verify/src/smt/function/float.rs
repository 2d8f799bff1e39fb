//! Encoding of float arithmetic.

use mangle_engine::kernel::Function;

use super::super::encoder::Encoder;
use super::super::expr::{Expr, Kind, Op, Sort};
use super::Applied;

impl Encoder<'_> {
    /// Encodes a function of floats.
    pub(super) fn float_value(&mut self, function: Function, args: &[Expr]) -> Applied {
        let (Some(floats), are) = self.floats(args) else {
            return self.fallback(function, args, Some(Kind::Float));
        };
        let (result, is_defined) = match (function.name(), floats.as_slice()) {
            ("float:plus", _) => (self.folded_floats(Op::FloatAdd, 0.0, &floats), are),
            ("float:mult", _) => (self.folded_floats(Op::FloatMul, 1.0, &floats), are),
            ("float:div", [first, divisors @ ..]) if !divisors.is_empty() => {
                let (quotient, are_divisors) = self.float_quotient(*first, divisors);
                (quotient, self.exprs.and([are, are_divisors]))
            }
            ("sqrt", [_]) => (self.exprs.raw(Op::FloatSqrt, &floats, Sort::Float), are),
            _ => return self.fallback(function, args, Some(Kind::Float)),
        };
        Ok((self.exprs.make(Kind::Float, &[result]), is_defined))
    }

    fn folded_floats(&mut self, op: Op, neutral: f64, floats: &[Expr]) -> Expr {
        let mut total = self.exprs.float(neutral.to_bits());
        for float in floats {
            total = self.exprs.raw(op, &[total, *float], Sort::Float);
        }
        total
    }

    /// Returns the quotient, and the condition that no divisor is zero.
    fn float_quotient(&mut self, first: Expr, divisors: &[Expr]) -> (Expr, Expr) {
        let (mut result, mut parts) = (first, Vec::new());
        for divisor in divisors {
            let is_zero = self.exprs.raw(Op::FloatIsZero, &[*divisor], Sort::Bool);
            parts.push(self.exprs.not(is_zero));
            result = self.exprs.raw(Op::FloatDiv, &[result, *divisor], Sort::Float);
        }
        (result, self.exprs.and(parts))
    }

    /// Returns float arguments. `None` if an argument may be a number.
    fn floats(&mut self, args: &[Expr]) -> (Option<Vec<Expr>>, Expr) {
        let mut floats = Vec::with_capacity(args.len());
        let mut are = Vec::new();
        for arg in args {
            let is_number = self.exprs.is(Kind::Number, *arg);
            match self.exprs.as_bool(is_number) {
                Some(false) => {
                    let (float, is) = self.of_kind(Kind::Float, *arg);
                    floats.push(float);
                    are.push(is);
                }
                Some(true) => {
                    let (number, _) = self.of_kind(Kind::Number, *arg);
                    let Some(number) = self.exprs.as_int(number) else { return (None, is_number) };
                    #[allow(clippy::cast_precision_loss)] // as in the engine
                    let float = number as f64;
                    floats.push(self.exprs.float(float.to_bits()));
                }
                None => return (None, is_number),
            }
        }
        (Some(floats), self.exprs.and(are))
    }
}
