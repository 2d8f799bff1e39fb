//! Policies for a replay: the given ones, or the policies of the transcripts.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::ColorChoice;
use serde_json::Value;

use super::ReplayCommand;
use super::session::SessionOptions;
use crate::cli::programs::{ExtraFacts, Programs};
use crate::cli::transcripts::Transcripts;
use crate::cli::{output, surroundings};
use agent_replay::{Constitution, ConstitutionConfig};
use mangle_engine::kernel::{Clock, Kernel, Limits};
use mangle_engine::program::Program;
use mangle_host::{LinkedProgram, ProgramScope, TranscriptFile};
use mangle_ide::replays::policy_diagnostics;
use mangle_report::{LoadErrors, Sources, json_value};
use mangle_settings::{FailOn, RuleSettings, Settings};

/// Identifies the policy of a transcript: the index of the configuration file, and the indices of
/// the programs.
pub(super) type Key = (Option<usize>, Vec<usize>);

pub(super) fn key(found: &TranscriptFile) -> Key {
    (found.project, found.programs.clone())
}

/// A constitution and the texts of its files.
pub(super) struct Policy {
    pub(super) constitution: Constitution,
    pub(super) sources: Rc<RefCell<Sources>>,
    pub(super) settings: Arc<Settings>,
    name: String,
}

pub(super) struct Policies {
    /// The given policy.
    pub(super) named: Option<Policy>,
    /// The policies of the transcripts.
    pub(super) by_key: BTreeMap<Key, Policy>,
    /// The policy to compare with.
    pub(super) other: Option<Policy>,
    /// Given programs whose files have problems.
    programs: Vec<Programs>,
    /// Messages about the given facts.
    complaints: Vec<String>,
    /// The errors that prevent policies from loading.
    pub(super) load_errors: LoadErrors,
    /// The policies that give no verdicts, with the missing rules.
    pub(super) without_verdicts: BTreeMap<Key, String>,
    problems: bool,
}

impl Policies {
    pub(super) fn load(
        command: &ReplayCommand,
        transcripts: &mut Transcripts,
        working: &Path,
    ) -> Result<Self> {
        let mut policies = Self {
            named: None,
            by_key: BTreeMap::new(),
            other: None,
            programs: Vec::new(),
            complaints: Vec::new(),
            load_errors: LoadErrors::default(),
            without_verdicts: BTreeMap::new(),
            problems: false,
        };
        if command.policy.is_empty() {
            policies.load_errors = transcripts.load_errors();
            policies.of_transcripts(command, transcripts, working);
        } else {
            policies.named = Some(policies.of_paths(command, &command.policy, working)?);
        }
        if !command.compare.is_empty() {
            policies.other = Some(policies.of_paths(command, &command.compare, working)?);
        }
        Ok(policies)
    }

    /// Loads the policy at `paths`. Several programs are joined.
    fn of_paths(&mut self, command: &ReplayCommand, paths: &[PathBuf], working: &Path) -> Result<Policy> {
        let (mut programs, given) = Programs::load_with(paths, &command.facts, working, ProgramScope::Exact);
        self.load_errors.add(programs.load_errors(programs.all.iter().map(|joined| &*joined.program)));
        let sources = std::mem::take(&mut programs.sources);
        self.complaints.extend(given.damaged(&sources));
        self.problems |= !programs.problems.is_empty();
        let Some(joined) = programs.take_joined() else {
            let paths: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
            bail!("there is no policy in {}", paths.join(", "));
        };
        self.programs.push(programs);
        let LinkedProgram { name, program, settings, .. } = joined;
        let policy =
            self.load_policy(command, name, program, settings, Rc::new(RefCell::new(sources)), &given);
        match policy.constitution.no_verdicts() {
            Some(why) if self.load_errors.is_empty() => bail!("{why}"),
            _ => Ok(policy),
        }
    }

