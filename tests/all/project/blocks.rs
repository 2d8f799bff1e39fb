//! The code blocks of the pages are true. The language of a block says how it is tried:
//!
//! | Language | What is tried |
//! |---|---|
//! | `console` | each line `$ mangle-ls …` is run, and prints what follows it. `UPDATE_EXPECT=1` writes that anew |
//! | `sh` | the program knows the arguments of each `mangle-ls` |
//! | `mangle` | it parses |
//! | `toml` | all settings are known; on pages about editors, where it can be the settings of one, it is TOML |
//! | `json`, `yaml` | it parses |
//! | `lua`, `elisp` | the real editors run it (`cargo xtask test --all`) |
//! | `text` | nothing: a form with names to fill in, or output that has no command |
//!
//! Commands run in the root of the repository. Those of a page with the comment `<!-- folder: empty -->` run in a folder that is empty at the
//! start; `<!-- file: NAME -->` before a block writes it there, `<!-- add to: NAME -->` adds it to a file.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

use mangle_ide::registry;
use mangle_settings::Vocabulary;

use super::documentation::{guides, root};

/// Languages of blocks that are not tried here. Those in Python are read by `python/tests/test_pages.py`.
const ELSEWHERE: [&str; 4] = ["lua", "elisp", "text", "python"];

/// A fenced block of a page.
struct Block {
    language: String,
    /// Where its text is in the page.
    range: Range<usize>,
    /// The comment on the line before it, without the signs around it.
    comment: String,
}

/// The fenced blocks of a page, in order.
fn blocks(page: &str) -> Vec<Block> {
    let (mut blocks, mut open, mut at, mut last) = (Vec::new(), None::<(usize, Block)>, 0, "");
    for line in page.split_inclusive('\n') {
        let text = line.trim();
        let ticks = text.bytes().take_while(|byte| *byte == b'`').count();
        match &mut open {
            Some((fence, _)) if ticks >= *fence && text.len() == ticks => {
                let (_, mut block) = open.take().unwrap();
                block.range.end = at;
                blocks.push(block);
            }
            Some(_) => {}
            None if ticks >= 3 && !text[ticks..].contains('`') => {
                let comment = last.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
                let block = Block {
                    language: text[ticks..].to_owned(),
                    range: at + line.len()..0,
                    comment: comment.unwrap_or_default().to_owned(),
                };
                open = Some((ticks, block));
            }
            None => {}
        }
        at += line.len();
        last = text;
    }
    blocks
}

/// The commands of a line of a shell, each as its words. Quotes hold words together, a comment ends the line.
fn commands(line: &str) -> Vec<Vec<String>> {
    let (mut commands, mut word, mut quote) = (vec![Vec::new()], None::<String>, None);
    for char in line.chars() {
        match (quote, char) {
            (Some(open), _) if open == char => quote = None,
            (None, '"' | '\'') => {
                quote = Some(char);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, ' ' | '|' | '<' | '>' | '&' | ';' | '(' | ')') => {
                commands.last_mut().unwrap().extend(word.take());
                if char != ' ' {
                    commands.push(Vec::new());
                }
            }
            _ => word.get_or_insert_default().push(char),
        }
    }
    commands.last_mut().unwrap().extend(word);
    commands.retain(|command| !command.is_empty());
    commands
}

/// The words of a line with one command, or none.
pub(crate) fn words_of_line(line: &str) -> Vec<String> {
    commands(line).into_iter().next().unwrap_or_default()
}

/// What a line of a console prints: a command `mangle-ls`, perhaps with a `grep` after it.
fn printed(line: &str, folder: &Path) -> String {
    let commands = commands(line);
    let [command, filters @ ..] = commands.as_slice() else { panic!("no command: {line}") };
    assert_eq!(command[0], "mangle-ls", "{line}");
    let output = Command::new(env!("CARGO_BIN_EXE_mangle-ls"))
        .args(&command[1..])
        .current_dir(folder)
        .env_remove("NO_COLOR")
        .output()
        .unwrap();
    let mut text = String::from_utf8(output.stdout).unwrap();
    for filter in filters {
        assert_eq!(filter[0], "grep", "{line}");
        text = grep(&filter[1..], &text).join("\n");
    }
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The lines that `grep` prints with some of its options: `-B N`, `-A N` for lines around those with the word.
fn grep<'t>(arguments: &[String], text: &'t str) -> Vec<&'t str> {
    let wanted = arguments.last().unwrap();
    let around = |option: &str| {
        let number = arguments.iter().position(|word| word == option).map(|at| &arguments[at + 1]);
        number.map_or(0, |number| number.parse::<usize>().unwrap())
    };
    let (before, after) = (around("-B"), around("-A"));
    let lines: Vec<_> = text.lines().collect();
    let is_wanted = |at: &usize| lines[*at].contains(wanted);
    let shown: BTreeSet<usize> = (0..lines.len())
        .filter(is_wanted)
        .flat_map(|at| at.saturating_sub(before)..=(at + after).min(lines.len() - 1))
        .collect();
    shown.into_iter().map(|at| lines[at]).collect()
}

