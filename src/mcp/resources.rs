//! MCP resources: the predicates of the programs, and the glossary.

use rmcp::model::Resource;

use super::tools::{TOOLS, Tool};

/// The terms of Mangle and of this tool.
const GLOSSARY: &str = include_str!("../../docs/glossary.md");

const GLOSSARY_URI: &str = "mangle://glossary";
const DECLARATIONS_URI: &str = "mangle://declarations";

/// The source of a resource.
pub(super) enum ResourceText {
    /// A Markdown text that is part of the executable.
    Markdown(&'static str),
    /// The first page of the result of a tool, as JSON. Also available for programs that do not
    /// load.
    OfTool(&'static Tool),
}

pub(super) fn list_resources() -> Vec<Resource> {
    let declarations = Resource::new(DECLARATIONS_URI, "declarations")
        .with_title("Declarations of the program")
        .with_description(
            "The predicates of the programs in the folders of this server, with declarations, documentation and bounds. This \
             is the first page of the tool `predicates`.",
        )
        .with_mime_type("application/json");
    let glossary = Resource::new(GLOSSARY_URI, "glossary")
        .with_title("Glossary")
        .with_description("Terms of Mangle, policies and transcripts in findings.")
        .with_mime_type("text/markdown");
    vec![declarations, glossary]
}

/// Returns the resource at a URI, if it exists.
pub(super) fn find_resource(uri: &str) -> Option<ResourceText> {
    match uri {
        GLOSSARY_URI => Some(ResourceText::Markdown(GLOSSARY)),
        DECLARATIONS_URI => {
            TOOLS.iter().find(|tool| tool.name == "predicates").map(|tool| ResourceText::OfTool(tool))
        }
        _ => None,
    }
}
