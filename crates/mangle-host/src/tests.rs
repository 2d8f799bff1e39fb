//! Tests of path resolution on small trees on disk.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};

use super::{
    CheckCache, CheckTarget, FileTable, Member, Overlay, Resolution, STDIN, Shell, load, relative, resolve,
    resolve_with_transcripts, targets, targets_with_transcripts,
};

/// A folder that is removed on drop. Its name is always the same.
struct Folder {
    root: PathBuf,
    _temporary: tempfile::TempDir,
}

/// Creates a folder with files. `#- PATH` starts a file, followed by its text.
fn tree(fixture: &str) -> Folder {
    let temporary = tempfile::tempdir().unwrap();
    let root = temporary.path().canonicalize().unwrap().join("work");
    std::fs::create_dir(&root).unwrap();
    let folder = Folder { root, _temporary: temporary };
    let mut file = None;
    for line in fixture.lines() {
        if let Some(path) = line.strip_prefix("#- ") {
            let path = folder.root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            file = Some(path.clone());
            std::fs::write(path, "").unwrap();
        } else if let Some(path) = &file {
            let text = std::fs::read_to_string(path).unwrap() + line + "\n";
            std::fs::write(path, text).unwrap();
        }
    }
    folder
}

/// Renders a resolution: each program with its files (`*` reported, `+` standalone), omitted
/// files, findings about configuration files, and problems.
fn render(root: &Path, table: &FileTable, resolution: &Resolution) -> String {
    let mut out = String::new();
    let name = |path: &Path| relative(root, path);
    for program in &resolution.programs {
        let project = program.project.map(|index| name(&resolution.projects[index].path));
        writeln!(out, "{} in {} by {}", program.name, name(&program.root), project.unwrap_or("-".into()))
            .unwrap();
        let mut list = |member: &Member, mark| {
            let reported = if member.reported { "*" } else { " " };
            let hybrid = if program.embedding.is_hybrid(member.file) { " (hybrid)" } else { "" };
            writeln!(out, "  {mark}{reported} {}{hybrid}", name(&table.path(member.file))).unwrap();
        };
        program.members.iter().for_each(|member| list(member, " "));
        program.standalone_files.iter().for_each(|single| list(&single.member, "+"));
        for file in program.standalone_files.iter().flat_map(|single| single.uses.iter().flatten()) {
            writeln!(out, "      uses {}", name(&table.path(*file))).unwrap();
        }
    }
    for found in &resolution.transcripts {
        let programs: Vec<_> =
            found.programs.iter().map(|&at| resolution.programs[at].name.as_str()).collect();
        let named = if found.named { " named" } else { "" };
        let profile = found.settings.profile.map_or("auto", |profile| profile.as_str());
        writeln!(out, "transcript{named}: {} with {programs:?}, {profile}", name(&found.path)).unwrap();
    }
    for path in &resolution.skipped {
        writeln!(out, "skipped: {}", name(path)).unwrap();
    }
    for path in &resolution.excluded_files {
        writeln!(out, "left out: {}", name(path)).unwrap();
    }
    for project in &resolution.projects {
        for sample in &project.samples {
            writeln!(out, "{} samples {}", name(&project.path), name(sample)).unwrap();
        }
        for finding in &project.findings {
            writeln!(out, "{}: {}", name(&project.path), finding.rule.name).unwrap();
        }
    }
    for problem in resolution.problems.iter().chain(&resolution.empty_targets) {
        let named = if problem.named { "named " } else { "" };
        writeln!(out, "{named}problem: {}: {}", name(&problem.path), problem.why).unwrap();
    }
    out
}

fn resolve_at(root: &Path, arguments: &[&str], overlay: &Overlay) -> String {
    let arguments: Vec<PathBuf> = arguments.iter().map(PathBuf::from).collect();
    let named = targets(&arguments, root);
    let table = FileTable::default();
    let mut resolution = resolve(&named.targets, Shell::CommandLine, overlay, &table);
    resolution.problems.extend(named.problems);
    render(root, &table, &resolution)
}

