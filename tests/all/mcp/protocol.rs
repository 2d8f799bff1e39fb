//! Versions, messages that are none, cancellations, and the end.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::McpClient;
use super::example;
use crate::support::command::{command, folder};

/// A program that needs longer than anybody waits.
const ENDLESS: &str = "n(1).\nn(Y) :- n(X) |> let Y = fn:plus(X, 1).\n";
const UNLIMITED: &str = "[kernel]\ntimeout_ms = 600000\nmax_steps = 1000000000000\nmax_derived = 1000000000\nmax_facts = 1000000000\n";

#[test]
fn versions_are_negotiated() {
    for (asked, given) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        // A version that is not known, and one without `initialize`, get the latest that has it.
        ("2099-01-01", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
    ] {
        let mut client = McpClient::launch(&example("starter"), &[]);
        let said = client.initialize(asked);
        assert_eq!(said["protocolVersion"], json!(given), "asked for {asked}");
        assert_eq!(said["serverInfo"]["name"], json!("mangle-ls"));
        assert_eq!(client.leave(), Some(0));
    }
}

#[test]
fn version_without_a_handshake_is_served() {
    let mut client = McpClient::launch(&example("starter"), &[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let answer = client.request("tools/list", json!({"_meta": meta}));
    assert_eq!(answer["result"]["tools"].as_array().map(Vec::len), Some(11), "{answer}");
}

#[test]
fn malformed_messages_do_not_end_the_server() {
    let mut client = McpClient::start(&example("starter"), &[]);
    for line in [
        &b"not json\n"[..],
        b"\n",
        b"{\"jsonrpc\":\"2.0\"\n",
        b"[]\n",
        b"{}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":1}\n",
        b"{\"jsonrpc\":\"1.0\",\"id\":900,\"method\":\"tools/list\"}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":901,\"method\":\"no/such\"}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":902,\"method\":\"tools/call\",\"params\":{\"name\":7}}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":903,\"method\":\"tools/call\",\"params\":{\"name\":\"check\",\"arguments\":[]}}\n",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{}}\n",
        b"\xff\xfe\x00\n",
    ] {
        client.raw(line);
    }
    client.raw(&[vec![b'x'; 9 << 20], vec![b'\n']].concat());
    let answer = client.request("tools/list", json!({}));
    assert!(answer["result"]["tools"].is_array(), "{answer}");
    assert_eq!(client.leave(), Some(0));
}

