//! Examples for the long help of each command. They run in the project that `init` creates, with a
//! log `session.jsonl`.

use clap::Command;

/// The description and the arguments of an example.
type Example = (&'static str, &'static str);

/// The examples of each command.
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
pub(super) fn with_examples(command: Command, words: &str) -> Command {
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
