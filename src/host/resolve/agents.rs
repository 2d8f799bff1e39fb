//! Which configurations of agents' runtimes there are, and which of them holds for a transcript.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Resolver;
use super::transcripts::FoundTranscript;
use crate::host::agents::{in_folder, is_agent_settings};
use crate::host::{AgentSettings, CheckTarget};

impl Resolver<'_> {
    /// Reads the configurations that have to do with the targets: those that are named, those in the folders of the
    /// targets, of projects and of programs, and the nearest above each transcript. They lie in hidden folders, which no
    /// walk enters.
    pub(super) fn agents(&mut self, transcripts: &[FoundTranscript]) {
        let mut paths: BTreeSet<PathBuf> = self.named_agents().cloned().collect();
        let mut folders: BTreeSet<&Path> = BTreeSet::new();
        folders.extend(self.result.projects.iter().map(|project| project.root.as_path()));
        folders.extend(self.result.programs.iter().map(|program| program.root.as_path()));
        folders.extend(self.targets.iter().filter_map(CheckTarget::folder));
        paths.extend(folders.into_iter().filter_map(|folder| in_folder(folder, self.overlay)));
        let around: BTreeSet<&Path> = transcripts.iter().filter_map(|found| found.path.parent()).collect();
        let nearest = |folder: &Path| folder.ancestors().find_map(|folder| in_folder(folder, self.overlay));
        paths.extend(around.into_iter().filter_map(nearest));
        let read = |path: PathBuf| AgentSettings::read(path, self.overlay, self.table);
        let mut agents: Vec<AgentSettings> = paths.into_iter().filter_map(read).collect();
        for agent in &mut agents {
            agent.project = self.project_of(&agent.path);
            agent.reported = self.is_reported(&agent.path);
        }
        self.result.agents = agents;
    }

    fn named_agents(&self) -> impl Iterator<Item = &PathBuf> {
        self.targets.iter().filter_map(|target| match target {
            CheckTarget::Other(path) | CheckTarget::File(path) if is_agent_settings(path) => Some(path),
            _ => None,
        })
    }

    /// The configuration of the agent that works in the innermost folder around a file.
    pub(super) fn agent_of(&self, path: &Path) -> Option<usize> {
        let around = self.result.agents.iter().enumerate().filter(|(_, agent)| path.starts_with(&agent.root));
        around.max_by_key(|(_, agent)| agent.root.components().count()).map(|(at, _)| at)
    }
}
