//! The context for checks of a reply: settings, program, metadata, and the catalog of the agent's
//! tools.

use std::collections::BTreeMap;

use super::atoms::Declarations;
use super::json::{Json, JsonKind, Member, NodeId};
use mangle_settings::{Profile, RuleSettings, TranscriptSettings};
use mangle_syntax::lint::Rule;

/// The context for checks of a reply.
#[derive(Debug, Clone, Copy)]
pub struct ReplyContext<'a> {
    /// The settings of the file.
    pub settings: &'a TranscriptSettings,
    /// The profile from the command line or the container of the reply.
    ///
    /// This profile has precedence over the version in the envelope. The version has precedence
    /// over the settings.
    pub profile: Option<Profile>,
    /// The profile of most replies of the session, used if the envelope and the settings have none.
    pub session: Option<Profile>,
    /// The declarations of the program. `None` if no program is loaded.
    pub declarations: Option<&'a Declarations>,
    /// The tools of the agent, if a catalog is configured.
    pub tools: Option<&'a Catalogue>,
    /// The recording time of the reply, as text from its container.
    pub recorded: Option<&'a str>,
    /// True if the reply is an example in documentation, so that surrounding text is not reported.
    pub is_documentation: bool,
    /// The enabled rules. `None` enables all rules.
    pub rules: Option<&'a RuleSettings>,
}

impl<'a> ReplyContext<'a> {
    /// Creates a context without information other than the settings.
    #[must_use]
    pub fn new(settings: &'a TranscriptSettings) -> Self {
        Self {
            settings,
            profile: None,
            session: None,
            declarations: None,
            tools: None,
            recorded: None,
            is_documentation: false,
            rules: None,
        }
    }

    /// True if findings of a rule are reported. Expensive checks test this first.
    #[must_use]
    pub fn wants(&self, rule: &Rule) -> bool {
        self.rules.is_none_or(|rules| rules.severity(rule).is_some())
    }
}

/// Tools by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Catalogue {
    /// The required arguments of each tool.
    pub tools: BTreeMap<String, Vec<String>>,
}

impl Catalogue {
    /// Parses a catalog: a list of tools, an object with a list in `tools`, or an object with the
    /// tools by name.
    ///
    /// A tool has a `name`, directly or in its `function`. The JSON Schema of its arguments is in
    /// `parameters`, `input_schema` or `inputSchema`. The `required` member of the schema lists the
    /// required arguments.
    ///
    /// # Errors
    /// Returns a message for invalid text.
    pub fn parse(text: &[u8]) -> Result<Self, String> {
        let json = Json::parse(text);
        if let Some(problem) = json.problems.first() {
            return Err(format!("no JSON from byte {} on", usize::from(problem.range.start())));
        }
        let root = json.root();
        let list = member(&json, root, "tools").unwrap_or(root);
        let mut tools = BTreeMap::new();
        for tool in json.elements(list) {
            let tool = member(&json, tool, "function").unwrap_or(tool);
            if let Some(name) = member(&json, tool, "name").and_then(|name| json.string(name)) {
                tools.insert(name.into_owned(), required_arguments(&json, tool));
            }
        }
        for Member { key, value } in json.members(list) {
            if let (Some(name), JsonKind::Object) = (json.string(key), json.kind(value)) {
                tools.insert(name.into_owned(), required_arguments(&json, value));
            }
        }
        if tools.is_empty() {
            return Err("no tool with a name in it".to_owned());
        }
        Ok(Self { tools })
    }
}

fn member(json: &Json<'_>, object: NodeId, name: &str) -> Option<NodeId> {
    let is_it = |member: &Member| json.string(member.key).is_some_and(|key| key == name);
    json.members(object).filter(is_it).map(|member| member.value).last()
}

fn required_arguments(json: &Json<'_>, tool: NodeId) -> Vec<String> {
    let schema = ["parameters", "input_schema", "inputSchema"];
    let schema = schema.iter().find_map(|name| member(json, tool, name)).unwrap_or(tool);
    let names = member(json, schema, "required").map(|list| json.elements(list).collect::<Vec<_>>());
    names.into_iter().flatten().filter_map(|name| Some(json.string(name)?.into_owned())).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(text: &str) -> String {
        let found = Catalogue::parse(text.as_bytes());
        found.map_or_else(|why| why, |catalogue| format!("{:?}", catalogue.tools))
    }

    #[test]
    fn shapes_that_are_in_use() {
        let expected = r#"{"read_file": ["path"]}"#;
        assert_eq!(read(r#"[{"name": "read_file", "input_schema": {"required": ["path"]}}]"#), expected);
        assert_eq!(
            read(
                r#"{"tools": [{"type": "function", "function": {"name": "read_file", "parameters": {"required": ["path"]}}}]}"#
            ),
            expected
        );
        assert_eq!(read(r#"{"read_file": {"required": ["path"]}}"#), expected);
        assert_eq!(read("[]"), "no tool with a name in it");
        assert_eq!(read("[,]"), "no JSON from byte 1 on");
    }
}
