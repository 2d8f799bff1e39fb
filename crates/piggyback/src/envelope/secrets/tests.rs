//! Tests of the detectors, of masking, and of the number of steps, which is linear in the length of
//! the text for any repeated text.

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

#[test]
fn keys_of_many_services() {
    for (text, shown) in [
        ("GITLAB=glpat-AbCdEf1234567890xyzw", "GITLAB=[redacted]"),
        (
            "hook https://hooks.slack.com/services/T0000AAAA/B0000BBBB/abcdefghij0123456789KLMN ok",
            "hook https://[redacted] ok",
        ),
        ("stripe sk_live_4eC39HqLyjWDarjtT1zdp7dc", "stripe [redacted]"),
        ("whsec_4eC39HqLyjWDarjtT1zdp7dc", "[redacted]"),
        ("AIzaSyA1234567890abcdefghijklmnopqrstuv", "[redacted]"),
        ("ya29.a0AfH6SMBx1234567890abcdef", "[redacted]"),
        ("123456789:AAF0abcdefghijklmnopqrstuvwxyz01234", "[redacted]"),
        (
            "https://api.telegram.org/bot123456789:AAF0abcdefghijklmnopqrstuvwxyz01234/x",
            "https://api.telegram.org/bot[redacted]/x",
        ),
        ("hvs.CAESIJ1234567890abcdefghij", "[redacted]"),
        ("shpat_0123456789abcdef0123456789abcdef", "[redacted]"),
        ("dapi0123456789abcdef0123456789abcdef", "[redacted]"),
        ("https://ghp_0123456789abcdefghij0123@github.com/x", "https://[redacted]@github.com/x"),
        (
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "aws_secret_access_key = [redacted]",
        ),
        (
            "AccountName=x;AccountKey=Zm9vYmFyMTIzNDU2Nzg5MA==;EndpointSuffix=y",
            "AccountName=x;AccountKey=[redacted];EndpointSuffix=y",
        ),
        ("Server=db;User Id=sa;Password=hunter2x;", "Server=db;User Id=sa;Password=[redacted];"),
        ("mongodb+srv://me:p4ss@h.example/x", "mongodb+srv://me:[redacted]@h.example/x"),
        ("https://x.example/?api_key=abc123def456&y=1", "https://x.example/?api_key=[redacted]&y=1"),
        ("Authorization: Basic dXNlcjpwYXNzMQ==", "Authorization: Basic [redacted]"),
        ("curl -H 'X-Api-Key: k3y9Zq1vXw'", "curl -H 'X-Api-Key: [redacted]'"),
        ("tool --token t0kenAbc99 --verbose", "tool --token [redacted] --verbose"),
        ("set_env(\"DB_PASSWORD\", \"hunter2x\")", "set_env(\"DB_PASSWORD\", \"[redacted]\")"),
        (
            "{\"key\": \"db_password\", \"value\": \"hunter2x\"}",
            "{\"key\": \"db_password\", \"value\": \"[redacted]\"}",
        ),
        ("\"password\": \"p@ssw0rd,(1)\"", "\"password\": \"[redacted]\""),
    ] {
        assert_eq!(redacted(text), shown, "{text}");
    }
}

