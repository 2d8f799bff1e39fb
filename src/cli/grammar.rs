//! `grammar`: exports the allowed JSON replies as a grammar or schema for an inference engine.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow, bail, ensure};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ColorChoice, ValueEnum};
use serde_json::Value;

use super::output::{self, Medium, Output};
use super::programs::Programs;
use super::shared_args::LoadArgs;
use super::{ExitStatus, surroundings};
use mangle_host::{CheckCache, LinkOptions, LinkedProgram, ProgramScope, disk};
use mangle_ide::reply_grammars::{ReplyGrammar, ReplyGrammarRequest};
use mangle_report::{LoadErrors, Sources, sink};
use mangle_settings::{BUILT_IN_CONSUMERS, Profile, Settings};
use piggyback::envelope::Catalogue;
use reply_grammar::target::{Dialect, TARGETS, Target};

/// Write a grammar or schema of the envelopes that a model may generate
///
/// If the target cannot express a rule of the envelope, the rule is listed on standard error with
/// the matching rule of `check`. Exit status: 0, or 2 if no envelope is possible, or a file cannot
/// be read or written.
#[derive(Debug, Args)]
pub(super) struct GrammarCommand {
    /// The engine or provider that reads the grammar
    #[arg(long, value_name = "NAME", value_parser = targets())]
    target: &'static Target,
    /// Files, folders or globs of one program [default: the working folder]
    paths: Vec<PathBuf>,
    /// The version of the protocol: 1.1, 1.1-bnf, 1.2, 1.2-go, current or 1.3-draft [default:
    /// `transcripts.profile`, or current]
    #[arg(long, value_name = "VERSION", value_parser = profile)]
    profile: Option<Profile>,
    /// The consumer of the updates: open, session, planner, perception, compressor, or a consumer
    /// in the settings
    #[arg(long, value_name = "NAME")]
    consumer: Option<String>,
    /// The text that patterns of a schema describe [default: decoded, or none if the target has no patterns]
    #[arg(long, value_enum, value_name = "DIALECT")]
    dialect: Option<DialectOption>,
    /// Write to this file, and the list of omitted rules to `FILE.notes.json`
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    load: LoadArgs,
}

/// The text that patterns of a schema describe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DialectOption {
    /// The decoded text, as in the JSON Schema standard
    Decoded,
    /// The text with its escapes, for XGrammar and Outlines
    Raw,
    /// No patterns
    None,
}

fn profile(word: &str) -> Result<Profile, String> {
    Profile::parse(word).ok_or_else(|| format!("it is one of {}", Profile::WORDS.join(", ")))
}

/// Parses the name of a target. The help lists the supported engines of each.
fn targets() -> impl TypedValueParser<Value = &'static Target> {
    let values = TARGETS.iter().map(|target| PossibleValue::new(target.name).help(target.readers));
    PossibleValuesParser::new(values).try_map(|name| Target::named(&name).ok_or("there is no such target"))
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

/// A program with the tools of its agent.
struct Subject {
    joined: LinkedProgram,
    tools: Option<Arc<Catalogue>>,
}

impl GrammarCommand {
    /// Generates and writes the grammar.
    ///
    /// # Errors
    /// If the working directory or the consumer is unknown, no reply is possible, or a file cannot
    /// be written. Also if there is not exactly one program.
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        let working = surroundings::working_folder()?;
        let target = self.target;
        let dialect = self.dialect.map_or_else(|| target.usual_dialect(), Dialect::from);
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
            mangle_host::only(&programs.all, &|one| &one.joined.name, "here").map_err(|why| anyhow!(why))?;
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

    /// Writes the grammar to standard output or to a file, and reports omitted parts.
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
                // Strings, numbers and lists always serialize.
                let text = serde_json::to_string_pretty(&grammar.report.json()).unwrap_or_default() + "\n";
                write_file(Path::new(&notes), working, &text)?;
            }
            None => {
                let mut out = Output::stdout(Medium::Artifact, color);
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

/// Adds a comment to the grammar of a program that does not load.
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

/// Writes a file. The path is relative to the working directory.
fn write_file(path: &Path, working: &Path, text: &str) -> Result<()> {
    disk::write(&mangle_host::absolute(working, path), text.as_bytes())
        .map_err(|why| anyhow!("cannot write {}: {why}", path.display()))
}

fn load(paths: &[PathBuf], working: &Path) -> Programs<Subject> {
    Programs::load_as(
        paths,
        working,
        ProgramScope::Folder,
        &CheckCache::default(),
        Sources::default(),
        |resolution, files, _| {
            let joined = mangle_host::join(resolution, files, &LinkOptions::default()).into_iter();
            let tools = |joined: &LinkedProgram| {
                resolution.projects.iter().find(|project| project.root == joined.root)?.tools.clone()
            };
            joined.map(|joined| Subject { tools: tools(&joined), joined }).collect()
        },
    )
}
