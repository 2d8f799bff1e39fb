//! What the clients in `editors` say of Mangle holds: their queries are ones for the grammar, and the page that shows the
//! same settings in each one's syntax shows the same. Lua and Emacs Lisp on that page are read by the real programs
//! (`cargo xtask test --all`).

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toml_span::value::ValueInner;
use tree_sitter::{Language, Query};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !["node_modules", "target"].iter().any(|name| path.ends_with(name)) {
            files.extend(files_below(&path, extension));
        } else if path.extension().is_some_and(|found| found == extension) {
            files.push(path);
        }
    }
    files
}

#[test]
fn every_query_is_one_for_the_grammar() {
    let language = Language::new(tree_sitter_mangle::LANGUAGE);
    let files = files_below(&root().join("editors"), "scm");
    assert!(files.len() > 8, "{files:?}");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        if let Err(problem) = Query::new(&language, &text) {
            panic!("{}: {problem}", file.display());
        }
    }
}

/// The fences of the page in a language, in order.
fn fences(language: &str) -> Vec<String> {
    let page = fs::read_to_string(root().join("docs/editors.md")).unwrap().replace("\r\n", "\n");
    let open = format!("```{language}\n");
    page.split(&open).skip(1).map(|rest| rest.split("\n```").next().unwrap().to_owned()).collect()
}

/// What an editor is told: the server, and what is handed over to it.
#[derive(Debug, PartialEq)]
struct Settings {
    program: Value,
    arguments: Value,
    rules: Value,
    hints: Value,
}

fn vscode() -> Settings {
    let page: Value = serde_json::from_str(&fences("json")[0]).unwrap();
    Settings {
        program: page["mangle.server.path"].clone(),
        arguments: json!(["lsp"]), // the extension adds it
        rules: page["mangle.rules"].clone(),
        hints: json!({ "arguments": page["mangle.hints.arguments"], "types": page["mangle.hints.types"] }),
    }
}

#[test]
fn vscode_knows_the_settings() {
    let manifest = fs::read_to_string(root().join("editors/vscode/package.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    let known = &manifest["contributes"]["configuration"]["properties"];
    let page: Value = serde_json::from_str(&fences("json")[0]).unwrap();
    for name in page.as_object().unwrap().keys() {
        assert!(known.get(name).is_some(), "{name} is no setting of the extension");
    }
}

/// TOML as JSON.
fn toml(text: &str) -> Value {
    fn converted(value: &toml_span::Value<'_>) -> Value {
        match value.as_ref() {
            ValueInner::Table(table) => {
                table.iter().map(|(key, value)| (key.name.to_string(), converted(value))).collect()
            }
            ValueInner::Array(elements) => elements.iter().map(converted).collect(),
            ValueInner::String(text) => text.as_ref().into(),
            ValueInner::Integer(number) => (*number).into(),
            ValueInner::Float(number) => (*number).into(),
            ValueInner::Boolean(flag) => (*flag).into(),
        }
    }
    converted(&toml_span::parse(text).unwrap())
}

#[test]
fn helix_is_told_the_same() {
    let page = toml(&fences("toml")[0]);
    let server = &page["language-server"]["mangle-ls"];
    let told = Settings {
        program: server["command"].clone(),
        arguments: server["args"].clone(),
        rules: server["config"]["mangle"]["rules"].clone(),
        hints: server["config"]["mangle"]["hints"].clone(),
    };
    assert_eq!(told, vscode());
}

#[test]
fn zed_is_told_the_same() {
    let page: Value = serde_json::from_str(&fences("json")[1]).unwrap();
    let server = &page["lsp"]["mangle-ls"];
    let told = Settings {
        program: server["binary"]["path"].clone(),
        arguments: server["binary"]["arguments"].clone(),
        rules: server["settings"]["mangle"]["rules"].clone(),
        hints: server["settings"]["mangle"]["hints"].clone(),
    };
    assert_eq!(told, vscode());
}

#[test]
fn helix_and_zed_call_files_mangle_that_are() {
    let read = |path: &str| toml(&fs::read_to_string(root().join("editors").join(path)).unwrap());
    let helix = read("helix/languages.toml");
    assert_eq!(helix["language"][0]["file-types"], json!(["mg", "gl"]));
    let zed = read("zed/languages/mangle/config.toml");
    assert_eq!((&zed["path_suffixes"], &zed["grammar"]), (&json!(["mg", "gl"]), &json!("mangle")));
    let server = &read("zed/extension.toml")["language_servers"]["mangle-ls"];
    assert_eq!(server["languages"][0], zed["name"]);
}
