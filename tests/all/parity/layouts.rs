//! The program of each file in folders without a configuration, and with one: the terminal and the editor use the same.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use expect_test::expect;
use mangle_host::{CheckTarget, FileTable, Overlay, ProgramFiles, Resolution, Shell};

use super::material::Material;
use super::server::Server;
use super::{compare, report};

/// Declarations, rules that use them, facts, and a log with an update that no declaration knows.
const SCHEMAS: &str = "Decl door(D) bound [/name].\nDecl open(D) bound [/name].\n";
const RULES: &str = "open(D) :- door(D).\n";
const FACTS: &str = "door(/front).\n";
const TEST: &str = "# @test name: a door\ndoor(/back).\n# @expect open(/back)\n";
const LOG: &str = concat!(
    "[{\"role\":\"user\",\"content\":\"Hello\"},{\"role\":\"assistant\",\"content\":\"{\\\"control_packet\\\":",
    "{\\\"mangle_updates\\\":[\\\"windw(/x).\\\"]},\\\"surface_response\\\":\\\"Hello.\\\"}\"}]\n"
);
const GIT: (&str, &str) = (".git/HEAD", "ref: refs/heads/main\n");
const EMPTY: (&str, &str) = ("mangle-ls.toml", "");

type Layout = (&'static str, &'static [(&'static str, &'static str)]);

const LAYOUTS: [Layout; 36] = [
    ("flat", &[("schemas.gl", SCHEMAS), ("constitution.mg", RULES), ("captured.json", LOG)]),
    ("flat in a repository", &[GIT, ("schemas.gl", SCHEMAS), ("rules.mg", RULES), ("captured.json", LOG)]),
    (
        "flat with a configuration",
        &[EMPTY, ("schemas.gl", SCHEMAS), ("rules.mg", RULES), ("captured.json", LOG)],
    ),
    ("schemas alone", &[("schemas.gl", SCHEMAS), ("captured.json", LOG)]),
    ("policy alone", &[("rules.mg", RULES), ("captured.jsonl", LOG)]),
    ("facts", &[("schemas.gl", SCHEMAS), ("rules.mg", RULES), ("facts.mg", FACTS), ("a.json", LOG)]),
    ("test", &[("schemas.gl", SCHEMAS), ("rules.mg", RULES), ("rules_test.mg", TEST)]),
    ("tests below", &[("schemas.gl", SCHEMAS), ("rules.mg", RULES), ("tests/rules_test.mg", TEST)]),
    (
        "tests beside",
        &[GIT, ("policy/rules.mg", RULES), ("policy/schemas.gl", SCHEMAS), ("tests/rules_test.mg", TEST)],
    ),
    ("transcripts below", &[("schemas.gl", SCHEMAS), ("transcripts/a.json", LOG)]),
    ("transcripts below a policy", &[("rules.mg", RULES), ("transcripts/2026/a.jsonl", LOG)]),
    ("logs beside", &[GIT, ("policy/rules.mg", RULES), ("policy/schemas.gl", SCHEMAS), ("logs/a.json", LOG)]),
    ("logs beside two", &[GIT, ("a/rules.mg", RULES), ("b/rules.mg", RULES), ("logs/a.json", LOG)]),
    (
        "policies below",
        &[GIT, ("schemas.gl", SCHEMAS), ("policies/rules.mg", RULES), ("policies/deep/facts.mg", FACTS)],
    ),
    ("rules below rules", &[GIT, ("facts.mg", FACTS), ("more/rules.mg", RULES)]),
    (
        "rules far below",
        &[GIT, ("facts.mg", FACTS), ("src/policy/rules.mg", RULES), ("src/policy/a.json", LOG)],
    ),
    (
        "two agents",
        &[
            GIT,
            ("a/schemas.gl", SCHEMAS),
            ("a/rules.mg", RULES),
            ("a/a.json", LOG),
            ("b/schemas.gl", SCHEMAS),
            ("b/rules.mg", RULES),
            ("b/transcripts/b.json", LOG),
        ],
    ),
    (
        "schemas inside",
        &[
            GIT,
            ("schemas.gl", SCHEMAS),
            ("rules.mg", RULES),
            ("inner/schemas.gl", SCHEMAS),
            ("inner/x.mg", FACTS),
        ],
    ),
    (
        "schemas inside, rules above",
        &[("rules.mg", RULES), ("inner/schemas.mg", SCHEMAS), ("inner/deep/x.mg", FACTS)],
    ),
    (
        "folder of schemas",
        &[GIT, ("schemas/doors.gl", SCHEMAS), ("policies/rules.mg", RULES), ("logs/a.json", LOG)],
    ),
    (
        "folder of schemas beside schemas",
        &[("schemas.gl", SCHEMAS), ("schema/more.mg", FACTS), ("policy/rules.mg", RULES)],
    ),
    ("folders without a parent", &[GIT, ("a/rules.mg", RULES), ("b/facts.mg", FACTS)]),
    ("other schemas", &[("schemas_doors.gl", SCHEMAS), ("rules.mg", RULES)]),
    (
        "configuration below",
        &[
            GIT,
            ("rules.mg", RULES),
            ("inner/mangle-ls.toml", ""),
            ("inner/x.mg", FACTS),
            ("inner/a.json", LOG),
        ],
    ),
    ("configuration above", &[EMPTY, ("schemas.gl", SCHEMAS), ("a/rules.mg", RULES), ("b/logs/a.json", LOG)]),
    (
        "programs of a configuration",
        &[
            (
                "mangle-ls.toml",
                "[[program]]\nname = \"a\"\ninclude = [\"a\"]\n[[program]]\nname = \"b\"\ninclude = [\"b\"]\n",
            ),
            ("a/rules.mg", RULES),
            ("b/facts.mg", FACTS),
            ("captured.json", LOG),
        ],
    ),
    (
        "ignored by git",
        &[GIT, (".gitignore", "old.mg\nout/\n"), ("rules.mg", RULES), ("old.mg", FACTS), ("out/a.json", LOG)],
    ),
    ("hidden", &[("rules.mg", RULES), (".drafts/facts.mg", FACTS)]),
    (
        "other JSON",
        &[
            ("rules.mg", RULES),
            ("package.json", "{\"name\": \"x\"}\n"),
            ("data.json", "[1, 2]\n"),
            ("a.json", LOG),
        ],
    ),
    (
        "schema of envelopes",
        &[
            ("rules.mg", RULES),
            ("reply.json", "{\"$schema\": \"x\", \"properties\": {\"control_packet\": {}}}\n"),
        ],
    ),
    ("log of text", &[("schemas.gl", SCHEMAS), ("agent.log", "2026-01-01T00:00:00Z INFO started\n")]),
    (
        "names of transcripts",
        &[("schemas.gl", SCHEMAS), ("a.piggyback.json", LOG), ("transcripts/b.txt", LOG)],
    ),
    (
        "include in a configuration",
        &[
            ("mangle-ls.toml", "[transcripts]\ninclude = [\"captures\"]\n"),
            ("rules.mg", RULES),
            ("captures/a.json", LOG),
            ("b.json", LOG),
        ],
    ),
    ("sample", &[("schemas.gl", SCHEMAS), ("rules.mg", RULES), ("samples/one.kernel.mg", FACTS)]),
    (
        "repository in a folder",
        &[
            ("rules.mg", RULES),
            ("repo/.git/HEAD", "ref: refs/heads/main\n"),
            ("repo/facts.mg", FACTS),
            ("repo/a.json", LOG),
        ],
    ),
    ("logs alone", &[GIT, ("logs/a.json", LOG), ("b.jsonl", LOG)]),
];

