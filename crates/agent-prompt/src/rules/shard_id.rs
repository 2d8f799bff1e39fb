//! Rule about shard ids that queries of the runtime do not compare.

use super::kernel::at_shard;
use super::subject::{PromptFinding, Subject, within};
use crate::answers::QueryPattern;
use crate::assembly::INJECTED;
use crate::quoted::quoted;
use mangle_syntax::lint::{Finding, Rule, rule};
use piggyback::envelope::runtime::go_quoted;

pub(super) static SHARD_ID_LEAK: Rule = rule!("shard-id-leak.md");

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    for shown in subject.shown.iter().filter(|shown| shown.request.context.runtime.context_by_pattern) {
        let id = &shown.request.context.shard_id;
        let query = QueryPattern::read(&format!("{INJECTED}({}, _)", go_quoted(id)));
        if query.is_bound(0) {
            continue;
        }
        let why = match id.starts_with('?') {
            true => "the runtime takes an id that begins with `?` for a variable",
            false => "the runtime cannot parse its query for this id, and asks for all facts instead",
        };
        let message = format!("shard {} reads the context of all shards", quoted(id));
        let finding = Finding::new(&SHARD_ID_LEAK, at_shard(shown), message)
            .note(format!("{}, {why}", within(shown)))
            .help("give the shard an id of letters, digits, `-` and `_`");
        subject.at_header(found, finding);
    }
}
