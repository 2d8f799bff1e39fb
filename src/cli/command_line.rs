//! Command line parser: grouped help, and hints for command names of other tools.

use std::ffi::OsString;
use std::fmt::Write as _;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, FromArgMatches as _};

use super::Cli;
use super::examples::with_examples;

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
pub(super) fn command() -> clap::Command {
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