fn material((name, files): &Layout) -> Material {
    Material::of_files(name, files)
}

/// The programs with their files, and the transcripts with their programs.
fn programs(resolution: &Resolution, table: &FileTable, root: &Path) -> String {
    let mut out = String::new();
    let name = |path: &Path| mangle_host::relative(root, path);
    for program in &resolution.programs {
        let files = |members: Vec<String>| members.join(" ");
        let members = program.members.iter().map(|member| name(&table.path(member.file)));
        let singles = program
            .standalone_files
            .iter()
            .map(|single| format!("+{}", name(&table.path(single.member.file))));
        let _ = writeln!(out, "  {}: {}", name(&program.root), files(members.chain(singles).collect()));
    }
    for found in &resolution.transcripts {
        let programs = found.programs.iter().filter_map(|at| resolution.programs.get(*at));
        let roots: Vec<_> = programs.map(|program| name(&program.root)).collect();
        let roots = if roots.is_empty() { "nothing".to_owned() } else { roots.join(" ") };
        let _ = writeln!(out, "  {} with {roots}", name(&found.path));
    }
    out
}

fn of_folder(folder: &Path, shell: Shell) -> String {
    let table = FileTable::default();
    let targets = [CheckTarget::Folder(folder.into())];
    let resolution = mangle_host::resolve_with_transcripts(&targets, shell, &Overlay::default(), &table);
    programs(&resolution, &table, folder)
}

