//! What `check` reports, through the real program: every format, baselines, what a change brings, watching.

mod baseline;
mod ci;
mod damage;
mod formats;
mod schema;
mod since;
use crate::support::command as support;
#[cfg(unix)]
mod watch;
mod wellformed;
