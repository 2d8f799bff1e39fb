//! Policies with a property whose evaluation or verification explodes: in facts, texts, lists, recursion, products, candidates of
//! values. Each is run by every kind of consumer, and must end with a moderate amount of memory soon after its limit of time.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::ALL;
use super::child::{self, Run};
use super::support::client::{Client, Folder, pulling};
use super::support::high_water;
use crate::mcp::client::McpClient;

/// The memory that each consumer may have, in megabytes.
const CEILING: f64 = 1200.0;

/// The time after the limit in which a consumer has to end.
const GRACE: Duration = Duration::from_secs(1);

/// A policy and a property of it.
struct Bomb {
    name: &'static str,
    policy: String,
    property: &'static str,
}

/// Input predicates of all bombs.
const INPUTS: &str = "Decl in(X) descr [extensional()] bound [/string].\n\
    Decl num(X) descr [extensional()] bound [/number].\n\
    Decl pair(X, Y) descr [extensional()] bound [/string, /string].\n\
    Decl edge(X, Y) descr [extensional()] bound [/name, /name].\n\
    Decl items(L) descr [extensional()] bound [.List</name>].\n";

/// Facts of one predicate with long texts.
fn texts(count: usize, len: usize) -> String {
    (0..count).fold(String::new(), |text, at| text + &format!("w(\"{}{at}\").\n", "a".repeat(len)))
}

fn numbers(count: i32) -> String {
    format!("n(0).\nn(Y) :- n(X), X < {count}, Y = fn:plus(X, 1).\n")
}

/// One condition for each number.
fn conditions(count: usize, condition: impl Fn(usize) -> String) -> String {
    (0..count).map(condition).collect::<Vec<_>>().join(", ")
}

