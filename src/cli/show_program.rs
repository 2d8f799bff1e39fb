//! `--show-program`: lists the files of each program, with the reason.

use std::fmt::Write as _;
use std::path::Path;

use mangle_host::{FileTable, Member, ProgramFiles, Resolution, relative};
use mangle_report::sink::terminal;

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
