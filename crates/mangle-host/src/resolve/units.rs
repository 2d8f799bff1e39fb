//! The parts of a program that are analyzed and evaluated separately.

use super::{ProgramFiles, StandaloneFile};
use mangle_syntax::text::FileId;

/// Files that are linked: the files of a program, or the files of a sample or policy test with its
/// program.
#[derive(Debug)]
pub struct Unit<'p> {
    /// The sample or policy test. `None` for the program itself.
    pub single: Option<&'p StandaloneFile>,
    /// In program order. The standalone file is last.
    pub files: Vec<FileId>,
    /// The files whose findings this unit reports. For a standalone file, only the file itself.
    pub reported: Vec<FileId>,
}

impl ProgramFiles {
    /// Returns the program itself, followed by one unit per sample and policy test.
    pub fn units(&self) -> impl Iterator<Item = Unit<'_>> {
        let reported = self.members.iter().filter(|member| member.reported).map(|member| member.file);
        let files = self.members.iter().map(|member| member.file).collect();
        let own = Unit { single: None, files, reported: reported.collect() };
        std::iter::once(own).chain(self.standalone_files.iter().map(|single| self.unit_of(single)))
    }

    /// Returns the unit of a sample or policy test.
    #[must_use]
    pub fn unit_of<'p>(&'p self, single: &'p StandaloneFile) -> Unit<'p> {
        let mut files = match &single.uses {
            Some(used) => used.clone(),
            None => self.members.iter().map(|member| member.file).collect(),
        };
        files.push(single.member.file);
        let reported = single.member.reported.then_some(single.member.file);
        Unit { single: Some(single), files, reported: reported.into_iter().collect() }
    }
}
