//! Response schemas of Gemini, without patterns.

use serde_json::json;

use super::schema::{Patterns, SchemaStyle};
use super::{Dialect, Order, Output, SchemaLimits, Target};
use crate::envelope::EnvelopeSet;

pub(super) static TARGET: Target = Target {
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
    write,
};

const STYLE: SchemaStyle = SchemaStyle {
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

fn write(target: &Target, set: &EnvelopeSet, dialect: Dialect, origin: &str) -> Output {
    STYLE.write(target, set, dialect, json!({"description": origin}))
}
