//! Inputs to begin with: the examples of the rules and of the repository, in the form in which each target reads them. What
//! libFuzzer finds beyond them is kept in `fuzz/corpus`.

use std::fs;
use std::path::{Path, PathBuf};

use mangle_ide::registry::rules;

/// How many seeds a target has at most.
const MOST: usize = 160;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The examples of rules, bad and good, each as its rule has it.
fn examples(prefixes: &[&str]) -> Vec<&'static str> {
    let wanted = rules().filter(|rule| prefixes.iter().any(|prefix| rule.code.starts_with(prefix)));
    let mut all: Vec<_> =
        wanted.flat_map(|rule| [rule.bad, rule.good]).filter(|text| !text.is_empty()).collect();
    // Spread over all rules where there are too many.
    let step = all.len().div_ceil(MOST).max(1);
    all = all.into_iter().step_by(step).collect();
    all
}

/// The files of a folder of examples, sorted.
fn files(folder: &str) -> Vec<(String, Vec<u8>)> {
    let read = fs::read_dir(root().join("examples").join(folder)).unwrap();
    let mut paths: Vec<PathBuf> =
        read.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    paths.sort();
    let named =
        |path: &PathBuf| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(path).unwrap());
    paths.iter().map(named).collect()
}

/// A folder as one text, less its pages.
fn folder(name: &str) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, bytes) in files(name).into_iter().filter(|(name, _)| !name.ends_with("README.md")) {
        out.extend(format!("#- {name}\n").into_bytes());
        out.extend(bytes);
    }
    out
}

fn with(first: &[u8], rest: impl AsRef<[u8]>) -> Vec<u8> {
    [first, rest.as_ref()].concat()
}

/// Bytes for the generators.
pub(crate) fn noise() -> Vec<Vec<u8>> {
    let byte = |seed: u32, at: u32| {
        (seed.wrapping_mul(2_654_435_761).wrapping_add(at.wrapping_mul(40_503)) >> 7).to_le_bytes()[0]
    };
    (0..24).map(|seed| (0..96).map(|at| byte(seed, at)).collect()).collect()
}

fn generated(first: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    noise().into_iter().map(move |noise| with(first, noise))
}

/// Policies; three bytes of choices go before them.
pub(crate) fn policies() -> Vec<Vec<u8>> {
    let examples =
        examples(&["MG"]).into_iter().zip(0..).map(|(text, at): (_, u8)| with(&[at, at, at], text));
    examples.chain(generated(&[1, 1, 1, 1])).chain(generated(&[2, 2, 2, 2])).collect()
}

/// Programs that can be evaluated.
pub(crate) fn programs() -> Vec<Vec<u8>> {
    let texts = examples(&["MG"]).into_iter().map(|text| text.as_bytes().to_vec());
    texts.chain(generated(&[1])).chain(generated(&[3])).collect()
}

