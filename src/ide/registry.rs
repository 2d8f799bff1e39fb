//! All rules of the tool in one list.

use crate::analysis;
use crate::lint::Rule;

/// Every rule, in the order of the codes.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    analysis::FAMILIES.iter().flat_map(|family| family.rules.iter().copied())
}

/// The rule with this code or name.
#[must_use]
pub fn find(code_or_name: &str) -> Option<&'static Rule> {
    rules().find(|rule| rule.code == code_or_name || rule.name == code_or_name)
}
