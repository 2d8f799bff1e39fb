//! Notes about the program files that a command uses: the files of each program, and the searched
//! patterns if there are no files.

use std::fmt::Write as _;
use std::path::Path;

use super::output;
use mangle_host::{FileTable, Member, ProgramFiles, ProgramOrigin, Resolution, is_schema, relative};
use mangle_report::sink::terminal;
use mangle_settings::{FILE_NAME, Settings};

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

/// Formats the programs with their files.
pub(super) fn show_program(resolution: &Resolution, table: &FileTable, working: &Path) -> String {
    let mut out = String::new();
    for program in &resolution.programs {
        write_program(&mut out, program, resolution, table, working);
    }
    if !resolution.transcripts.is_empty() {
        write_line(&mut out, "transcripts:");
    }
    for found in &resolution.transcripts {
        let programs = found.programs.iter().filter_map(|&at| resolution.programs.get(at));
        let programs: Vec<_> = programs.map(|program| program.name.as_str()).collect();
        let with = match programs.is_empty() {
            true => "without declarations".to_owned(),
            false => format!("with the declarations of {}", programs.join(", ")),
        };
        write_line(&mut out, &format!("  {} ({with})", relative(working, &found.path)));
    }
    if !resolution.excluded_files.is_empty() {
        write_line(&mut out, "in no program:");
        for path in &resolution.excluded_files {
            write_line(&mut out, &format!("  {}", relative(working, path)));
        }
    }
    out
}

fn write_program(
    out: &mut String,
    program: &ProgramFiles,
    resolution: &Resolution,
    table: &FileTable,
    working: &Path,
) {
    let project = program.project.and_then(|index| resolution.projects.get(index));
    let by = project.map_or_else(
        || "without a configuration file".to_owned(),
        |project| format!("by {}", relative(working, &project.path)),
    );
    write_line(out, &format!("program {} in {}, {by}", program.name, relative(working, &program.root)));
    let name = |member: &Member| relative(working, &table.path(member.file));
    for member in &program.members {
        let note = if member.reported { "" } else { " (read, not reported)" };
        let hybrid = if program.embedding.is_hybrid(member.file) { " (hybrid)" } else { "" };
        write_line(out, &format!("  {}{hybrid}{note}", name(member)));
    }
    for single in program.standalone_files.iter().filter(|single| single.member.reported) {
        let Some(used) = &single.uses else {
            write_line(out, &format!("  {} (by itself with the program)", name(&single.member)));
            continue;
        };
        write_line(out, &format!("  {} (by itself with what it uses)", name(&single.member)));
        for file in used {
            write_line(out, &format!("    {}", relative(working, &table.path(*file))));
        }
    }
    for key in &program.embedding.predicates {
        write_line(out, &format!("  {key} (supplied by the host)"));
    }
    write_line(out, &format!("  engine {}", program.embedding.engine.name));
}

/// Writes a line. Control characters in names cannot start another line.
fn write_line(out: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{}", terminal(text));
}

/// The file extensions and patterns that were searched, with the configuration that defines them.
pub(super) fn looked_for(resolution: &Resolution, working: &Path) -> String {
    let defaults = Settings::default();
    let settings: Vec<&Settings> = match &resolution.projects[..] {
        [] => vec![&defaults],
        projects => projects.iter().map(|project| &*project.settings).collect(),
    };
    let added = settings.iter().flat_map(|settings| settings.files.extensions.iter().map(String::as_str));
    let endings = listed(["mg", "gl"].into_iter().chain(added).map(|ending| format!(".{ending}")));
    let patterns = settings.iter().flat_map(|settings| settings.transcripts.include.patterns());
    let transcripts = listed(patterns.cloned());
    let atoms = listed(settings.iter().flat_map(|settings| settings.prompt.atoms.patterns()).cloned());
    let mut text = format!("looked for Mangle files ({endings})");
    if !transcripts.is_empty() {
        text.push_str(&format!(" and transcripts ({transcripts})"));
    }
    if !atoms.is_empty() {
        text.push_str(&format!(" and prompt atoms ({atoms})"));
    }
    let left_out = match resolution.excluded_files.len() {
        0 => String::new(),
        1 => "; 1 Mangle file is in no program".to_owned(),
        count => format!("; {count} Mangle files are in no program"),
    };
    let names: Vec<_> =
        resolution.projects.iter().map(|project| mangle_host::relative(working, &project.path)).collect();
    let configuration = match &names[..] {
        [] => format!("there is no `{FILE_NAME}` here or above"),
        names => format!("as {} says", names.join(", ")),
    };
    format!("{text} that git does not ignore{left_out}; {configuration}")
}

/// Distinct words in backticks, in order.
fn listed(words: impl Iterator<Item = String>) -> String {
    let mut all: Vec<String> = Vec::new();
    for word in words.map(|word| format!("`{word}`")) {
        if !all.contains(&word) {
            all.push(word);
        }
    }
    all.join(", ")
}