#[test]
fn escapes_hide_nothing() {
    for text in [
        r"sk-ant\u002dapi03-AbCdEf0123456789xyz",
        r"sk\u{2d}ant-api03-AbCdEf0123456789xyz",
        r"\x73k-ant-api03-AbCdEf0123456789xyz",
        r"sk-ant\\u002dapi03-AbCdEf0123456789xyz",
        "sk-ant-\u{200b}api03-AbCdEf0123456789xyz",
        r#"\"password\": \"hunter2x\""#,
        r#"\\\"password\\\": \\\"hunter2x\\\""#,
        r"-----BEGIN PRIVATE KEY-----\nMIIEow\nabc\n-----END PRIVATE KEY-----",
    ] {
        let shown = redacted(text);
        assert!(shown.contains(MASK), "{text}");
        assert!(
            !shown.contains("AbCdEf") && !shown.contains("hunter2x") && !shown.contains("MIIEow"),
            "{shown}"
        );
    }
    assert_eq!(redacted("\"a\\\"-----BEGIN PRIVATE KEY-----\\nMIIEow\\\"\""), "\"a\\\"[redacted]\\\"\"");
    // The text after the secret is unchanged.
    assert_eq!(
        redacted(r#"{"a": "password: hunter2x\n", "b": "c\"d"}"#),
        r#"{"a": "password: [redacted]\n", "b": "c\"d"}"#
    );
}

#[test]
fn a_quick_look_misses_no_secret() {
    let keys = [
        "sk-ant-api03-AbCdEf0123456789xyz",
        "ghp_0123456789abcdefghij0123",
        "xoxb-a1b2c3d4e5",
        "AKIAIOSFODNN7EXAMPLE",
        "q8Zt3kLw9XcV2bNm7RfY",
        "123456789:AAF0abcdefghijklmnopqrstuvwxyz01234",
        "pass\u{200b}word: hunter2x",
        "password: hunter2!",
        "PassWord=hunter2x",
        "Authorization: Basic dXNlcjpwYXNzMQ==",
        "--token t0kenAbc99",
        "\"client_secret\", \"a1b2c3d4\"",
        "postgres://me:s3cret@db/x",
        "-----BEGIN PRIVATE KEY-----\nMIIEow\n-----END PRIVATE KEY-----",
    ];
    let escaped = |text: &str, char: char| text.replace(char, &format!("\\u{:04x}", u32::from(char)));
    for key in keys {
        let mut texts = vec![key.to_owned(), serde_json::to_string(key).unwrap()];
        texts.push(serde_json::to_string(&texts[1]).unwrap());
        texts.extend(key.chars().filter(char::is_ascii).map(|char| escaped(key, char)));
        texts.extend(key.char_indices().map(|(at, _)| format!("{}\u{ad}{}", &key[..at], &key[at..])));
        for text in texts {
            for text in [text.clone(), format!("Höhe {text} und mehr."), format!("{{\"a\": {text}}}")] {
                assert!(search(&text).is_empty() || !prefilter::is_free(&text), "{text}");
            }
        }
        assert!(!search(key).is_empty(), "{key}");
    }
    assert!(prefilter::is_free(
        r#"{"task": "src/lease/renew.rs \u00fc \n lease-14", "memory_operations": []}"#
    ));
}

#[test]
fn what_is_no_secret() {
    for text in [
        "commit da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "id 550e8400-e29b-41d4-a716-446655440000",
        "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
        "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
        "password: ${DB_PASSWORD1}",
        "password=$DB_PASSWORD1",
        "password: <your_password_1>",
        "token = get_token2()",
        "token_count(\"turn\", 1200)",
        "api_key: /etc/keys/key2.pem",
        "secret: v1.2.3",
        "token: 2026-03-01",
        "max_token=4096",
        "SmolLM2-135M-Instruct",
        "Meta-Llama-3-70B-Instruct",
        "the token is well-formed",
        "[\"password\", \"oauth2\", \"sha256\"]",
        "auth_token(X1, Y2)",
        "secret_pattern(\"api_key_v1\")",
    ] {
        assert_eq!(secrets(text), [], "{text}");
    }
}

#[test]
fn masks_are_as_long_as_what_they_hide() {
    let text = "a password: hunter2x b\n-----BEGIN PRIVATE KEY-----\nMIIEow\n-----END PRIVATE KEY-----\nc";
    let shown = masked(text);
    assert_eq!(shown.len(), text.len());
    assert_eq!(shown.lines().count(), text.lines().count());
    assert!(shown.starts_with("a password: ******** b\n***") && shown.ends_with("\nc"));
}

/// Collects the text files below a folder.
fn texts(folder: &std::path::Path, out: &mut Vec<(std::path::PathBuf, String)>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            texts(&path, out);
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            out.push((path, text));
        }
    }
}

/// The only credential in `examples/shift`. The README there mentions it.
const PLANTED: &str = "tr0ub4dor-3xample";

#[test]
fn examples_and_recorded_behaviour_have_few() {
    let root = std::env::var("SECRETS_ROOT").unwrap_or(concat!(env!("CARGO_MANIFEST_DIR"), "/../..").into());
    let root = std::path::Path::new(&root);
    let mut files = Vec::new();
    if std::env::var("SECRETS_ROOT").is_ok() {
        texts(root, &mut files);
    } else {
        ["examples", "tests/conformance", "tests/corpora", "tests/language"]
            .iter()
            .for_each(|folder| texts(&root.join(folder), &mut files));
    }
    assert!(!files.is_empty());
    let found = files.iter().flat_map(|(path, text)| {
        secrets(text)
            .into_iter()
            .filter(|secret| &text[secret.range.clone()] != PLANTED)
            .map(move |secret| format!("{}: {} {}\n", path.display(), secret.kind, &text[secret.range]))
    });
    let found: String = found.collect();
    assert_eq!(found, "");
}

#[test]
fn keys_inside_names_are_found() {
    for (text, shown) in [
        ("my_AKIAIOSFODNN7EXAMPLE", "my_[redacted]"),
        ("1AKIAIOSFODNN7EXAMPLE", "1[redacted]"),
        ("x-AKIAIOSFODNN7EXAMPLE-y", "x-[redacted]-y"),
        ("myAKIAIOSFODNN7EXAMPLE", "my[redacted]"),
        ("my_sk_live_4eC39HqLyjWDarjtT1zdp7dc", "my_[redacted]"),
        ("tok_sk_live_4eC39HqLyjWDarjtT1zdp7dc/2", "tok_[redacted]/2"),
        ("tok_ghp_0123456789abcdefghij0123(X)", "tok_[redacted](X)"),
        ("0xoxb-a1b2c3d4e5f6", "0[redacted]"),
        ("v2_sk-ant-api03-AbCdEf0123456789xyz", "v2_[redacted]"),
        ("prefix_eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w", "prefix_[redacted]"),
        ("key_AIzaSyA1234567890abcdefghijklmnopqrstuv", "key_[redacted]"),
        ("AKIAIOSFODNN7EXAMPLE/AKIAIOSFODNN7EXAMPLA", "[redacted]/[redacted]"),
        ("AKIAIOSFODNN7EXAMPLE_AKIAIOSFODNN7EXAMPLA", "[redacted]_[redacted]"),
        ("a_Q~ 1:AA abc1Q~abcdefghijklmnopqrstuvwxyz01234", "a_Q~ 1:AA [redacted]"),
    ] {
        assert_eq!(redacted(text), shown, "{text}");
    }
}

