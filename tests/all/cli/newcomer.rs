//! The script of a newcomer's first steps passes.

use std::path::Path;
use std::process::Command;

#[test]
#[cfg(unix)]
fn each_step_has_its_outcome() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/newcomer.sh");
    let output = Command::new("sh").arg(script).arg(env!("CARGO_BIN_EXE_mangle-ls")).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.matches("\nok ").count() >= 24, "{text}");
}
