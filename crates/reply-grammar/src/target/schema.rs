//! Common parts of all JSON Schema targets: the writer, and the size according to provider limits.

use serde_json::{Map, Value as Json, json};

use super::{Dialect, Output, SchemaLimits, Target};
use crate::envelope::{EnvelopeSet, Remaining};
use crate::expr::Expr;
use crate::pattern::{PatternStyle, pattern};
use crate::value::{Member, Value};

/// The supported keywords of a target, in addition to types, members and enumerations.
#[derive(Debug, Clone, Copy)]
pub(super) struct SchemaStyle {
    /// `pattern`.
    pub(super) patterns: Patterns,
    /// `minLength` and `maxLength`.
    pub(super) has_lengths: bool,
    /// `maxItems`.
    pub(super) has_item_limits: bool,
    /// `minimum` and `maximum`.
    pub(super) has_ranges: bool,
    /// `enum` of numbers.
    pub(super) has_number_lists: bool,
    /// `additionalProperties`.
    pub(super) is_closed: bool,
    /// Objects with arbitrary keys.
    pub(super) has_maps: bool,
    /// `propertyOrdering`.
    pub(super) has_ordering: bool,
    /// `nullable` instead of the type `null`.
    pub(super) has_nullable: bool,
}

/// The texts with patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patterns {
    /// All texts.
    All,
    /// Only texts that are not prose. Their patterns have no length limits.
    Simple,
    /// No texts.
    None,
}

/// The names of prose text sets.
const PROSE: [&str; 5] = ["surface", "trace", "text", "filled_text", "nothing"];

struct Writer {
    style: SchemaStyle,
    dialect: Dialect,
    dropped: Vec<Remaining>,
}

impl SchemaStyle {
    /// The schema of a set. `first` has the leading members.
    pub(super) fn write(self, target: &Target, set: &EnvelopeSet, dialect: Dialect, first: Json) -> Output {
        let patterns = if dialect == Dialect::None { Patterns::None } else { self.patterns };
        // XGrammar, which uses raw patterns, writes the list value 0.9 as 0.90000000000000002.
        let has_number_lists = self.has_number_lists && dialect != Dialect::Raw;
        let style = Self { patterns, has_number_lists, ..self };
        let mut writer = Writer { style, dialect, dropped: Vec::new() };
        let mut schema = object_of(first);
        schema.extend(object_of(writer.schema("", &set.value)));
        let schema = Json::Object(schema);
        let is_bounded =
            patterns == Patterns::All && self.has_item_limits && self.has_ranges && has_number_lists;
        // Serialization of strings, numbers and lists cannot fail.
        let text = serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n";
        let exceeded = exceeded(&schema, &target.limits, target.name);
        Output { text, dropped: writer.dropped, exceeded, is_bounded }
    }
}

impl Writer {
    fn drop_constraint(&mut self, constraint: impl Into<String>, rule: &'static str) {
        let remaining = Remaining::new(constraint, rule);
        if !self.dropped.contains(&remaining) {
            self.dropped.push(remaining);
        }
    }

    /// The schema of a value. `name` is the name of its field.
    fn schema(&mut self, name: &str, value: &Value) -> Json {
        match value {
            Value::Object(members) => self.object(members),
            Value::Either(values) | Value::Scalar(values) => {
                let of: Vec<_> = values.iter().map(|value| self.schema(name, value)).collect();
                json!({"anyOf": of})
            }
            Value::List(element, least, most) => self.list(name, element, *least, *most),
            Value::Text(kind, text) => self.text(kind, text),
            Value::Words(words) => json!({"type": "string", "enum": words}),
            Value::Hundredths(least) => self.hundredths(name, *least),
            Value::Count(digits) => self.count(*digits),
            Value::Flag => json!({"type": "boolean"}),
            Value::Nullable(value) => self.nullable(name, value),
            Value::Map(key, value, most) => self.map(key, value, *most),
        }
    }

    fn object(&mut self, members: &[Member]) -> Json {
        let names: Vec<_> = members.iter().map(|member| member.name).collect();
        let mut properties = Map::new();
        for member in members {
            properties.insert(member.name.to_owned(), self.schema(member.name, &member.value));
        }
        let mut schema = json!({"type": "object", "properties": properties, "required": names});
        if self.style.is_closed {
            schema["additionalProperties"] = json!(false);
        } else {
            self.drop_constraint("objects may have other members", "PB111");
        }
        if self.style.has_ordering {
            schema["propertyOrdering"] = json!(names);
        }
        schema
    }

    fn list(&mut self, name: &str, element: &Value, least: u32, most: u32) -> Json {
        let mut schema = json!({"type": "array", "items": self.schema(name, element)});
        if least > 0 {
            schema["minItems"] = json!(least);
        }
        if self.style.has_item_limits {
            schema["maxItems"] = json!(most);
        } else {
            let rule = match name {
                "memory_operations" => "PB034",
                "tool_requests" => "PB035",
                "knowledge_requests" => "PB036",
                _ => "PB031",
            };
            self.drop_constraint(format!("`{name}` may have more than {most} elements"), rule);
        }
        schema
    }

