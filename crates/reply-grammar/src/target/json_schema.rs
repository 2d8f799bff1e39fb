//! Standard JSON Schema, for validators and local engines.

use serde_json::json;

use super::schema::{Patterns, SchemaStyle};
use super::{Dialect, Order, Output, SchemaLimits, Target};
use crate::envelope::EnvelopeSet;

pub(super) static TARGET: Target = Target {
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
    write,
};

const STYLE: SchemaStyle = SchemaStyle {
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
fn write(target: &Target, set: &EnvelopeSet, dialect: Dialect, origin: &str) -> Output {
    let mut first = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "description": origin});
    if dialect == Dialect::Decoded {
        first["x-guidance"] = json!({"whitespace_flexible": false, "json_allowed_escapes": "nt\"\\"});
    }
    STYLE.write(target, set, dialect, first)
}
