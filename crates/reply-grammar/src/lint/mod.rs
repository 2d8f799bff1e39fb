//! Grammars and schemas that are files beside a policy, held against its declarations.

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

/// What a file is held against.
#[derive(Debug, Clone, Copy)]
pub struct FileContext<'a> {
    /// The envelopes that there may be.
    pub set: &'a EnvelopeSet,
    /// What the program says of predicates.
    pub declarations: &'a Declarations,
    /// The settings, with the consumer that the file is for.
    pub transcripts: &'a TranscriptSettings,
    /// What the file would be if it were generated now.
    pub generated: &'a str,
}

/// What a file has against it. Ranges count from the start of the file.
#[must_use]
pub fn check(text: &str, origin: &Origin, context: &FileContext<'_>) -> Vec<Finding> {
    if text == context.generated {
        return Vec::new();
    }
    let mut findings = Vec::new();
    match read(text, origin) {
        Ok(Some(grammar)) => {
            update_checks::check(&grammar, context, &mut findings);
            fields::check(&grammar, context.set, &mut findings);
        }
        // Its notation says more than is read here.
        Ok(None) => {}
        Err(broken) => findings.push(*broken),
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

/// What a file says of envelopes; `None` where it says what is not understood here.
///
/// # Errors
/// A finding, if it is broken.
fn read(text: &str, origin: &Origin) -> Result<Option<FileGrammar>, Box<Finding>> {
    let read = match origin.target {
        "gbnf" | "ebnf" => read_bnf(text),
        "lark" if text.lines().any(|line| line.trim_start().starts_with('%')) => return Ok(None),
        "lark" => read_lark(text),
        "regex" => read_pattern(text.trim_end()),
        _ => return schema_file::read(text, origin.dialect).map(Some),
    };
    match read {
        Ok(grammar) => Ok(envelope_grammar::read(grammar, text)),
        Err(error) if error.is_beyond => Ok(None),
        Err(error) => Err(Box::new(envelope_grammar::broken(text, &error))),
    }
}

fn first_line(text: &str) -> TextRange {
    TextRange::up_to(text_len(text.lines().next().unwrap_or_default()))
}