#[rustfmt::skip] // One row a bomb.
fn bombs() -> Vec<Bomb> {
    let bomb = |name, policy: String, property| Bomb { name, policy, property };
    let long = "b".repeat(2_000);
    vec![
        // Candidates of values.
        bomb("texts joined in a loop", format!("{}s(X) :- in(X).\ns(Z) :- s(X), w(Y), Z = fn:string:concat(X, Y).\nbad(X) :- s(X), in(X).\n", texts(9, 2_000)), "bad(_)"),
        bomb("texts joined with themselves", format!("s(\"{long}\").\ns(Z) :- s(X), s(Y), Z = fn:string:concat(X, Y).\nbad(X) :- s(X), in(X).\n"), "bad(_)"),
        bomb("texts replaced by longer ones", "s(X) :- in(X).\ns(Y) :- s(X), Y = fn:string:replace(X, \"a\", \"aaaaaaaa\", -1).\nbad(X) :- s(X), X = \"aaaa\".\n".into(), "bad(_)"),
        bomb("a hundred prefixes", conditions_rule(100, "in(X)", |at| format!(":string:starts_with(X, \"{}\")", "ab".repeat(at))), "bad(_)"),
        bomb("a hundred parts", conditions_rule(100, "in(X)", |at| format!(":string:contains(X, \"p{at}\")")), "bad(_)"),
        bomb("sums of four inputs", "bad(A) :- num(A), num(B), num(C), num(D), E = fn:plus(A, B), F = fn:plus(C, D), G = fn:mult(E, F), G = 1234577.\n".into(), "bad(_)"),
        bomb("remainders", conditions_rule(40, "num(X)", |at| format!("M{at} = fn:plus(X, {at}), !num(M{at})")), "bad(_)"),
        bomb("pairs of inputs", "s(Z) :- pair(X, Y), Z = fn:string:concat(X, Y).\ns(Z) :- s(X), pair(X, Y), Z = fn:string:concat(Y, X).\nbad(X) :- s(X), pair(X, X).\n".into(), "bad(_)"),
        // Facts of many worlds.
        bomb("reachability over inputs", "r(X, Y) :- edge(X, Y).\nr(X, Z) :- r(X, Y), edge(Y, Z).\nbad(X) :- r(X, X), !edge(X, X).\n".into(), "bad(_)"),
        bomb("a product of six inputs", "bad(A) :- edge(A, B), edge(C, D), edge(E, F), edge(G, H), edge(I, J), A != C, C != E, E != G, G != I.\n".into(), "bad(_)"),
        bomb("a negation in eighty strata", strata(80), "s80(_)"),
        bomb("groups of inputs", "c(X, N) :- edge(X, Y) |> do fn:group_by(X), let N = fn:count().\nbad(X) :- c(X, N), N > 40.\n".into(), "bad(_)"),
        bomb("sums of groups", "c(X, N) :- edge(X, _), num(V) |> do fn:group_by(X), let N = fn:sum(V).\nbad(X) :- c(X, N), N > 99999.\n".into(), "bad(_)"),
        bomb("members of lists", "m(X) :- items(L), :list:member(X, L).\nb(X, Y) :- m(X), m(Y), X != Y.\nbad(X) :- b(X, Y), b(Y, Z), b(Z, X).\n".into(), "bad(_)"),
        bomb("lists by cons", "l([]).\nl(M) :- l(L), edge(X, _), M = fn:list:cons(X, L).\nbad(L) :- l(L), items(L).\n".into(), "bad(_)"),
        bomb("rules that double", (1..=24).fold("d0(X) :- in(X).\n".to_owned(), |text, at| text + &format!("d{at}(Y) :- d{}(X), Y = fn:pair(X, X).\n", at - 1)), "d24(_)"),
        // Evaluations.
        bomb("texts in a recursion", format!("s(\"\").\ns(Y) :- s(X), Y = fn:string:concat(X, \"{long}\").\n"), "s(\"never\")"),
        bomb("texts that double", "s(\"abcdefgh\").\ns(Y) :- s(X), Y = fn:string:concat(X, X).\n".into(), "s(\"never\")"),
        bomb("lists that grow", "l([]).\nl(M) :- l(L), M = fn:list:append(L, \"a text of some length\").\n".into(), "l([1])"),
        bomb("lists of lists", "l([1]).\nl(M) :- l(L), l(K), M = fn:list(L, K).\n".into(), "l([2])"),
        bomb("maps that grow", "m(0, fn:map(0, 0)).\nm(Y, M) :- m(X, L), Y = fn:plus(X, 1), M = fn:map(Y, L).\n".into(), "m(-1, _)"),
        bomb("counting", "n(0).\nn(Y) :- n(X), Y = fn:plus(X, 1).\n".into(), "n(-1)"),
        bomb("a product of three thousands", format!("{}c(X, Y, Z) :- n(X), n(Y), n(Z).\n", numbers(1_000)), "c(-1, _, _)"),
        bomb("a group of a product", format!("{}c(X, Y) :- n(X), n(Y).\ng(L) :- c(X, Y) |> do fn:group_by(), let L = fn:collect(Y).\n", numbers(1_500)), "g([])"),
        bomb("wide rows of long texts", format!("{}c(A, B, C, D) :- w(A), w(B), w(C), w(D), A != B.\nt(X) :- c(A, B, C, D), X = fn:string:concat(A, B, C, D).\n", texts(40, 4_000)), "t(\"never\")"),
    ]
}

fn conditions_rule(count: usize, input: &str, condition: impl Fn(usize) -> String) -> String {
    format!("bad(X) :- {input}, {}.\n", conditions(count, condition))
}

fn strata(count: usize) -> String {
    (1..=count).fold("s0(X) :- edge(X, _).\n".to_owned(), |mut text, at| {
        let _ = writeln!(text, "s{at}(X) :- edge(X, _), edge(_, Y), !s{}(Y).", at - 1);
        text
    })
}

