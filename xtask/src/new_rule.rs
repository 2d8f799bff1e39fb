//! `cargo xtask new-rule FAMILY CODE NAME`: the skeleton of a rule, in a file of its own family.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// A folder below src/analysis: declarations, safety, predicates, …
    family: String,
    /// The code, never used before: MG215
    code: String,
    /// The name in kebab-case: variable-of-two-minds
    name: String,
}

/// Writes `src/analysis/FAMILY/NAME.rs` and says what is left to do.
pub(crate) fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    let folder = root.join("src/analysis").join(&options.family);
    if !folder.is_dir() {
        bail!("{} is no folder; families are the folders of src/analysis", folder.display());
    }
    let code_is_free = !uses_word(&root.join("src"), &format!("\"{}\"", options.code))?;
    let name_is_free = !uses_word(&root.join("src"), &format!("\"{}\"", options.name))?;
    if !(code_is_free && name_is_free) {
        bail!("{} or {} is taken", options.code, options.name);
    }
    let module = options.name.replace('-', "_");
    let path = folder.join(format!("{module}.rs"));
    if path.exists() {
        bail!("{} exists", path.display());
    }
    fs::write(&path, skeleton(options)?).with_context(|| format!("cannot write {}", path.display()))?;
    println!("wrote {}", path.display());
    println!("now, in src/analysis/{}/mod.rs:", options.family);
    println!("  mod {module};");
    println!("  a row `&{module}::RULE` in RULES, in the order of the codes");
    println!("  a call `{module}::check(context, clause, findings)` in the family's check");
    println!("then fill in the texts and run `cargo test --lib registry`, which executes both examples.");
    Ok(ExitCode::SUCCESS)
}

fn skeleton(options: &Options) -> Result<String> {
    let group = match options.code.as_bytes() {
        [b'M', b'G', family, _, _] => match family {
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
    };
    let Options { code, name, .. } = options;
    Ok(format!(
        r#"//! `{name}`: WHAT IS WRONG, in one line.

use crate::analysis::Context;
use crate::lint::{{Finding, FixKind, Group, Rule, Severity}};
use crate::syntax::ast::Clause;

/// WHAT IS WRONG.
pub(super) static RULE: Rule = Rule {{
    code: "{code}",
    name: "{name}",
    group: Group::{group},
    severity: Some(Severity::Warning),
    summary: "WHAT IS WRONG.",
    rationale: "WHAT THE ENGINE DOES WITH IT.",
    bad: "A PROGRAM THAT HAS IT.",
    good: "THE SAME WITHOUT IT.",
    fix: FixKind::None,
}};

pub(super) fn check(context: &Context<'_>, clause: &Clause, findings: &mut Vec<Finding>) {{
    let is_wrong = context.text.is_empty();
    if is_wrong {{
        findings.push(Finding::new(&RULE, clause.head.range, "SAY WHAT, WHY, AND HOW TO MEND IT."));
    }}
}}
"#
    ))
}

fn uses_word(folder: &Path, word: &str) -> Result<bool> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
        let path = entry?.path();
        let found = if path.is_dir() {
            uses_word(&path, word)?
        } else {
            fs::read_to_string(&path).is_ok_and(|text| text.contains(word))
        };
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}
