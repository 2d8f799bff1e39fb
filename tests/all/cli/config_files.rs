//! `config files`: the programs of a folder with their files and versions.

use expect_test::expect;

use super::config_show::PROJECT;
use super::support::{check, folder, run};

#[test]
fn the_state_of_a_folder() {
    check(
        PROJECT,
        &["config", "files"],
        expect![[r#"
            mangle-ls 0.1.0
            settings  mangle-ls.toml
            program   guardian: 2 files
              engine   2026-06 (no `go.mod` above the files requires another one)
              runtime  none (no predicate of the policy belongs to a known runtime)
            warning: mangle-ls.toml:7: unknown setting `target` in `program`, which is ignored
            exit 0
        "#]],
    );
    let folder = folder(PROJECT);
    let output = run(folder.path(), &["config", "files", "--format", "json"]);
    let status: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(status["version"], env!("CARGO_PKG_VERSION"));
    let files: Vec<&str> =
        status["programs"][0]["files"].as_array().unwrap().iter().map(|f| f.as_str().unwrap()).collect();
    assert!(files.len() == 2 && files[0].ends_with("policy/a.mg"), "{files:?}");
}