/// A consumer of policies.
#[derive(Debug, Clone, Copy)]
enum Consumer {
    /// Arguments of the command line.
    Command(&'static str, &'static [&'static str]),
    Editor,
    Mcp,
}

const CONSUMERS: [Consumer; 5] = [
    Consumer::Command("check", &["check", ".", "--evaluate", "--verify"]),
    Consumer::Command("query", &["query", "--dump", "."]),
    Consumer::Command("verify", &["verify", "."]),
    Consumer::Editor,
    Consumer::Mcp,
];

impl Consumer {
    fn name(self) -> &'static str {
        match self {
            Self::Command(name, _) => name,
            Self::Editor => "editor",
            Self::Mcp => "MCP",
        }
    }

    fn run(self, bomb: &Bomb, limit: Duration) -> Run {
        let (seconds, milliseconds) = (limit.as_secs().max(1), limit.as_millis());
        let settings = format!("[kernel]\ntimeout_ms = {milliseconds}\n[verify]\nseconds = {seconds}\n");
        let policy = format!("{INPUTS}{}", bomb.policy);
        let test = format!("# @never name: never\n#   {}\n", bomb.property);
        let folder = Folder::new(&[("mangle-ls.toml", &settings), ("a.mg", &policy), ("a_test.mg", &test)]);
        match self {
            Self::Command(_, arguments) => child::run(&folder.path(), arguments),
            Self::Editor => editor(&folder, &policy, &test),
            Self::Mcp => mcp(&folder),
        }
    }
}

/// Opens the policy and the test, and waits until the property has an answer.
fn editor(folder: &Folder, policy: &str, test: &str) -> Run {
    let start = Instant::now();
    let mut capabilities = pulling();
    capabilities["workspace"]["codeLens"] = json!({ "refreshSupport": true });
    let mut client = Client::open_workspace(Some(&folder.path()), capabilities);
    let (a, uri) = (folder.uri("a.mg"), folder.uri("a_test.mg"));
    client.did_open(&a, 1, policy);
    client.did_open(&uri, 1, test);
    let document = json!({ "textDocument": { "uri": uri } });
    loop {
        let lenses = client.request("textDocument/codeLens", document.clone()).unwrap_or_default();
        let lenses = lenses.as_array().cloned().unwrap_or_default();
        let is_known = |lens: &Value| lens["command"]["title"] != json!("not checked yet");
        if lenses.iter().filter(|lens| lens["command"]["command"] == json!("mangle.property")).all(is_known) {
            break;
        }
        client.incoming("workspace/codeLens/refresh");
    }
    let hover = json!({ "textDocument": { "uri": a }, "position": { "line": 6, "character": 1 } });
    let written = client.request("textDocument/hover", hover).unwrap_or_default().to_string().len();
    let peak = high_water(client.process()).unwrap_or(0.0);
    let time = start.elapsed();
    let status = client.shut_down().code();
    Run { status, peak, time, written, complaints: String::new() }
}

/// Calls the tools that evaluate.
fn mcp(folder: &Folder) -> Run {
    let start = Instant::now();
    let mut client = McpClient::start(&folder.path(), &[]);
    let mut written = 0;
    for (tool, arguments) in [("query", json!({})), ("verify", json!({}))] {
        let answer = client.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        written += answer.to_string().len();
    }
    let peak = high_water(client.process()).unwrap_or(0.0);
    let time = start.elapsed();
    Run { status: client.leave(), peak, time, written, complaints: String::new() }
}

/// The ordinary test runs a bomb with one consumer in turn; all of them only if the environment demands it.
#[test]
fn bombs_stay_below_the_ceiling_and_end_in_time() {
    let is_all = std::env::var_os(ALL).is_some();
    let limit = Duration::from_millis(if is_all { 5_000 } else { 300 });
    let mut wrong = Vec::new();
    let names: Vec<_> = CONSUMERS.iter().map(|consumer| consumer.name()).collect();
    println!("| Bomb | {} |\n|---|---|---|---|---|---|", names.join(" | "));
    for (at, bomb) in bombs().iter().enumerate() {
        let mut row = format!("| {} |", bomb.name);
        for (other, consumer) in CONSUMERS.iter().enumerate() {
            // One on, so that those with the longest checks are not checked by a debug build.
            if !is_all && other != (at + 1) % CONSUMERS.len() {
                row.push_str(" |");
                continue;
            }
            let run = consumer.run(bomb, limit);
            let _ = write!(row, " {:.1} s, {:.0} MB |", run.time.as_secs_f64(), run.peak);
            let ends = matches!(run.status, Some(0..=2));
            // A debug build, beside other tests, has no promise of time.
            let is_late = is_all && run.time > parts(*consumer) * limit + GRACE;
            if !ends || run.peak > CEILING || is_late {
                wrong.push(format!("{} / {}: {run:?}", bomb.name, consumer.name()));
            }
        }
        println!("{row}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The number of limits that a consumer may need one after the other: an evaluation of each reading, and a search.
fn parts(consumer: Consumer) -> u32 {
    match consumer {
        Consumer::Command("query", _) => 1,
        Consumer::Command("verify", _) => 2,
        _ => 4,
    }
}
