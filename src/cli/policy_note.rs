//! Note on standard error about the program files that a command uses.

use std::path::Path;

use super::output;
use mangle_host::{FileTable, ProgramFiles, ProgramOrigin, Resolution, is_schema, relative};

/// Maximum number of file names in a line.
const MAX_NAMES: usize = 8;

/// Maximum number of programs with a line.
const MAX_PROGRAMS: usize = 3;

/// Returns a line for each program that transcripts are read with.
pub(super) fn policies_of_transcripts(
    resolution: &Resolution,
    table: &FileTable,
    working: &Path,
) -> Vec<String> {
    let is_used = |at: &usize| resolution.transcripts.iter().any(|found| found.programs.contains(at));
    let used = (0..resolution.programs.len()).filter(is_used);
    lines(used.filter_map(|at| resolution.programs.get(at)), table, working)
}

/// Returns a line for each program that has files besides the named files, if no configuration
/// lists them.
pub(super) fn wider_programs(resolution: &Resolution, table: &FileTable, working: &Path) -> Vec<String> {
    let is_wider = |program: &&ProgramFiles| {
        program.origin == ProgramOrigin::Together && program.members.iter().any(|member| !member.reported)
    };
    lines(resolution.programs.iter().filter(is_wider), table, working)
}

pub(super) fn write(lines: &[String]) {
    lines.iter().for_each(|line| output::note(&format!("{line}\n")));
}

fn lines<'p>(
    programs: impl Iterator<Item = &'p ProgramFiles>,
    table: &FileTable,
    working: &Path,
) -> Vec<String> {
    let mut lines: Vec<String> = programs.map(|program| line(program, table, working)).collect();
    lines.dedup();
    if lines.len() > MAX_PROGRAMS {
        let more = lines.len() - MAX_PROGRAMS;
        lines.truncate(MAX_PROGRAMS);
        lines.push(format!("policy: {more} more programs; `check --show-program` lists all"));
    }
    lines
}

fn line(program: &ProgramFiles, table: &FileTable, working: &Path) -> String {
    let mut files: Vec<_> = program.members.iter().map(|member| table.path(member.file)).collect();
    files.sort_by_key(|path| !is_schema(path));
    let count = files.len();
    let noun = if count == 1 { "file" } else { "files" };
    let names = names(files.iter().map(|path| relative(working, path)).collect());
    let singles = program.standalone_files.iter().map(|single| table.path(single.member.file));
    let tests = singles.filter(|_| program.project.is_none()).map(|path| relative(working, &path));
    let elsewhere = program.files_of_other_programs.iter().map(|path| relative(working, path));
    let left_out: Vec<String> = tests.chain(elsewhere).collect();
    let mut line = format!("policy: {count} {noun} ({names})");
    if !left_out.is_empty() {
        line.push_str(&format!("; left out: {}", self::names(left_out)));
    }
    line
}

fn names(mut names: Vec<String>) -> String {
    let more = names.len().saturating_sub(MAX_NAMES);
    if more > 0 {
        names.truncate(MAX_NAMES);
        names.push(format!("{more} more"));
    }
    names.join(", ")
}