/// Grammars and schemas beside a policy, and a few programs that some are written of, which takes long.
pub(crate) fn grammars() -> Vec<Vec<u8>> {
    let texts = [
        (0, "root ::= \"{\" key? ( \"a\" | [^\"\\\\\\x00-\\x1f]{1,5} ) \"}\"\nkey ::= \"k\" # a comment\n"),
        (1, "root ::= \"a\"* [a-z0-9_]+ (\"b\" \"c\")?\n"),
        (2, "start: \"{\" KEY? (\"a\" | /[a-z]{1,3}/) \"}\"\nKEY: \"k\" \"l\"~2..3\n"),
        (3, r#"\{"a":"(x|[^"\\\x00-\x1f]{0,9})"\}"#),
        (
            4,
            r#"{"type":"object","properties":{"a":{"type":"string","pattern":"^p\\(/[a-z]+\\)\\.$"}},"required":["a"]}"#,
        ),
    ];
    let files = texts.iter().map(|(kind, text)| with(&[*kind], text));
    files.chain((8..).zip(programs()).take(8).map(|(kind, program)| with(&[kind], program))).collect()
}

/// Tables of facts.
pub(crate) fn tables() -> Vec<Vec<u8>> {
    let tables = [
        "1,a\n2,\"b\"\"c\"\n",
        "A,É\n1,x\n",
        "/a,2026-01-31T12:00:00Z\n",
        "1s,/a/b\n",
        "\"[1,2]\",\"{\"\"f\"\":1}\"\n",
        "[1, \"a\"]\n{\"A\": 1, \"É\": \"x\"}\n",
        "[[1,2],[\"é\"]]\n",
        "[[1,\"a\"],{\"/f\":1,\"/g\":\"x\"}]\n",
        "[{\"/a\":1},1.5]\n",
        "1,x,2026-01-01,\n",
    ];
    let all = tables
        .iter()
        .zip(0u8..)
        .flat_map(|(table, at)| (0..13).map(move |kind| with(&[kind * 13 + at, at % 2], table)));
    all.collect()
}

/// Configurations and all else that is configured.
pub(crate) fn settings() -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    for text in examples(&["MG9", "PB", "PP"]) {
        for (name, bytes) in crate::generate::fixture(text.as_bytes()) {
            let kind = match name.rsplit('.').next().unwrap_or_default() {
                "toml" => 0,
                "mg" => 1,
                "json" if name.contains("config") => 4,
                "json" => 2,
                "yaml" | "yml" if name.contains("atoms") => 5,
                "yaml" | "yml" => 3,
                _ => 7,
            };
            out.push(with(&[kind], bytes));
        }
    }
    out.push(with(&[6], "{\"turn\": 1, \"category\": \"/query\", \"updates\": [\"p(/a).\"]}\n"));
    out.truncate(MOST);
    out.extend(files("prompts").into_iter().map(|(_, bytes)| with(&[3], bytes)));
    out.extend(generated(&[0x82]).take(6));
    out
}

/// The texts of captured replies.
fn captures() -> Vec<(String, Vec<u8>)> {
    ["transcripts/clean", "transcripts/failures"].iter().flat_map(|folder| files(folder)).collect()
}

/// Replies.
pub(crate) fn replies() -> Vec<Vec<u8>> {
    let texts = examples(&["PB"]).into_iter().map(|text| text.as_bytes().to_vec());
    texts
        .chain(captures().into_iter().map(|(_, bytes)| bytes).filter(|bytes| bytes.len() < 2_000))
        .chain(generated(&[1]))
        .collect()
}

/// Which name a transcript gets in an input.
fn name_byte(name: &str) -> u8 {
    match name.rsplit('.').next().unwrap_or_default() {
        "json" => 0,
        "jsonl" => 9,
        "md" => 2,
        "txt" => 3,
        "log" => 4,
        "traj" => 6,
        _ => 7,
    }
}

/// Transcripts.
pub(crate) fn transcripts() -> Vec<Vec<u8>> {
    let captures = captures().into_iter().map(|(name, bytes)| with(&[6, 255, name_byte(&name)], bytes));
    let examples = examples(&["PB"]).into_iter().map(|text| with(&[3, 255, 9], text));
    captures.chain(examples).chain(generated(&[2, 255, 1])).collect()
}

/// Folders of files; a byte that chooses the command goes before them.
pub(crate) fn worlds() -> Vec<Vec<u8>> {
    let of_policies = examples(&["MG"]).into_iter().step_by(2);
    let of_replies =
        examples(&["PB", "PP"]).into_iter().step_by(2).map(|text| match text.starts_with("#- ") {
            true => text.to_owned(),
            false => format!("#- transcripts/a.jsonl\n{text}"),
        });
    let texts = of_policies.map(str::to_owned).chain(of_replies);
    let numbered = texts.zip(0..).map(|(text, at): (_, u8)| with(&[at], text));
    numbered.chain(generated(b"\x01~")).chain(generated(b"\x82~")).collect()
}

/// Captured sessions with their policies.
pub(crate) fn sessions() -> Vec<Vec<u8>> {
    let jailbreak = folder("jailbreak");
    let schemas = b"#- schemas.gl\nDecl task_status(T, S) bound [/string, /name].\n".as_slice();
    let mut out: Vec<_> = (0..7).map(|at| with(&[0x80 | at], &jailbreak)).collect();
    for ((name, bytes), at) in captures().into_iter().zip(0u8..) {
        out.push([&[at], schemas, format!("#- transcripts/{name}\n").as_bytes(), &bytes].concat());
    }
    out.extend(generated(b"\x81~").chain(generated(b"\x02~")));
    out
}

