//! Arguments of the command line that need special handling: Mangle files with unusual names, and
//! paths without any content to check.

use std::path::Path;

use super::{Problem, Resolver, Shell, WalkEntry};
use crate::CheckTarget;
use crate::agents::is_agent_settings;
use crate::paths::is_other_text;
use crate::transcripts::is_markdown;
use mangle_settings::FILE_NAME;

impl Resolver<'_> {
    /// Returns the named files with unusual extensions that are read as Mangle. Transcripts,
    /// configurations, YAML, Markdown and tables are excluded.
    pub(super) fn named_as_mangle(&mut self) -> Vec<WalkEntry> {
        let mut found = Vec::new();
        for target in self.targets {
            let CheckTarget::Other(path) = target else { continue };
            let is_other = is_other_text(path) || is_agent_settings(path) || is_markdown(path);
            let is_added = self.declares_extension(self.project_of(path), path);
            if is_added || (!is_other && !self.is_named_transcript(path)) {
                self.as_mangle.insert(path.clone());
                let is_placed =
                    self.table.known(path).is_some_and(|id| self.members().any(|it| it.file == id));
                found.extend((!is_placed).then(|| WalkEntry::plain(path)));
            }
        }
        found
    }

    /// Skips named files that are not Mangle, for commands that process only Mangle.
    pub(super) fn skip_others(&mut self) {
        for target in self.targets {
            match target {
                CheckTarget::Other(path) if !self.as_mangle.contains(path) => {
                    self.result.skipped.push(path.clone())
                }
                _ => {}
            }
        }
    }

    /// Reports targets without any file to process.
    pub(super) fn note_empty(&mut self, asks_for_transcripts: bool) {
        if self.shell == Shell::Editor {
            return;
        }
        let wanted = match asks_for_transcripts {
            true => "no Mangle file, no transcript and no prompt atoms",
            false => "no Mangle file",
        };
        let mut empty = Vec::new();
        for target in self.targets {
            let (path, why) = match target {
                CheckTarget::Folder(_) | CheckTarget::Glob(..) if self.holds_anything(target) => continue,
                CheckTarget::Folder(folder) => (folder.clone(), format!("there is {wanted} in it")),
                CheckTarget::Glob(base, globs) => {
                    (base.join(globs.patterns().join(" ")), format!("it matches {wanted}"))
                }
                _ => continue,
            };
            let left_out = self.result.excluded_files.iter().filter(|path| target.covers(path)).count();
            let why = match left_out {
                0 => why,
                1 => format!("its Mangle file is in no program of the `{FILE_NAME}` around it"),
                _ => {
                    format!("its {left_out} Mangle files are in no program of the `{FILE_NAME}` around them")
                }
            };
            empty.push(Problem { path, why, named: true });
        }
        let why = match asks_for_transcripts {
            true => "it is neither Mangle nor a transcript nor prompt atoms; `--transcripts` reads any file",
            false => "it is no Mangle file",
        };
        let skipped = self.result.skipped.iter();
        empty.extend(skipped.map(|path| Problem { path: path.clone(), why: why.into(), named: true }));
        self.result.empty_targets = empty;
    }

    /// True if a folder or a glob covers at least one file to process.
    fn holds_anything(&self, target: &CheckTarget) -> bool {
        let covers = |path: &Path| target.covers(path);
        let result = &self.result;
        self.members().any(|member| covers(&self.table.path(member.file)))
            || result.transcripts.iter().any(|found| covers(&found.path))
            || result.agents.iter().any(|agent| covers(&agent.path))
            || result.beside().any(|(_, path, _)| covers(path))
            || result.projects.iter().any(|project| covers(&project.path) && !project.findings.is_empty())
            || result.problems.iter().any(|problem| covers(&problem.path))
    }
}
