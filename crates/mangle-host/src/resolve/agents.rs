//! Discovery of agent runtime configurations, and their assignment to transcripts.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Resolver;
use super::transcripts::FoundTranscript;
use crate::agents::{in_folder, is_agent_settings};
use crate::{AgentSettings, CheckTarget};

impl Resolver<'_> {
    /// Reads the relevant configurations: named files, files in the folders of targets, projects
    /// and programs, and the nearest one above each transcript. Walks do not find them, because
    /// their folders are hidden.
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

    /// Returns the configuration of the agent whose folder is the innermost around a file.
    pub(super) fn agent_of(&self, path: &Path) -> Option<usize> {
        let around = self.result.agents.iter().enumerate().filter(|(_, agent)| path.starts_with(&agent.root));
        around.max_by_key(|(_, agent)| agent.root.components().count()).map(|(at, _)| at)
    }
}