#[test]
fn terminal_and_editor_have_the_same_programs() {
    let mut all = String::new();
    for layout in &LAYOUTS {
        let material = material(layout);
        let terminal = of_folder(material.folder(), Shell::CommandLine);
        let editor = of_folder(material.folder(), Shell::Editor);
        assert_eq!(terminal, editor, "{}", layout.0);
        let _ = writeln!(all, "{}\n{terminal}", layout.0);
    }
    expect![[r#"
        flat
          .: constitution.mg schemas.gl
          captured.json with .

        flat in a repository
          .: rules.mg schemas.gl
          captured.json with .

        flat with a configuration
          .: rules.mg schemas.gl
          captured.json with .

        schemas alone
          .: schemas.gl
          captured.json with .

        policy alone
          .: rules.mg
          captured.jsonl with .

        facts
          .: facts.mg rules.mg schemas.gl
          a.json with .

        test
          .: rules.mg schemas.gl +rules_test.mg

        tests below
          .: rules.mg schemas.gl +tests/rules_test.mg

        tests beside
          policy: policy/rules.mg policy/schemas.gl +tests/rules_test.mg

        transcripts below
          .: schemas.gl
          transcripts/a.json with .

        transcripts below a policy
          .: rules.mg
          transcripts/2026/a.jsonl with .

        logs beside
          policy: policy/rules.mg policy/schemas.gl
          logs/a.json with policy

        logs beside two
          a: a/rules.mg
          b: b/rules.mg
          logs/a.json with nothing

        policies below
          .: policies/deep/facts.mg policies/rules.mg schemas.gl

        rules below rules
          .: facts.mg more/rules.mg

        rules far below
          .: facts.mg src/policy/rules.mg
          src/policy/a.json with .

        two agents
          a: a/rules.mg a/schemas.gl
          b: b/rules.mg b/schemas.gl
          a/a.json with a
          b/transcripts/b.json with b

        schemas inside
          .: rules.mg schemas.gl
          inner: inner/schemas.gl inner/x.mg

        schemas inside, rules above
          .: rules.mg
          inner: inner/deep/x.mg inner/schemas.mg

        folder of schemas
          .: policies/rules.mg schemas/doors.gl
          logs/a.json with .

        folder of schemas beside schemas
          .: policy/rules.mg schema/more.mg schemas.gl

        folders without a parent
          a: a/rules.mg
          b: b/facts.mg

        other schemas
          .: rules.mg schemas_doors.gl

        configuration below
          .: rules.mg
          inner: inner/x.mg
          inner/a.json with inner

        configuration above
          .: a/rules.mg schemas.gl
          b/logs/a.json with .

        programs of a configuration
          .: a/rules.mg
          .: b/facts.mg
          captured.json with . .

        ignored by git
          .: rules.mg

        hidden
          .: rules.mg

        other JSON
          .: rules.mg
          a.json with .

        schema of envelopes
          .: rules.mg

        log of text
          .: schemas.gl

        names of transcripts
          .: schemas.gl
          a.piggyback.json with .
          transcripts/b.txt with .

        include in a configuration
          .: rules.mg
          captures/a.json with .

        sample
          .: rules.mg schemas.gl +samples/one.kernel.mg

        repository in a folder
          .: rules.mg
          repo: repo/facts.mg
          repo/a.json with repo

        logs alone
          b.jsonl with nothing
          logs/a.json with nothing

    "#]]
    .assert_eq(&all);
}

/// A file that is named alone has the program that it has in a check of the folder.
#[test]
fn the_program_does_not_depend_on_the_named_paths() {
    for layout in &LAYOUTS {
        let material = material(layout);
        let (folder, table) = (material.folder(), FileTable::default());
        let whole = [CheckTarget::Folder(folder.into())];
        let whole =
            mangle_host::resolve_with_transcripts(&whole, Shell::CommandLine, &Overlay::default(), &table);
        let files = |program: &ProgramFiles| {
            let own =
                program.members.iter().map(|member| mangle_host::relative(folder, &table.path(member.file)));
            own.collect::<BTreeSet<_>>()
        };
        let named = |target: CheckTarget| {
            mangle_host::resolve_with_transcripts(&[target], Shell::CommandLine, &Overlay::default(), &table)
        };
        for program in &whole.programs {
            for member in program.own() {
                let path = table.path(member.file);
                let alone = named(CheckTarget::File(path.to_path_buf()));
                let alone: Vec<_> = alone.programs.iter().map(files).collect();
                assert!(alone.contains(&files(program)), "{}: {}: {alone:?}", layout.0, path.display());
            }
        }
        for found in &whole.transcripts {
            let alone = named(CheckTarget::Transcript(found.path.clone()));
            let of = |resolution: &Resolution, at: &usize| resolution.programs.get(*at).map(files);
            let expected: Vec<_> = found.programs.iter().map(|at| of(&whole, at)).collect();
            let programs: Vec<_> = alone
                .transcripts
                .iter()
                .flat_map(|one| one.programs.iter().map(|at| of(&alone, at)))
                .collect();
            assert_eq!(programs, expected, "{}: {}", layout.0, found.path.display());
        }
    }
}

#[test]
fn terminal_and_editor_have_the_same_findings() {
    let mut differences = Vec::new();
    for layout in &LAYOUTS {
        let material = material(layout);
        let mut server = Server::new(material.folder());
        differences.extend(compare(&material, &mut server, "closed"));
        for name in material.names() {
            server.open(&name, &material.text(&name));
        }
        differences.extend(compare(&material, &mut server, "open"));
    }
    report(&differences);
}
