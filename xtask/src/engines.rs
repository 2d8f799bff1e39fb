//! `cargo xtask test --step engines`: the grammars that mangle-ls writes, in the engines that read them, and a small model that is held
//! to them.

use std::num::NonZeroU32;
use std::path::PathBuf;

use anyhow::Result;

use crate::editors::drive::{check, limited, limited_to};
use crate::editors::{build_server, install};
use crate::tally::Tally;

/// The test programs, by the names of their engines; each prints a line for each file that its engine reads.
const ENGINES: &[(&str, &str)] = &[
    ("XGrammar", "xgrammar_engine.py"),
    ("Outlines", "outlines_engine.py"),
    ("lm-format-enforcer", "format_enforcer_engine.py"),
];

/// The number of prompts for each grammar, if the environment variable [`PROMPTS`] is not set. A reply takes some seconds.
const DEFAULT_PROMPTS: NonZeroU32 = NonZeroU32::new(2).unwrap();

const PROMPTS: &str = "MANGLE_LS_PROMPTS";

/// Seconds that the model may take for one reply.
const REPLY_LIMIT: u32 = 180;

/// Builds the server, then runs each engine, and a small model that is held to each grammar.
pub(crate) fn run() -> Result<Tally> {
    let prompts = std::env::var(PROMPTS).ok().and_then(|count| count.parse().ok()).unwrap_or(DEFAULT_PROMPTS);
    let server = build_server()?;
    Tally::with("the engines", install::engines(), |tools| {
        let mut tally = Tally::default();
        for (name, program) in ENGINES {
            let mut python = limited(&tools.join("python"));
            tally.add(check(name, python.arg("-B").arg(script(program)).arg(&server))?);
        }
        // Each prompt is answered with two grammars, and without one.
        let mut python = limited_to(3 * prompts.get() * REPLY_LIMIT, &tools.join("python"));
        python.arg("-B").arg(script("llama_cpp.py")).arg(&server).arg(prompts.to_string());
        tally.add(check("llama.cpp", &mut python)?);
        Ok(tally)
    })
}

fn script(name: &str) -> PathBuf {
    crate::root().join("tests/engines").join(name)
}
