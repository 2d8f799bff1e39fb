//! Structured outputs of OpenAI in strict mode.

use serde_json::json;

use super::schema::{Patterns, SchemaStyle};
use super::{Dialect, Order, Output, SchemaLimits, Target};
use crate::envelope::EnvelopeSet;

pub(super) static TARGET: Target = Target {
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
    write,
};

const STYLE: SchemaStyle = SchemaStyle {
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

fn write(target: &Target, set: &EnvelopeSet, dialect: Dialect, origin: &str) -> Output {
    STYLE.write(target, set, dialect, json!({"description": origin}))
}
