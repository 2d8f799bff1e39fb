//! Options that apply to all replayed sessions.

use agent_replay::Prefill;
use mangle_settings::FailOn;
use mangle_syntax::text::Cancel;

pub(super) struct SessionOptions<'a> {
    pub(super) prefill: &'a Prefill,
    pub(super) abduce: bool,
    pub(super) show_permits: bool,
    pub(super) coverage: bool,
    pub(super) until: Option<u64>,
    pub(super) now: Option<i64>,
    pub(super) fail_on: Option<FailOn>,
    pub(super) cancel: &'a Cancel,
}
