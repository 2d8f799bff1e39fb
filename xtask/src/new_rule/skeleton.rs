//! The document and the code of a new rule.

use anyhow::{Result, bail};

use super::Options;

/// The document of a rule, which has its texts.
pub(super) fn document(options: &Options) -> Result<String> {
    let (Options { code, name, .. }, group) = (options, group(&options.code)?);
    let predicate = options.module();
    Ok(format!(
        "\
# {name} ({code})

- group: {group}
- severity: off
- fix: none
- engine: accepts

A clause for `{predicate}`.

## Why

Say what the engine does with it. This skeleton finds a predicate of its own name, so that it can be run.

## Bad

```mangle
{predicate}(1).
```

## Good

```mangle
other(1).
```
"
    ))
}

/// A rule that finds clauses for a predicate called like itself, so that there is something to run.
pub(super) fn code(options: &Options) -> String {
    let (name, predicate) = (&options.name, options.module());
    format!(
        r##"//! `{name}`: SAY WHAT IS WRONG, in one line.

use mangle_syntax::lint::{{Finding, Rule, rule}};
use mangle_syntax::syntax::ast::Clause;

pub(super) static RULE: Rule = rule!("{name}.md");

/// Looks at one clause. What it may look at beside is in `Context`, which the family's check has.
pub(super) fn check(clause: &Clause, findings: &mut Vec<Finding>) {{
    if clause.head.name.as_str() == "{predicate}" {{
        let message = "say what is wrong";
        findings.push(Finding::new(&RULE, clause.head.name.range, message));
    }}
}}

#[cfg(test)]
mod tests {{
    use expect_test::expect;

    use super::RULE;
    use crate::testing::Checked;

    #[test]
    fn what_it_says() {{
        expect![[r#"
            1:1-{end} hint {name}: say what is wrong
        "#]]
        .assert_eq(&Checked::new_with("{predicate}(1).\n", &RULE).render());
    }}
}}
"##,
        end = predicate.len() + 1,
    )
}

/// The group that a code belongs to.
fn group(code: &str) -> Result<&'static str> {
    Ok(match code.as_bytes() {
        [b'M', b'G', family, tens, ones] if tens.is_ascii_digit() && ones.is_ascii_digit() => match family {
            b'1' => "declarations",
            b'2' => "safety",
            b'3' => "predicates",
            b'4' => "transforms",
            b'5' => "stratification",
            b'6' => "types",
            b'7' => "temporal",
            b'8' => "quality",
            _ => bail!("rules of meaning have codes MG1xx to MG8xx"),
        },
        _ => bail!("a code is MG and three digits"),
    })
}
