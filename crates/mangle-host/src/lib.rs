//! All file access, and the assignment of files to programs, for the command line and the language
//! server.
//!
//! Input is the paths of the command line, or the folders and documents of an editor, and the
//! texts of open documents ([`Overlay`]). Results are programs as lists of
//! [`mangle_syntax::text::FileId`]s ([`resolve`]), file texts ([`read`]) and file summaries ready
//! to be linked ([`load`]).
//!
//! The module also reads old revisions with `git` ([`GitRevision`]) and watches files for changes
//! ([`Watch`]). Of all findings, it only produces findings about files that cannot be read.

#![allow(missing_docs, reason = "the items are public for the program and its tests, not for others")]

mod agents;
mod atoms;
mod check;
mod decode;
pub mod disk;
mod disk_look;
#[cfg(test)]
mod disk_look_tests;
mod fixes;
mod format;
mod git_revision;
mod identity;
mod ignore_rules;
mod linked_programs;
mod load;
mod path_style;
mod paths;
mod preview_files;
mod project;
mod read;
mod resolve;
mod samples;
mod shown;
mod solvers;
mod target;
#[cfg(test)]
mod tests;
mod transcript_checks;
mod transcripts;
mod versions;
mod walk;
#[cfg(not(target_family = "wasm"))]
mod watch;
pub mod workspace;

pub use agents::AgentSettings;
pub use atoms::AtomFiles;
pub use check::{CheckOptions, Checked, check};
pub use decode::{FileText, MAX_FILE_LEN};
pub use disk::{ReplaceError, Replacement, plain, replace, replaceable};
pub use disk_look::{DiskChanges, DiskListing, DiskLook, watched_patterns};
pub use fixes::{FixedFile, SkipReason, StandaloneFixes, fix_prompts, fix_standalone};
pub use format::{FormattedFile, format};
pub use git_revision::{GitRevision, GitRevisionError, revision};
pub use identity::{Identities, MemberLink, ResolvedPath};
pub use linked_programs::{
    LinkOptions, LinkedProgram, LinkedTest, UnitOptions, join, join_tests, other_program, other_program_for,
    unit_facts,
};
pub use load::{CheckCache, load, unparsed};
pub use path_style::PathStyle;
pub use paths::{
    FileTable, absolute, file_inside, folder_of, is_facts, is_mangle, is_schema, is_single, is_test, real,
    relative, source_text, test_path,
};
pub use preview_files::{
    AtomCache, PreviewFiles, PreviewRequest, RequestedPart, SessionText, preview_name, prompt_name,
    read_session,
};
pub use project::{Project, SettingsProblems};
pub use read::{Overlay, VersionOptions, exists, open_facts, read, read_to_string, summarise};
pub use resolve::{
    CorpusFiles, GrammarFile, Member, PartialScan, Problem, ProgramFiles, ProgramOrigin, ProgramScope,
    Resolution, Shell, StandaloneFile, WithoutReplies, only, resolve, resolve_exactly_with_transcripts,
    resolve_scope, resolve_with_transcripts,
};
pub use samples::named_among;
pub use shown::ShownStores;
pub use solvers::solvers;
pub use target::{CheckTarget, CheckTargets, STDIN, targets, targets_with_transcripts};
pub use transcript_checks::{
    AccountPolicies, Accounts, CheckInputs, CheckInputsMap, CheckedTranscripts, MAX_FINDINGS, SeeEvent,
    TranscriptFigures, TranscriptPrograms, TranscriptRequest, check_transcripts, programs_of_transcripts,
};
pub use transcripts::{
    Beginning, EachRead, Input, ReadOptions, RecordStart, StretchTarget, TranscriptFile, comments,
    plain_name, read_transcript, read_transcript_with,
};
pub use versions::{ProgramVersions, ShownVersions, VersionChoice};
pub use walk::{ScanLimit, Visited, repository};
#[cfg(not(target_family = "wasm"))]
pub use watch::{Stopper, WakeReason, Watch, WatchError};
