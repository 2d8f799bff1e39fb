//! `schema`, `gbnf`, `ebnf`, `lark` and `regex`: what a model may generate, for an inference engine.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow, bail, ensure};
use clap::{Args, ColorChoice, ValueEnum};

use super::ExitStatus;
use super::load_args::LoadArgs;
use super::output::{self, Medium, Output};
use super::programs::Programs;
use super::surroundings;
use crate::host::{self, LinkOptions, LinkedProgram, Memory, disk};
use crate::ide::reply_grammars::{ReplyGrammar, ReplyGrammarRequest};
use crate::report::{LoadErrors, Sources, sink};
use mangle_settings::{BUILT_IN_CONSUMERS, Profile, Settings};
use piggyback::envelope::Catalogue;
use reply_grammar::target::{Dialect, Target};
use serde_json::Value;

/// What grammars and schemas have in common.
#[derive(Debug, Args)]
pub(super) struct GrammarArgs {
    /// Files, folders or globs of one program [default: the working folder]
    paths: Vec<PathBuf>,
    /// The version of the protocol: 1.1, 1.1-bnf, 1.2, 1.2-go, current or 1.3-draft [default: that of the configuration]
    #[arg(long, value_name = "VERSION", value_parser = profile)]
    profile: Option<Profile>,
    /// Who takes the updates: open, session, planner, perception, compressor, or one that the configuration defines
    #[arg(long, value_name = "NAME")]
    consumer: Option<String>,
    /// Write to this file, and beside it what is not said in it, as `FILE.notes.json`
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    load: LoadArgs,
}

/// Write a JSON Schema of the envelopes that a model may generate
///
/// What the target cannot express is listed on standard error, with the rule that `check` has for it. Exit status: 0, or 2 if
/// there is no such envelope, or something cannot be read or written.
#[derive(Debug, Args)]
pub(super) struct SchemaCommand {
    #[command(flatten)]
    common: GrammarArgs,
    /// Which engine or provider it is for
    #[arg(long, value_enum, default_value_t, value_name = "NAME")]
    target: SchemaTarget,
    /// Where patterns have the escapes of JSON [default: decoded, or none where the target has no patterns]
    #[arg(long, value_enum, value_name = "DIALECT")]
    dialect: Option<DialectOption>,
}

/// Which engine or provider a schema is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum SchemaTarget {
    /// The standard, for validators and local engines
    #[default]
    JsonSchema,
    /// Structured outputs of OpenAI
    Openai,
    /// Structured outputs of Anthropic
    Anthropic,
    /// Response schemas of Gemini
    Gemini,
}

/// Where patterns have the escapes of JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DialectOption {
    /// Nowhere: they are about the decoded text, as the standard says
    Decoded,
    /// In the pattern, as XGrammar and Outlines want it
    Raw,
    /// There are no patterns
    None,
}

/// Write a GBNF grammar of the envelopes that a model may generate, for llama.cpp
#[derive(Debug, Args)]
pub(super) struct GbnfCommand {
    #[command(flatten)]
    common: GrammarArgs,
}

/// Write an EBNF grammar of the envelopes that a model may generate, for XGrammar
#[derive(Debug, Args)]
pub(super) struct EbnfCommand {
    #[command(flatten)]
    common: GrammarArgs,
}

/// Write a Lark grammar of the envelopes that a model may generate, for llguidance and OpenAI
#[derive(Debug, Args)]
pub(super) struct LarkCommand {
    #[command(flatten)]
    common: GrammarArgs,
}

/// Write a regular expression for the envelopes that a model may generate, for Outlines
#[derive(Debug, Args)]
pub(super) struct RegexCommand {
    #[command(flatten)]
    common: GrammarArgs,
}

fn profile(word: &str) -> Result<Profile, String> {
    Profile::parse(word).ok_or_else(|| format!("it is one of {}", Profile::WORDS.join(", ")))
}

impl SchemaTarget {
    fn name(self) -> &'static str {
        match self {
            Self::JsonSchema => "json-schema",
            Self::Openai => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }
}

impl From<DialectOption> for Dialect {
    fn from(dialect: DialectOption) -> Self {
        match dialect {
            DialectOption::Decoded => Self::Decoded,
            DialectOption::Raw => Self::Raw,
            DialectOption::None => Self::None,
        }
    }
}

impl SchemaCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// As [`GrammarArgs::run`], and if the target has no such dialect.
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        self.common.run(self.target.name(), self.dialect.map(Dialect::from), color)
    }
}

impl GbnfCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// As [`GrammarArgs::run`].
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        self.common.run("gbnf", None, color)
    }
}

impl EbnfCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// As [`GrammarArgs::run`].
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        self.common.run("ebnf", None, color)
    }
}

impl LarkCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// As [`GrammarArgs::run`].
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        self.common.run("lark", None, color)
    }
}

impl RegexCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// As [`GrammarArgs::run`].
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        self.common.run("regex", None, color)
    }
}

