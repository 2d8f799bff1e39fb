//! codeNERD's kernel program: evaluated alone, and with facts that are made up, against the engine where it can be run.
//!
//! `MANGLE_LS_ENGINE` names a program built with the engine: for each line `{"id": …, "files": [{"Name", "Text"}]}` on
//! its input it parses, analyses and evaluates these files and answers with a line of JSON, whose `facts` are all facts
//! and whose `eval` is the error that ended the evaluation, if one did: then its time is that of a part of the work.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mangle_engine::kernel::{Clock, Limits, Model, Reading, compile, run};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::Cancel;

use crate::{fastest, milliseconds, support};

const LIMITS: Limits = Limits {
    facts: 100_000_000,
    derived: 100_000_000,
    steps: u64::MAX,
    time: Duration::from_secs(600),
    bytes: usize::MAX,
};

const RUNS: u32 = 9;

pub(crate) fn measure() {
    let Some(texts) = support::kernel_texts() else { return };
    let parse = || texts.iter().map(|text| SourceFile::parse(Arc::clone(text))).collect::<Vec<_>>();
    let parsed = fastest(RUNS, parse);
    let program = support::program(&texts);
    let compiled = compile(&program, Reading::Engine);
    let compiling = fastest(RUNS, || compile(&program, Reading::Engine));
    let evaluated = fastest(RUNS, || run(&compiled, LIMITS, Clock { now_ns: 0 }, &Cancel::new()));
    println!("codeNERD, one thread: milliseconds, and as a part of parsing");
    for (what, time) in [("parse", parsed), ("compile", compiling), ("evaluate (bar 0.50)", evaluated)] {
        let ratio = time.as_secs_f64() / parsed.as_secs_f64();
        println!("{what:<28} {:>10.2} ms {ratio:>6.2}", milliseconds(time));
    }
    let mut engine = Engine::start();
    println!("with facts: text to dump, evaluation alone, the engine, ratio (bar 10.00 at 10,000)");
    for count in [1_000, 2_500, 10_000, 100_000] {
        with_facts(&texts, count, engine.as_mut());
    }
}

fn with_facts(texts: &[Arc<str>], count: usize, engine: Option<&mut Engine>) {
    let mut texts = texts.to_vec();
    texts.push(facts(count).into());
    let whole = || {
        let compiled = compile(&support::program(&texts), Reading::Engine);
        let model = evaluate(&compiled);
        model.dump(&compiled).len()
    };
    let runs = if count > 10_000 { 2 } else { 4 };
    let all = fastest(runs, whole);
    let compiled = compile(&support::program(&texts), Reading::Engine);
    let evaluated = fastest(runs, || evaluate(&compiled));
    let theirs = engine.filter(|_| count <= 10_000).map(|engine| engine.time(&texts));
    let of = |time: Duration| format!("{:>10.2} ms", milliseconds(time));
    println!(
        "{count:>9} facts {} {} {} {}",
        of(all),
        of(evaluated),
        theirs.map_or_else(|| format!("{:>13}", "-"), of),
        theirs.map_or_else(String::new, |time| format!("{:>6.2}", time.as_secs_f64() / all.as_secs_f64()))
    );
}

fn evaluate(compiled: &Arc<mangle_engine::kernel::CompiledProgram>) -> Model {
    let model = run(compiled, LIMITS, Clock { now_ns: 0 }, &Cancel::new());
    assert_eq!(model.stopped, None);
    model
}

/// Files that depend on each other in chains of eight, with symbols and warnings.
fn facts(count: usize) -> String {
    let mut text = String::new();
    for at in 0..count {
        let file = at / 4;
        let before = file.saturating_sub(usize::from(!file.is_multiple_of(8)));
        let _ = match at % 4 {
            0 if file % 10 == 0 => writeln!(text, "modified(\"src/f{file}.go\")."),
            0 => writeln!(text, "file_topology(\"src/f{file}.go\", \"h{file}\", /go, {file}, /false)."),
            1 => writeln!(text, "dependency_link(\"src/f{file}.go\", \"src/f{before}.go\", \"src\")."),
            2 => writeln!(text, "symbol_graph(\"s{file}\", /function, /public, \"src/f{file}.go\", \"()\")."),
            _ => writeln!(text, "diagnostic(/warning, \"src/f{file}.go\", {file}, \"W{file}\", \"unused\")."),
        };
    }
    text
}

/// The engine as a program that answers lines.
struct Engine {
    child: Child,
    answers: BufReader<std::process::ChildStdout>,
}

impl Engine {
    fn start() -> Option<Self> {
        let Some(path) = std::env::var_os("MANGLE_LS_ENGINE") else {
            eprintln!("SKIPPED: set MANGLE_LS_ENGINE to a program built with the engine to compare with it");
            return None;
        };
        let mut command = Command::new(path);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        Some(Self { child, answers })
    }

    /// How long it takes for some files, from text to facts.
    fn time(&mut self, texts: &[Arc<str>]) -> Duration {
        let file =
            |(at, text): (usize, &Arc<str>)| serde_json::json!({"Name": format!("{at}.mg"), "Text": &**text});
        let files: Vec<_> = texts.iter().enumerate().map(file).collect();
        let request = serde_json::json!({"id": "bench", "files": files}).to_string();
        let start = Instant::now();
        let input = self.child.stdin.as_mut().unwrap();
        writeln!(input, "{request}").unwrap();
        input.flush().unwrap();
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        let time = start.elapsed();
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        if answer["facts"].is_null() || !answer["eval"].is_null() {
            eprintln!("the engine did not evaluate all of this: {} {}", answer["message"], answer["eval"]);
        }
        time
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
