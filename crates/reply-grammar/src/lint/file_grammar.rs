//! Content of a grammar or schema file: the fields of its envelopes, and the updates that it
//! allows.

use mangle_syntax::text::TextRange;
use serde_json::Value as Json;

use crate::expr::{Expr, escaped};
use crate::target::Dialect;

/// The envelopes that a file allows.
#[derive(Debug)]
pub(super) struct FileGrammar {
    /// The names of the two channels, in order.
    pub(super) channels: Vec<String>,
    /// The fields of the control packet, in order.
    pub(super) fields: Vec<String>,
    /// The optional fields.
    pub(super) optional: Vec<String>,
    /// The location of the fields.
    pub(super) place: TextRange,
    /// The allowed updates; `None` if the file does not restrict them.
    pub(super) updates: Option<UpdateGrammar>,
}

/// The updates that a file allows.
#[derive(Debug)]
pub(super) struct UpdateGrammar {
    pub(super) place: TextRange,
    form: UpdateForm,
}

#[derive(Debug)]
enum UpdateForm {
    /// The pattern of a schema.
    Pattern(Expr, Dialect),
    /// A grammar of whole envelopes, and an example envelope with the JSON of its update.
    Envelope { grammar: Expr, example: String, update: String },
}

impl UpdateGrammar {
    pub(super) fn of_pattern(place: TextRange, pattern: Expr, dialect: Dialect) -> Self {
        Self { place, form: UpdateForm::Pattern(pattern, dialect) }
    }

    pub(super) fn of_envelope(place: TextRange, grammar: Expr, example: String, update: String) -> Self {
        Self { place, form: UpdateForm::Envelope { grammar, example, update } }
    }

    /// Updates that cover every alternative of the file.
    pub(super) fn examples(&self) -> Vec<String> {
        match &self.form {
            UpdateForm::Pattern(pattern, dialect) => {
                let texts = pattern.examples(&|_| false).into_iter();
                texts.filter_map(|text| decoded(&text, *dialect)).collect()
            }
            UpdateForm::Envelope { grammar, .. } => {
                let envelopes = grammar.examples(&|_| false);
                let envelopes = envelopes.iter().filter_map(|text| serde_json::from_str::<Json>(text).ok());
                envelopes.flat_map(|envelope| updates(&envelope)).collect()
            }
        }
    }

    /// True if the file allows an update.
    pub(super) fn accepts(&self, update: &str) -> bool {
        match &self.form {
            UpdateForm::Pattern(pattern, Dialect::Raw) => pattern.accepts(&escaped(update)),
            UpdateForm::Pattern(pattern, _) => pattern.accepts(update),
            UpdateForm::Envelope { grammar, example, update: old } => {
                grammar.accepts(&example.replacen(old, &format!("\"{}\"", escaped(update)), 1))
            }
        }
    }
}

/// The text that a pattern matched, without JSON escapes.
fn decoded(text: &str, dialect: Dialect) -> Option<String> {
    match dialect {
        Dialect::Raw => serde_json::from_str(&format!("\"{text}\"")).ok(),
        Dialect::Decoded | Dialect::None => Some(text.to_owned()),
    }
}

/// The updates of an envelope.
pub(super) fn updates(envelope: &Json) -> Vec<String> {
    let list = envelope["control_packet"]["mangle_updates"].as_array().into_iter().flatten();
    list.filter_map(|update| update.as_str().map(str::to_owned)).collect()
}
