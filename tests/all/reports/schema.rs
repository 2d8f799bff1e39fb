//! The official JSON schema of SARIF 2.1.0, as the crate `serde-sarif` (MIT) ships it: the crate makes its types from it.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value;

static SCHEMA: LazyLock<Validator> = LazyLock::new(|| {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // Of the packages of other platforms nothing was downloaded.
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--offline", "--filter-platform", &host()])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|package| package["name"] == "serde-sarif").unwrap();
    let folder = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap();
    let schema = std::fs::read_to_string(folder.join("src/schema.json")).unwrap();
    // One of its patterns has a bracket too many, which strict readers refuse.
    let schema = schema.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}?$");
    let schema: Value = serde_json::from_str(&schema).unwrap();
    assert_eq!(schema["title"], "Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema");
    jsonschema::options().should_validate_formats(true).build(&schema).unwrap()
});

/// The platform that this runs on, as cargo calls it.
fn host() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-vV").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().find_map(|line| line.strip_prefix("host: ")).unwrap().to_owned()
}

/// The log in `text`, which has to be valid.
pub(crate) fn sarif(text: &str) -> Value {
    let log: Value = serde_json::from_str(text).unwrap();
    let errors: Vec<_> =
        SCHEMA.iter_errors(&log).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    log
}

#[test]
fn the_schema_refuses_what_is_wrong() {
    let log = |level: &str| {
        let result = serde_json::json!({"message": {"text": "m"}, "level": level});
        let tool = serde_json::json!({"driver": {"name": "t"}});
        serde_json::json!({"version": "2.1.0", "runs": [{"tool": tool, "results": [result]}]})
    };
    assert!(SCHEMA.is_valid(&log("error")));
    assert!(!SCHEMA.is_valid(&log("hint")));
}
