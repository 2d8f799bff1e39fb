//! What is generated from the registry of rules and the table of settings is as committed. `cargo xtask generate` writes
//! it, which is this test with `UPDATE_EXPECT=1`.

use super::documentation::{guides, root};
use super::playground_rules;
use crate::support::editor_queries;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use mangle_ide::registry;
use mangle_settings::keys::{Key, Kind, sections};
use mangle_settings::{HintSettings, LensSettings, SettingTable as _, Settings, Vocabulary};
use mangle_syntax::lint::{Group, Rule, address};
use serde_json::{Value, json};

fn rules() -> Vec<&'static Rule> {
    registry::rules().collect()
}

/// Everything that is generated: paths from the root, and texts.
fn generated() -> BTreeMap<PathBuf, String> {
    let mut files: BTreeMap<PathBuf, String> =
        rules().into_iter().map(|rule| (rule.page().into(), mangle_report::rules::page(rule))).collect();
    files.insert("docs/rules/README.md".into(), mangle_report::rules::index(&rules()));
    files.extend(filled());
    files.insert("docs/mangle-ls.schema.json".into(), schema());
    files.insert("editors/vscode/package.json".into(), vscode());
    files.insert("playground/web/rules.json".into(), playground_rules::generated(&rules()));
    files.extend(editor_queries::generated(root()));
    files
}

/// The guides of which parts are generated: between a comment with the name of the part, and [`END`].
fn filled() -> impl Iterator<Item = (PathBuf, String)> {
    let guides = guides().into_iter().map(|path| path.strip_prefix(root()).unwrap().to_path_buf());
    guides.filter_map(|path| {
        let page = committed(&path);
        let mut pieces = page.split("<!-- generated: ");
        let mut text = pieces.next()?.to_owned();
        for piece in pieces {
            let (name, rest) = piece.split_once(" -->\n").unwrap();
            let (_, after) = rest.split_once(END).unwrap();
            text += &format!("<!-- generated: {name} -->\n{}{END}{after}", part(name));
        }
        page.contains("<!-- generated: ").then_some((path, text))
    })
}

/// The line behind a generated part.
const END: &str = "<!-- end of generated part -->\n";

/// The text of a generated part.
fn part(name: &str) -> String {
    if let Some(command) = name.strip_prefix("usage") {
        let words: Vec<&str> = command.split_whitespace().collect();
        return format!(
            "\n{}\n",
            mangle_ls::cli::reference(&words).unwrap_or_else(|| panic!("no command{command}"))
        );
    }
    let keys_of = name.strip_prefix("keys of ").map(|tables| tables.split(", ").collect::<Vec<_>>());
    match (name, keys_of) {
        (_, Some(tables)) => mangle_settings::markdown(&tables),
        ("keys", _) => mangle_settings::markdown(&[]),
        ("hints", _) => mangle_settings::section_markdown(HintSettings::SECTION),
        ("lenses", _) => mangle_settings::section_markdown(LensSettings::SECTION),
        ("chapters of rules", _) => mangle_report::rules::chapters(&rules()),
        _ => {
            let table = agent_prompt::reference().into_iter().find(|(part, _)| *part == name);
            table.unwrap_or_else(|| panic!("unknown part: {name}")).1
        }
    }
}

#[test]
fn the_index_of_rules_begins_with_ten() {
    let index = mangle_report::rules::index(&rules());
    let first = index.split("\n## ").find(|part| part.starts_with("The ten to know")).unwrap();
    assert_eq!(first.matches(".md)").count(), 10);
}

/// No setting is missing from the pages about the configuration.
#[test]
fn every_setting_is_on_a_page() {
    let pages: String = filled().map(|(_, text)| text).collect();
    for (_, section) in sections(Settings::SECTION) {
        for key in section.keys {
            let item = format!("- `{}`", section.notation(key));
            let count = [":", " ("].map(|next| pages.matches(&format!("{item}{next}")).count());
            assert_eq!(count.iter().sum::<usize>(), 1, "{item}");
        }
    }
}

fn schema() -> String {
    let vocabulary = Vocabulary { rules: &rules() };
    serde_json::to_string_pretty(&mangle_settings::schema::schema(vocabulary)).unwrap() + "\n"
}

/// The manifest of the VS Code extension: its setting `mangle.rules` names all rules, and the schema is that
/// of the settings file, once it has an address.
fn vscode() -> String {
    let mut manifest: Value =
        serde_json::from_str(&committed("editors/vscode/package.json".as_ref())).unwrap();
    let contributes = manifest["contributes"].as_object_mut().unwrap();
    contributes["configuration"]["properties"]["mangle.rules"] = rules_setting();
    for section in [HintSettings::SECTION, LensSettings::SECTION] {
        for key in section.keys {
            contributes["configuration"]["properties"][section.path(key.name)] = editor_setting(key);
        }
    }
    if let Some(address) = address("docs/mangle-ls.schema.json") {
        contributes.insert(
            "tomlValidation".into(),
            json!([{ "fileMatch": mangle_settings::FILE_NAME, "url": address }]),
        );
    }
    serde_json::to_string_pretty(&manifest).unwrap() + "\n"
}

