//! What an editor or the command line asks of a program, one file a feature, and the registry
//! that joins all rules. Takes snapshots of programs and offsets; gives plain data. Knows neither
//! protocol nor files on disk.

pub mod diagnostics;
pub mod file_findings;
pub mod fixes;
pub mod graph;
pub mod registry;
pub mod suppression;

#[cfg(test)]
pub(crate) mod testing;
