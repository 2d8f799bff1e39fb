//! JSON Schema targets: validators and local engines, OpenAI, Anthropic and Gemini.

use serde_json::json;

use super::schema::{Patterns, SchemaStyle};
use super::{Dialect, Order, Output, SchemaLimits, Target};
use crate::envelope::EnvelopeSet;

/// Standard JSON Schema, for validators and local engines.
pub(super) static JSON_SCHEMA: Target = Target {
    name: "json-schema",
    readers: "validators, llguidance",
    extension: "schema.json",
    dialects: &[Dialect::Decoded, Dialect::Raw, Dialect::None],
    order: Order::Properties,
    keywords: &[
        "$schema",
        "description",
        "x-guidance",
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "minItems",
        "maxItems",
        "enum",
        "pattern",
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
        "anyOf",
        "patternProperties",
        "maxProperties",
    ],
    limits: SchemaLimits::NONE,
    write: write_json_schema,
};

const JSON_SCHEMA_STYLE: SchemaStyle = SchemaStyle {
    patterns: Patterns::All,
    has_lengths: true,
    has_item_limits: true,
    has_ranges: true,
    has_number_lists: true,
    is_closed: true,
    has_maps: true,
    has_ordering: false,
    has_nullable: false,
};

/// `x-guidance` prevents white space and unnecessary escapes in llguidance. Other readers ignore
/// it.
fn write_json_schema(target: &Target, set: &EnvelopeSet, dialect: Dialect, origin: &str) -> Output {
    let mut first = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "description": origin});
    if dialect == Dialect::Decoded {
        first["x-guidance"] = json!({"whitespace_flexible": false, "json_allowed_escapes": "nt\"\\"});
    }
    JSON_SCHEMA_STYLE.write(target, set, dialect, first)
}

/// Structured outputs of OpenAI in strict mode.
pub(super) static OPENAI: Target = Target {
    name: "openai",
    readers: "structured outputs of OpenAI",
    extension: "openai.json",
    dialects: &[Dialect::Decoded, Dialect::None],
    order: Order::Properties,
    keywords: &[
        "description",
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "minItems",
        "maxItems",
        "enum",
        "pattern",
        "minimum",
        "maximum",
        "anyOf",
    ],
    limits: SchemaLimits {
        properties: Some(5_000),
        levels: Some(10),
        enum_values: Some(1_000),
        characters: Some(120_000),
        unions: None,
    },
    write: write_openai,
};

const OPENAI_STYLE: SchemaStyle = SchemaStyle {
    patterns: Patterns::All,
    has_lengths: false,
    has_item_limits: true,
    has_ranges: true,
    has_number_lists: true,
    is_closed: true,
    has_maps: false,
    has_ordering: false,
    has_nullable: false,
};

fn write_openai(target: &Target, set: &EnvelopeSet, dialect: Dialect, origin: &str) -> Output {
    OPENAI_STYLE.write(target, set, dialect, json!({"description": origin}))
}

/// Structured outputs and strict tools of Anthropic.
pub(super) static ANTHROPIC: Target = Target {
    name: "anthropic",
    readers: "structured outputs of Anthropic",
    extension: "anthropic.json",
    dialects: &[Dialect::Decoded, Dialect::None],
    order: Order::Properties,
    keywords: &[
        "description",
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "minItems",
        "enum",
        "pattern",
        "anyOf",
    ],
    limits: SchemaLimits { unions: Some(16), ..SchemaLimits::NONE },
    write: write_anthropic,
};

const ANTHROPIC_STYLE: SchemaStyle = SchemaStyle {
    patterns: Patterns::Simple,
    has_lengths: false,
    has_item_limits: false,
    has_ranges: false,
    has_number_lists: true,
    is_closed: true,
    has_maps: false,
    has_ordering: false,
    has_nullable: false,
};

fn write_anthropic(target: &Target, set: &EnvelopeSet, dialect: Dialect, origin: &str) -> Output {
    ANTHROPIC_STYLE.write(target, set, dialect, json!({"description": origin}))
}

/// Response schemas of Gemini, without patterns.
pub(super) static GEMINI: Target = Target {
    name: "gemini",
    readers: "structured outputs of Gemini",
    extension: "gemini.json",
    dialects: &[Dialect::None],
    order: Order::PropertyOrdering,
    keywords: &[
        "description",
        "type",
        "properties",
        "required",
        "propertyOrdering",
        "items",
        "minItems",
        "maxItems",
        "enum",
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
        "anyOf",
        "nullable",
    ],
    limits: SchemaLimits::NONE,
    write: write_gemini,
};

const GEMINI_STYLE: SchemaStyle = SchemaStyle {
    patterns: Patterns::None,
    has_lengths: true,
    has_item_limits: true,
    has_ranges: true,
    has_number_lists: false,
    is_closed: false,
    has_maps: false,
    has_ordering: true,
    has_nullable: true,
};

fn write_gemini(target: &Target, set: &EnvelopeSet, dialect: Dialect, origin: &str) -> Output {
    GEMINI_STYLE.write(target, set, dialect, json!({"description": origin}))
}
