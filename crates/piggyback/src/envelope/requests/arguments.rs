//! Rules for numbers in tool arguments.

use crate::envelope::edits::quoted;
use crate::envelope::json::{Json, JsonKind, NodeId};
use crate::envelope::sink::Sink;
use crate::envelope::view::number;
use mangle_syntax::lint::{Finding, Fix, Rule, rule};

pub(super) static NUMBER_PRECISION: Rule = rule!("number-precision.md");

pub(super) fn check(json: &Json<'_>, args: NodeId, sink: &mut Sink) {
    let mut open = vec![args];
    while let Some(node) = open.pop() {
        if json.kind(node) == JsonKind::Number && !sink.is_full(&NUMBER_PRECISION) {
            precision(json, node, sink);
        }
        open.extend(json.elements(node));
        open.extend(json.members(node).map(|member| member.value));
    }
}

fn precision(json: &Json<'_>, node: NodeId, sink: &mut Sink) {
    let (Some(value), Ok(written)) = (number(json, node), std::str::from_utf8(json.raw(node))) else {
        return;
    };
    if !is_changed(written, value) {
        return;
    }
    let fix = Fix::guess("put the number in quotes").replace(json.range(node), quoted(written));
    let finding = Finding::new(&NUMBER_PRECISION, json.range(node), "number loses digits as a float");
    sink.push(finding.note(format!("the runtime reads {value}")).fix(fix));
}

/// True if a float differs from the written number.
fn is_changed(written: &str, value: f64) -> bool {
    let digits = |text: &str| {
        let mantissa = text.split(['e', 'E']).next().unwrap_or("");
        let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        digits.trim_start_matches('0').trim_end_matches('0').to_owned()
    };
    let exact = digits(written);
    exact.len() > 15 && exact != digits(&format!("{value:e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_float_can_hold() {
        let changed = |text: &str| text.parse().is_ok_and(|value| is_changed(text, value));
        assert!(changed("9007199254740993"));
        assert!(!changed("9007199254740992"));
        assert!(!changed("1000000000000000000000"));
        assert!(changed("0.1234567890123456789"));
        assert!(!changed("0.1"));
        assert!(!changed("1e300"));
    }
}
