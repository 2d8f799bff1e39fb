//! Command line parser: grouped help with examples, hints for command names of other tools, and the
//! Markdown reference of the documentation.

use std::ffi::OsString;
use std::fmt::Write as _;

use clap::builder::{PossibleValue, StyledStr};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory as _, FromArgMatches as _};

use super::Cli;
use mangle_settings::list_item;

/// The commands by topic, in the order of the help.
const GROUPS: &[(&str, &[&str])] = &[
    ("Policies", &["check", "format", "test", "verify", "diff", "query", "graph", "explain"]),
    ("Agent logs", &["replay", "transcript"]),
    ("Agents", &["preview", "grammar"]),
    ("Project", &["init", "config", "version"]),
    ("Servers", &["lsp", "mcp"]),
    ("Shell", &["generate"]),
];

/// Command names of other tools, with the equivalent command.
const OTHER_WORDS: &[(&[&str], &str)] = &[
    (&["analyze", "analyse", "build", "compile", "scan", "validate", "vet"], "check"),
    (&["fix"], "check --fix"),
    (&["pretty", "reformat", "tidy"], "format"),
    (&["show", "cat", "log", "logs", "print", "view"], "transcript show"),
    (&["stats", "count", "metrics", "report", "summary"], "transcript stats"),
    (&["parse", "extract", "decode"], "transcript parse"),
    (&["split"], "transcript split"),
    (&["repair", "retry"], "transcript repair"),
    (&["run", "simulate", "audit"], "replay"),
    (&["ask", "exec", "repl", "search", "select", "why"], "query"),
    (&["prove", "prover", "property"], "verify"),
    (&["rule", "rules", "docs", "describe"], "explain"),
    (&["deps", "tree", "dot"], "graph"),
    (&["compare", "impact"], "diff"),
    (&["prompt", "prompts", "render"], "preview"),
    (&["schema"], "grammar --target json-schema"),
    (&["gbnf"], "grammar --target gbnf"),
    (&["ebnf"], "grammar --target ebnf"),
    (&["lark"], "grammar --target lark"),
    (&["regex"], "grammar --target regex"),
    (&["settings"], "config show"),
    (&["status", "files", "info", "doctor"], "config files"),
    (&["new", "create"], "init"),
    (&["language-server", "server", "stdio"], "lsp"),
    (&["completions", "completion"], "generate completions"),
    (&["man"], "generate man"),
];

/// Parses arguments. The first argument is the name of the program.
///
/// # Errors
/// If the arguments are invalid, or request help.
pub(super) fn parse<T>(arguments: impl IntoIterator<Item = T>) -> Result<Cli, clap::Error>
where
    T: Into<OsString> + Clone,
{
    let mut command = command();
    let matches = command.try_get_matches_from_mut(arguments).map_err(with_hint)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// The command line, with commands grouped in its help.
fn command() -> clap::Command {
    let command = with_examples(Cli::command(), "");
    let groups = groups(&command);
    command
        .mut_subcommands(|command| command.hide(true))
        .override_usage("mangle-ls [OPTIONS] <COMMAND>")
        .help_template(format!(
            "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}{{all-args}}{{after-help}}"
        ))
}

/// The commands in groups, each with the first line of its help.
fn groups(command: &clap::Command) -> StyledStr {
    let styles = command.get_styles();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let width = GROUPS.iter().flat_map(|(_, names)| *names).map(|name| name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for (topic, names) in GROUPS {
        let _ = writeln!(out, "{header}{topic}:{header:#}");
        for subcommand in names.iter().filter_map(|name| command.find_subcommand(name)) {
            let (name, about) = (subcommand.get_name(), subcommand.get_about().cloned().unwrap_or_default());
            let aliases: Vec<&str> = subcommand.get_visible_aliases().collect();
            let aliases = match aliases.as_slice() {
                [] => String::new(),
                aliases => format!(" [alias: {}]", aliases.join(", ")),
            };
            let _ = writeln!(out, "  {literal}{name:width$}{literal:#}  {about}{aliases}");
        }
        out.push('\n');
    }
    out.into()
}

/// Adds the equivalent command for a command name of another tool.
fn with_hint(mut error: clap::Error) -> clap::Error {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return error;
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else { return error };
    let known = OTHER_WORDS.iter().find(|(words, _)| words.contains(&word.as_str()));
    if let Some((_, command)) = known {
        error.remove(ContextKind::SuggestedSubcommand);
        let hint = format!("the command is `mangle-ls {command}`");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint.into()]));
    }
    error
}

/// The description and the arguments of an example.
type Example = (&'static str, &'static str);

