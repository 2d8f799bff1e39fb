//! What the server offers: every description that a model reads stands here.

use expect_test::expect;
use serde_json::{Value, json};

use super::client::McpClient;
use super::example;

fn list(client: &mut McpClient, what: &str) -> Vec<Value> {
    client.request(&format!("{what}/list"), json!({}))["result"][what].as_array().unwrap().clone()
}

#[test]
fn tools_are_listed() {
    let mut client = McpClient::start(&example("starter"), &[]);
    let tools = list(&mut client, "tools");
    let mut shown = String::new();
    for tool in &tools {
        shown.push_str(&format!(
            "{}: {}\n",
            tool["name"].as_str().unwrap(),
            tool["description"].as_str().unwrap()
        ));
        let schema = &tool["inputSchema"];
        for (name, argument) in schema["properties"].as_object().unwrap() {
            let needed = schema["required"].as_array().unwrap().contains(&json!(name));
            let kind = argument["enum"]
                .as_array()
                .map_or_else(|| argument["type"].to_string(), |words| json!(words).to_string());
            let mark = if needed { "!" } else { "" };
            shown
                .push_str(&format!("  {name}{mark} {kind}: {}\n", argument["description"].as_str().unwrap()));
        }
    }
    expect![[""]].assert_eq(&shown);
}

#[test]
fn every_tool_is_read_only_and_strict() {
    let mut client = McpClient::start(&example("starter"), &[]);
    for tool in list(&mut client, "tools") {
        assert_eq!(tool["annotations"]["readOnlyHint"], json!(true), "{tool}");
        assert_eq!(tool["annotations"]["openWorldHint"], json!(false), "{tool}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], json!(false), "{tool}");
        assert!(jsonschema::meta::is_valid(&tool["inputSchema"]), "{tool}");
        let name = tool["name"].as_str().unwrap();
        let why = client.refused(name, json!({"no_such_argument": 1}));
        assert!(why.starts_with("there is no argument `no_such_argument`"), "{name}: {why}");
    }
}

#[test]
fn prompts_and_resources_are_listed() {
    let mut client = McpClient::start(&example("starter"), &[]);
    let name = |value: &Value, key: &str| {
        format!("{}: {}\n", value[key].as_str().unwrap(), value["description"].as_str().unwrap())
    };
    let prompts: String = list(&mut client, "prompts").iter().map(|prompt| name(prompt, "name")).collect();
    let resources: String =
        list(&mut client, "resources").iter().map(|resource| name(resource, "uri")).collect();
    expect![[""]].assert_eq(&(prompts + &resources));
}

#[test]
fn every_tool_is_documented() {
    let mut client = McpClient::start(&example("starter"), &[]);
    let page = std::fs::read_to_string(example("../docs/mcp.md")).unwrap();
    for tool in list(&mut client, "tools") {
        let name = tool["name"].as_str().unwrap();
        assert!(page.contains(&format!("| `{name}` |")), "docs/mcp.md has no row for {name}");
    }
}