/// A page with what its commands print, and how many of them it has.
fn with_output(page: &str) -> (String, usize) {
    let empty = page.contains("<!-- folder: empty -->").then(|| tempfile::tempdir().unwrap());
    let folder = empty.as_ref().map_or(root(), |folder| folder.path());
    let (mut new, mut end, mut count) = (String::new(), 0, 0);
    for block in blocks(page) {
        let text = &page[block.range.clone()];
        if let Some((how, name)) = block.comment.split_once(": ").filter(|(how, _)| *how != "generated") {
            let before = match how {
                "file" => String::new(),
                "add to" => fs::read_to_string(folder.join(name)).unwrap(),
                _ => panic!("unknown comment: {}", block.comment),
            };
            assert!(empty.is_some(), "a page that writes files says `<!-- folder: empty -->`");
            fs::write(folder.join(name), before + text).unwrap();
        }
        if block.language == "console" {
            let lines = text.lines().filter_map(|line| line.strip_prefix("$ "));
            let shown = lines.map(|line| format!("$ {line}\n{}", printed(line, folder)));
            new.push_str(&page[end..block.range.start]);
            new.extend(shown.inspect(|_| count += 1));
            end = block.range.end;
        }
    }
    new.push_str(&page[end..]);
    (new, count)
}

#[test]
fn commands_print_what_the_pages_show() {
    let mut count = 0;
    for path in guides() {
        let page = fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
        let (new, commands) = with_output(&page);
        count += commands;
        if std::env::var_os("UPDATE_EXPECT").is_some() && new != page {
            fs::write(&path, new).unwrap();
        } else {
            let differs = page.lines().zip(new.lines()).position(|(shown, printed)| shown != printed);
            let line = differs.unwrap_or_else(|| page.lines().count().min(new.lines().count()));
            let of = |text: &str| text.lines().nth(line).map(str::to_owned);
            assert!(
                page == new,
                "{}:{}: {:?}, but it prints {:?}",
                path.display(),
                line + 1,
                of(&page),
                of(&new)
            );
        }
    }
    println!("{count} commands");
    assert!(count > 30, "only {count} commands were found");
}

/// What is wrong with a block of a language that is not run, if anything.
fn problem(language: &str, text: &str, is_of_editor: bool) -> Option<String> {
    match language {
        "sh" => text.lines().flat_map(commands).find_map(|command| match command.as_slice() {
            [program, arguments @ ..] if program == "mangle-ls" => mangle_ls::cli::problem_of(arguments),
            _ => None,
        }),
        "mangle" => {
            let file = mangle_syntax::syntax::SourceFile::parse(text.into());
            file.findings().first().map(|finding| finding.message.to_string())
        }
        "toml" if is_of_editor => toml_span::parse(text).err().map(|error| error.to_string()),
        "toml" => {
            let rules: Vec<_> = registry::rules().collect();
            let parsed = mangle_settings::parse(text, Vocabulary { rules: &rules });
            parsed.findings.first().map(|finding| finding.message.to_string())
        }
        "json" => {
            let values = serde_json::Deserializer::from_str(text).into_iter::<serde_json::Value>();
            values.filter_map(Result::err).next().map(|error| error.to_string())
        }
        "yaml" => yaml_rust2::YamlLoader::load_from_str(text).err().map(|error| error.to_string()),
        _ => (!ELSEWHERE.contains(&language)).then(|| "no language by which it is tried".to_owned()),
    }
}

#[test]
fn blocks_are_what_their_language_says() {
    let (mut count, mut problems) = (0, Vec::new());
    for path in guides() {
        let page = fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
        let is_of_editor = path.ends_with("docs/editors.md") || path.starts_with(root().join("editors"));
        for block in blocks(&page).iter().filter(|block| block.language != "console") {
            count += usize::from(!ELSEWHERE.contains(&&*block.language));
            let line = page[..block.range.start].lines().count();
            let problem = problem(&block.language, &page[block.range.clone()], is_of_editor);
            problems.extend(problem.map(|problem| format!("{}:{line}: {problem}", path.display())));
        }
    }
    println!("{count} blocks");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(count > 40, "only {count} blocks were found");
}

#[test]
fn lines_of_a_shell_are_commands() {
    let words = |line: &str| commands(line).into_iter().map(|words| words.join("_")).collect::<Vec<_>>();
    assert_eq!(words("a 'b c' \"d\" # e"), ["a_b c_d"]);
    assert_eq!(words("a - < b | grep -A 3 'x|y'"), ["a_-", "b", "grep_-A_3_x|y"]);
}