/// The examples of each command. They run in the project that `init` creates, with a log
/// `session.jsonl`.
const EXAMPLES: &[(&str, [Example; 2])] = &[
    (
        "check",
        [
            ("Check the policies and the logs of this folder", "check"),
            ("Apply the safe fixes", "check --fix"),
        ],
    ),
    ("format", [("Format all files of this folder", "format"), ("Show the changes only", "format --diff")]),
    (
        "test",
        [("Run all tests", "test"), ("Run the tests whose name contains a text", "test --filter blocked")],
    ),
    (
        "verify",
        [
            (
                "Search for a world in which a property is violated",
                "verify --property \"never permitted(/delete_file, _, _)\"",
            ),
            ("Find rules and negations that change nothing", "verify --rules"),
        ],
    ),
    (
        "diff",
        [
            ("Compare two versions of a policy", "diff constitution.mg constitution.mg"),
            (
                "Compare what they permit only",
                "diff constitution.mg constitution.mg \"permitted(Action, Target, Payload)\"",
            ),
        ],
    ),
    (
        "query",
        [
            ("List the facts of a predicate", "query \"safe_action(Action)\""),
            ("Show why a fact holds", "query \"safe_action(/run_tests)\" --why"),
        ],
    ),
    (
        "graph",
        [
            ("Show which predicates use which", "graph"),
            ("Draw the surroundings of one", "graph --of permitted --format mermaid"),
        ],
    ),
    ("explain", [("Explain a rule", "explain negation-wildcard"), ("List all rules", "explain")]),
    (
        "replay",
        [
            ("Show what the policy says of each request of a log", "replay session.jsonl"),
            ("Write a report for the browser", "replay session.jsonl --report report.html"),
        ],
    ),
    (
        "transcript show",
        [
            ("Show a log as a conversation", "transcript show session.jsonl"),
            ("Show one turn", "transcript show session.jsonl --turns 2"),
        ],
    ),
    (
        "transcript stats",
        [
            ("Count replies, updates and findings", "transcript stats session.jsonl"),
            ("Write them as JSON", "transcript stats session.jsonl --format json"),
        ],
    ),
    (
        "transcript parse",
        [
            ("Show what the runtime reads in each reply", "transcript parse session.jsonl"),
            ("Write it as JSON", "transcript parse session.jsonl --format json"),
        ],
    ),
    (
        "transcript split",
        [
            ("Split a log into the text for people and the facts", "transcript split session.jsonl"),
            ("Do not mask credentials", "transcript split session.jsonl --no-redact"),
        ],
    ),
    (
        "transcript repair",
        [
            ("Write the message that asks the model for a valid reply", "transcript repair session.jsonl"),
            ("Write it as JSON", "transcript repair session.jsonl --format json"),
        ],
    ),
    (
        "preview",
        [
            ("Show the prompt that a sample describes", "preview coder.kernel.mg"),
            ("Show why a line is in it", "preview coder.kernel.mg --why \"Run the tests\""),
        ],
    ),
    (
        "grammar",
        [
            ("Write a JSON Schema for constrained decoding", "grammar --target json-schema"),
            ("Write a grammar for llama.cpp to a file", "grammar --target gbnf -o reply.gbnf"),
        ],
    ),
    (
        "init",
        [
            ("Write a starter project to a new folder", "init my-policy --ci none"),
            ("Write a CI file for GitHub", "init my-policy --ci github"),
        ],
    ),
    (
        "config show",
        [
            ("Show the settings that differ from the defaults", "config show"),
            ("Show the settings for a file", "config show constitution.mg"),
        ],
    ),
    (
        "config files",
        [
            ("List the programs and their files", "config files"),
            ("Write them as JSON", "config files --format json"),
        ],
    ),
    (
        "version",
        [
            ("Show the modeled versions of engine and runtime", "version"),
            ("Write them as JSON", "version --format json"),
        ],
    ),
    (
        "lsp",
        [
            ("Start the language server, as an editor does", "lsp"),
            ("Write a log of its work", "lsp --log-file mangle-ls.log"),
        ],
    ),
    ("mcp", [("Serve this folder to an agent", "mcp"), ("Serve two folders", "mcp . ..")]),
    (
        "generate completions",
        [
            ("Write the completions for Bash", "generate completions bash"),
            ("Write the completions for Zsh", "generate completions zsh"),
        ],
    ),
    (
        "generate man",
        [
            ("Write the manual page of mangle-ls", "generate man"),
            ("Write the pages of all commands to a folder", "generate man pages"),
        ],
    ),
];

/// The examples of a command. `words` excludes the name of the program.
#[must_use]
pub fn examples(words: &str) -> Option<[Example; 2]> {
    EXAMPLES.iter().find(|(command, _)| *command == words).map(|(_, examples)| *examples)
}

/// Adds the examples to the long help of a command and its subcommands.
fn with_examples(command: Command, words: &str) -> Command {
    let header = *command.get_styles().get_header();
    let command = command.mut_subcommands(|below| {
        let name = below.get_name().to_owned();
        with_examples(below, format!("{words} {name}").trim_start())
    });
    let Some(examples) = examples(words) else { return command };
    let mut text = format!("{header}Examples:{header:#}");
    for (purpose, line) in examples {
        text += &format!("\n  {purpose}:\n      mangle-ls {line}");
    }
    command.after_long_help(text)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_is_in_one_group() {
        let command = Cli::command();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let mut all: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        grouped.sort_unstable();
        all.sort_unstable();
        assert_eq!(grouped, all);
    }

    #[test]
    fn words_of_other_tools_are_no_commands_and_their_hints_are() {
        for (words, hint) in OTHER_WORDS {
            for word in *words {
                let error = parse(["mangle-ls", word]).expect_err(word);
                assert!(error.to_string().contains(&format!("`mangle-ls {hint}`")), "{word}: {error}");
            }
            let arguments = std::iter::once("mangle-ls").chain(hint.split(' '));
            let is_unknown =
                parse(arguments).is_err_and(|error| error.kind() == ErrorKind::InvalidSubcommand);
            assert!(!is_unknown, "{hint}");
        }
    }
}