    fn text(&mut self, kind: &str, text: &Expr) -> Json {
        let is_prose = PROSE.contains(&kind);
        let has_pattern = match self.style.patterns {
            Patterns::All => true,
            Patterns::Simple => !is_prose,
            Patterns::None => false,
        };
        let mut schema = json!({"type": "string"});
        if has_pattern {
            schema["pattern"] = json!(self.pattern(text));
            if self.style.patterns == Patterns::Simple {
                self.drop_constraint("texts may have any length", "PB201");
            }
            return schema;
        }
        if self.style.has_lengths {
            if matches!(kind, "surface" | "filled_text") {
                schema["minLength"] = json!(1);
            }
            schema["maxLength"] = json!(text.longest_chars());
        } else {
            self.drop_constraint("texts may have any length", "PB030");
        }
        self.drop_pattern(kind);
        schema
    }

    fn pattern(&self, text: &Expr) -> String {
        let is_unbounded = self.style.patterns == Patterns::Simple;
        let style = PatternStyle { escapes_slash: false, is_unbounded };
        let body = match self.dialect {
            Dialect::Raw => pattern(&text.in_json(), style),
            Dialect::Decoded | Dialect::None => pattern(text, style),
        };
        let is_choice = matches!(text, Expr::Choice(_));
        if is_choice { format!("^({body})$") } else { format!("^{body}$") }
    }

    /// Records the constraints that a text without a pattern loses.
    fn drop_pattern(&mut self, kind: &str) {
        match kind {
            "update" => {
                self.drop_constraint("updates may be no facts", "PB202");
                self.drop_constraint("updates may have other predicates than those of the notes", "PB210");
                self.drop_constraint(
                    "updates may have another number of arguments, or arguments of another type",
                    "PB211",
                );
            }
            "surface" => self.drop_constraint("the surface may be blank", "PB108"),
            "memory_key" => self.drop_constraint("keys of memory operations may have any form", "PB306"),
            "timestamp" => self.drop_constraint("timestamps may have any form", "PB151"),
            "action" => self.drop_constraint("recovery actions may be no names", "PB404"),
            "predicate" => {
                self.drop_constraint("context feedback may hold facts in place of predicates", "PB443")
            }
            "tool" => self.drop_constraint("tools may have any name", "PB422"),
            "filled_text" => self.drop_constraint("ids, queries and specialists may be blank", "PB430"),
            _ => {}
        }
    }

    fn hundredths(&mut self, name: &str, least: u8) -> Json {
        let number = |hundredths| match hundredths {
            0 | 100 => json!(hundredths / 100),
            _ => json!(f64::from(hundredths) / 100.0),
        };
        if self.style.has_number_lists {
            return json!({"type": "number", "enum": (least..=100).map(number).collect::<Vec<_>>()});
        }
        self.drop_constraint(format!("`{name}` may have any number of decimals"), "PB134");
        json!({"type": "number", "minimum": number(least), "maximum": number(100)})
    }

    fn count(&mut self, digits: u32) -> Json {
        if self.style.has_ranges {
            return json!({"type": "integer", "minimum": 0, "maximum": 10_u64.saturating_pow(digits) - 1});
        }
        self.drop_constraint("counts may be negative, and of any size", "PB150");
        json!({"type": "integer"})
    }

    fn nullable(&mut self, name: &str, value: &Value) -> Json {
        let mut schema = self.schema(name, value);
        if self.style.has_nullable {
            schema["nullable"] = json!(true);
        } else {
            schema["type"] = json!([schema["type"], "null"]);
        }
        schema
    }

    fn map(&mut self, key: &Expr, value: &Value, most: u32) -> Json {
        if !self.style.has_maps || self.style.patterns == Patterns::None {
            self.drop_constraint("tool requests have no arguments, since keys cannot be free", "PB423");
            return self.object(&[]);
        }
        let value = self.schema("tool_args", value);
        let key = self.pattern(key);
        json!({
            "type": "object",
            "patternProperties": {key: value},
            "additionalProperties": false,
            "maxProperties": most,
        })
    }
}

fn object_of(value: Json) -> Map<String, Json> {
    match value {
        Json::Object(members) => members,
        _ => Map::new(),
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
struct SchemaSize {
    properties: usize,
    levels: usize,
    enum_values: usize,
    characters: usize,
    unions: usize,
}

/// The exceeded limits, one sentence each.
fn exceeded(schema: &Json, limits: &SchemaLimits, target: &str) -> Vec<String> {
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
        rows.into_iter().filter_map(|(name, is, most)| Some((name, is, most.filter(|most| is > *most)?)));
    over.map(|(name, is, most)| format!("the schema has {is} {name}, and `{target}` takes {most}")).collect()
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
