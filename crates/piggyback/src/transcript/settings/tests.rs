//! Tests of the findings about runtime configurations.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use super::*;
use crate::transcript::ShardLimits;
use crate::transcript::tests::words_of;

#[track_caller]
fn check(text: &str, expected: Expect) {
    let mut out = String::new();
    for found in &read(text.as_bytes()).findings {
        let at = usize::from(found.range.start())..usize::from(found.range.end());
        write!(out, "{} {:?}: {}", found.rule.name, &text[at], words_of(found)).unwrap();
        if let Some(fix) = &found.fix {
            write!(out, " [{}: {}]", fix.title, fixed(text, fix)).unwrap();
        }
        out.push('\n');
    }
    expected.assert_eq(&out);
}

fn fixed(text: &str, fix: &mangle_syntax::lint::Fix) -> String {
    let mut out = text.to_owned();
    for edit in fix.edits.iter().rev() {
        let range = edit.span.range;
        out.replace_range(usize::from(range.start())..usize::from(range.end()), &edit.text);
    }
    out
}

#[test]
fn keys_and_values() {
    check(
        r#"{"core_limits":{"max_total_memory_mb":511,"max_concurrent_shards":0,"Max_Facts_In_Kernel":1000,
            "max_fact_in_kernel":1,"xyzzy":1},"contxt_window":{},"theme":["any"],"default_shard":{"top_p":1,"temperature":-0.1}}"#,
        expect![[r#"
            limit-low "511": `core_limits.max_total_memory_mb` is below its minimum [less than 512] | the runtime's own check of its limits fails [set it to 512: {"core_limits":{"max_total_memory_mb":512,"max_concurrent_shards":0,"Max_Facts_In_Kernel":1000,
                        "max_fact_in_kernel":1,"xyzzy":1},"contxt_window":{},"theme":["any"],"default_shard":{"top_p":1,"temperature":-0.1}}]
            limit-low "0": `core_limits.max_concurrent_shards` is below its minimum [less than 1] | the runtime reads 0 as unset and uses the default, 12 [set it to 1: {"core_limits":{"max_total_memory_mb":511,"max_concurrent_shards":1,"Max_Facts_In_Kernel":1000,
                        "max_fact_in_kernel":1,"xyzzy":1},"contxt_window":{},"theme":["any"],"default_shard":{"top_p":1,"temperature":-0.1}}]
            config-key "\"max_fact_in_kernel\"": unknown setting `core_limits.max_fact_in_kernel` | the runtime ignores it | help: did you mean `max_facts_in_kernel`? [write `max_facts_in_kernel`: {"core_limits":{"max_total_memory_mb":511,"max_concurrent_shards":0,"Max_Facts_In_Kernel":1000,
                        "max_facts_in_kernel":1,"xyzzy":1},"contxt_window":{},"theme":["any"],"default_shard":{"top_p":1,"temperature":-0.1}}]
            config-key "\"xyzzy\"": unknown setting `core_limits.xyzzy` | the runtime ignores it
            config-key "\"contxt_window\"": unknown setting `contxt_window` | the runtime ignores it | help: did you mean `context_window`? [write `context_window`: {"core_limits":{"max_total_memory_mb":511,"max_concurrent_shards":0,"Max_Facts_In_Kernel":1000,
                        "max_fact_in_kernel":1,"xyzzy":1},"context_window":{},"theme":["any"],"default_shard":{"top_p":1,"temperature":-0.1}}]
            sampling-range "-0.1": `default_shard.temperature` is not between 0 and 1 | services for models reject or clamp such a value
        "#]],
    );
    check(
        r#"{"core_limits":null,"context_window":{"max_tokens":"many","output_reserve":1.5},"jit":{"enabled":1},"shard_profiles":{"coder":7}}"#,
        expect![[r#"
            config-bad-value "\"many\"": `context_window.max_tokens` is not a whole number | the runtime cannot load the file and uses nothing of it
            config-bad-value "1.5": `context_window.output_reserve` is not a whole number | the runtime cannot load the file and uses nothing of it
            config-bad-value "1": `jit.enabled` is not `true` or `false` | the runtime cannot load the file and uses nothing of it
            config-bad-value "7": `shard_profiles.coder` is not an object | the runtime cannot load the file and uses nothing of it
        "#]],
    );
}

#[test]
fn several_keys_together() {
    // `reserve-sum`: missing values and 0 are replaced by the defaults, 5 + 30 + 15 + 50.
    check(
        r#"{"context_window":{"core_reserve_percent":10,"atom_reserve_percent":0}}"#,
        expect![[r#"
            reserve-sum "\"context_window\"": reserves add up to 105 %, not 100 % | they are 10 + 30 + 15 + 50; an unset reserve has its default | the parts together overflow the context window
        "#]],
    );
    check(r#"{"context_window":{"core_reserve_percent":10,"working_reserve_percent":45}}"#, expect![[""]]);
    check(
        r#"{"context_window":{"core_reserve_percent":9223372036854775807,"working_reserve_percent":45}}"#,
        expect![[r#"
            reserve-sum "\"context_window\"": reserves add up to 9223372036854775807 %, not 100 % | they are 9223372036854775807 + 30 + 15 + 45; an unset reserve has its default | the parts together overflow the context window
        "#]],
    );
    // `reserved-tokens`: the smaller of window and budget applies; a ratio of 1 would leave
    // nothing.
    check(
        r#"{"context_window":{"max_tokens":7000}}"#,
        expect![[r#"
            reserved-tokens "7000": 8000 reserved tokens leave nothing of a budget of 7000 | the runtime reserves 700 instead
        "#]],
    );
    check(
        r#"{"jit":{"token_budget":9000,"reserved_tokens":9000,"reserved_tokens_fallback_ratio":1}}"#,
        expect![[r#"
            reserved-tokens "9000": 9000 reserved tokens leave nothing of a budget of 9000 | the runtime reserves 0 instead
        "#]],
    );
    // `derived-limit`, `shard-facts`: only for values that are written in the file.
    check(r#"{"core_limits":{"max_facts_in_kernel":10000}}"#, expect![[""]]);
    check(
        r#"{"core_limits":{"max_derived_facts_limit":100000},"default_shard":{"max_facts_in_shard_kernel":250001}}"#,
        expect![[r#"
            derived-limit "100000": `max_derived_facts_limit` is below `max_facts_in_kernel` [100000 is less than 250000] | a rule that derives a fact from each stored one reaches the limit in a full kernel
            shard-facts "250001": `default_shard` allows more facts than `max_facts_in_kernel` [250001 is more than 250000] | the kernel ignores facts beyond its limit; only its log reports that
        "#]],
    );
}

#[test]
fn types_of_shards() {
    check(
        r#"{"shard_profiles":{"revewer":{"max_retrys":1},"botanist":{},"coder":null}}"#,
        expect![[r#"
            profile-type "\"revewer\"": unknown shard type `revewer` | no shard uses this profile unless the project defines the type | help: did you mean `reviewer`? [write `reviewer`: {"shard_profiles":{"reviewer":{"max_retrys":1},"botanist":{},"coder":null}}]
            config-key "\"max_retrys\"": unknown setting `shard_profiles.revewer.max_retrys` | the runtime ignores it | help: did you mean `max_retries`? [write `max_retries`: {"shard_profiles":{"revewer":{"max_retries":1},"botanist":{},"coder":null}}]
            profile-type "\"botanist\"": unknown shard type `botanist` | no shard uses this profile unless the project defines the type
        "#]],
    );
}

#[test]
fn what_does_not_parse() {
    check(
        "{\"core_limits\": {\n  \"max_facts_in_kernel\": 5, // few\n}}",
        expect![[r#"
            config-syntax "// few": JSON has no comments | the runtime cannot load the file and uses nothing of it
        "#]],
    );
    check(
        "{} {}\n",
        expect![[r#"
            config-syntax "{}": text after the end of the configuration | the runtime cannot load the file and uses nothing of it
        "#]],
    );
    check(
        "[]",
        expect![[r#"
            config-syntax "[]": configuration is not a JSON object | the runtime cannot load the file and uses nothing of it
        "#]],
    );
    check(
        "",
        expect![[r#"
            config-syntax "": missing value | the runtime cannot load the file and uses nothing of it
        "#]],
    );
    check(
        "{\"jit\": {\"enabled\": tru",
        expect![[r#"
            config-syntax "tru": `tru` is not JSON | the runtime cannot load the file and uses nothing of it
        "#]],
    );
}

#[test]
fn limits_hold_only_if_the_file_loads() {
    let limits = |text: &str| read(text.as_bytes()).limits;
    let coder = limits(r#"{"shard_profiles":{"coder":{"max_retries":9}}}"#).shards["coder"];
    assert_eq!(coder, ShardLimits { retries: 9, ..Limits::default().default });
    assert_eq!(limits(r#"{"shard_profiles":{"coder":{"max_retries":9}},}"#), Limits::default());
    assert_eq!(limits(r#"{"shard_profiles":{"coder":{"max_retries":9,"top_p":""}}}"#), Limits::default());
}

/// A missing value or 0 has the built-in default, not a value from another section.
#[test]
fn limits_are_those_that_the_runtime_works_out() {
    let limits = |text: &str| read(text.as_bytes()).limits;
    let usual = Limits::default().default;
    let several = limits(
        r#"{"default_shard":{"max_context_tokens":7,"max_retries":0},"context_window":{"max_tokens":0},
            "shard_profiles":{"coder":{"max_context_tokens":0},"tester":{"max_context_tokens":9}}}"#,
    );
    assert_eq!(several.default, ShardLimits { context_tokens: 7, ..usual });
    assert_eq!(several.shards["coder"], usual);
    assert_eq!(several.shards["tester"], ShardLimits { context_tokens: 9, ..usual });
    assert_eq!((several.window, several.prompt), (200_000, (None, None)));
    let prompt = |text: &str| limits(text).prompt;
    assert_eq!(prompt(r#"{"jit":{"token_budget":5000}}"#), (Some(5_000), Some(500)));
    assert_eq!(
        prompt(r#"{"jit":{"token_budget":5000,"reserved_tokens_fallback_ratio":1}}"#),
        (Some(5_000), Some(0))
    );
    assert_eq!(prompt(r#"{"jit":{"reserved_tokens":400000}}"#), (None, Some(20_000)));
    assert_eq!(
        prompt(r#"{"context_window":{"max_tokens":100000},"jit":{"token_budget":0}}"#),
        (Some(100_000), None)
    );
    assert_eq!(
        prompt(r#"{"context_window":{"max_tokens":300000},"jit":{"token_budget":250000}}"#).0,
        Some(250_000)
    );
}

#[test]
fn damage_is_survived() {
    let text = RULES.iter().map(|rule| configuration(rule.bad)).max_by_key(|text| text.len()).unwrap();
    for end in 0..text.len() {
        let found = read(&text.as_bytes()[..end]).findings;
        assert!(!found.is_empty(), "{end}");
        assert!(found.iter().all(|found| usize::from(found.range.start()) <= end), "{end}");
    }
}

/// Returns the configuration of an example.
fn configuration(example: &str) -> String {
    let text = example.strip_prefix("#- .nerd/config.json\n").unwrap();
    text.to_owned()
}

#[test]
fn negative_limits_are_reported() {
    let text = br#"{"core_limits": {"max_concurrent_api_calls": -1}, "shard_profiles": {"coder": {"max_retries": -3}},
        "context_window": {"target_compression_ratio": -0.5, "activation_threshold": -5, "output_reserve": 0}}"#;
    let (found, _) = super::check(text);
    let limits = found.iter().filter(|found| found.rule.code == "PB701");
    let messages: Vec<_> = limits.map(|found| found.message.to_string()).collect();
    assert_eq!(
        messages,
        [
            "`core_limits.max_concurrent_api_calls` is negative",
            "`shard_profiles.coder.max_retries` is negative",
            "`context_window.target_compression_ratio` is negative",
        ]
    );
}
