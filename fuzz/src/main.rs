//! The bodies under libFuzzer. `MANGLE_LS_FUZZ_TARGET` names the one that runs; `MANGLE_LS_FUZZ_LIST` prints the table as
//! JSON instead, and `MANGLE_LS_FUZZ_SEEDS` writes the target's seeds to a folder.
#![no_main]
#![allow(clippy::print_stdout, clippy::unwrap_used)] // Panicking and printing are what it is for.

use std::path::PathBuf;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use mangle_ls_fuzz::{TARGETS, Target, target};

static CHOSEN: OnceLock<&Target> = OnceLock::new();

fuzz_target!(
    init: start(),
    |bytes: &[u8]| {
        (CHOSEN.get().unwrap().run)(bytes);
    }
);

fn start() {
    if std::env::var_os("MANGLE_LS_FUZZ_LIST").is_some() {
        let rows = TARGETS.iter().map(|target| {
            serde_json::json!({ "name": target.name, "about": target.about, "max_len": target.max_len, "dictionary": target.dictionary })
        });
        println!("{}", serde_json::Value::Array(rows.collect()));
        std::process::exit(0);
    }
    let name = std::env::var("MANGLE_LS_FUZZ_TARGET").expect("MANGLE_LS_FUZZ_TARGET names a target");
    let chosen = target(&name).unwrap_or_else(|| panic!("there is no target `{name}`"));
    if let Some(folder) = std::env::var_os("MANGLE_LS_FUZZ_SEEDS").map(PathBuf::from) {
        for (number, seed) in (chosen.seeds)().into_iter().enumerate() {
            std::fs::write(folder.join(format!("seed-{number:03}")), seed).unwrap();
        }
        std::process::exit(0);
    }
    CHOSEN.get_or_init(|| chosen);
}
