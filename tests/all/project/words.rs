//! The guides, the help of the command line and the texts of the extension for VS Code use the words of the glossary, and the README is short.

use std::fs;
use std::process::Command;

use mangle_syntax::lint::wording::UNWANTED;
use regex::Regex;
use serde_json::Value;

use super::documentation::{guides, prose, root};

/// Words and phrases that the guides do without, beside those that findings do without. Each has a plain word in their place:
/// *silently*, *unbound*, *binds*, *ignores*, *rejects*, *aborts*, *cycle*, *is*, *after*, *reported*, *fix*, *reading*.
const PHRASES: [&str; 42] = [
    "in silence",
    "without a word",
    "gets a value",
    "get a value",
    "gets its value",
    "has no value",
    "have no value",
    "gives a value",
    "give a value",
    "gives its values",
    "gives it a value",
    "crosses off",
    "crossed off",
    "passes over",
    "passed over",
    "pass over",
    "overlooks",
    "overlooked",
    "overlook",
    "drops",
    "dropped",
    "mends",
    "mended",
    "mending",
    "as written",
    "as it is written",
    "as the text says",
    "told of",
    "told about",
    "judged",
    "judges",
    "circle",
    "circles",
    "stands",
    "stand",
    "stood",
    "behind",
    "is no",
    "are no",
    "hears",
    "believes",
    "grave",
];

/// The text without inline code, in lower case, with one blank between words.
fn plain(text: &str) -> String {
    let code = Regex::new(r"``+[^`]+``+|`[^`\n]*`").unwrap();
    let comments = Regex::new(r"(?s)<!--.*?-->|\]\([^)]*\)").unwrap();
    let text = comments.replace_all(text, " ");
    let text = code.replace_all(&text, "`");
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// The unwanted phrases of a text, each with some words around it.
fn unwanted(text: &str) -> Vec<String> {
    let text = plain(text);
    let is_word = |char: char| char.is_alphanumeric() || char == '-' || char == '_';
    let mut found = Vec::new();
    for phrase in PHRASES.iter().chain(&UNWANTED) {
        for (at, _) in text.match_indices(phrase) {
            let (before, after) = (&text[..at], &text[at + phrase.len()..]);
            let is_inside = before.ends_with(is_word) || after.starts_with(is_word);
            // "There is no such file" is plain English.
            let is_existence = phrase.ends_with(" no") && before.ends_with("there ");
            if !is_inside && !is_existence {
                let tail: String =
                    before.chars().rev().take(30).collect::<Vec<_>>().into_iter().rev().collect();
                let head: String = after.chars().take(30).collect();
                found.push(format!("…{tail}[{phrase}]{head}…"));
            }
        }
    }
    found
}

/// What `--help` says of the program and of each of its commands.
fn help() -> Vec<(String, String)> {
    let help = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_mangle-ls")).args(arguments).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let names = |text: &str, end: &str| -> Vec<String> {
        let commands = text.split(end).next().unwrap_or_default();
        let is_name = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
        let names = commands.lines().filter(is_name).filter_map(|line| line.split_whitespace().next());
        names.filter(|name| *name != "help").map(str::to_owned).collect()
    };
    let all = help(&["--help"]);
    let mut texts = vec![("mangle-ls --help".to_owned(), all.clone())];
    for name in names(&all, "Options:") {
        let text = help(&[&name, "--help"]);
        let below = text.split_once("Commands:").map(|(_, rest)| names(rest, "\n\n")).unwrap_or_default();
        texts.push((format!("mangle-ls {name} --help"), text));
        for task in below {
            texts.push((format!("mangle-ls {name} {task} --help"), help(&[&name, &task, "--help"])));
        }
    }
    assert!(texts.len() > 15, "only {} commands were found", texts.len());
    texts
}

/// All strings of a JSON value.
fn strings(value: &Value, all: &mut Vec<String>) {
    match value {
        Value::String(text) => all.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| strings(value, all)),
        Value::Object(fields) => fields.values().for_each(|value| strings(value, all)),
        _ => {}
    }
}

#[test]
fn guides_and_help_use_plain_words() {
    let mut texts = help();
    texts.extend(guides().into_iter().map(|path| (path.display().to_string(), prose(&path))));
    let manifest = fs::read_to_string(root().join("editors/vscode/package.json")).unwrap();
    let mut of_manifest = Vec::new();
    strings(&serde_json::from_str(&manifest).unwrap(), &mut of_manifest);
    texts.push(("editors/vscode/package.json".into(), of_manifest.join("\n")));
    let problems: Vec<_> = texts
        .iter()
        .flat_map(|(name, text)| unwanted(text).into_iter().map(move |phrase| format!("{name}: {phrase}")))
        .collect();
    assert!(problems.is_empty(), "{} phrases:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn phrases_are_found_in_prose_only() {
    assert_eq!(unwanted("It is told\nof. `nobody` there is no handstands").len(), 1);
    assert_eq!(unwanted("Nobody stands. The left-behind is no more").len(), 3);
}

/// The sentences of a page: of its paragraphs, list items and cells.
fn sentences(text: &str) -> Vec<String> {
    let breaks = Regex::new(r"(?m)\n\s*\n|^\s*[-*#] |^\d+\. |\||^#+ |[.:!?]\s").unwrap();
    breaks.split(text).map(|sentence| sentence.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn the_readme_is_short() {
    let path = root().join("README.md");
    let page = fs::read_to_string(&path).unwrap();
    let (front, _) = page.split_once("## Learn more").unwrap();
    // The tags of pictures are not read.
    let words = front
        .lines()
        .filter(|line| !line.trim_start().starts_with('<'))
        .flat_map(str::split_whitespace)
        .count();
    assert!(words <= 500, "{words} words before `## Learn more`");
    let links = Regex::new(r"\]\([^)]*\)").unwrap();
    let text = links.replace_all(&prose(&path), "]").into_owned();
    let long: Vec<_> = sentences(&text).into_iter().filter(|text| text.split(' ').count() > 30).collect();
    assert!(long.is_empty(), "more than 30 words: {long:#?}");
}
