//! The definitions for pre-commit and GitHub Actions: they can be read, and what they run works.

use std::path::Path;
use std::process::{Command, Output};

use yaml_rust2::{Yaml, YamlLoader};

use super::since::git;
use super::support::{BAD, GOOD, folder, render, run, write};

fn yaml(name: &str) -> Yaml {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap();
    YamlLoader::load_from_str(&text).unwrap().swap_remove(0)
}

#[test]
fn hooks_run_what_there_is() {
    let folder = folder(&[("a.mg", GOOD), ("b.mg", BAD)]);
    Command::new("git").args(["init", "-q"]).current_dir(folder.path()).status().unwrap();
    let hooks = yaml(".pre-commit-hooks.yaml");
    let ids: Vec<_> = hooks.as_vec().unwrap().iter().map(|hook| hook["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["mangle-ls-check", "mangle-ls-check-changes"]);
    for hook in hooks.as_vec().unwrap() {
        for key in ["name", "description", "files"] {
            assert!(hook[key].as_str().is_some_and(|text| !text.is_empty()), "{key}");
        }
        assert_eq!(hook["language"].as_str(), Some("rust"));
        // A part of a program has findings that the whole has not.
        assert_eq!(hook["pass_filenames"].as_bool(), Some(false));
        let words: Vec<_> = hook["entry"].as_str().unwrap().split(' ').collect();
        assert_eq!(words[0], "mangle-ls");
        let output = run(folder.path(), &words[1..]);
        // There is no commit yet; the options are understood.
        let expected = if words.contains(&"--since") { "git knows no revision `HEAD`" } else { "MG301" };
        assert!(render(&output).contains(expected), "{}", render(&output));
    }
}

/// Runs the step of the action that checks.
fn act(folder: &Path, inputs: &[(&str, &str)]) -> Output {
    step("Check", folder, inputs)
}

/// Runs a step of the action.
fn step(name: &str, folder: &Path, inputs: &[(&str, &str)]) -> Output {
    let action = yaml("action.yml");
    let steps = action["runs"]["steps"].as_vec().unwrap();
    let step = steps.iter().find(|step| step["name"].as_str() == Some(name)).unwrap();
    let mut command = Command::new("bash");
    command.args(["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"].as_str().unwrap()]);
    command.current_dir(folder).env("GITHUB_WORKSPACE", folder).env("RUNNER_TEMP", folder);
    command.env("GITHUB_STEP_SUMMARY", folder.join("summary.md"));
    for (variable, value) in step["env"].as_hash().unwrap() {
        let input = value.as_str().unwrap().strip_prefix("${{ inputs.").unwrap().strip_suffix(" }}").unwrap();
        let default = action["inputs"][input]["default"].as_str().unwrap();
        let given = inputs.iter().find(|(name, _)| *name == input).map(|(_, value)| *value);
        command.env(variable.as_str().unwrap(), given.unwrap_or(default));
    }
    command.env("BINARY", env!("CARGO_BIN_EXE_mangle-ls")).output().unwrap()
}

#[test]
fn the_action_has_what_github_asks_for() {
    let action = yaml("action.yml");
    assert_eq!(action["runs"]["using"].as_str(), Some("composite"));
    for key in ["name", "description"] {
        assert!(action[key].as_str().is_some(), "{key}");
    }
    for (name, input) in action["inputs"].as_hash().unwrap() {
        assert!(input["description"].as_str().is_some() && input["default"].as_str().is_some(), "{name:?}");
    }
    for step in action["runs"]["steps"].as_vec().unwrap() {
        let script = step["run"].as_str().unwrap_or_default();
        assert!(step["uses"].as_str().is_some() || step["shell"].as_str() == Some("bash"), "{step:?}");
        assert!(!script.contains("${{"), "what somebody typed would be run: {script}");
    }
}

#[test]
fn the_action_annotates_and_fails() {
    let folder = folder(&[("a.mg", GOOD), ("sub dir/b.mg", BAD)]);
    let root = folder.path().canonicalize().unwrap();
    let output = render(&act(&root, &[]));
    assert!(output.starts_with("::error file=sub dir/b.mg,line=2,"), "{output}");
    assert!(output.ends_with("exit 1\n"), "{output}");
    assert!(render(&act(&root, &[("fail-on", "never")])).ends_with("exit 0\n"));
    let clean = render(&act(&root, &[("paths", "a.mg\n")]));
    assert!(clean.starts_with("No findings in 1 file"), "{clean}");
}

#[test]
fn the_action_writes_a_log_and_takes_a_baseline() {
    let folder = folder(&[("a.mg", GOOD), ("b.mg", BAD)]);
    let root = folder.path().canonicalize().unwrap();
    let output = act(&root, &[("sarif-file", "log file.sarif")]);
    assert_eq!(output.status.code(), Some(1));
    let log = super::schema::sarif(&std::fs::read_to_string(root.join("log file.sarif")).unwrap());
    assert_eq!(log["runs"][0]["results"].as_array().unwrap().len(), 1);
    run(&root, &["check", "--write-baseline", "known.jsonl"]);
    assert_eq!(act(&root, &[("baseline", "known.jsonl")]).status.code(), Some(0));
    write(&root, "c.mg", "t(X) :- u(X).\n");
    assert_eq!(act(&root, &[("baseline", "known.jsonl")]).status.code(), Some(1));
}

#[test]
fn the_action_compares_with_a_revision() {
    let policy = "Decl asked(X) descr [extensional()] bound [/name].\npermitted(X) :- asked(X).\n";
    let folder = folder(&[("a.mg", policy)]);
    let root = folder.path().canonicalize().unwrap();
    git(&root, &["init", "-q"]);
    git(&root, &["add", "."]);
    git(&root, &["commit", "-q", "-m", "one"]);
    write(&root, "a.mg", policy.replace("asked(X).\n", "asked(X), X != /rm .\n"));
    let output = step("Compare", &root, &[("compare-with", "HEAD")]);
    assert_eq!((output.status.code(), super::support::stdout(&output).as_str()), (Some(0), ""));
    let summary = std::fs::read_to_string(root.join("summary.md")).unwrap();
    assert!(
        summary.contains("| `permitted(X)` | the new policy gives less, and nothing more |"),
        "{summary}"
    );
    assert!(summary.contains("asked(/rm)."), "{summary}");
    let output = step("Compare", &root, &[("compare-with", "nowhere")]);
    assert!(super::support::stdout(&output).starts_with("::warning::"));
}

/// The words in the first column of the tables of a page, as far as they are code.
fn documented(page: &str) -> Vec<String> {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(page)).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split(['`', ' ']).next());
    rows.map(str::to_owned).collect()
}

#[test]
fn the_documentation_has_all_inputs() {
    let action = yaml("action.yml");
    let inputs: Vec<_> = action["inputs"].as_hash().unwrap().keys().filter_map(Yaml::as_str).collect();
    assert_eq!(documented("ci.md"), inputs);
}
