//! Reasons for incomplete input values.

use std::fmt;

/// The only operation that no solver decides.
pub(super) const MATCHES: &str = "matches of regular expressions";

/// An operation of the rules whose outcomes the tried values do not cover.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reason {
    /// The operation, for example `` `fn:plus` of several arguments ``.
    pub operation: String,
    /// The affected input predicates with their arity.
    pub inputs: Vec<String>,
    /// The number of tried values of the argument with the most values.
    pub tried: usize,
}

impl Reason {
    /// True if a solver can decide the operation.
    pub(crate) fn has_solver(&self) -> bool {
        self.operation != MATCHES
    }

    /// True if both reasons have the same operation and inputs.
    pub(crate) fn is_same_operation(&self, other: &Self) -> bool {
        self.operation == other.operation && self.inputs == other.inputs
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.operation)?;
        for (number, input) in self.inputs.iter().enumerate() {
            let separator = match number {
                0 => " on ",
                number if number + 1 == self.inputs.len() => " and ",
                _ => ", ",
            };
            write!(f, "{separator}`{input}`")?;
        }
        match self.tried {
            0 => Ok(()),
            1 => f.write_str(": 1 value tried"),
            tried => write!(f, ": {tried} values tried"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Reason;

    #[test]
    fn reason_names_operation_inputs_and_values() {
        let reason = |inputs: &[&str]| Reason {
            operation: "sums of 2 arguments".to_owned(),
            inputs: inputs.iter().map(|input| (*input).to_owned()).collect(),
            tried: 14,
        };
        assert_eq!(reason(&["n/1"]).to_string(), "sums of 2 arguments on `n/1`: 14 values tried");
        let three = "sums of 2 arguments on `n/1`, `m/1` and `o/1`: 14 values tried";
        assert_eq!(reason(&["n/1", "m/1", "o/1"]).to_string(), three);
    }
}
