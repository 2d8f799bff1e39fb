//! Markdown reference of the command line: synopsis and options of each command, for the
//! documentation.

use std::fmt::Write as _;

use clap::Arg;
use clap::builder::PossibleValue;

use super::command_line::command;
use mangle_settings::list_item;

/// The synopsis, arguments and options of a command. If `words` is empty, of the program itself.
///
/// `None` if the command does not exist.
#[must_use]
pub fn reference(words: &[&str]) -> Option<String> {
    let mut whole = command();
    whole.build();
    let mut found = &whole;
    for word in words {
        found = found.find_subcommand(word)?;
    }
    let mut out = String::new();
    if !words.is_empty() {
        let usage = found.clone().render_usage().to_string();
        let _ = writeln!(out, "```text\n{}\n```\n", usage.trim_start_matches("Usage: ").trim_end());
    }
    // Pages of commands link to the global options.
    let is_shown = |arg: &&Arg| {
        !arg.is_hide_set() && arg.get_id() != "help" && (words.is_empty() || !arg.is_global_set())
    };
    for arg in found.get_arguments().filter(is_shown) {
        out.push_str(&item(arg));
    }
    Some(out)
}

/// The words of all commands that have a page or a section.
#[must_use]
pub fn commands() -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut open = vec![(Vec::new(), command())];
    while let Some((words, command)) = open.pop() {
        for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
            let mut words = words.clone();
            words.push(below.get_name().to_owned());
            open.push((words, below.clone()));
        }
        if !words.is_empty() && !command.has_subcommands() {
            found.push(words);
        }
    }
    found.sort();
    found
}

/// Formats an argument as a list item.
fn item(arg: &Arg) -> String {
    let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut text = format!("`{}`: {}", signature(arg), sentence(&help));
    let values: Vec<PossibleValue> = if arg.get_action().takes_values() && !arg.is_hide_possible_values_set()
    {
        arg.get_possible_values().into_iter().filter(|value| !value.is_hide_set()).collect()
    } else {
        Vec::new()
    };
    let has_help = values.iter().any(|value| value.get_help().is_some());
    if !values.is_empty() && !has_help {
        let names: Vec<String> = values.iter().map(|value| format!("`{}`", value.get_name())).collect();
        let _ = write!(text, " Values: {}.", names.join(", "));
    }
    let defaults: Vec<String> =
        arg.get_default_values().iter().map(|value| format!("`{}`", value.to_string_lossy())).collect();
    if !defaults.is_empty() && arg.get_action().takes_values() && !arg.is_hide_default_value_set() {
        let _ = write!(text, " Default: {}.", defaults.join(", "));
    }
    let mut out = list_item("- ", &text);
    for value in values.iter().filter(|_| has_help) {
        let help = value.get_help().map(ToString::to_string).unwrap_or_default();
        out.push_str(&list_item("  - ", &format!("`{}`: {}", value.get_name(), sentence(&help))));
    }
    out
}

/// The names and values of an argument: `-o, --output <FILE>`.
fn signature(arg: &Arg) -> String {
    let names = arg.get_value_names().unwrap_or_default();
    let values: Vec<String> = names.iter().map(|name| format!("<{name}>")).collect();
    let is_list = arg.get_num_args().is_some_and(|count| count.max_values() > 1);
    let values = values.join(" ") + if is_list { "…" } else { "" };
    if arg.is_positional() {
        return values;
    }
    let short = arg.get_short().map(|short| format!("-{short}"));
    let long = arg.get_long().map(|long| format!("--{long}"));
    let flags: Vec<String> = short.into_iter().chain(long).collect();
    let flags = flags.join(", ");
    if arg.get_action().takes_values() { format!("{flags} {values}") } else { flags }
}

/// A help text on one line. Each paragraph ends with a period, and `<` is escaped outside of code.
fn sentence(help: &str) -> String {
    let escaped = |(at, piece): (usize, &str)| {
        if at % 2 == 0 { piece.replace('<', "\\<") } else { piece.to_owned() }
    };
    let paragraphs = help.split("\n\n").map(|paragraph| {
        let text = paragraph.split('`').enumerate().map(escaped).collect::<Vec<_>>().join("`");
        let is_ended = text.trim_end().ends_with(['.', ':']);
        text.trim_end().to_owned() + if is_ended { "" } else { "." }
    });
    paragraphs.filter(|paragraph| paragraph != ".").collect::<Vec<_>>().join(" ")
}
