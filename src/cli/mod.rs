//! Command line interface: one file per command, color, progress bars, exit statuses.
//!
//! Converts arguments to output and an exit status. Computation and file access are in `host` and
//! lower layers.

mod baseline;
mod check;
mod command_line;
mod compare_check;
mod config;
mod diff;
mod explain;
mod findings;
mod fix;
mod format;
mod format_command;
#[cfg(not(target_family = "wasm"))]
mod generate;
mod grammar;
mod graph;
mod init;
#[cfg(not(target_family = "wasm"))]
mod lsp_server;
#[cfg(not(target_family = "wasm"))]
mod mcp;
mod output;
mod parse;
mod preview;
mod program_notes;
mod programs;
mod query;
mod repair;
mod replay;
mod reply_reader;
mod shared_args;
mod show;
mod split;
#[cfg(not(target_family = "wasm"))]
mod startup;
#[cfg(not(target_family = "wasm"))]
mod stats;
mod surroundings;
#[cfg_attr(target_family = "wasm", path = "no_terminal.rs")]
mod terminal;
mod test;
mod transcript;
mod transcripts;
mod verify;
mod version;
mod write_fixes;

#[cfg(not(target_family = "wasm"))]
use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ColorChoice, Parser, Subcommand};

pub use self::command_line::{commands, examples, reference};
use self::shared_args::VersionArgs;
use self::surroundings::Surroundings;
use mangle_report::sink;
#[cfg(not(target_family = "wasm"))]
use piggyback::envelope::secrets::show_secrets;

/// Linter, test runner and language server for Mangle, a Datalog language for policies
#[derive(Debug, Parser)]
#[command(name = "mangle-ls", version, long_version = version::long(), max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    global: GlobalArgs,
}

/// The options of all commands.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
struct GlobalArgs {
    /// Use color. auto: on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,
    /// Write a log of the program's work to this file. The log never contains the text of your
    /// files
    #[arg(long, global = true, value_name = "FILE")]
    log_file: Option<PathBuf>,
    /// Do not mask credentials in output
    #[arg(long, global = true)]
    no_redact: bool,
    /// Mask credentials in output (the default)
    #[arg(long, global = true, hide = true, conflicts_with = "no_redact")]
    redact: bool,
    #[command(flatten)]
    versions: VersionArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(visible_alias = "lint")]
    Check(check::Check),
    #[command(visible_alias = "fmt")]
    Format(format_command::FormatCommand),
    Test(test::TestCommand),
    Verify(verify::VerifyCommand),
    Diff(diff::DiffCommand),
    #[command(visible_alias = "eval")]
    Query(query::QueryCommand),
    Graph(graph::GraphCommand),
    Explain(explain::ExplainCommand),
    Replay(Box<replay::ReplayCommand>),
    Transcript(transcript::TranscriptCommand),
    Preview(preview::PreviewCommand),
    Grammar(grammar::GrammarCommand),
    Init(init::Init),
    Config(config::ConfigCommand),
    Version(version::VersionCommand),
    #[cfg(not(target_family = "wasm"))]
    #[command(visible_alias = "serve")]
    Lsp(lsp_server::LspCommand),
    #[cfg(not(target_family = "wasm"))]
    Mcp(mcp::McpCommand),
    #[cfg(not(target_family = "wasm"))]
    Generate(generate::GenerateCommand),
}

/// The exit status of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExitStatus {
    /// No findings at or above `--fail-on`.
    Clean = 0,
    /// Findings at or above `--fail-on`.
    Findings = 1,
    /// The command failed.
    Failure = 2,
}

/// Parses the arguments. On an error, prints a message with control characters escaped and exits
/// the process.
#[cfg(not(target_family = "wasm"))]
fn parsed(arguments: &[OsString]) -> Cli {
    let error = match command_line::parse(arguments) {
        Ok(cli) => {
            shared_args::hint_at_earlier_words(arguments);
            return cli;
        }
        Err(error) => error,
    };
    let visible = arguments.iter().map(|argument| sink::terminal(&argument.to_string_lossy()));
    command_line::parse(visible).err().unwrap_or(error).exit()
}