fn editor_setting(key: &Key) -> Value {
    let mut setting = json!({
        "type": "boolean",
        "default": key.default_value(),
        "scope": "window",
        "markdownDescription": key.doc,
    });
    if let Kind::Word(words) = key.kind {
        setting["type"] = "string".into();
        setting["enum"] = words.into();
    }
    setting
}

fn rules_setting() -> Value {
    let groups = Group::ALL.into_iter().map(|group| (group.as_str(), format!("{}: a group.", group.title())));
    let rules = rules();
    let names = rules.iter().map(|rule| {
        (
            rule.name,
            format!(
                "{}: {}. Default: {}.",
                rule.code,
                rule.summary.trim_end_matches('.'),
                rule.default_word()
            ),
        )
    });
    let (names, texts): (Vec<_>, Vec<_>) = groups.chain(names).unzip();
    json!({
        "type": "object",
        "default": {},
        "scope": "resource",
        "markdownDescription": "The severity of rules: by name, code, group or pattern (`MG8*`). \
            The `mangle-ls.toml` of a project overrides it.",
        "propertyNames": { "anyOf": [{ "enum": names, "enumDescriptions": texts }, { "pattern": "^(MG|PB)[0-9]|\\*" }] },
        "additionalProperties": { "type": "string", "enum": mangle_settings::keys::RULE_WORDS },
    })
}

/// The text of a committed file, whatever line ends git gave it; empty if it is missing.
fn committed(path: &Path) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_default().replace("\r\n", "\n")
}

/// Pages of rules that no longer exist.
fn stale(files: &BTreeMap<PathBuf, String>) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(root().join("docs/rules")) else { return Vec::new() };
    let pages = entries.map(|entry| Path::new("docs/rules").join(entry.unwrap().file_name()));
    pages.filter(|page| !files.contains_key(page)).collect()
}

#[test]
fn generated_files_are_up_to_date() {
    let files = generated();
    let stale = stale(&files);
    let different: Vec<_> = files.iter().filter(|(path, text)| committed(path) != **text).collect();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        for (path, text) in different {
            fs::create_dir_all(root().join(path).parent().unwrap()).unwrap();
            fs::write(root().join(path), text).unwrap();
        }
        stale.iter().for_each(|path| fs::remove_file(root().join(path)).unwrap());
        return;
    }
    let paths: Vec<_> = different.iter().map(|(path, _)| *path).chain(&stale).collect();
    assert!(paths.is_empty(), "run `cargo xtask generate`; not as generated: {paths:#?}");
}

/// What is written about behaviour, and run: the language suites, and all code of tests.
fn tests() -> String {
    let mut all = String::new();
    let mut folders = vec![root().join("tests"), root().join("src"), root().join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let is_test = path.starts_with(root().join("tests"))
                || path.components().any(|part| part.as_os_str() == "tests");
            if !(name.ends_with(".rs") || name.ends_with(".md")) {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let from = if is_test || name == "tests.rs" { Some(0) } else { text.find("#[cfg(test)]") };
            all.push_str(from.and_then(|from| text.get(from..)).unwrap_or(""));
        }
    }
    all
}

/// Beside the examples, which a test runs, each rule is shown or tried somewhere by name.
#[test]
fn every_rule_has_a_page_and_a_test() {
    let tests = tests();
    let is_word = |rest: &str| !rest.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '-');
    let names = |name: &str| {
        tests.match_indices(name).any(|(at, _)| {
            let before =
                tests[..at].chars().next_back().map_or("", |last| if last == '-' { "-" } else { "" });
            is_word(&tests[at + name.len()..]) && is_word(before)
        })
    };
    let untested: Vec<_> = rules().into_iter().map(|rule| rule.name).filter(|name| !names(name)).collect();
    assert!(untested.is_empty(), "show these in tests/language, or name them in a test: {untested:?}");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        return; // They are being written.
    }
    let without_page: Vec<_> = rules()
        .into_iter()
        .filter(|rule| committed(rule.page().as_ref()).is_empty())
        .map(Rule::page)
        .collect();
    assert!(without_page.is_empty(), "run `cargo xtask generate`: {without_page:?}");
}

/// Each command has a page, or a section of one, with its options.
#[test]
fn every_command_is_on_a_page() {
    let pages: String = filled().map(|(_, text)| text).collect();
    for words in mangle_ls::cli::commands() {
        let mark = format!("<!-- generated: usage {} -->", words.join(" "));
        assert_eq!(pages.matches(&mark).count(), 1, "{mark}");
    }
}
