//! What `check` reports, through the real program: every format, baselines, what a change brings, watching.

#![allow(clippy::unwrap_used, missing_docs)]

mod baseline;
mod ci;
mod damage;
mod formats;
mod schema;
mod since;
#[path = "../support/command.rs"]
mod support;
#[cfg(unix)]
mod watch;
mod wellformed;