/// Resolves the arguments of a command line in the tree's folder.
fn check(fixture: &str, arguments: &[&str], expected: Expect) {
    let folder = tree(fixture);
    let root = folder.root.clone();
    expected.assert_eq(&resolve_at(&root, arguments, &Overlay::default()));
}

/// Resolves the arguments of a command that processes transcripts, with explicitly given
/// transcripts.
fn check_transcripts(fixture: &str, arguments: &[&str], transcripts: &[&str], expected: Expect) {
    let folder = tree(fixture);
    let [arguments, transcripts] =
        [arguments, transcripts].map(|paths| paths.iter().map(PathBuf::from).collect::<Vec<_>>());
    let named = targets_with_transcripts(&arguments, &transcripts, &folder.root);
    let (table, overlay) = (FileTable::default(), Overlay::default());
    let mut resolution = resolve_with_transcripts(&named.targets, Shell::CommandLine, &overlay, &table);
    resolution.problems.extend(named.problems);
    expected.assert_eq(&render(&folder.root, &table, &resolution));
}

const CAPTURES: &str = "\
#- mangle-ls.toml
[[program]]
name = 'guardian'
include = ['policy']
[[program]]
name = 'other'
include = ['more']
[transcripts]
include = ['captures']
[[transcripts.override]]
glob = 'captures/old/**'
profile = '1.1'
#- policy/deny.mg
#- more/a.mg
#- captures/a.jsonl
#- captures/old/b.md
#- transcripts/c.json
#- inner/mangle-ls.toml
#- inner/transcripts/d.json
#- notes.json
{\"surface_response\": \"\"}
#- notes.txt
{\"surface_response\": \"\"}
";

#[test]
fn transcripts_of_a_project() {
    check_transcripts(
        CAPTURES,
        &[],
        &[],
        expect![[r#"
        guardian in . by mangle-ls.toml
           * policy/deny.mg
        other in . by mangle-ls.toml
           * more/a.mg
        inner in inner by inner/mangle-ls.toml
        transcript: captures/a.jsonl with ["guardian", "other"], auto
        transcript: captures/old/b.md with ["guardian", "other"], 1.1
        transcript: inner/transcripts/d.json with ["inner"], auto
    "#]],
    );
}

#[test]
fn transcripts_that_are_named() {
    let named = ["captures/old/b.md", "notes.json", "notes.txt", "transcripts/c.json"];
    check_transcripts(
        CAPTURES,
        &named,
        &[],
        expect![[r#"
            guardian in . by mangle-ls.toml
                 policy/deny.mg
            other in . by mangle-ls.toml
                 more/a.mg
            transcript named: captures/old/b.md with ["guardian", "other"], 1.1
            transcript named: notes.json with ["guardian", "other"], auto
            transcript named: notes.txt with ["guardian", "other"], auto
            skipped: transcripts/c.json
            named problem: transcripts/c.json: it is neither Mangle nor a transcript nor prompt atoms; `--transcripts` reads any file
        "#]],
    );
    check_transcripts(
        CAPTURES,
        &[],
        &["notes.txt", "inn*/**/*.json", "none/*.x", "-"],
        expect![[r#"
        guardian in . by mangle-ls.toml
             policy/deny.mg
        other in . by mangle-ls.toml
             more/a.mg
        inner in inner by inner/mangle-ls.toml
        transcript named: <stdin> with ["guardian", "other"], auto
        transcript named: inner/transcripts/d.json with ["inner"], auto
        transcript named: notes.txt with ["guardian", "other"], auto
        named problem: none/*.x: no such file or directory
    "#]],
    );
}

#[test]
fn transcripts_without_a_project() {
    let files = "#- a/p.mg\n#- t/transcripts/x.jsonl\n#- t/transcripts/schemas.gl\n#- t/y.piggyback.md\n";
    check_transcripts(
        files,
        &[],
        &[],
        expect![[r#"
            a in a by -
               * a/p.mg
            transcripts in t/transcripts by -
               * t/transcripts/schemas.gl
            transcript: t/transcripts/x.jsonl with ["transcripts"], auto
            transcript: t/y.piggyback.md with ["transcripts"], auto
        "#]],
    );
    check_transcripts(
        files,
        &["t/transcripts/x.jsonl", "t/y.piggyback.md"],
        &[],
        expect![[r#"
            the policy in t/transcripts by -
                 t/transcripts/schemas.gl
            transcript named: t/transcripts/x.jsonl with ["the policy"], auto
            transcript named: t/y.piggyback.md with ["the policy"], auto
        "#]],
    );
    check_editor(
        files,
        &["a", "t"],
        &["t/transcripts/x.jsonl", "t/other.json"],
        expect![[r#"
            a in a by -
               * a/p.mg
            transcripts in t/transcripts by -
               * t/transcripts/schemas.gl
            transcript: t/transcripts/x.jsonl with ["transcripts"], auto
            transcript: t/y.piggyback.md with ["transcripts"], auto
        "#]],
    );
}

/// Resolves the workspace folders and open documents of an editor.
fn check_editor(fixture: &str, folders: &[&str], open: &[&str], expected: Expect) {
    let folder = tree(fixture);
    let root = folder.root.clone();
    let table = FileTable::default();
    let mut overlay = Overlay::default();
    let mut targets: Vec<_> =
        folders.iter().map(|path| CheckTarget::Folder(super::absolute(&root, path.as_ref()))).collect();
    for path in open {
        overlay.insert(root.join(path), "".into());
        targets.push(CheckTarget::File(root.join(path)));
    }
    let resolution = resolve(&targets, Shell::Editor, &overlay, &table);
    expected.assert_eq(&render(&root, &table, &resolution));
}

const TWO_PROJECTS: &str = "\
#- a/mangle-ls.toml
[[program]]
name = 'guardian'
include = ['**/*.mg', 'schemas.gl']
exclude = ['old']
#- a/schemas.gl
#- a/policy/deny.mg
#- a/policy/deny_test.mg
#- a/policy/sample.kernel.mg
#- a/old/was.mg
#- a/inner/mangle-ls.toml
#- a/inner/own.mg
#- loose.mg
#- other/schemas.mg
#- other/x.mg
";

#[test]
fn a_folder_with_projects_in_it() {
    check(
        TWO_PROJECTS,
        &[],
        expect![[r#"
            work in . by -
               * loose.mg
            guardian in a by a/mangle-ls.toml
               * a/policy/deny.mg
               * a/schemas.gl
              +* a/policy/deny_test.mg
              +* a/policy/sample.kernel.mg
            inner in a/inner by a/inner/mangle-ls.toml
               * a/inner/own.mg
            other in other by -
               * other/schemas.mg
               * other/x.mg
            left out: a/old/was.mg
        "#]],
    );
}

#[test]
fn paths_select_what_is_reported_of_a_project() {
    check(
        TWO_PROJECTS,
        &["a/policy"],
        expect![[r#"
        guardian in a by a/mangle-ls.toml
           * a/policy/deny.mg
             a/schemas.gl
          +* a/policy/deny_test.mg
          +* a/policy/sample.kernel.mg
    "#]],
    );
    check(
        TWO_PROJECTS,
        &["a/schemas.gl"],
        expect![[r#"
        guardian in a by a/mangle-ls.toml
             a/policy/deny.mg
           * a/schemas.gl
          +  a/policy/deny_test.mg
          +  a/policy/sample.kernel.mg
    "#]],
    );
    check(
        TWO_PROJECTS,
        &["a/policy/deny_test.mg"],
        expect![[r#"
        guardian in a by a/mangle-ls.toml
             a/policy/deny.mg
             a/schemas.gl
          +* a/policy/deny_test.mg
          +  a/policy/sample.kernel.mg
    "#]],
    );
    check(
        TWO_PROJECTS,
        &["a/p*/*.kernel.mg"],
        expect![[r#"
        guardian in a by a/mangle-ls.toml
             a/policy/deny.mg
             a/schemas.gl
          +  a/policy/deny_test.mg
          +* a/policy/sample.kernel.mg
    "#]],
    );
}

#[test]
fn a_named_file_that_its_project_leaves_out_stands_alone() {
    check(
        TWO_PROJECTS,
        &["a/old/was.mg"],
        expect![[r#"
        was.mg in a/old by a/mangle-ls.toml
           * a/old/was.mg
    "#]],
    );
}

#[test]
fn without_a_project_the_given_paths_are_the_program() {
    check(
        TWO_PROJECTS,
        &["other", "loose.mg"],
        expect![[r#"
            work in . by -
               * loose.mg
            other in other by -
               * other/schemas.mg
               * other/x.mg
        "#]],
    );
    check(
        TWO_PROJECTS,
        &["other/x.mg", "loose.mg"],
        expect![[r#"
            work in . by -
               * loose.mg
            other in other by -
                 other/schemas.mg
               * other/x.mg
        "#]],
    );
}

#[test]
fn a_lone_file_reads_the_schemas_beside_it() {
    let files = "#- schemas.gl\n#- schemas_b.mg\n#- schemas_test.mg\n#- x.mg\n#- y.mg\n#- x_test.mg\n";
    check(
        files,
        &["x.mg"],
        expect![[r#"
            the given paths in . by -
                 schemas.gl
                 schemas_b.mg
               * x.mg
                 y.mg
              +  schemas_test.mg
              +  x_test.mg
        "#]],
    );
    check(
        files,
        &["schemas.gl"],
        expect![[r#"
            the given paths in . by -
               * schemas.gl
                 schemas_b.mg
                 x.mg
                 y.mg
              +  schemas_test.mg
              +  x_test.mg
        "#]],
    );
    check(
        files,
        &["x_test.mg"],
        expect![[r#"
            the given paths in . by -
                 schemas.gl
                 schemas_b.mg
                 x.mg
                 y.mg
              +  schemas_test.mg
              +* x_test.mg
        "#]],
    );
}

#[test]
fn several_programs_share_files() {
    check(
        "#- mangle-ls.toml\n[[program]]\nname = 'a'\ninclude = ['schemas.gl', 'a']\n[[program]]\nname = 'b'\n\
         include = ['schemas.gl', 'b']\n[[program]]\nname = 'empty'\ninclude = ['nowhere']\n#- schemas.gl\n\
         #- a/1.mg\n#- b/1.mg\n#- c.mg\n",
        &["."],
        expect![[r#"
            a in . by mangle-ls.toml
               * a/1.mg
               * schemas.gl
            b in . by mangle-ls.toml
               * b/1.mg
               * schemas.gl
            left out: c.mg
            mangle-ls.toml: empty-program
        "#]],
    );
}

#[test]
fn a_configuration_file_by_name() {
    check(
        "#- mangle-ls.toml\ncolour = 1\n#- a.mg\n",
        &["mangle-ls.toml"],
        expect![[r#"
        mangle-ls.toml: config-unknown-key
    "#]],
    );
}

#[test]
fn what_git_ignores_is_no_part() {
    let files = "#- .git/HEAD\n#- .gitignore\nbuild\n#- build/x.mg\n#- a.mg\n#- .hidden.mg\n#- README.md\n";
    check(
        files,
        &[],
        expect![[r#"
        the given paths in . by -
           * a.mg
    "#]],
    );
    check(
        files,
        &["build/x.mg"],
        expect![[r#"
        x.mg in build by -
           * build/x.mg
    "#]],
    );
}

#[test]
fn named_paths_that_are_not_there() {
    check(
        "#- a.mg\n#- README.md\n",
        &["a.mg", "b.mg", "c/*.mg", "*.gl", "README.md"],
        expect![[r#"
            the given paths in . by -
               * a.mg
            skipped: README.md
            named problem: b.mg: no such file or directory
            named problem: c/*.mg: no such file or directory
            named problem: *.gl: it matches no Mangle file
            named problem: README.md: it is no Mangle file
        "#]],
    );
}

#[test]
fn an_unreadable_configuration_counts_as_none() {
    check(
        "#- mangle-ls.toml\n[[program]\n#- a.mg\n",
        &[],
        expect![[r#"
            work in . by mangle-ls.toml
               * a.mg
            mangle-ls.toml: config-syntax
        "#]],
    );
}

#[test]
fn globs_and_braces() {
    check(
        "#- a/x.mg\n#- a/b/y.mg\n#- c/z.gl\n",
        &["{a,c}/**/*.{mg,gl}"],
        expect![[r#"
            a in a by -
               * a/b/y.mg
               * a/x.mg
            c in c by -
               * c/z.gl
        "#]],
    );
    check(
        "#- we[ird.mg\n#- x.mg\n",
        &["we[ird.mg", "x.mg"],
        expect![[r#"
        the given paths in . by -
           * we[ird.mg
           * x.mg
    "#]],
    );
}

#[test]
fn standard_input_is_a_file_of_the_working_folder() {
    let folder = tree("#- mangle-ls.toml\n#- schemas.gl\n#- a.mg\n");
    let root = folder.root.clone();
    let mut overlay = Overlay::default();
    overlay.insert(root.join(STDIN), "p().".into());
    expect![[r#"
        <stdin> in . by mangle-ls.toml
           * <stdin>
             schemas.gl
    "#]]
    .assert_eq(&resolve_at(&root, &["-"], &overlay));
}

#[test]
fn an_editor_cuts_folders_at_schemas() {
    check_editor(
        TWO_PROJECTS,
        &["."],
        &[],
        expect![[r#"
            work in . by -
               * loose.mg
            guardian in a by a/mangle-ls.toml
               * a/policy/deny.mg
               * a/schemas.gl
              +* a/policy/deny_test.mg
              +* a/policy/sample.kernel.mg
            inner in a/inner by a/inner/mangle-ls.toml
               * a/inner/own.mg
            other in other by -
               * other/schemas.mg
               * other/x.mg
            left out: a/old/was.mg
        "#]],
    );
}

#[test]
fn an_editor_in_a_part_of_a_project() {
    check_editor(
        TWO_PROJECTS,
        &["a/policy"],
        &[],
        expect![[r#"
        guardian in a by a/mangle-ls.toml
           * a/policy/deny.mg
             a/schemas.gl
          +* a/policy/deny_test.mg
          +* a/policy/sample.kernel.mg
    "#]],
    );
}

#[test]
fn open_documents() {
    // A new file, a file excluded by its project, and a file outside the workspace.
    check_editor(
        TWO_PROJECTS,
        &["a"],
        &["a/policy/new.mg", "a/old/was.mg", "loose.mg"],
        expect![[r#"
            work in . by -
               * loose.mg
            guardian in a by a/mangle-ls.toml
               * a/policy/deny.mg
               * a/policy/new.mg
               * a/schemas.gl
              +* a/policy/deny_test.mg
              +* a/policy/sample.kernel.mg
            inner in a/inner by a/inner/mangle-ls.toml
               * a/inner/own.mg
            was.mg in a/old by a/mangle-ls.toml
               * a/old/was.mg
        "#]],
    );
    let ignoring = "#- .git/HEAD\n#- .gitignore\nbuild\n#- build/x.mg\n#- a.mg\n";
    check_editor(
        ignoring,
        &["."],
        &["build/x.mg", "a.mg"],
        expect![[r#"
            work in . by -
               * a.mg
            x.mg in build by -
               * build/x.mg
        "#]],
    );
}

#[test]
fn two_workspace_folders() {
    check_editor(
        "#- a/x.mg\n#- b/y.mg\n#- b/c/z.mg\n",
        &["a", "b", "b/c"],
        &[],
        expect![[r#"
            a in a by -
               * a/x.mg
            b in b by -
               * b/c/z.mg
               * b/y.mg
        "#]],
    );
}

#[cfg(unix)]
mod links {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_stay_in_the_workspace_and_read_nothing_twice() {
        let outside = tree("#- secret.mg\n");
        let folder =
            tree("#- .git/HEAD\n#- shared/schemas.gl\n#- a/mangle-ls.toml\n#- a/real.mg\n#- b/x.mg\n");
        let root = folder.root.clone();
        for (target, link) in [
            (root.join("shared/schemas.gl"), "a/schemas.gl"),
            (root.join("a/real.mg"), "a/twin.mg"),
            (root.join("nowhere.mg"), "a/broken.mg"),
            (root.join("a"), "a/folder.mg"),
            (outside.root.join("secret.mg"), "b/out.mg"),
            (PathBuf::from("loop.mg"), "b/loop.mg"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        let shown = resolve_at(&root, &[], &Overlay::default());
        let shown = shown.replace(&*outside.root.to_string_lossy(), "OUTSIDE");
        expect![[r#"
            a in a by a/mangle-ls.toml
               * a/real.mg
               * a/schemas.gl
            b in b by -
               * b/x.mg
            shared in shared by -
               * shared/schemas.gl
            problem: a/broken.mg: the link leads nowhere
            problem: b/loop.mg: too many levels of symbolic links
            problem: b/out.mg: the link leads out of the workspace, to OUTSIDE/secret.mg
        "#]]
        .assert_eq(&shown);
        expect![[r#"
            named problem: a/broken.mg: no such file or directory
            named problem: b/loop.mg: too many levels of symbolic links
        "#]]
        .assert_eq(&resolve_at(&root, &["a/broken.mg", "b/loop.mg"], &Overlay::default()));
    }
}

#[test]
fn loading_reads_each_file_once_and_names_what_it_cannot() {
    let folder = tree("#- a.mg\n#- b.mg\n");
    let root = folder.root.clone();
    let (memory, overlay) = (CheckCache::default(), Overlay::default());
    let targets = [CheckTarget::Folder(root.clone()), CheckTarget::File(root.join("gone.mg"))];
    let resolution = resolve(&targets, Shell::CommandLine, &overlay, memory.table());
    std::fs::remove_file(root.join("b.mg")).unwrap();
    let read = std::sync::atomic::AtomicUsize::new(0);
    let (files, problems) = load(&resolution, &targets, &overlay, &memory, || {
        read.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!((files.len(), read.into_inner()), (1, 3));
    let problems: Vec<_> =
        problems.iter().map(|p| (relative(&root, &p.path), p.named, p.why.as_str())).collect();
    let why = "no such file or directory";
    assert_eq!(problems, [("b.mg".to_owned(), false, why), ("gone.mg".to_owned(), true, why)]);
}

#[test]
fn a_kernel_uses_what_its_header_names() {
    check(
        "\
#- mangle-ls.toml
[[program]]
include = ['**/*.mg', '**/*.gl']
hybrid = ['policy/intents.mg']
#- schemas.gl
#- policy/a.mg
#- policy/b.gl
#- policy/intents.mg
#- samples/fix.kernel.mg
# @preview name: fix
# @preview use: ../schemas.gl, ../policy/*.mg, ../gone.mg, /etc/*.mg, ../../../outside.mg
p(1).
#- samples/plain.kernel.mg
",
        &[],
        expect![[r#"
            work in . by mangle-ls.toml
               * policy/a.mg
               * policy/b.gl
               * policy/intents.mg (hybrid)
               * schemas.gl
              +* samples/fix.kernel.mg
              +* samples/plain.kernel.mg
                  uses policy/a.mg
                  uses policy/intents.mg
                  uses schemas.gl
        "#]],
    );
}

#[test]
fn the_sample_joins_no_program() {
    check(
        "#- mangle-ls.toml\n[kernel]\nsample = [\"samples\", \"day.mg\", \"nowhere.csv\"]\n#- a.mg\n#- day.mg\n#- other.csv\n\
         #- samples/door.csv\n#- samples/key.ndjson\n#- samples/note.txt\n#- samples/lock.gl\n#- samples/x.kernel.mg\n\
         #- inner/mangle-ls.toml\n#- inner/samples/door.csv\n",
        &["."],
        expect![[r#"
            work in . by mangle-ls.toml
               * a.mg
              +* day.mg
              +* samples/lock.gl
              +* samples/x.kernel.mg
            mangle-ls.toml samples day.mg
            mangle-ls.toml samples samples/door.csv
            mangle-ls.toml samples samples/key.ndjson
            mangle-ls.toml samples samples/lock.gl
            mangle-ls.toml samples samples/x.kernel.mg
            mangle-ls.toml: unmatched-pattern
        "#]],
    );
}
