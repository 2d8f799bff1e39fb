//! A grammar or a schema as a file has it: the fields of its envelopes, and which updates it allows.

use mangle_syntax::text::TextRange;
use serde_json::Value as Json;

use crate::expr::{Expr, escaped};
use crate::target::Dialect;

/// What a file says of envelopes.
#[derive(Debug)]
pub(super) struct FileGrammar {
    /// The names of the two channels, in their order.
    pub(super) channels: Vec<String>,
    /// The fields of the control packet, in their order.
    pub(super) fields: Vec<String>,
    /// The fields that may be left out.
    pub(super) optional: Vec<String>,
    /// Where the fields are.
    pub(super) place: TextRange,
    /// The updates; `None` where the file does not restrict them.
    pub(super) updates: Option<UpdateGrammar>,
}

/// Which updates a file allows.
#[derive(Debug)]
pub(super) struct UpdateGrammar {
    pub(super) place: TextRange,
    form: UpdateForm,
}

#[derive(Debug)]
enum UpdateForm {
    /// A pattern of a schema.
    Pattern(Expr, Dialect),
    /// A grammar of whole envelopes, and one of them that has an update, given by its JSON.
    Envelope { grammar: Expr, example: String, update: String },
}

impl UpdateGrammar {
    pub(super) fn of_pattern(place: TextRange, pattern: Expr, dialect: Dialect) -> Self {
        Self { place, form: UpdateForm::Pattern(pattern, dialect) }
    }

    pub(super) fn of_envelope(place: TextRange, grammar: Expr, example: String, update: String) -> Self {
        Self { place, form: UpdateForm::Envelope { grammar, example, update } }
    }

    /// Updates in which every alternative of the file occurs.
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

    /// Whether the file allows an update.
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

/// What a pattern matched, without the escapes of JSON.
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
