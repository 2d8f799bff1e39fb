//! Arithmetic on integers (wrapping) and floats.

use super::{Entry, FunctionResult};
use crate::kernel::failure::{Failure, exactly, number, number_or_float};
use crate::kernel::values::{ValueId, Values};

pub(super) const FUNCTIONS: &[Entry] = &[
    Entry { name: "plus", apply: |values, args, _| plus(values, args) },
    Entry { name: "minus", apply: |values, args, _| minus(values, args) },
    Entry { name: "mult", apply: |values, args, _| mult(values, args) },
    Entry { name: "div", apply: |values, args, _| div(values, args) },
    Entry { name: "mod", apply: |values, args, _| modulo(values, args) },
    Entry { name: "float:plus", apply: |values, args, _| float_fold(values, args, 0.0, |a, b| a + b) },
    Entry { name: "float:mult", apply: |values, args, _| float_fold(values, args, 1.0, |a, b| a * b) },
    Entry { name: "float:div", apply: |values, args, _| float_div(values, args) },
    Entry { name: "sqrt", apply: |values, args, _| sqrt(values, args) },
];

fn plus(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let mut sum = 0_i64;
    for arg in args {
        sum = sum.wrapping_add(number(values, *arg)?);
    }
    Ok(values.number(sum))
}

fn mult(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let mut product = 1_i64;
    for arg in args {
        product = product.wrapping_mul(number(values, *arg)?);
    }
    Ok(values.number(product))
}

fn minus(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let (first, rest) = args.split_first().ok_or_else(no_arguments)?;
    let mut difference = number(values, *first)?;
    if rest.is_empty() {
        difference = difference.wrapping_neg();
    }
    for arg in rest {
        difference = difference.wrapping_sub(number(values, *arg)?);
    }
    Ok(values.number(difference))
}

/// Divides from left to right and truncates toward zero. Arguments after a quotient of zero are not
/// checked.
fn div(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let (first, rest) = args.split_first().ok_or_else(no_arguments)?;
    let mut quotient = number(values, *first)?;
    if rest.is_empty() {
        return match quotient {
            0 => Err(Failure::division_by_zero()),
            only => Ok(values.number(i64::from(only == 1))),
        };
    }
    for arg in rest {
        let divisor = number(values, *arg)?;
        if divisor == 0 {
            return Err(Failure::division_by_zero());
        }
        quotient = quotient.wrapping_div(divisor);
        if quotient == 0 {
            break;
        }
    }
    Ok(values.number(quotient))
}

fn modulo(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [left, right] = exactly(args)?;
    let (left, right) = (number(values, left)?, number(values, right)?);
    if right == 0 {
        return Err(Failure::division_by_zero());
    }
    Ok(values.number(left.wrapping_rem(right)))
}

fn float_fold(
    values: &mut Values,
    args: &[ValueId],
    start: f64,
    combine: fn(f64, f64) -> f64,
) -> FunctionResult {
    let mut total = start;
    for arg in args {
        total = combine(total, number_or_float(values, *arg)?);
    }
    Ok(values.float(total))
}

fn float_div(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let (first, rest) = args.split_first().ok_or_else(no_arguments)?;
    let first = number_or_float(values, *first)?;
    if rest.is_empty() {
        let reciprocal = float_quotient(1.0, first)?;
        return Ok(values.float(reciprocal));
    }
    let mut quotient = first;
    for arg in rest {
        quotient = float_quotient(quotient, number_or_float(values, *arg)?)?;
    }
    Ok(values.float(quotient))
}

fn float_quotient(left: f64, right: f64) -> Result<f64, Failure> {
    if right == 0.0 { Err(Failure::division_by_zero()) } else { Ok(left / right) }
}

fn sqrt(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [only] = exactly(args)?;
    let root = number_or_float(values, only)?.sqrt();
    Ok(values.float(root))
}

fn no_arguments() -> Failure {
    Failure::wrong("it lacks an argument")
}
