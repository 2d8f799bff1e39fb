//! The command line through the real program, a file for each command.

mod account;
mod check;
mod config_files;
mod config_show;
mod conventions;
mod engine_order;
mod explain;
mod fix;
mod fix_transcripts;
mod fix_twice;
mod foreign_markdown;
mod foreign_names;
mod foreign_text;
mod format;
mod grammar;
mod graph;
mod help_examples;
mod init;
mod loading;
mod long_transcripts;
mod many_findings;
mod newcomer;
mod one_program;
mod other_agents;
#[path = "test.rs"]
mod policy_test;
mod preview;
mod preview_atoms;
mod preview_bad_input;
mod preview_captured;
mod preview_why;
mod query;
mod repair;
mod replay;
mod scan_limit;
mod settings;
mod show;
#[cfg(unix)]
mod special_files;
mod split;
mod stats;
mod stores;
use crate::support::command as support;
mod compare_versions;
mod diff;
#[cfg(target_os = "linux")]
mod threads;
mod transcripts;
mod verify;
mod versions;
