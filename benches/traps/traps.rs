//! The traps, a row each.

use crate::files::{answer, between, envelope, list, pieces};

/// A file that is meant to cost more than its length.
pub(crate) struct Trap {
    pub(crate) name: &'static str,
    /// Its name, which says what container it is.
    pub(crate) file: &'static str,
    /// The smaller of its two sizes, in bytes.
    pub(crate) size: usize,
    /// It, at a size.
    pub(crate) text: fn(usize) -> Vec<u8>,
}

const MB: usize = 1_000_000;

const fn trap(name: &'static str, file: &'static str, size: usize, text: fn(usize) -> Vec<u8>) -> Trap {
    Trap { name, file, size, text }
}

#[rustfmt::skip] // One row a trap.
pub(crate) const TRAPS: &[Trap] = &[
    // Long files, long records.
    trap("turns", "a.jsonl", 25 * MB, |size| pieces(size, turn)),
    trap("turns-campaign", "a.jsonl", 10 * MB, |size| pieces(size, campaign)),
    trap("turns-repair", "a.jsonl", 10 * MB, |size| pieces(size, repair)),
    trap("turns-odd-atoms", "a.jsonl", 10 * MB, |size| pieces(size, odd_atoms)),
    trap("turns-broken-atoms", "a.jsonl", 10 * MB, |size| pieces(size, broken_atoms)),
    trap("line-too-long", "a.jsonl", 50 * MB, |size| between("{\"role\":\"assistant\",\"content\":\"", &vec![b'x'; size], "\"}\n")),
    trap("line", "a.jsonl", 8 * MB, |size| between("{\"control_packet\":{},\"surface_response\":\"", &vec![b'x'; size - 100], "\"}\n")),
    trap("text-too-long", "a.txt", 50 * MB, |size| pieces(size, |_| "words and words ".into())),
    trap("text", "a.txt", 16 * MB, |size| pieces(size, |_| "words and words ".into())),
    trap("surface", "a.json", 16 * MB, |size| surface(&pieces(size, |_| "I do not know, done, deleted it. ".into()))),
    trap("log-entry", "a.log", 8 * MB, |size| between("2026/03/01 12:00:00.000001 [DEBUG] Raw LLM Response: ", &pieces(size, |_| "more\\n\n".into()), "")),
    trap("log-entries", "a.log", 10 * MB, |size| pieces(size, |n| format!("2026/03/01 12:00:00.{n:06} [DEBUG] Raw LLM Response: {{\"surface_response\":\"{n}\"\n"))),
    trap("stream", "a.sse", 10 * MB, |size| between("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"{\\\"surface_response\\\":\\\"\"}}]}\n\n", &pieces(size, |_| delta(0)), "data: [DONE]\n")),
    trap("stream-choices", "a.sse", 10 * MB, |size| pieces(size, delta)),
    trap("session", "a.json", 10 * MB, |size| between("{\"session_id\":\"s\",\"messages\":[{\"role\":\"user\",\"content\":\"a\"}", &pieces(size, |n| format!(",{{\"role\":\"assistant\",\"content\":\"{{{n}\"}}")), "]}")),
    trap("array", "a.json", 10 * MB, |size| between("[{\"role\":\"user\",\"content\":\"a\"}", &pieces(size, |_| ",1".into()), "]")),
    trap("content-parts", "a.jsonl", 4 * MB, |size| between("{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"{\"}", &pieces(size, |_| ",{\"type\":\"text\",\"text\":\"\\\"\"}".into()), "]}\n")),
    trap("choices", "a.jsonl", 4 * MB, |size| between("{\"choices\":[{\"message\":{\"content\":\"a\"}}", &pieces(size, |_| ",{\"message\":{\"content\":\"{\"}}".into()), "]}\n")),
    trap("labels", "a.txt", 10 * MB, |size| pieces(size, |n| format!("User: {n}\nAssistant: {{\n"))),
    trap("fences", "a.md", 10 * MB, |size| pieces(size, |_| "```json\n{\"surface_response\":\n```\n".into())),
    trap("fence-open", "a.md", 10 * MB, |size| between("```piggyback\n", &pieces(size, |_| "``\n~~~ {\"\n".into()), "")),
    trap("quotes-of-markdown", "a.md", 10 * MB, |size| pieces(size, |_| "> > - 1. ".into())),
    trap("lists-of-markdown", "a.md", 10 * MB, |size| pieces(size, |n| format!("{}- ```json\n", " ".repeat(n % 200)))),
    trap("comments-of-markdown", "a.md", 7 * MB, |size| pieces(size, |_| "<!-- mangle-ls: ignore PB001, PB002 -- x -->\n".into())),
    trap("comments-open", "a.md", 7 * MB, |size| pieces(size, |_| "<!-- mangle-ls: ignore ".into())),
    trap("silencers", "a.json", 10 * MB, |size| envelope(&between(",\"x_mangle_ls_ignore\":\"", &pieces(size, |_| "PB001, ".into()), "\""))),
    trap("harness", "a.txt", 10 * MB, |size| between("════ PIGGYBACK PROTOCOL ════\nSURFACE RESPONSE\nx\nCONTROL PACKET\nMANGLE UPDATES\n", &pieces(size, |n| format!("  - p({n})\n")), "")),

    // Braces and quotes.
    trap("brace-quote", "a.txt", 10 * MB, |size| pieces(size, |_| "{\"".into())),
    trap("brace-key", "a.txt", 10 * MB, |size| pieces(size, |_| "{\"a\":".into())),
    trap("braces", "a.txt", 10 * MB, |size| pieces(size, |_| "{".into())),
    trap("braces-closed", "a.txt", 10 * MB, |size| pieces(size, |_| "{}".into())),
    trap("braces-turned", "a.txt", 10 * MB, |size| pieces(size, |_| "}{".into())),
    trap("braces-and-numbers", "a.txt", 10 * MB, |size| pieces(size, |n| if n % 8 == 0 { "{\"a\":[".into() } else { "1,".into() })),
    trap("brackets", "a.txt", 10 * MB, |size| pieces(size, |_| "[".into())),
    trap("brackets-mixed", "a.txt", 10 * MB, |size| pieces(size, |_| "[{".into())),
    trap("quotes", "a.txt", 10 * MB, |size| pieces(size, |n| format!("a 5\" {{\"surface_response\":\"{n}\"}} "))),
    trap("quotes-odd", "a.txt", 10 * MB, |size| pieces(size, |_| "{\"surface_response\":\"a}\" \"".into())),
    trap("backslashes", "a.txt", 10 * MB, |size| between("{\"surface_response\":\"", &pieces(size, |_| "\\".into()), "")),
    trap("fragments", "a.txt", 10 * MB, |size| pieces(size, |_| format!("{}\"surface_response\":\"a\"{} ", "{\"a\":".repeat(150) + "{", "}".repeat(151)))),
    trap("envelopes", "a.txt", 10 * MB, |size| pieces(size, |n| format!("{{\"control_packet\":{{}},\"surface_response\":\"{n}\"}} "))),
    trap("envelopes-unseen", "a.txt", 10 * MB, |size| between("{ oops \"", &pieces(size, |n| format!("{{\"control_packet\":{{}},\"surface_response\":\"{n}\"}} ")), "")),
    trap("comments-of-json", "a.txt", 10 * MB, |size| between("{", &pieces(size, |_| "/*".into()), "")),
    trap("string-of-envelope", "a.txt", 10 * MB, |size| between("\"", &pieces(size, |_| "{\\\"a\\\":".into()), "\"")),

    // Depth and breadth.
    trap("nested-10k", "a.json", MB, |size| pieces(size, |_| envelope_text(",\"a\":", 5_000))),
    trap("nested", "a.json", 6 * MB, |size| envelope(&nested(size))),
    trap("nested-unclosed", "a.json", 6 * MB, |size| between("{\"control_packet\":", &pieces(size, |_| "{\"a\":".into()), "")),
    trap("nested-arrays", "a.json", 6 * MB, |size| between("{\"surface_response\":", &[vec![b'['; size / 2], vec![b']'; size / 2]].concat(), "}")),
    trap("keys", "a.json", 6 * MB, |size| envelope(&pieces(size, |n| format!(",\"k{n}\":1")))),
    trap("keys-of-envelope", "a.json", 6 * MB, |size| between("{\"surface_response\":\"a\"", &pieces(size, |n| format!(",\"k{n}\":1")), "}")),
    trap("keys-twice", "a.json", 6 * MB, |size| envelope(&pieces(size, |_| ",\"mangle_updates\":[\"p(1).\"]".into()))),
    trap("keys-merged", "a.json", 6 * MB, |size| between("{\"surface_response\":\"a\"", &pieces(size, |_| ",\"control_packet\":{\"tool_requests\":[{}]}".into()), "}")),
    trap("keys-near", "a.json", 6 * MB, |size| envelope(&pieces(size, |n| format!(",\"mangle_update{}\":1", ["", "z", "ss"][n % 3])))),
    trap("keys-of-other-case", "a.json", 6 * MB, |size| envelope(&pieces(size, |_| ",\"MANGLE_UPDATES\":[]".into()))),
    trap("keys-long", "a.json", 6 * MB, |size| envelope(&between(",\"", &pieces(size, |_| "mangle_updates".into()), "\":1"))),
    trap("keys-of-arguments", "a.json", 6 * MB, |size| list("tool_requests", size, |n| format!("{{\"id\":\"r{n}\",\"tool_name\":\"t\",\"tool_args\":{{\"a\":{{\"b\":12345678901234567890}}}}}}"))),

    // Lists of the control packet.
    trap("updates", "a.json", 6 * MB, |size| list("mangle_updates", size, |n| format!("\"p({n}).\""))),
    trap("updates-alike", "a.json", 6 * MB, |size| list("mangle_updates", size, |_| "\"p(1).\"".into())),
    trap("updates-blank", "a.json", 6 * MB, |size| list("mangle_updates", size, |_| "\" \"".into())),
    trap("updates-null", "a.json", 6 * MB, |size| list("mangle_updates", size, |_| "null".into())),
    trap("updates-broken", "a.json", 6 * MB, |size| list("mangle_updates", size, |n| format!("\"p(x{n}, .\""))),
    trap("updates-odd", "a.json", 6 * MB, |size| list("mangle_updates", size, |n| format!("\"p{n}(X{n}, fn:f{n}(/a{n})).\""))),
    trap("update-long", "a.json", 6 * MB, |size| list("mangle_updates", size / 2, |_| format!("\"p({}).\"", "[".repeat(200_000)))),
    trap("updates-deep", "a.json", 4 * MB, |size| list("mangle_updates", size, |n| format!("\"p({}{n}{}).\"", "[".repeat(490), "]".repeat(490)))),
    trap("updates-escaped", "a.json", 6 * MB, |size| list("mangle_updates", size, |_| "\"p(\\\"\\\\x60\\\\x24\\\\x3b\\\\x7c ` $ ; |\\\").\"".into())),
    trap("updates-many-clauses", "a.json", 6 * MB, |size| list("mangle_updates", size, |_| format!("\"{}\"", "a(1). ".repeat(160)))),
    trap("memory", "a.json", 6 * MB, |size| list("memory_operations", size, |n| format!("{{\"op\":\"forget\",\"key\":\"k{n}\",\"value\":\"\"}}"))),
    trap("memory-alike", "a.json", 6 * MB, |size| list("memory_operations", size, |_| "{\"op\":\"archive\",\"key\":\"k\",\"value\":\"v\"}".into())),
    trap("memory-secrets", "a.json", 6 * MB, |size| list("memory_operations", size, |n| format!("{{\"op\":\"note\",\"key\":\"k{n}\",\"value\":\"token sk-{:x}\"}}", n.wrapping_mul(0x9e37_79b9_7f4a_7c15)))),
    trap("memory-secret-long", "a.json", 6 * MB, |size| list("memory_operations", 1, |_| format!("{{\"op\":\"note\",\"key\":\"k\",\"value\":\"{}\"}}", String::from_utf8(pieces(size, |n| format!("{:x}", n.wrapping_mul(0x9e37_79b9_7f4a_7c15)))).unwrap()))),
    trap("tools", "a.json", 6 * MB, |size| list("tool_requests", size, |_| "{\"id\":\"r\",\"tool_name\":\"bash\",\"tool_args\":{\"command\":\"rm -rf /\"}}".into())),
    trap("tools-without-names", "a.json", 6 * MB, |size| list("tool_requests", size, |n| format!("{{\"id\":\"{}\"}}", n % 10))),
    trap("tool-command", "a.json", 6 * MB, |size| list("tool_requests", 1, |_| format!("{{\"id\":\"r\",\"tool_name\":\"bash\",\"tool_args\":{{\"command\":\"{}\"}}}}", "curl wget dd rm > ".repeat(size / 18)))),
    trap("knowledge", "a.json", 6 * MB, |size| list("knowledge_requests", size, |_| "{\"specialist\":\"a\",\"query\":\"b\",\"priority\":\"c\"}".into())),
    trap("feedback", "a.json", 6 * MB, |size| envelope(&feedback(size))),
    trap("transitions", "a.json", 6 * MB, |size| list("state_transitions", size, |n| format!("{{\"from\":\"p({n})\",\"to\":\"q(X{n})\",\"timestamp\":\"{n}\",\"reason\":1}}"))),
    trap("files", "a.json", 6 * MB, |size| envelope(&files(size))),
    trap("trace", "a.json", 6 * MB, |size| envelope(&between(",\"reasoning_trace\":\"", &pieces(size, |n| format!("src/a{n}.go ")), "\""))),
    trap("number", "a.json", 6 * MB, |size| envelope(&between(",\"n\":1", &vec![b'0'; size], ""))),

    // What is no text.
    trap("no-utf8", "a.json", 6 * MB, |size| surface(&vec![0xff; size])),
    trap("no-utf8-prose", "a.txt", 6 * MB, |size| [b"{\"surface_response\":\"a\"} ".to_vec(), vec![0xe2; size]].concat()),
    trap("no-utf8-lines", "a.jsonl", 6 * MB, |size| { let mut text = pieces(size, |n| format!("{{\"role\":\"assistant\",\"content\":\"\u{7f}{n}\"}}\n")); text.iter_mut().filter(|byte| **byte == 0x7f).for_each(|byte| *byte = 0xff); text }),
    trap("surrogates", "a.json", 6 * MB, |size| surface(&pieces(size, |_| "\\ud800".into()))),
    trap("surrogates-of-updates", "a.json", 6 * MB, |size| list("mangle_updates", size, |_| "\"p(\\\"\\udc00\\ud800\\\").\"".into())),
    trap("controls", "a.json", 6 * MB, |size| surface(&pieces(size, |_| "\n\t\u{1}".into()))),
    trap("escapes-bad", "a.json", 6 * MB, |size| surface(&pieces(size, |_| "\\q\\u12".into()))),
    trap("carriage-returns", "a.txt", 6 * MB, |size| pieces(size, |_| "{\r".into())),
    trap("line-ends", "a.jsonl", 6 * MB, |size| pieces(size, |_| "\n".into())),
    trap("escaped-twice", "a.jsonl", 4 * MB, |size| answer(&String::from_utf8(surface(&pieces(size, |_| "\\\"\\\\".into()))).unwrap()).into_bytes()),
    trap("truncated", "a.jsonl", 6 * MB, |size| pieces(size, |n| truncated(n) + "\n")),
    trap("truncated-text", "a.txt", 6 * MB, |size| pieces(size, truncated)),
];

/// A turn of a session that the rules about several turns have most to say of.
fn turn(number: usize) -> String {
    let half = number / 2;
    if number.is_multiple_of(2) {
        return format!("{{\"role\":\"user\",\"content\":\"go on {half} {}\"}}\n", "with it ".repeat(5));
    }
    let updates = format!(
        "\"task_status(\\\"t\\\", /done).\",\"task_status(\\\"t\\\", /in_progress).\",\
         \"modified(\\\"src/a.go\\\").\",\"modified(\\\"src/{half}.go\\\").\""
    );
    let members = format!(
        ",\"mangle_updates\":[{updates}],\"memory_operations\":[{{\"op\":\"forget\",\"key\":\"k{half}\"}},\
         {{\"op\":\"archive\",\"key\":\"a{half}\"}}],\"self_correction\":{{\"triggered\":true,\"hypothesis\":\"x\"}},\
         \"context_feedback\":{{\"helpful_facts\":[\"f{half}\"],\"noise_facts\":[]}},\
         \"execution_metadata\":{{\"shard_type\":\"nobody\",\"tokens_used\":99999999}}"
    );
    answer(&String::from_utf8(envelope(members.as_bytes())).unwrap())
}

/// A packet of a campaign whose phases are completed, and then not.
fn campaign(number: usize) -> String {
    let phases: Vec<_> = (0..20)
        .flat_map(|at| {
            let phase = number * 10 + at;
            ["completed", "pending"].map(|status| {
                format!(
                    "\"campaign_phase(\\\"p{phase}\\\", \\\"c\\\", \\\"n\\\", {at}, /{status}, \\\"x\\\").\""
                )
            })
        })
        .collect();
    let progress = format!("\"campaign_progress(\\\"c\\\", {}, 3, 9, 2).\"", number % 7);
    let members = format!(",\"mangle_updates\":[{},{progress}]", phases.join(","));
    String::from_utf8(envelope(members.as_bytes())).unwrap() + "\n"
}

/// A reply that is sent back, and the same reply again.
fn repair(number: usize) -> String {
    let back = "{\"role\":\"user\",\"content\":\"Your reply could not be parsed.\"}\n";
    match number % 4 {
        0 => format!("{{\"role\":\"user\",\"content\":\"do {number}\"}}\n"),
        2 => back.to_owned(),
        _ => answer("{\"surface_response\":"),
    }
}

/// Updates that only the grammar can read, none of them like another.
fn odd_atoms(number: usize) -> String {
    let atom = |at: usize| {
        let id = number * 100 + at;
        format!("\"p{id}(X{id}, /n{id}, [/l{id}, fn:f{id}(Y{id})], {{/k{id}: /v{id}}}).\"")
    };
    let atoms: Vec<_> = (0..100).map(atom).collect();
    String::from_utf8(envelope(format!(",\"mangle_updates\":[{}]", atoms.join(",")).as_bytes())).unwrap()
        + "\n"
}

/// Updates that nobody can read, none of them like another.
fn broken_atoms(number: usize) -> String {
    let atoms: Vec<_> =
        (0..100).map(|at| format!("\"p(word{number}x{at}, Un_{number}_{at} := .\"")).collect();
    String::from_utf8(envelope(format!(",\"mangle_updates\":[{}]", atoms.join(",")).as_bytes())).unwrap()
        + "\n"
}

fn surface(text: &[u8]) -> Vec<u8> {
    between("{\"control_packet\":{\"mangle_updates\":[]},\"surface_response\":\"", text, "\"}")
}

fn delta(index: usize) -> String {
    format!("data: {{\"choices\":[{{\"index\":{index},\"delta\":{{\"content\":\"{{\\\"\"}}}}]}}\n\n")
}

fn nested(size: usize) -> Vec<u8> {
    let depth = size / 6;
    [b",\"a\":".to_vec(), b"{\"a\":".repeat(depth), b"1".to_vec(), b"}".repeat(depth)].concat()
}

fn envelope_text(member: &str, depth: usize) -> String {
    let inner = format!("{member}{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    String::from_utf8(envelope(inner.as_bytes())).unwrap() + "\n"
}

fn feedback(size: usize) -> Vec<u8> {
    let names = pieces(size / 2, |n| format!("{}\"p{n}(\"", if n == 0 { "" } else { "," }));
    let both = [names.as_slice(), b"],\"noise_facts\":[", names.as_slice()].concat();
    between(",\"context_feedback\":{\"overall_usefulness\":80,\"helpful_facts\":[", &both, "]}")
}

fn files(size: usize) -> Vec<u8> {
    let named = pieces(size / 2, |n| format!("{}\"a{n}.go\"", if n == 0 { "" } else { "," }));
    let updates =
        pieces(size / 2, |n| format!("{}\"modified(\\\"b{n}.go\\\").\"", if n == 0 { "" } else { "," }));
    let text = [named.as_slice(), b"]},\"mangle_updates\":[", updates.as_slice()].concat();
    between(",\"impact_analysis\":{\"estimated_scope\":\"trivial\",\"files_affected\":[", &text, "]")
}

/// An envelope that ends somewhere.
fn truncated(number: usize) -> String {
    let whole = String::from_utf8(envelope(b",\"mangle_updates\":[\"p(\\\"a\\\").\"]")).unwrap();
    whole[..1 + number % (whole.len() - 1)].to_owned()
}
