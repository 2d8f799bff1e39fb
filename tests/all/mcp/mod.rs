//! The server of the Model Context Protocol, through the real program.

pub(crate) mod client;
mod confinement;
mod correcting;
mod hostile;
mod lists;
mod protocol;
mod twins;

use std::path::{Path, PathBuf};

/// A folder of `examples`.
fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name)
}
