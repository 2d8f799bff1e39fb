//! Structured outputs and strict tools of Anthropic.

use serde_json::json;

use super::schema::{Patterns, SchemaStyle};
use super::{Dialect, Order, Output, SchemaLimits, Target};
use crate::envelope::EnvelopeSet;

pub(super) static TARGET: Target = Target {
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
    write,
};

const STYLE: SchemaStyle = SchemaStyle {
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

fn write(target: &Target, set: &EnvelopeSet, dialect: Dialect, origin: &str) -> Output {
    STYLE.write(target, set, dialect, json!({"description": origin}))
}