/// A client waits without end for a response that never comes.
#[test]
fn every_line_but_a_notification_is_answered() {
    let mut client = McpClient::start(&example("starter"), &[]);
    let half = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"check\",\"arguments\":{\"path\":\"x.mg\",\"text\":\"p(\\\"\\ud83d\\\").\"}}}";
    client.raw(format!("{half}\n").as_bytes());
    let answer = client.answer(2);
    assert_ne!(answer["result"]["isError"], json!(true), "{answer}");
    let long = [b"{\"jsonrpc\":\"2.0\",\"id\":11,\"x\":\"".to_vec(), vec![b'x'; 9 << 20]].concat();
    for (line, id, code) in [
        (&b"{bad json"[..], Value::Null, -32700),
        (b"\xff\xfe\x00", Value::Null, -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\"", json!("a"), -32700),
        (b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", Value::Null, -32600),
        (b"7", Value::Null, -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":3}", json!(3), -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":[],\"method\":\"ping\"}", Value::Null, -32600),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":7}}",
            json!(4),
            -32602,
        ),
        (b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"no/such\"}", json!(5), -32601),
        (&long, json!(11), -32600),
    ] {
        client.raw(&[line, b"\n"].concat());
        let answer = client.next();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{answer}");
    }
    // None of these has a response: the next line is that of the request after them.
    client.raw(b"\n{\"jsonrpc\":\"2.0\",\"method\":\"no/such\"}\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":7}\n");
    client.raw(b"{\"jsonrpc\":\"2.0\",\"id\":900,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"ping\"}\n");
    assert_eq!(client.next()["id"], json!(6));
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn lines_before_the_handshake_are_answered() {
    let mut client = McpClient::launch(&example("starter"), &[]);
    client.raw(b"{bad\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
    assert_eq!(client.next()["error"]["code"], json!(-32700));
    client.raw(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":7}\n");
    assert_eq!(client.next()["error"]["code"], json!(-32602));
    client.initialize("2025-11-25");
    let answer = client.request("tools/list", json!({}));
    assert!(answer["result"]["tools"].is_array(), "{answer}");
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn unknown_tools_prompts_and_resources_are_errors() {
    let mut client = McpClient::start(&example("starter"), &[]);
    for (method, params) in [
        ("tools/call", json!({"name": "no_such", "arguments": {}})),
        ("prompts/get", json!({"name": "no_such"})),
        ("prompts/get", json!({"name": "write_a_rule"})),
        ("prompts/get", json!({"name": "fix_findings", "arguments": {"other": "x"}})),
        ("resources/read", json!({"uri": "file:///etc/passwd"})),
    ] {
        let answer = client.request(method, params.clone());
        assert!(answer["error"]["message"].is_string(), "{method} {params}: {answer}");
    }
}

#[test]
fn cancellation_stops_the_work() {
    let folder = folder(&[("a.mg", ENDLESS), ("mangle-ls.toml", UNLIMITED)]);
    let mut client = McpClient::start(folder.path(), &[]);
    // More of them than run at once: if the work went on, the last call would wait for the deadline.
    let call = json!({"name": "query", "arguments": {"atom": "n(0)"}});
    let posted: Vec<u64> = (0..3).map(|_| client.post("tools/call", call.clone())).collect();
    std::thread::sleep(Duration::from_millis(300));
    for id in posted {
        let params = json!({"requestId": id, "reason": "no longer wanted"});
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    }
    let start = Instant::now();
    client.call("explain_rule", json!({"rule": "MG210"}));
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn leaving_ends_the_process_while_it_works() {
    let folder = folder(&[("a.mg", ENDLESS), ("mangle-ls.toml", UNLIMITED)]);
    let mut client = McpClient::start(folder.path(), &[]);
    client.post("tools/call", json!({"name": "query", "arguments": {"atom": "n(0)"}}));
    std::thread::sleep(Duration::from_millis(300));
    let start = Instant::now();
    client.leave();
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn secrets_cannot_be_shown_and_folders_must_be_there() {
    let starter = example("starter");
    for arguments in [&["--no-redact", "mcp"][..], &["mcp", "no-such-folder"], &["mcp", "mangle-ls.toml"]] {
        let output = command(&starter, arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn prompts_name_the_goal_and_the_tools() {
    let mut client = McpClient::start(&example("starter"), &[]);
    let arguments = json!({"goal": "no deployment on Sundays", "path": "policy.mg"});
    let answer = client.request("prompts/get", json!({"name": "write_a_rule", "arguments": arguments}));
    let text: &Value = &answer["result"]["messages"][0]["content"]["text"];
    let text = text.as_str().unwrap();
    assert!(
        text.starts_with("Write a Mangle rule for this goal: no deployment on Sundays\nAdd it to policy.mg.")
    );
    assert!(["predicates", "check", "query", "test"].iter().all(|tool| text.contains(&format!("`{tool}`"))));
}

#[test]
fn resources_can_be_read() {
    let mut client = McpClient::start(&example("incident"), &[]);
    let mut read =
        |uri: &str| client.request("resources/read", json!({"uri": uri}))["result"]["contents"][0].clone();
    let glossary = read("mangle://glossary");
    let own =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/glossary.md")).unwrap();
    assert_eq!(glossary["text"], json!(own));
    let declarations = read("mangle://declarations");
    let declared: Value = serde_json::from_str(declarations["text"].as_str().unwrap()).unwrap();
    assert!(declared["programs"][0]["predicates"][0]["declaration"].is_string(), "{declared}");
}

use std::path::Path;
