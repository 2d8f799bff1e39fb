//! The file of a new rule.

use anyhow::{Result, bail};

use super::Options;

/// A rule that finds clauses for a predicate called like itself, so that there is something to run.
pub(super) fn skeleton(options: &Options) -> Result<String> {
    let group = group(&options.code)?;
    let Options { code, name, .. } = options;
    let predicate = options.module();
    Ok(format!(
        r##"//! `{name}`: SAY WHAT IS WRONG, in one line.

use crate::lint::{{Finding, FixKind, Group, Rule}};
use crate::syntax::ast::Clause;

/// Say what is wrong; off until it is right nearly always.
pub(super) static RULE: Rule = Rule {{
    code: "{code}",
    name: "{name}",
    group: Group::{group},
    severity: None,
    summary: "A clause for `{predicate}`",
    rationale: "Say what the engine does with it. This skeleton finds a predicate of its own name, so that it can be run.",
    bad: "{predicate}(1).\n",
    good: "other(1).\n",
    fix: FixKind::None,
}};

/// Looks at one clause. What it may look at beside is in `Context`, which the family's check has.
pub(super) fn check(clause: &Clause, findings: &mut Vec<Finding>) {{
    if clause.head.name.as_str() == "{predicate}" {{
        let message = "Say what is wrong, what the engine will do, and how to mend it.";
        findings.push(Finding::new(&RULE, clause.head.name.range, message));
    }}
}}

#[cfg(test)]
mod tests {{
    use expect_test::expect;

    use super::RULE;
    use crate::ide::testing::Checked;

    #[test]
    fn what_it_says() {{
        expect![[r#"
            1:1-{end} hint {name}: Say what is wrong, what the engine will do, and how to mend it.
        "#]]
        .assert_eq(&Checked::new_with("{predicate}(1).\n", &RULE).render());
    }}
}}
"##,
        end = predicate.len() + 1,
    ))
}

/// The group that a code belongs to.
fn group(code: &str) -> Result<&'static str> {
    Ok(match code.as_bytes() {
        [b'M', b'G', family, tens, ones] if tens.is_ascii_digit() && ones.is_ascii_digit() => match family {
            b'1' => "Declarations",
            b'2' => "Safety",
            b'3' => "Predicates",
            b'4' => "Transforms",
            b'5' => "Stratification",
            b'6' => "Types",
            b'7' => "Temporal",
            b'8' => "Quality",
            _ => bail!("rules of meaning have codes MG1xx to MG8xx"),
        },
        _ => bail!("a code is MG and three digits"),
    })
}