/// A program with the tools of its agent.
struct Subject {
    joined: LinkedProgram,
    tools: Option<Arc<Catalogue>>,
}

impl GrammarArgs {
    /// Generates and writes.
    ///
    /// # Errors
    /// When there is no working folder, no program or several, no such consumer, no envelope at all, or a file cannot be
    /// written.
    fn run(&self, target: &str, dialect: Option<Dialect>, color: ColorChoice) -> Result<ExitStatus> {
        let working = surroundings::working_folder()?;
        let target = Target::named(target).ok_or_else(|| anyhow!("there is no target `{target}`"))?;
        let dialect = dialect.unwrap_or_else(|| target.usual_dialect());
        if !target.dialects.contains(&dialect) {
            let known: Vec<_> = target.dialects.iter().map(|dialect| dialect.as_str()).collect();
            bail!(
                "target `{}` does not take dialect `{}`, only {}",
                target.name,
                dialect.as_str(),
                known.join(", ")
            );
        }
        let programs = load(&self.paths, &working);
        programs.complain(&working, color);
        let errors = programs.load_errors(programs.all.iter().map(|one| &*one.joined.program));
        let Some(mark) = self.load.admit(errors, color) else { return Ok(ExitStatus::Failure) };
        let subject =
            host::only(&programs.all, &|one| &one.joined.name, "here").map_err(|why| anyhow!(why))?;
        let settings = &subject.joined.settings;
        self.check_consumer(settings)?;
        let request = ReplyGrammarRequest {
            program: &subject.joined.program,
            settings,
            tools: subject.tools.as_deref(),
            profile: self.profile,
            consumer: self.consumer.as_deref(),
            target,
            dialect,
        };
        self.write(&marked(request.generate()?, target, &mark)?, target, &working, color)?;
        Ok(if programs.problems.is_empty() { ExitStatus::Clean } else { ExitStatus::Failure })
    }

    fn check_consumer(&self, settings: &Settings) -> Result<()> {
        let Some(consumer) = &self.consumer else { return Ok(()) };
        let own = settings.transcripts.consumers.keys().map(String::as_str);
        let known: Vec<_> = BUILT_IN_CONSUMERS.into_iter().chain(own).collect();
        ensure!(
            known.contains(&consumer.as_str()),
            "there is no consumer `{consumer}`; it is one of {}",
            known.join(", ")
        );
        Ok(())
    }

    /// Writes the grammar to standard output or to the file, and says what is not in it.
    fn write(
        &self,
        grammar: &ReplyGrammar,
        target: &Target,
        working: &Path,
        color: ColorChoice,
    ) -> Result<()> {
        match &self.output {
            Some(path) => {
                write_file(path, working, &grammar.text)?;
                let mut notes = path.clone().into_os_string();
                notes.push(".notes.json");
                // Strings, numbers and lists can always be written.
                let text = serde_json::to_string_pretty(&grammar.report.json()).unwrap_or_default() + "\n";
                write_file(Path::new(&notes), working, &text)?;
            }
            None => {
                let mut out = Output::of(Medium::Artifact, color);
                let text =
                    if target.is_schema() { sink::json(&grammar.text) } else { (&grammar.text).into() };
                out.write(&text)?;
                out.flush()?;
            }
        }
        output::note(&grammar.report.text());
        grammar.report.exceeded.iter().for_each(|what| output::warn(color, what));
        Ok(())
    }
}

/// The grammar of a program that does not load, with a comment about that.
///
/// # Errors
/// If the target has no comments.
fn marked(grammar: ReplyGrammar, target: &Target, errors: &LoadErrors) -> Result<ReplyGrammar> {
    let Some(mark) = errors.mark() else { return Ok(grammar) };
    let text = match target.name {
        "gbnf" | "ebnf" => errors.comment("#") + &grammar.text,
        "lark" => errors.comment("//") + &grammar.text,
        "json-schema" => {
            let mut schema: Value = serde_json::from_str(&grammar.text)?;
            if let Value::Object(members) = &mut schema {
                members.insert("$comment".to_owned(), mark.into());
            }
            serde_json::to_string_pretty(&schema)? + "\n"
        }
        name => bail!("target `{name}` has no place for the mark of a program that does not load"),
    };
    Ok(ReplyGrammar { text, ..grammar })
}

/// Writes a file whose path counts from the working folder.
fn write_file(path: &Path, working: &Path, text: &str) -> Result<()> {
    disk::write(&host::absolute(working, path), text.as_bytes())
        .map_err(|why| anyhow!("cannot write {}: {why}", path.display()))
}

fn load(paths: &[PathBuf], working: &Path) -> Programs<Subject> {
    Programs::load_as(paths, working, &Memory::default(), Sources::default(), |resolution, files, _| {
        let joined = host::join(resolution, files, &LinkOptions::default()).into_iter();
        let tools = |joined: &LinkedProgram| {
            resolution.projects.iter().find(|project| project.root == joined.root)?.tools.clone()
        };
        joined.map(|joined| Subject { tools: tools(&joined), joined }).collect()
    })
}
