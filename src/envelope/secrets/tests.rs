use expect_test::{Expect, expect};

use super::*;

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&redacted(text));
}

#[test]
fn keys_of_services() {
    check("use sk-ant-api03-AbCdEf0123456789xyz.", expect!["use [redacted]."]);
    check("token ghp_0123456789abcdefghij0123 works", expect!["token [redacted] works"]);
    check("{\"key\":\"AKIAIOSFODNN7EXAMPLE\"}", expect![[r#"{"key":"[redacted]"}"#]]);
    check("sk-learn and AKIAN are words", expect!["sk-learn and AKIAN are words"]);
}

#[test]
fn what_has_a_name() {
    check("password: hunter2!", expect!["password: [redacted]!"]);
    check("DB_PASSWORD=hunter2x", expect!["DB_PASSWORD=[redacted]"]);
    check("the password is \"tr0ub4dor\"", expect![[r#"the password is "[redacted]""#]]);
    check("Authorization: Bearer abc123def", expect!["Authorization: Bearer [redacted]"]);
    check("postgres://me:s3cret@db/x", expect!["postgres://me:[redacted]@db/x"]);
    check("the token is missing", expect!["the token is missing"]);
    check("password: forgotten", expect!["password: forgotten"]);
    check("tokens: 120000 of 200000", expect!["tokens: 120000 of 200000"]);
}

#[test]
fn random_letters() {
    check("q8Zt3kLw9XcV2bNm7RfY is one", expect!["[redacted] is one"]);
    check("src/envelope/runtime/Stages2024.rs", expect!["src/envelope/runtime/Stages2024.rs"]);
    check("da39a3ee5e6b4b0d3255bfef95601890afd80709", expect!["da39a3ee5e6b4b0d3255bfef95601890afd80709"]);
    check("550e8400-e29b-41d4-a716-446655440000", expect!["550e8400-e29b-41d4-a716-446655440000"]);
    check("TestTheParserOfTheSecondVersion123Again", expect!["TestTheParserOfTheSecondVersion123Again"]);
}

#[test]
fn keys_in_blocks() {
    check(
        "a -----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY----- b",
        expect!["a [redacted] b"],
    );
    check("-----BEGIN PRIVATE KEY-----\nMIIEow", expect!["[redacted]"]);
    check(
        "-----BEGIN CERTIFICATE-----\nMIIEow",
        expect![[r#"
        -----BEGIN CERTIFICATE-----
        MIIEow"#]],
    );
}

#[test]
fn many_beginnings_cost_little() {
    assert!(secrets(&"-----BEGIN ".repeat(20_000)).is_empty());
    assert_eq!(secrets(&"password: x1 ".repeat(20_000)).len(), 0);
}
