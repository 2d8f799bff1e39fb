//! Grammars and schemas that are files beside a policy, held against its declarations.

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
    match FileGrammar::read(text, origin) {
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

fn first_line(text: &str) -> TextRange {
    TextRange::up_to(text_len(text.lines().next().unwrap_or_default()))
}
