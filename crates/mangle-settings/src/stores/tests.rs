//! Tests of `[runtime] stores`: values and findings.

#![allow(clippy::unwrap_used)]

use expect_test::{Expect, expect};

use crate::{ParsedConfig, SettingTable as _, StoreSet, Stores, Vocabulary, parse};
use mangle_syntax::text::{Symbol, slice};

fn read(text: &str) -> ParsedConfig {
    parse(text, Vocabulary { rules: &[] })
}

#[track_caller]
fn check(text: &str, expected: Expect) {
    let findings = read(text).findings.into_iter().map(|finding| {
        let there = slice(text, finding.range);
        let notes: String = finding.notes.iter().map(|note| format!("\n  note: {note}")).collect();
        let help = finding.help.map_or(String::new(), |help| format!("\n  help: {help}"));
        format!("{} at {there:?}: {}{notes}{help}\n", finding.rule.name, finding.message)
    });
    expected.assert_eq(&findings.collect::<String>());
}

fn stores(text: &str) -> Stores {
    let parsed = read(text);
    assert!(parsed.findings.is_empty(), "{:?}", parsed.findings);
    parsed.settings.runtime.stores.unwrap().as_ref().clone()
}

#[test]
fn a_table_defines_stores() {
    let stores = stores(
        "[runtime.stores]\ndefault = 'memory'\nshared = ['intent']\npolicy = ['asked', 'law.granted']\nplans = []\n",
    );
    let names: Vec<_> = stores.names().iter().map(|name| name.as_str()).collect();
    assert_eq!(names, ["memory", "plans", "policy"]);
    let keepers = |name: &str| stores.keepers(Symbol::new(name));
    assert_eq!(stores.listed(keepers("asked")), "`policy`");
    assert_eq!(stores.listed(keepers("law.granted")), "`policy`");
    assert_eq!(stores.listed(keepers("anything")), "`memory`");
    assert_eq!(stores.listed(keepers("intent")), "`memory`, `plans` and `policy`");
    assert!(
        stores.names_predicate(Symbol::new("intent")) && !stores.names_predicate(Symbol::new("anything"))
    );
}

#[test]
fn without_the_key_there_are_no_stores() {
    assert!(read("").settings.runtime.stores.is_none());
    assert!(read("[runtime]\n").settings.runtime.stores.is_none());
    assert_eq!(stores("[runtime.stores]\n").names().len(), 1);
}

#[test]
fn stores_are_printed_as_they_are_read() {
    for text in [
        "[runtime]\nstores = \"codenerd\"\n",
        "[runtime]\nstores = { default = \"memory\", shared = [\"intent\"], policy = [\"asked\", \"granted\"] }\n",
    ] {
        let settings = read(text).settings;
        let printed = format!("[runtime]\n{}", settings.runtime.rows().text());
        let again = read(&printed).settings.runtime.stores.unwrap();
        assert_eq!(Some(again), settings.runtime.stores, "{printed}");
    }
}

#[test]
fn bad_values() {
    check(
        "[runtime]\nstores = 'codenrd'\n",
        expect![[r#"
        config-bad-value at "codenrd": unknown stores `codenrd`
          note: the known runtimes are `codenerd`
          note: a table `[runtime.stores]` lists the predicates of each store
          help: did you mean `codenerd`?
    "#]],
    );
    check(
        "[runtime]\nstores = 3\n",
        expect![[r#"
            config-bad-value at "3": expected a table for `stores`, or the name of a runtime, found a number
        "#]],
    );
    check(
        "[runtime]\nstore = 'codenerd'\n",
        expect![[r#"
        config-unknown-key at "store": unknown setting `store` in `runtime`
          help: did you mean `stores`?
    "#]],
    );
    check(
        "[runtime.stores]\ndefault = ''\nshared = 'intent'\n'' = ['a']\npolicy = ['asked/2', 'Asked', 3, 'fine']\n",
        expect![[r#"
            config-bad-value at "'": unusable name `` for the default store
              note: it is the name of one store
            config-bad-value at "intent": expected a list of strings for the store `shared`, found a string
            config-bad-value at "'": store has an empty name
            config-bad-value at "asked/2": `asked/2` is not a name of a predicate
              help: write its name without arity, as in `pending_action`
            config-bad-value at "Asked": `Asked` is not a name of a predicate
              help: write its name without arity, as in `pending_action`
            config-bad-value at "3": expected a string for an entry of the store `policy`, found a number
        "#]],
    );
    check(
        "[runtime.stores]\nworld = ['file']\npolicy = ['file']\nshared = ['file']\n",
        expect![[r#"
        config-bad-value at "file": predicate `file` is in two stores
          note: `policy` has it already, and keeps it
        config-bad-value at "file": predicate `file` is in two stores
          note: `policy` has it already, and keeps it
    "#]],
    );
    let many: String = (0..40).map(|at| format!("s{at:02} = ['p{at}']\n")).collect();
    check(
        &format!("[runtime.stores]\n{many}"),
        expect![[r#"
        config-bad-value at "[runtime.stores]": 9 stores too many
          note: a configuration has at most 32 stores; the others are ignored
    "#]],
    );
}

#[test]
fn sets_of_stores() {
    let set = StoreSet::one(0).union(StoreSet::one(5));
    assert_eq!(set.iter().collect::<Vec<_>>(), [0, 5]);
    assert!(set.contains(5) && !set.contains(4) && !set.is_empty());
    assert_eq!(set.difference(StoreSet::one(0)), StoreSet::one(5));
    assert_eq!(set.intersection(StoreSet::first(3)), StoreSet::one(0));
    assert!(StoreSet::one(400).is_empty());
}
