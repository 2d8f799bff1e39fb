//! The form of the texts of findings: how long they may be, and which words they do without. Tests hold the examples of all
//! rules against it.

use super::{Finding, Related};

/// How many characters a headline may have.
const HEADLINE: usize = 72;

/// How many characters a label may have.
const LABEL: usize = 40;

/// How many notes a finding may have.
const NOTES: usize = 2;

/// Words that no text of the project has, guides included.
pub const UNWANTED: [&str; 6] = ["somebody", "nobody", "whoever", "anybody", "everybody", "mend"];

/// Words that a text about a program does not need: nor is it about its reader.
const READER: [&str; 2] = ["you", "your"];

/// What is wrong with the texts of a finding, a line each.
#[must_use]
pub fn faults(finding: &Finding) -> Vec<String> {
    let mut faults = Vec::new();
    let mut report = |what: &str, text: &str| faults.push(format!("{}: {what}: {text}", finding.rule.name));
    let headline = &*finding.message;
    if headline.chars().count() > HEADLINE {
        report("long headline", headline);
    }
    let is_sentence = headline.starts_with(char::is_uppercase) && !headline.starts_with("Mangle ");
    if is_sentence || prose(headline).contains(". ") {
        report("headline that is no clause", headline);
    }
    if finding.notes.len() > NOTES {
        report("many notes", headline);
    }
    let related = finding.related.iter().map(|Related { message, .. }| message);
    for label in finding.label.iter().chain(related).filter(|label| label.chars().count() > LABEL) {
        report("long label", label);
    }
    let texts =
        std::iter::once(&finding.message).chain(&finding.label).chain(&finding.notes).chain(&finding.help);
    for text in texts {
        if text.ends_with('.') && !text.ends_with("..") {
            report("full stop at the end", text);
        }
        // The one form of a suggestion.
        let prose = prose(text).to_lowercase().replace("did you mean `", "");
        let mut words = prose.split(|char: char| !char.is_alphanumeric());
        if words.any(|word| UNWANTED.contains(&word) || READER.contains(&word)) {
            report("word that has no place here", text);
        }
    }
    faults
}

/// A text without the code in it.
fn prose(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::rules::DIRECTIVE_OUTSIDE_HYBRID;
    use crate::text::TextRange;

    #[test]
    fn texts_have_a_form() {
        let finding =
            |headline: &str| Finding::new(&DIRECTIVE_OUTSIDE_HYBRID, TextRange::default(), headline);
        assert!(faults(&finding("`X` is unbound").note("the engine rejects the clause")).is_empty());
        assert!(faults(&finding("`You. X` is unbound")).is_empty());
        for wrong in
            ["The variable is unbound", "`X` is unbound. Bind it", "`X` is unbound.", "you forgot `X`"]
        {
            assert_eq!(faults(&finding(wrong)).len(), 1, "{wrong}");
        }
        assert_eq!(faults(&finding(&"word ".repeat(15))).len(), 1);
        assert_eq!(faults(&finding("`X` is unbound").label("word ".repeat(9))).len(), 1);
    }
}
