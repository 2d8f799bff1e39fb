//! Every target over its seeds, its kept corpus and the inputs that once failed. What libFuzzer does beyond that is
//! `cargo xtask fuzz`.
#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use mangle_ls_fuzz::{TARGETS, Target};

/// How many seeds of a target are run here; libFuzzer runs all of them.
const SEEDS: usize = 12;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The inputs that are kept for a target in a folder, sorted by name.
fn kept(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.into_iter().map(|path| (path.display().to_string(), fs::read(&path).unwrap())).collect()
}

fn inputs(target: &Target) -> Vec<(String, Vec<u8>)> {
    let seeds = (target.seeds)();
    let step = seeds.len().div_ceil(SEEDS).max(1);
    let seeds = seeds.into_iter().enumerate().step_by(step);
    let mut all: Vec<_> = seeds.map(|(number, seed)| (format!("seed {number}"), seed)).collect();
    all.extend(kept(&folder("corpus").join(target.name)));
    all.extend(kept(&folder("regressions").join(target.name)));
    all
}

#[test]
fn every_kept_input_passes() {
    let mut failed = Vec::new();
    for target in TARGETS {
        for (name, bytes) in inputs(target) {
            if catch_unwind(AssertUnwindSafe(|| (target.run)(&bytes))).is_err() {
                failed.push(format!("{}: {name}", target.name));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn every_target_has_seeds_and_its_dictionary() {
    for target in TARGETS {
        assert!(!(target.seeds)().is_empty(), "{} has no seeds", target.name);
        let dictionary = folder("dictionaries").join(format!("{}.txt", target.dictionary));
        assert!(target.dictionary == "none" || dictionary.is_file(), "{} has no dictionary", target.name);
    }
}

#[test]
fn kept_inputs_are_of_targets() {
    let names: BTreeSet<_> = TARGETS.iter().map(|target| target.name.to_owned()).collect();
    assert_eq!(names.len(), TARGETS.len(), "two targets have one name");
    for base in ["corpus", "regressions"] {
        for entry in fs::read_dir(folder(base)).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            assert!(names.contains(&name) || !entry.path().is_dir(), "{base}/{name} is of no target");
        }
    }
}