#[test]
fn names_hashes_and_pictures_are_no_keys() {
    let names = [
        "risk-assessment-2024-01-15-final",
        "docs/task-12-of-34-and-more-words",
        "disk-sk-2024-01-15-release-notes",
        "task-d41d8cd98f00b204e9800998ecf8427e",
        "cache-key-d41d8cd98f00b204e9800998ecf8427e",
        "monkey-d41d8cd98f00b204e9800998ecf8427e",
        "self_hf_transformer_models_of_2024",
        "npm_config_registry_of_the_build_2",
        "test_npm_config_cache_directory_v2_is_set",
        "MAKIAVELLISTISCHESVERHALTEN",
        "SLAKIANALYSISCONSTANTS",
        "550e8400-e29b-41d4-a716-446655440000",
        "gsk_model_of_the_year_2024_in_the_list",
        "the_figd_is_a_prefix_of_tokens_in_figma_2024",
    ];
    for text in names {
        assert_eq!(secrets(text), [], "{text}");
    }
    // Base64 images from a linear congruential generator.
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut state = 1u64;
    let picture: String = (0..200_000)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            char::from(letters[(state >> 58) as usize])
        })
        .collect();
    let found = key_formats::all(&picture);
    assert_eq!(found, [], "{:?}", found.first().map(|(range, _)| &picture[range.clone()]));
}

/// Returns the number of steps of all detectors for a text.
fn steps_of(text: &str) -> usize {
    super::take_steps();
    let _ = (secrets(text), search(text), is_free(text));
    let context = SecretContext::from_text(text);
    let _ = context.occurs_in(text);
    super::take_steps()
}

/// The maximum number of steps per byte. A quadratic detector exceeds it.
const MAX_STEPS_A_BYTE: usize = 400;

fn check_steps(unit: &str) {
    let text = |bytes: usize| unit.repeat(bytes / unit.len() + 1);
    let (small, large) = (steps_of(&text(1_000)), steps_of(&text(4_000)));
    assert!(large < 4_000 * MAX_STEPS_A_BYTE, "{large} steps for 4 kB of {unit:?}");
    assert!(large < 5 * small + 20_000, "{small} and {large} steps for 1 kB and 4 kB of {unit:?}");
}

/// Separators between the repetitions.
const BETWEEN: [&str; 12] = ["", ".", "/", "-", "_", "=", ":", "@", "a", "A1", "\\", " "];

#[test]
fn key_formats_are_linear() {
    for beginning in key_formats::beginnings() {
        for between in BETWEEN {
            check_steps(&format!("{beginning}{between}"));
        }
        check_steps(&format!("x{beginning}a1"));
        check_steps(&format!("{beginning}ABCDEFGHIJKLMNOPQRSTUVWXYZ"));
        check_steps(&format!("{beginning}{}/", "a1B".repeat(30)));
    }
}

#[test]
fn names_are_linear() {
    for name in labels::words() {
        for unit in [
            "{}: x ",
            "{}=",
            "{}:",
            "{}(\"a\", \"",
            "{} is ",
            "--{} ",
            "{}=x1!y2z3&",
            "\"{}\": \"",
            "{}{}{}=",
        ] {
            check_steps(&unit.replace("{}", name));
        }
    }
}

#[test]
fn other_detectors_are_linear() {
    for unit in [
        "-----BEGIN ",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY----- -----END ",
        "-----BEGIN PRIVATE KEY-----\nMIIEow\n-----END PRIVATE KEY-----\n",
        "://",
        "a://b:c@",
        "://a:",
        "://a:b/",
        "a://b:s3cret@h/x ",
        ":AA",
        "12345678:AA",
        "12345678:AAbcdefghijklmnopqrstuvwxyz01234/",
        "Q~",
        "abc1Q~",
        "abc1Q~abcdefghijklmnopqrstuvwxyz01234 ",
        "=",
        "a=",
        "a:",
        "q8Zt3kLw9XcV2bNm7RfY",
        "q8Zt3kLw9XcV2bNm7RfY=",
        "q8Zt3kLw9XcV2bNm7RfY:",
        "q8Zt3kLw9XcV2bNm7RfY ",
        "\\",
        "\\\\\"",
        "\\u0061",
        "\\u{61}",
        "\u{200b}",
        "\u{a0}",
        "'",
        "\"password\": \"",
        "é",
    ] {
        check_steps(unit);
    }
}
