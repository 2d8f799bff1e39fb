//! Size of a schema according to provider limits.

use serde_json::Value as Json;

use super::SchemaLimits;

#[derive(Debug, Default, PartialEq, Eq)]
struct SchemaSize {
    properties: usize,
    levels: usize,
    enum_values: usize,
    characters: usize,
    unions: usize,
}

/// The exceeded limits, one sentence each.
pub(super) fn exceeded(schema: &Json, limits: &SchemaLimits, target: &str) -> Vec<String> {
    let mut size = SchemaSize::default();
    size.add(schema, 0);
    let rows = [
        ("properties", size.properties, limits.properties),
        ("levels", size.levels, limits.levels),
        ("values of enumerations", size.enum_values, limits.enum_values),
        ("characters", size.characters, limits.characters),
        ("unions", size.unions, limits.unions),
    ];
    let over =
        rows.into_iter().filter_map(|(what, is, most)| Some((what, is, most.filter(|most| is > *most)?)));
    over.map(|(what, is, most)| format!("the schema has {is} {what}, and `{target}` takes {most}")).collect()
}

impl SchemaSize {
    /// Adds a schema at a nesting depth.
    fn add(&mut self, schema: &Json, outer: usize) {
        let text = |value: &Json| value.as_str().map_or(0, |text| text.chars().count());
        let kind = &schema["type"];
        let is_nested = kind == "object" || kind == "array";
        let level = outer + usize::from(is_nested);
        self.levels = self.levels.max(level);
        self.unions += usize::from(kind.is_array() || schema["anyOf"].is_array());
        self.characters += text(&schema["pattern"]);
        for value in schema["enum"].as_array().into_iter().flatten() {
            self.enum_values += 1;
            self.characters += text(value);
        }
        for (name, inner) in
            ["properties", "patternProperties"].iter().filter_map(|key| schema[key].as_object()).flatten()
        {
            self.properties += 1;
            self.characters += name.chars().count();
            self.add(inner, level);
        }
        let inner = schema["anyOf"].as_array().into_iter().flatten().chain(schema.get("items"));
        inner.for_each(|inner| self.add(inner, level));
    }
}
