//! Properties of a real policy program: each is answered, and for each negation that the engine ignores there is a world in which the
//! readings differ.
//!
//! Needs a checkout of codeNERD in `MANGLE_LS_CORPUS`; `tests/corpora/codenerd_test.mg` has the properties. `cargo xtask corpus --corpus DIR`
//! prints how many facts each world has.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support;
use crate::support::command::run;

/// How many negations of the program the engine ignores.
const IGNORED: usize = 10;

#[test]
#[ignore = "needs MANGLE_LS_CORPUS"]
fn each_ignored_negation_has_a_world_in_which_the_readings_differ() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in support::kernel_files().iter().zip(support::corpus_texts()) {
        write(folder.path(), name, &text);
    }
    let tests = fs::read_to_string(support::root().join("tests/corpora/codenerd_test.mg")).unwrap();
    write(folder.path(), "codenerd_test.mg", &tests);
    write(folder.path(), "mangle-ls.toml", "[[program]]\nname = \"kernel\"\ninclude = [\"**/*.mg\"]\n");
    let output = run(folder.path(), &["verify", "--format", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let properties = report["properties"].as_array().unwrap();
    let (mut of_negations, mut of_safety) = (0, 0);
    for property in properties {
        let (name, answer) = (property["name"].as_str().unwrap(), property["answer"].as_str().unwrap());
        println!("{name}: {}, otherwise {}", property["message"], property["other_reading"]);
        assert_eq!(answer, "violated", "{name}");
        if name.starts_with(|first: char| first.is_ascii_digit()) {
            assert_ne!(property["other_reading"], "violated", "{name}");
            assert_ne!(property["reading_differences"], Value::Array(Vec::new()), "{name}");
            of_negations += 1;
        } else {
            of_safety += 1;
        }
    }
    assert_eq!((of_negations, of_safety), (IGNORED, 2));
    println!("{} ms for all", report["summary"]["elapsed_ms"]);
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}
