//! What has to hold of any output.

mod ranges;
mod wellformed;

pub(crate) use ranges::{diagnostics, finding, inside};
pub(crate) use wellformed::{Form, well_formed};
