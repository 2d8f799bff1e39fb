//! CI configuration file that checks and tests a policy.

use std::path::Path;

use clap::ValueEnum;

/// A short description of the file.
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

/// The path of the file in the repository, and its text. `folder` is the policy folder relative to
/// the repository root.
pub(super) fn path_and_text(ci: Ci, folder: &Path) -> Option<(&'static str, String)> {
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

/// Quotes a text with arbitrary characters for YAML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
