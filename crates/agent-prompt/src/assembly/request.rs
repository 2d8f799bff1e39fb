//! What is to be assembled.

use std::collections::BTreeMap;

use crate::context::PromptContext;
use crate::jit::{JitCompiler, Residue};
use crate::sections::Mode;
use crate::wording::Wording;
use mangle_settings::{Profile, Reasoning};

/// What is to be assembled.
#[derive(Debug, Clone, Copy)]
pub struct AssemblyRequest<'a> {
    /// For whom.
    pub context: &'a PromptContext,
    /// How.
    pub mode: Mode,
    /// Texts of the workspace in place of ours: by type of shard, `generic`, `suffix`, `inception`, and by the names of
    /// phrases.
    pub templates: &'a BTreeMap<String, String>,
    /// Whether the preamble about the two channels stands above everything.
    pub inception: bool,
    /// What asks for reasons below everything.
    pub reasoning: Option<Reasoning>,
    /// The prompt compiler, where there is a corpus of atoms.
    pub compiler: Option<&'a JitCompiler>,
    /// What earlier compilations left in the kernel, where there were any.
    pub left: Option<&'a Residue>,
    /// The version of the protocol that answers are wanted in.
    pub profile: Profile,
}

impl<'a> AssemblyRequest<'a> {
    /// The headings and sentences that the assembly writes itself.
    pub(super) fn wording(&self) -> Wording<'a> {
        Wording::new(self.templates)
    }

    /// A prompt without anything of a workspace: no texts of its own, no prompt compiler.
    #[must_use]
    pub fn plain(context: &'a PromptContext, mode: Mode) -> Self {
        static OURS: BTreeMap<String, String> = BTreeMap::new();
        let profile = Profile::Current;
        Self {
            context,
            mode,
            templates: &OURS,
            inception: false,
            reasoning: None,
            compiler: None,
            left: None,
            profile,
        }
    }
}
