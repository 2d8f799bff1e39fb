//! The file that makes a CI server check and test a policy.

use std::path::Path;

use clap::ValueEnum;

/// What the file is for, in a few words.
pub(super) const ABOUT: &str = "checks and tests every change";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Ci {
    /// GitHub Actions: `.github/workflows/policy.yml`
    Github,
    /// GitLab: `.gitlab-ci.yml`
    Gitlab,
    /// No CI file
    None,
}

/// The path of the file below the root of the repository, and its text, for a policy in `folder` below that root.
pub(super) fn of(ci: Ci, folder: &Path) -> Option<(&'static str, String)> {
    let folder = folder.to_string_lossy().replace('\\', "/");
    match ci {
        Ci::Github => Some((".github/workflows/policy.yml", github(&folder))),
        Ci::Gitlab => Some((".gitlab-ci.yml", gitlab(&folder))),
        Ci::None => None,
    }
}

fn github(folder: &str) -> String {
    let mut text = String::from(
        "name: policy
on: [push, pull_request]
jobs:
  policy:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      # Checks the policy and runs its tests. Replace the words in capitals.
      - uses: OWNER/mangle-ls@REVISION
",
    );
    if !folder.is_empty() {
        text += &format!("        with:\n          working-directory: {}\n", quoted(folder));
    }
    text
}

fn gitlab(folder: &str) -> String {
    let mut text = String::from(
        "policy:
  image: rust:latest
  script:
    # Replace the words in capitals.
    - cargo install --locked --git ADDRESS/mangle-ls
",
    );
    if !folder.is_empty() {
        text += &format!("    - cd {}\n", quoted(folder));
    }
    text += "    - mangle-ls check --format junit > mangle-ls.xml
    - mangle-ls test --format junit > tests.xml
  artifacts:
    when: always
    reports:
      junit:
";
    for report in ["mangle-ls.xml", "tests.xml"] {
        let path = if folder.is_empty() { report.to_owned() } else { format!("{folder}/{report}") };
        text += &format!("        - {}\n", quoted(&path));
    }
    text
}

/// A text as YAML writes it where it may hold any character.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
