//! Encoding of 64-bit integer arithmetic.

use mangle_engine::kernel::Function;

use super::super::encoder::Encoder;
use super::super::expr::{Expr, Kind};
use super::{Applied, HIGH, LOW};

impl Encoder<'_> {
    /// Encodes a function of integers.
    pub(super) fn integer_value(&mut self, function: Function, args: &[Expr]) -> Applied {
        match (function.name(), args) {
            ("plus", _) => {
                let (numbers, are) = self.all_of_kind(Kind::Number, args);
                let sum = self.exprs.add(numbers);
                Ok((self.integer_of(Kind::Number, sum), are))
            }
            ("minus", [_, ..]) => Ok(self.difference(args)),
            ("mult", _) => Ok(self.product(args)),
            ("div", [value]) => Ok(self.inverse(*value)),
            ("div", [_, _, ..]) => self.divided(args),
            ("mod", [left, right]) => {
                let ((left, is_left), (right, is_right)) =
                    (self.of_kind(Kind::Number, *left), self.of_kind(Kind::Number, *right));
                let are = self.exprs.and([is_left, is_right]);
                let (_, rest, is_zero) = self.truncated(left, right);
                let not = self.exprs.not(is_zero);
                Ok((self.exprs.make(Kind::Number, &[rest]), self.exprs.and([are, not])))
            }
            _ => self.fallback(function, args, None),
        }
    }

    /// Returns the first number minus the others, or the negation of a single number.
    fn difference(&mut self, args: &[Expr]) -> (Expr, Expr) {
        let (numbers, are) = self.all_of_kind(Kind::Number, args);
        let zero = self.exprs.int(0);
        let mut numbers = numbers.into_iter();
        let first = numbers.next().unwrap_or(zero);
        let mut result = if args.len() == 1 { self.exprs.sub(zero, first) } else { first };
        for number in numbers {
            result = self.exprs.sub(result, number);
        }
        (self.integer_of(Kind::Number, result), are)
    }

    fn product(&mut self, args: &[Expr]) -> (Expr, Expr) {
        let (numbers, are) = self.all_of_kind(Kind::Number, args);
        let mut product = self.exprs.int(1);
        for number in numbers {
            product = self.exprs.mul(product, number);
            product = self.wrapped(product);
        }
        (self.exprs.make(Kind::Number, &[product]), are)
    }

    /// Returns the quotient of one and a number, as in the engine: 0 except for 1.
    fn inverse(&mut self, value: Expr) -> (Expr, Expr) {
        let (number, is) = self.of_kind(Kind::Number, value);
        let (zero, one) = (self.exprs.int(0), self.exprs.int(1));
        let (is_zero, is_one) = (self.exprs.equal(number, zero), self.exprs.equal(number, one));
        let result = self.exprs.ite(is_one, one, zero);
        let not = self.exprs.not(is_zero);
        (self.exprs.make(Kind::Number, &[result]), self.exprs.and([is, not]))
    }

    /// Divides from left to right. The division ends at a quotient of zero.
    fn divided(&mut self, args: &[Expr]) -> Applied {
        let (numbers, are) = self.all_of_kind(Kind::Number, args);
        let mut numbers = numbers.into_iter();
        let zero = self.exprs.int(0);
        let mut quotient = numbers.next().unwrap_or(zero);
        let mut is_over = self.exprs.bool(false);
        let mut parts = vec![are];
        for divisor in numbers {
            let (next, _, is_zero) = self.truncated(quotient, divisor);
            let not = self.exprs.not(is_zero);
            parts.push(self.exprs.or([is_over, not]));
            quotient = self.exprs.ite(is_over, zero, next);
            is_over = self.exprs.equal(quotient, zero);
        }
        Ok((self.exprs.make(Kind::Number, &[quotient]), self.exprs.and(parts)))
    }

    /// Returns the quotient, truncated toward zero, the remainder, and the condition that the
    /// divisor is zero.
    fn truncated(&mut self, left: Expr, right: Expr) -> (Expr, Expr, Expr) {
        let zero = self.exprs.int(0);
        let is_zero = self.exprs.equal(right, zero);
        if self.exprs.as_bool(is_zero) == Some(true) {
            return (zero, zero, is_zero);
        }
        let negative = self.exprs.sub(zero, left);
        let (quotient, rest) = self.exprs.div_mod(left, right);
        let is_negative = self.exprs.less(left, zero);
        if self.exprs.as_bool(is_negative) == Some(false) {
            let quotient = self.wrapped(quotient);
            return (quotient, rest, is_zero);
        }
        let (mirrored, mirrored_rest) = self.exprs.div_mod(negative, right);
        let (mirrored, mirrored_rest) = (self.exprs.sub(zero, mirrored), self.exprs.sub(zero, mirrored_rest));
        let quotient = self.exprs.ite(is_negative, mirrored, quotient);
        let rest = self.exprs.ite(is_negative, mirrored_rest, rest);
        // Only the minimum integer divided by -1 exceeds 64 bits.
        let may_leave = self.exprs.range(right).0 <= -1 && self.exprs.range(right).1 >= -1;
        let quotient = if may_leave { self.wrapped(quotient) } else { self.named(quotient, LOW, HIGH) };
        (quotient, self.named(rest, LOW, HIGH), is_zero)
    }
}