/// Samples whose prompts are shown.
pub(crate) fn previews() -> Vec<Vec<u8>> {
    let prompts = folder("prompts");
    let examples = examples(&["PP"]).into_iter().zip(0..).map(|(text, at): (_, u8)| with(&[at], text));
    (0..13).map(|at| with(&[at], &prompts)).chain(examples).chain(generated(b"\x01~")).collect()
}

/// Policy tests.
pub(crate) fn policy_tests() -> Vec<Vec<u8>> {
    let guardian = folder("guardian");
    let examples = examples(&["MG7", "MG8", "MG9"]).into_iter().filter(|text| text.contains("@test"));
    let examples = examples.zip(0..).map(|(text, at): (_, u8)| with(&[at], text));
    let short = "#- a.mg\np(/a).\nq(X) :- p(X), !r(X).\n#- a_test.mg\n# @test name: é\np(/b).\n# @expect q(/b)\n# @forbid q(/a)\n# @exact q/1\n";
    (0..4)
        .flat_map(|at| [with(&[at], &guardian), with(&[at], short)])
        .chain(examples)
        .chain(generated(b"\x01~"))
        .collect()
}

/// Compressed files: the generators make them.
pub(crate) fn archives() -> Vec<Vec<u8>> {
    let short: Vec<_> = captures().into_iter().filter(|(_, bytes)| bytes.len() < 1_600).collect();
    let all = short
        .iter()
        .zip(0u8..)
        .map(|((name, bytes), at)| [&[at % 9, at % 4, 0, name_byte(name)], bytes.as_slice()].concat());
    let long = (0..9).map(|kind| with(&[0x80 | kind, 1, 0, 1], "x"));
    all.chain(long).collect()
}

/// Sessions of an editor.
pub(crate) fn messages() -> Vec<Vec<u8>> {
    let texts = examples(&["MG2", "PB1"]);
    let byte = |seed: usize, at: usize| (seed * 7 + at * (2 * seed + 1) + at * at / 3) as u8;
    let session = |(text, seed): (&str, usize)| {
        [(0..120).map(|at| byte(seed, at)).collect::<Vec<_>>(), text.as_bytes().repeat(3)].concat()
    };
    texts.into_iter().zip(1..).take(60).map(session).collect()
}

/// Bytes on the wire.
pub(crate) fn wire() -> Vec<Vec<u8>> {
    let initialize = ">{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"capabilities\":{},\"workspaceFolders\":[{\"uri\":\"$\",\"name\":\"w\"}]}}\n>{\"jsonrpc\":\"2.0\",\"method\":\"initialized\",\"params\":{}}\n";
    let open = ">{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didOpen\",\"params\":{\"textDocument\":{\"uri\":\"$/a.mg\",\"languageId\":\"mangle\",\"version\":1,\"text\":\"p(/é🦀). q(X) :- p(X), !r(_).\\n\"}}}\n";
    let bodies = [
        ">{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didChange\",\"params\":{\"textDocument\":{\"uri\":\"$/a.mg\",\"version\":2},\"contentChanges\":[{\"range\":{\"start\":{\"line\":0,\"character\":3},\"end\":{\"line\":0,\"character\":4}},\"text\":\"\\ud83d\"}]}}\n",
        ">{\"jsonrpc\":\"2.0\",\"id\":\"é\",\"method\":\"textDocument/hover\",\"params\":{\"textDocument\":{\"uri\":\"$/a.mg\"},\"position\":{\"line\":0,\"character\":9}}}\n",
        ">{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"shutdown\"}\n>{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}\n",
        ">{\"id\":null,\"method\":5}\n>[]\n>{}\n>nonsense\n",
        "Content-Length: 5\r\n\r\n{}\nContent-Length: x\r\n\r\n",
        "Content-Type: a\r\ncontent-length:2\r\n\r\n{}garbage\n",
        ">{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"$/foo\",\"params\":[]}\n>{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":null}\n",
    ];
    bodies.iter().map(|body| [initialize, open, body].concat().into_bytes()).collect()
}