/// Runs the command in the arguments of a process and returns the exit status. The first argument
/// is the name of the program. Invalid arguments and requests for help exit the process.
#[cfg(not(target_family = "wasm"))]
#[must_use]
pub fn main(arguments: &[OsString]) -> u8 {
    let cli = parsed(arguments);
    if cli.global.no_redact {
        show_secrets();
    }
    let needs_threads = matches!(cli.command, Command::Lsp(_) | Command::Mcp(_));
    let started = startup::start_log(cli.global.log_file.as_deref())
        .and_then(|()| startup::start_threads(needs_threads));
    let outcome = started.and_then(|()| cli.run());
    cli.status(outcome)
}

/// Reports that standard output is closed, so that no command can show its result. Returns the exit
/// status.
#[cfg(not(target_family = "wasm"))]
#[must_use]
pub fn refuse_closed_output() -> u8 {
    output::complain(ColorChoice::Auto, "cannot write to standard output: it is closed");
    ExitStatus::Failure as u8
}

/// The output of a command, and its exit status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandOutput {
    pub status: u8,
    /// The bytes written to standard output.
    pub output: Vec<u8>,
    /// The bytes written to standard error, without progress bars.
    pub errors: Vec<u8>,
}

/// Runs a command in this process and on this thread, for tests. `arguments` excludes the name of
/// the program. `None` if the arguments are invalid.
#[must_use]
pub fn capture(arguments: &[&str]) -> Option<CommandOutput> {
    let cli = command_line::parse(["mangle-ls"].iter().chain(arguments)).ok()?;
    let (status, written) = output::record(|| cli.status(cli.run()));
    Some(CommandOutput { status, output: written.output, errors: written.errors })
}

/// Runs a command in this process and on this thread. `arguments` excludes the name of the program,
/// and paths are relative to `working`. For invalid arguments and requests for help, the output is
/// the message of clap.
#[must_use]
pub fn capture_in(working: PathBuf, arguments: &[String]) -> CommandOutput {
    let words = std::iter::once("mangle-ls").chain(arguments.iter().map(String::as_str));
    let cli = match command_line::parse(words) {
        Ok(cli) => cli,
        Err(error) => {
            let errors = sink::lines(&error.to_string()).into_bytes();
            return CommandOutput { status: ExitStatus::Failure as u8, output: Vec::new(), errors };
        }
    };
    let surroundings = Surroundings { working, ..Surroundings::default() };
    let (status, written) = surroundings::within(surroundings, || output::record(|| cli.status(cli.run())));
    CommandOutput { status, output: written.output, errors: written.errors }
}

/// The error message for the arguments of a command (without the name of the program), if any. For
/// tests of documentation pages.
#[must_use]
pub fn problem_of(arguments: &[String]) -> Option<String> {
    let arguments = arguments.iter().map(String::as_str);
    let error = command_line::parse(std::iter::once("mangle-ls").chain(arguments)).err()?;
    error.use_stderr().then(|| error.to_string())
}

impl Cli {
    fn run(&self) -> anyhow::Result<ExitStatus> {
        let color = self.global.color;
        let versions = self.global.versions.options();
        surroundings::choose_versions(versions);
        match &self.command {
            Command::Check(check) => check.run(color),
            Command::Format(format) => format.run(color),
            Command::Test(test) => test.run(color),
            Command::Verify(verify) => verify.run(color),
            Command::Diff(diff) => diff.run(color),
            Command::Query(query) => query.run(color),
            Command::Graph(graph) => graph.run(color),
            Command::Explain(explain) => explain.run(color),
            Command::Replay(replay) => replay.run(color),
            Command::Transcript(transcript) => transcript.run(color),
            Command::Preview(preview) => preview.run(color),
            Command::Grammar(grammar) => grammar.run(color),
            Command::Init(init) => init.run(color),
            Command::Config(config) => config.run(color),
            Command::Version(version) => version.run(color),
            #[cfg(not(target_family = "wasm"))]
            Command::Lsp(lsp) => lsp.run(versions),
            #[cfg(not(target_family = "wasm"))]
            Command::Mcp(mcp) => mcp.run(versions),
            #[cfg(not(target_family = "wasm"))]
            Command::Generate(generate) => generate.run(color),
        }
    }

    /// The exit status of an outcome. Prints an error.
    fn status(&self, outcome: anyhow::Result<ExitStatus>) -> u8 {
        let outcome = outcome.unwrap_or_else(|error| {
            output::complain(self.global.color, &format!("{error:#}"));
            ExitStatus::Failure
        });
        outcome as u8
    }
}
