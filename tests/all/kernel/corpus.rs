//! The kernel derives of a real policy program as many facts of each predicate as the engine does.
//!
//! Needs a checkout of codeNERD in `MANGLE_LS_CORPUS`; `tests/corpora/codenerd.json` names the revision, the files and
//! the numbers.

use crate::support;

use std::collections::BTreeMap;

use mangle_engine::kernel::{Clock, Limits, Reading, compile, run};
use mangle_engine::program::PredicateId;
use mangle_syntax::text::Cancel;
use serde_json::Value;

#[test]
#[ignore = "needs MANGLE_LS_CORPUS"]
fn as_many_facts_as_the_engine() {
    let texts = support::corpus_texts();
    let text = std::fs::read_to_string(support::root().join("tests/corpora/codenerd.json")).unwrap();
    let corpus: Value = serde_json::from_str(&text).unwrap();
    let wanted = corpus["facts_without_bounds_check"]["by_predicate"].as_object().unwrap();
    let wanted: BTreeMap<String, u64> =
        wanted.iter().map(|(name, count)| (name.clone(), count.as_u64().unwrap())).collect();
    let program = support::program(&texts);
    let compiled = compile(&program, Reading::Engine);
    let model = run(&compiled, Limits::default(), Clock { now_ns: 0 }, &Cancel::new());
    assert_eq!(model.stopped, None);
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    for (predicate, id) in program.predicates.iter().zip(0u32..) {
        let rows = model.relation(PredicateId(id)).map_or(0, |relation| relation.len());
        if rows > 0 {
            *found.entry(predicate.key.name.as_str().to_owned()).or_default() += u64::try_from(rows).unwrap();
        }
    }
    assert_eq!(found, wanted);
    assert_eq!(found.values().sum::<u64>(), corpus["facts_without_bounds_check"]["total"].as_u64().unwrap());
}
