//! Entering a rule into the `mod.rs` of its family: the module, the row in its table, the call in its check of
//! clauses.

use anyhow::{Context, Result};

/// The text of a `mod.rs` with `module` in it.
pub(super) fn enter(text: &str, module: &str) -> Result<String> {
    let check = clause_check(text).context("the family has no check of clauses to call the rule's from")?;
    let mut text = text.to_owned();
    // From the end to the start, so that places stay.
    let (call_at, call) =
        call(&text, &check, module).context("the family's check of clauses is not in its mod.rs")?;
    text.insert_str(call_at, &call);
    let row_at = end_of_table(&text).context("the family has no table of rules")?;
    let comma = if text[..row_at].trim_end().ends_with([',', '[']) { "" } else { ", " };
    text.insert_str(row_at, &format!("{comma}&{module}::RULE,"));
    let module_at = first_module(&text).context("the family has no modules")?;
    text.insert_str(module_at, &format!("mod {module};\n"));
    Ok(text)
}

/// The name of the function that looks at clauses: `clause: Some(NAME),`.
fn clause_check(text: &str) -> Option<String> {
    let name = text.split("clause: Some(").nth(1)?.split(')').next()?;
    Some(name.to_owned())
}

/// Where in the function `check` a call goes, which is its first line, and the call.
fn call(text: &str, check: &str, module: &str) -> Option<(usize, String)> {
    let start = text.find(&format!("\nfn {check}("))?;
    let rest = text.get(start..)?;
    let body = rest.find(" {\n")? + " {\n".len();
    let parameters = rest.get(..body)?.split('(').nth(1)?;
    let mut names = parameters.split(',').filter_map(|parameter| parameter.split(':').next()).map(str::trim);
    let (_context, clause, findings) = (names.next()?, names.next()?, names.next()?);
    Some((start + body, format!("    {module}::check({clause}, {findings});\n")))
}

/// Where the rows of the first table of rules end.
fn end_of_table(text: &str) -> Option<usize> {
    let start = text.find("rules: &[")? + "rules: &[".len();
    Some(start + text.get(start..)?.find(']')?)
}

/// Where the first `mod` line starts.
fn first_module(text: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("mod ") {
            return Some(at);
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const FAMILY: &str = "\
//! A family.

mod one;

pub(super) const FAMILY: Family = Family {
    rules: &[
        &one::ONE,
    ],
    clause: Some(check_clause),
};

fn check_clause(context: &Context<'_>, clause: &Clause, out: &mut Vec<Finding>) {
    one::check(context, clause, out);
}
";

    #[test]
    fn a_rule_is_entered_in_three_places() {
        let entered = enter(FAMILY, "two").unwrap();
        let expected = FAMILY
            .replace("mod one;", "mod two;\nmod one;")
            .replace("    ],\n", "    &two::RULE,],\n")
            .replace("{\n    one::check", "{\n    two::check(clause, out);\n    one::check");
        assert_eq!(entered, expected);
    }

    #[test]
    fn a_family_without_a_check_of_clauses_is_refused() {
        assert!(enter(&FAMILY.replace("Some(check_clause)", "None"), "two").is_err());
    }

    /// The families as they are: most take a rule, and of those each gets it three times.
    #[test]
    fn the_families_of_the_project() {
        let families = crate::root().join("crates/mangle-check/src/analysis");
        let mut entered = 0;
        for family in std::fs::read_dir(families).unwrap() {
            let path = family.unwrap().path().join("mod.rs");
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            if let Ok(with) = enter(&text, "brand_new") {
                assert_eq!(with.matches("brand_new").count(), 3, "{}", path.display());
                entered += 1;
            }
        }
        assert!(entered >= 5, "only {entered} families take a rule");
    }
}
