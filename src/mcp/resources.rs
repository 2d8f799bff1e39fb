//! What clients can read without a call: the predicates of the programs, and the glossary.

use rmcp::model::Resource;

use super::tools::{TOOLS, Tool};

/// The words of Mangle and of this tool.
const GLOSSARY: &str = include_str!("../../docs/glossary.md");

const GLOSSARY_URI: &str = "mangle://glossary";
const DECLARATIONS_URI: &str = "mangle://declarations";

/// What a resource is made of.
pub(super) enum ResourceText {
    /// A Markdown text that is part of the program.
    Markdown(&'static str),
    /// The first page of the answer of a tool, as JSON; of programs that do not load also.
    OfTool(&'static Tool),
}

/// The resources, as clients list them.
pub(super) fn list() -> Vec<Resource> {
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

/// The resource at an address, if there is one.
pub(super) fn find(uri: &str) -> Option<ResourceText> {
    match uri {
        GLOSSARY_URI => Some(ResourceText::Markdown(GLOSSARY)),
        DECLARATIONS_URI => {
            TOOLS.iter().find(|tool| tool.name == "predicates").map(|tool| ResourceText::OfTool(tool))
        }
        _ => None,
    }
}
