//! Targets of grammars and schemas: one declaration and one table row for each.

mod grammars;
mod schema;
mod schema_targets;

use crate::envelope::{EnvelopeSet, Remaining};

/// The location of JSON escapes in a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// The pattern matches the decoded text, as in the standard.
    Decoded,
    /// The pattern matches the text between the quotes, including JSON escapes.
    Raw,
    /// The target has no patterns.
    None,
}

impl Dialect {
    /// The name on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Decoded => "decoded",
            Self::Raw => "raw",
            Self::None => "none",
        }
    }
}

/// The mechanism that fixes the order of object members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The grammar itself.
    Grammar,
    /// The order of `properties`.
    Properties,
    /// The keyword `propertyOrdering`.
    PropertyOrdering,
}

/// The published limits of a provider; `None` if not published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchemaLimits {
    /// The total number of properties of all objects.
    pub properties: Option<usize>,
    /// The maximum nesting depth of objects and lists.
    pub levels: Option<usize>,
    /// The total number of enumeration values.
    pub enum_values: Option<usize>,
    /// The total number of characters of names, values and patterns.
    pub characters: Option<usize>,
    /// The number of values with more than one type.
    pub unions: Option<usize>,
}

impl SchemaLimits {
    /// No limits.
    pub const NONE: Self =
        Self { properties: None, levels: None, enum_values: None, characters: None, unions: None };
}

/// A target of generation.
#[derive(Debug)]
pub struct Target {
    /// The name on the command line.
    pub name: &'static str,
    /// The engines and APIs that accept the target, for human readers.
    pub readers: &'static str,
    /// The file extension.
    pub extension: &'static str,
    /// The supported locations of JSON escapes; the first is the default.
    pub dialects: &'static [Dialect],
    /// The mechanism that fixes the order of members.
    pub order: Order,
    /// The allowed keywords of JSON Schema.
    pub keywords: &'static [&'static str],
    /// The published limits of the provider.
    pub limits: SchemaLimits,
    write: fn(&Target, &EnvelopeSet, Dialect, &str) -> Output,
}

/// A generated grammar or schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// The text of the file.
    pub text: String,
    /// The constraints that this target does not enforce, in addition to
    /// [`EnvelopeSet::remaining`].
    pub dropped: Vec<Remaining>,
    /// The exceeded limits, one sentence each.
    pub exceeded: Vec<String>,
    /// True if all allowed envelopes have a bounded length.
    pub is_bounded: bool,
}

/// All targets.
pub static TARGETS: [&Target; 8] = [
    &schema_targets::JSON_SCHEMA,
    &schema_targets::OPENAI,
    &schema_targets::ANTHROPIC,
    &schema_targets::GEMINI,
    &grammars::GBNF,
    &grammars::EBNF,
    &grammars::LARK,
    &grammars::REGEX,
];

impl Target {
    /// The target with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        TARGETS.into_iter().find(|target| target.name == name)
    }

    /// The default dialect.
    #[must_use]
    pub fn usual_dialect(&self) -> Dialect {
        self.dialects.first().copied().unwrap_or(Dialect::None)
    }

    /// True if the target is a JSON Schema.
    #[must_use]
    pub fn is_schema(&self) -> bool {
        !self.keywords.is_empty()
    }

    /// Generates the grammar or schema of a set of envelopes. `origin` is the text of the header
    /// comment.
    #[must_use]
    pub fn write(&self, set: &EnvelopeSet, dialect: Dialect, origin: &str) -> Output {
        (self.write)(self, set, dialect, origin)
    }
}
