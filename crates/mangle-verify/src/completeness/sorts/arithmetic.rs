//! Conversion of arithmetic functions of one unknown integer to computation steps.

use mangle_engine::kernel::{Datum, Values};

use super::super::dataflow::Dataflow;
use super::super::numbers::NumberStep;
use super::Computation;

/// The maximum number of constant combinations of an arithmetic function.
const MAX_OPERANDS: usize = 24;

/// Returns the steps of an arithmetic function of one unknown integer, for each combination of its
/// constants. `None` if it is not supported.
pub(super) fn number_steps(
    flow: &Dataflow,
    values: &Values,
    computation: &Computation,
) -> Option<Vec<Vec<NumberStep>>> {
    let (at, all) = computation.constants(flow)?;
    if all.len() > MAX_OPERANDS {
        return None;
    }
    let mut found = Vec::new();
    for constants in all {
        let operands: Option<Vec<i64>> = constants
            .iter()
            .map(|value| match values.get(*value) {
                Datum::Number(number) => Some(*number),
                _ => None,
            })
            .collect();
        // Values of other kinds stop the evaluation.
        let Some(operands) = operands else { continue };
        found.push(steps_of(computation.function.name(), at, &operands)?);
    }
    Some(found)
}

/// Returns the steps of a function whose unknown argument is at index `at`.
fn steps_of(name: &str, at: usize, operands: &[i64]) -> Option<Vec<NumberStep>> {
    let sum = |all: &[i64]| all.iter().try_fold(0i64, |sum, one| sum.checked_add(*one));
    Some(match (name, at, operands) {
        ("plus", _, all) => vec![NumberStep::Plus(sum(all)?)],
        ("minus", 0, []) => vec![NumberStep::From(0)],
        ("minus", 0, all) => vec![NumberStep::Plus(sum(all)?.checked_neg()?)],
        ("minus", _, [first, rest @ ..]) => vec![NumberStep::From(first.checked_sub(sum(rest)?)?)],
        ("mult", _, all) => {
            vec![NumberStep::Times(all.iter().try_fold(1i64, |product, one| product.checked_mul(*one))?)]
        }
        ("div", 0, [_, ..]) => operands.iter().map(|divisor| NumberStep::Div(*divisor)).collect(),
        ("div", 1, [dividend, rest @ ..]) => {
            let rest = rest.iter().map(|divisor| NumberStep::Div(*divisor));
            std::iter::once(NumberStep::Into(*dividend)).chain(rest).collect()
        }
        ("mod", 0, [divisor]) => vec![NumberStep::Mod(*divisor)],
        ("mod", 1, [dividend]) => vec![NumberStep::ModInto(*dividend)],
        _ => return None,
    })
}
