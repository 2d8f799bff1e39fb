//! The units of a program: what is analysed, evaluated and shown as one.

use super::{ProgramFiles, StandaloneFile};
use mangle_syntax::text::FileId;

/// Files that are joined: those of a program, or those that a sample or a policy test goes with.
#[derive(Debug)]
pub struct Unit<'p> {
    /// The sample or the policy test; `None` for the program itself.
    pub single: Option<&'p StandaloneFile>,
    /// The files, in the order of the program; the single comes last.
    pub files: Vec<FileId>,
    /// Those of them whose findings are reported from here: of a unit with a single, that alone.
    pub reported: Vec<FileId>,
}

impl ProgramFiles {
    /// The program itself, then one unit for each of its samples and policy tests.
    pub fn units(&self) -> impl Iterator<Item = Unit<'_>> {
        let reported = self.members.iter().filter(|member| member.reported).map(|member| member.file);
        let files = self.members.iter().map(|member| member.file).collect();
        let own = Unit { single: None, files, reported: reported.collect() };
        std::iter::once(own).chain(self.singles.iter().map(|single| self.unit_of(single)))
    }

    /// The unit of a sample or a policy test.
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