    /// Loads the policy of each transcript.
    fn of_transcripts(&mut self, command: &ReplayCommand, transcripts: &mut Transcripts, working: &Path) {
        let mut sources = std::mem::take(&mut transcripts.sources);
        let given = ExtraFacts::load(&command.facts, working, &transcripts.memory, &mut sources);
        self.problems |= !given.problems.is_empty();
        self.complaints.extend(
            given.problems.iter().map(|problem| format!("{}: {}", problem.path.display(), problem.why)),
        );
        self.complaints.extend(given.damaged(&sources));
        let sources = Rc::new(RefCell::new(sources));
        let resolution = &transcripts.resolution;
        for found in &resolution.transcripts {
            let Some(program) = transcripts.knowledges.get(found).programs.first() else { continue };
            if self.by_key.contains_key(&key(found)) || self.without_verdicts.contains_key(&key(found)) {
                continue;
            }
            let settings = found.project.and_then(|index| resolution.projects.get(index));
            let settings = settings.map_or_else(Arc::default, |project| Arc::clone(&project.settings));
            let names = found.programs.iter().filter_map(|index| resolution.programs.get(*index));
            let names: Vec<_> = names.map(|program| program.name.as_str()).collect();
            let files = program.files.iter().chain(&given.clauses).map(Arc::clone).collect();
            let embedding = program.embedding.with_asserted(given.clauses.iter().map(|file| file.id));
            let program = Arc::new(Program::embedded(files, embedding));
            let policy =
                self.load_policy(command, names.join(", "), program, settings, Rc::clone(&sources), &given);
            match policy.constitution.no_verdicts() {
                Some(why) => {
                    self.without_verdicts.insert(key(found), why);
                }
                None => drop(self.by_key.insert(key(found), policy)),
            }
        }
    }

    fn load_policy(
        &mut self,
        command: &ReplayCommand,
        name: String,
        program: Arc<Program>,
        settings: Arc<Settings>,
        sources: Rc<RefCell<Sources>>,
        given: &ExtraFacts,
    ) -> Policy {
        let limits = Limits::from_settings(&settings.kernel);
        let clock =
            command.now.map_or_else(|| Clock::from_settings(&settings.kernel), |now_ns| Clock { now_ns });
        let reading = command.reading(settings.kernel.reading);
        let basis = ConstitutionConfig { program, reading, settings: settings.replay.clone(), limits, clock };
        let complaints = &mut self.complaints;
        let give = |kernel: &mut Kernel, program: &Program| {
            complaints.extend(given.give(kernel, program, limits));
        };
        let constitution = Constitution::with_facts(basis, give, &surroundings::cancel());
        Policy { constitution, sources, settings, name }
    }

    fn all(&self) -> impl Iterator<Item = &Policy> {
        self.named.iter().chain(self.by_key.values())
    }

    /// The names of the policies.
    pub(super) fn names(&self) -> String {
        let names: Vec<_> = self.all().map(|policy| policy.name.as_str()).collect();
        names.join(", ")
    }

    /// The location of the policies: the given path, the folder of the configuration, or the
    /// working directory.
    pub(super) fn path(&self, command: &ReplayCommand, transcripts: &Transcripts) -> PathBuf {
        let working = transcripts.working();
        let named = command.policy.first().map(|path| mangle_host::absolute(working, path));
        let of_project = || {
            let index = self.by_key.keys().find_map(|(project, _)| *project)?;
            transcripts.resolution.projects.get(index).map(|project| project.root.clone())
        };
        named.or_else(of_project).unwrap_or_else(|| working.to_owned())
    }

    /// The findings in the policies, independent of the sessions.
    pub(super) fn findings(&self, wish: &SessionOptions<'_>, fails: &mut bool) -> Vec<Value> {
        let mut lines = Vec::new();
        for policy in self.all() {
            let rules: &RuleSettings = &policy.settings.rules;
            let fail_on: FailOn = wish.fail_on.unwrap_or(policy.settings.fail_on);
            for (file, one) in policy_diagnostics(&policy.constitution, rules) {
                *fails |= fail_on.fails(one.severity);
                lines.push(json_value(file, &one, &policy.sources.borrow()));
            }
        }
        lines
    }

    /// Reports unreadable files, and missing parts of policies.
    pub(super) fn complain(&self, working: &Path, color: ColorChoice) {
        self.programs.iter().for_each(|programs| programs.complain(working, color));
        self.complaints
            .iter()
            .chain(self.without_verdicts.values())
            .for_each(|why| output::complain(color, why));
        for policy in self.all().chain(&self.other) {
            for lack in policy.constitution.missing_parts() {
                output::warn(color, &format!("{}: {lack}", policy.name));
            }
            if let Some(stop) = policy.constitution.stopped() {
                let place = stop.rule.and_then(|rule| policy.place(rule));
                let place = place.map_or(String::new(), |place| format!(" at {place}"));
                output::warn(
                    color,
                    &format!("{}: the evaluation stopped{place}: {}", policy.name, stop.reason),
                );
            }
        }
    }

    /// True if all given files could be read.
    pub(super) fn is_whole(&self) -> bool {
        !self.problems && self.complaints.is_empty() && self.without_verdicts.is_empty()
    }
}
