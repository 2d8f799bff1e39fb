//! Input of the prompt assembly.

use std::collections::BTreeMap;

use crate::context::PromptContext;
use crate::jit::{JitCompiler, Residue};
use crate::sections::Mode;
use crate::wording::Wording;
use mangle_settings::{Profile, Reasoning};

/// Input of the prompt assembly.
#[derive(Debug, Clone, Copy)]
pub struct AssemblyRequest<'a> {
    /// The shard and its situation.
    pub context: &'a PromptContext,
    /// The assembly mode.
    pub mode: Mode,
    /// Workspace texts that replace built-in texts. Keys: the type of shard, `generic`, `suffix`,
    /// `inception`, and phrase names.
    pub templates: &'a BTreeMap<String, String>,
    /// True if the preamble about the two channels precedes the prompt.
    pub inception: bool,
    /// The reasoning request at the end of the prompt.
    pub reasoning: Option<Reasoning>,
    /// The prompt compiler, if a corpus of atoms exists.
    pub compiler: Option<&'a JitCompiler>,
    /// Facts that earlier compilations left in the kernel.
    pub residue: Option<&'a Residue>,
    /// The protocol version of the requested replies.
    pub profile: Profile,
}

impl<'a> AssemblyRequest<'a> {
    /// The headings and sentences of the assembly.
    pub(super) fn wording(&self) -> Wording<'a> {
        Wording::new(self.templates)
    }

    /// A request with built-in texts and without a prompt compiler.
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
            residue: None,
            profile,
        }
    }
}
