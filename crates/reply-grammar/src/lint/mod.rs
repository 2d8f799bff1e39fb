//! Lint of grammar and schema files: checks them against the declarations of the policy.

mod envelope_grammar;
mod fields;
mod file_grammar;
mod origin;
pub mod rules;
mod schema_file;
#[cfg(test)]
mod tests;
mod update_checks;

use mangle_settings::TranscriptSettings;
use mangle_syntax::lint::{Finding, Fix};
use mangle_syntax::text::{TextRange, text_len};
use piggyback::envelope::atoms::Declarations;

pub use origin::Origin;

use crate::envelope::EnvelopeSet;
use crate::reading::{read_bnf, read_lark, read_pattern};
use file_grammar::FileGrammar;

/// The inputs for the check of a file.
#[derive(Debug, Clone, Copy)]
pub struct FileContext<'a> {
    /// The valid envelopes.
    pub set: &'a EnvelopeSet,
    /// The declarations of the program.
    pub declarations: &'a Declarations,
    /// The settings with the consumer of the file.
    pub transcripts: &'a TranscriptSettings,
    /// The text that generation would produce now.
    pub generated: &'a str,
}

/// Checks a file. Ranges count from the start of the file.
#[must_use]
pub fn check(text: &str, origin: &Origin, context: &FileContext<'_>) -> Vec<Finding> {
    if text == context.generated {
        return Vec::new();
    }
    let mut findings = Vec::new();
    match read(text, origin) {
        Ok(grammar) => {
            update_checks::check(&grammar, context, &mut findings);
            fields::check(&grammar, context.set, &mut findings);
        }
        Err(unread) => findings.push(*unread),
    }
    if findings.is_empty() && origin.is_generated {
        let finding =
            Finding::new(&rules::SCHEMA_DRIFT, first_line(text), "file is not what is generated now");
        findings.push(finding.note("declarations or settings were changed since it was generated"));
    }
    let whole = TextRange::up_to(text_len(text));
    let fix = || Fix::guess("generate the file again").replace(whole, context.generated);
    findings.into_iter().map(|finding| finding.fix(fix())).collect()
}

/// The finding for a file that cannot be compared with the declarations.
#[must_use]
pub fn unchecked(text: &str, reason: impl Into<String>) -> Finding {
    let message = "grammar is not compared with the declarations";
    Finding::new(&rules::GRAMMAR_UNCHECKED, first_line(text), message).note(reason.into())
}

/// Reads a file.
///
/// # Errors
///
/// A finding, if the file is invalid or uses unsupported features.
fn read(text: &str, origin: &Origin) -> Result<FileGrammar, Box<Finding>> {
    let read = match origin.target {
        "gbnf" | "ebnf" => read_bnf(text),
        "lark" => read_lark(text),
        "regex" => read_pattern(text.trim_end()),
        _ => return schema_file::read(text, origin.dialect),
    };
    match read {
        Ok(grammar) => envelope_grammar::read(grammar, text)
            .ok_or_else(|| Box::new(unchecked(text, "none of its examples is an envelope"))),
        Err(error) if error.is_beyond => Err(Box::new(unchecked(text, error.why))),
        Err(error) => Err(Box::new(envelope_grammar::broken(text, &error))),
    }
}

fn first_line(text: &str) -> TextRange {
    TextRange::up_to(text_len(text.lines().next().unwrap_or_default()))
}
