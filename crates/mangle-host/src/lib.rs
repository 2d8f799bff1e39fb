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
mod format;
mod git_revision;
mod grammar_checks;
mod grammar_files;
mod identity;
mod ignore_rules;
mod linked_programs;
mod load;
mod memory;
mod other_program;
mod overlay;
mod partial_scan;
mod path_style;
mod paths;
mod preview_files;
mod preview_requests;
mod project;
mod prompts;
mod read;
mod resolve;
mod revision;
mod settings_problems;
mod shown_stores;
mod single_files;
mod solvers;
mod summary;
mod tables;
mod target;
mod transcripts;
mod unit_facts;
mod unread_findings;
mod uses;
mod version_options;
mod versions;
mod walk;
#[cfg(not(target_family = "wasm"))]
mod watch;
mod watched_files;
pub mod workspace;

#[cfg(test)]
mod tests;

pub use agents::AgentSettings;
pub use atoms::AtomFiles;
pub use check::{CheckOptions, Checked, check};
pub use decode::{FileText, MAX_FILE_LEN};
pub use disk::{ReplaceError, Replacement, plain, replace, replaceable};
pub use disk_look::{DiskChanges, DiskListing, DiskLook};
pub use format::{FormattedFile, format};
pub use git_revision::{GitRevision, GitRevisionError};
pub use grammar_files::GrammarFile;
pub use identity::{Identities, MemberLink, ResolvedPath};
pub use linked_programs::{LinkOptions, LinkedProgram, LinkedTest, join, join_tests, only};
pub use load::{load, unparsed};
pub use memory::CheckCache;
pub use other_program::{other_program, other_program_for};
pub use overlay::Overlay;
pub use path_style::PathStyle;
pub use paths::{
    FileTable, absolute, file_inside, folder_of, is_facts, is_mangle, is_schema, is_single, is_test, real,
    relative, source_text, test_path,
};
pub use preview_files::{AtomCache, PreviewFiles, SessionText, preview_name, read_session};
pub use preview_requests::{PreviewRequest, RequestedPart, prompt_name};
pub use project::Project;
pub use prompts::fix_prompts;
pub use read::{exists, open_facts, read, read_to_string};
pub use resolve::{
    CorpusFiles, Member, PartialScan, Problem, ProgramFiles, ProgramOrigin, ProgramScope, Resolution, Shell,
    StandaloneFile, WithoutReplies, resolve, resolve_exactly_with_transcripts, resolve_scope,
    resolve_with_transcripts,
};
pub use revision::revision;
pub use settings_problems::SettingsProblems;
pub use shown_stores::ShownStores;
pub use single_files::{FixedFile, SkipReason, StandaloneFixes, fix_standalone};
pub use solvers::solvers;
pub use summary::summarise;
pub use target::{CheckTarget, CheckTargets, STDIN, targets, targets_with_transcripts};
pub use transcripts::{
    AccountPolicies, Accounts, Beginning, CheckInputs, CheckInputsMap, CheckedTranscripts, EachRead, Input,
    MAX_FINDINGS, ReadOptions, RecordStart, SeeEvent, StretchTarget, TranscriptFigures, TranscriptFile,
    TranscriptPrograms, TranscriptRequest, check_transcripts, comments, plain_name, programs_of_transcripts,
    read_transcript, read_transcript_with,
};
pub use unit_facts::{UnitOptions, unit_facts};
pub use uses::named_among;
pub use version_options::VersionOptions;
pub use versions::{ProgramVersions, ShownVersions, VersionChoice};
pub use walk::{ScanLimit, Visited, repository};
#[cfg(not(target_family = "wasm"))]
pub use watch::{Stopper, WakeReason, Watch, WatchError};
pub use watched_files::patterns as watched_patterns;
