//! `init`: what it writes passes the other commands, and it replaces nothing.

use expect_test::expect;

use super::support::{check_in, folder, run, stdout, write};

#[test]
fn starter_passes_check_test_and_format() {
    let at = folder(&[]);
    check_in(
        &at,
        &["init", "policy", "--ci", "none"],
        expect![[r#"
            Wrote 7 files:
              policy/README.md             the files and the commands
              policy/schemas.gl            declares the predicates
              policy/constitution.mg       permits and denies actions
              policy/prompt.mg             gives lines of the system prompt
              policy/constitution_test.mg  tests both
              policy/coder.kernel.mg       a sample of facts
              policy/mangle-ls.toml        the configuration

            Next:
              cd policy
              mangle-ls check
              mangle-ls test
            exit 0
        "#]],
    );
    let policy = at.path().join("policy");
    let check = run(&policy, &["check", "--fail-on", "hint"]);
    assert_eq!(check.status.code(), Some(0), "{}", stdout(&check));
    assert!(stdout(&check).starts_with("No findings in 5 files"), "{}", stdout(&check));
    let test = run(&policy, &["test", "--min-coverage", "100"]);
    assert_eq!(test.status.code(), Some(0), "{}", stdout(&test));
    let format = run(&policy, &["format", "--check", "."]);
    assert_eq!(format.status.code(), Some(0), "{}", stdout(&format));
}

#[test]
fn commands_of_the_starter_readme_work() {
    let at = folder(&[]);
    run(at.path(), &["init", "--ci", "none"]);
    let readme = std::fs::read_to_string(at.path().join("README.md")).unwrap();
    let lines = readme.lines().filter_map(|line| line.strip_prefix("mangle-ls "));
    let commands: Vec<&str> = lines.map(|line| line.split(" #").next().unwrap().trim()).collect();
    assert_eq!(commands.len(), 4);
    for command in commands {
        let arguments: Vec<String> = words(command);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = run(at.path(), &arguments);
        assert_eq!(output.status.code(), Some(0), "{command}: {}", stdout(&output));
        assert!(!output.stdout.is_empty(), "{command}");
    }
}

/// The words of a command line with single quotes.
fn words(command: &str) -> Vec<String> {
    let parts = command.split('\'').enumerate();
    parts
        .flat_map(|(number, part)| match number % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        })
        .collect()
}

#[test]
fn ci_file_is_at_the_root_of_the_repository() {
    let at = folder(&[]);
    std::fs::create_dir(at.path().join(".git")).unwrap();
    run(at.path(), &["init", "rules/policy", "--ci", "github"]);
    expect![[r#"
        name: policy
        on: [push, pull_request]
        jobs:
          policy:
            runs-on: ubuntu-latest
            steps:
              - uses: actions/checkout@v4
              # Checks the policy and runs its tests. Replace the words in capitals.
              - uses: OWNER/mangle-ls@REVISION
                with:
                  working-directory: "rules/policy"
    "#]]
    .assert_eq(&std::fs::read_to_string(at.path().join(".github/workflows/policy.yml")).unwrap());
    run(at.path(), &["init", "other", "--ci", "gitlab"]);
    expect![[r#"
        policy:
          image: rust:latest
          script:
            # Replace the words in capitals.
            - cargo install --locked --git ADDRESS/mangle-ls
            - cd "other"
            - mangle-ls check --format junit > mangle-ls.xml
            - mangle-ls test --format junit > tests.xml
          artifacts:
            when: always
            reports:
              junit:
                - "other/mangle-ls.xml"
                - "other/tests.xml"
    "#]]
    .assert_eq(&std::fs::read_to_string(at.path().join(".gitlab-ci.yml")).unwrap());
}

#[test]
fn files_that_exist_are_never_replaced() {
    let at = folder(&[("schemas.gl", "Decl mine(X).\n")]);
    check_in(
        &at,
        &["init", "--ci", "none"],
        expect![[r#"
            error: `schemas.gl` exists already, nothing was written; name another folder
            exit 2
        "#]],
    );
    let names: Vec<_> =
        std::fs::read_dir(at.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["schemas.gl"]);
    write(at.path(), "new/.gitlab-ci.yml", "");
    check_in(
        &at,
        &["init", "new", "--ci", "gitlab"],
        expect![[r#"
            error: `new/.gitlab-ci.yml` exists already, nothing was written; `--ci none` leaves the CI file out
            exit 2
        "#]],
    );
}

#[cfg(unix)]
#[test]
fn names_of_folders_cannot_steer_the_terminal() {
    let at = folder(&[]);
    let name = "a\u{1b}[31m\u{202e}\n::error::b";
    let written = run(at.path(), &["init", name, "--ci", "none"]);
    let again = run(at.path(), &["init", name, "--ci", "none"]);
    std::fs::write(at.path().join(name).join("prompt.mg"), "").unwrap();
    let refused = run(at.path(), &["init", name, "--ci", "none"]);
    let statuses = [&written, &again, &refused].map(|output| output.status.code());
    assert_eq!(statuses, [Some(0), Some(0), Some(2)]);
    for text in [stdout(&written), stdout(&again), String::from_utf8(refused.stderr).unwrap()] {
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
        assert!(!text.lines().any(|line| line.starts_with("::error")), "{text:?}");
    }
}

#[test]
fn a_project_is_completed() {
    let at = folder(&[]);
    run(at.path(), &["init", "--ci", "none"]);
    std::fs::remove_file(at.path().join("prompt.mg")).unwrap();
    check_in(
        &at,
        &["init", "--ci", "none"],
        expect![[r#"
            Wrote 1 file:
              prompt.mg  gives lines of the system prompt

            Next:
              mangle-ls check
              mangle-ls test
            exit 0
        "#]],
    );
    check_in(
        &at,
        &["init", "--ci", "none"],
        expect![[r#"
            All files of the project exist already.

            Next:
              mangle-ls check
              mangle-ls test
            exit 0
        "#]],
    );
}

/// Somebody else wrote the repository.
#[cfg(unix)]
#[test]
fn links_out_of_the_project_are_not_followed() {
    for (link, named) in [(".github", ".github"), (".github/workflows", ".github/workflows")] {
        for target in ["outside", "missing"] {
            let at = folder(&[("outside/x", "")]);
            let project = at.path().join("project");
            std::fs::create_dir_all(project.join(link).parent().unwrap()).unwrap();
            std::fs::create_dir(project.join(".git")).unwrap();
            std::os::unix::fs::symlink(at.path().join(target), project.join(link)).unwrap();
            let output = run(&project, &["init", "--ci", "github"]);
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{said}");
            assert!(said.contains(&format!("`{named}` leads out of the project")), "{said}");
            assert!(!project.join("README.md").exists() && !at.path().join("missing").exists());
            assert_eq!(std::fs::read_dir(at.path().join("outside")).unwrap().count(), 1);
        }
    }
    // A link that stays inside is followed.
    let at = folder(&[("ci/x", "")]);
    std::os::unix::fs::symlink("ci", at.path().join(".github")).unwrap();
    assert_eq!(run(at.path(), &["init", "--ci", "github"]).status.code(), Some(0));
    assert!(at.path().join("ci/workflows/policy.yml").exists());
}
