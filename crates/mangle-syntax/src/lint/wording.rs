//! Style checks of finding texts: maximum lengths and unwanted words. Tests apply the checks to the
//! examples of all rules.

use super::{Finding, Related};

/// Maximum length of a headline, in characters.
const HEADLINE: usize = 72;

/// Maximum length of a label, in characters.
const LABEL: usize = 40;

/// Maximum number of notes of a finding.
const NOTES: usize = 2;

/// Words that no text of the project may use, including guides.
pub const UNWANTED: [&str; 6] = ["somebody", "nobody", "whoever", "anybody", "everybody", "mend"];

/// Words that address the reader, which texts about a program do not need.
const READER: [&str; 2] = ["you", "your"];

/// The style errors in the texts of a finding, one per line.
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
        // The standard form of a suggestion.
        let prose = prose(text).to_lowercase().replace("did you mean `", "");
        let mut words = prose.split(|char: char| !char.is_alphanumeric());
        if words.any(|word| UNWANTED.contains(&word) || READER.contains(&word)) {
            report("word that has no place here", text);
        }
    }
    faults
}

/// A text without its code spans.
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
