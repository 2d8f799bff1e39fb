//! Folders of files from bytes. Written as the examples of rules are: `#- NAME` begins a file. Or made of the generators:
//! a policy, a test, a transcript, a table.

use crate::sandbox::Sandbox;

use super::{mangle, transcript};

/// Files, and a number that chooses how a command is run on them.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) choice: usize,
    pub(crate) files: Vec<(String, Vec<u8>)>,
}

/// The sign in front of files that are made of generators.
const GENERATED: u8 = b'~';

/// What is appended to configurations, so that evaluations end soon.
const LIMITS: &str = "\n[kernel]\nmax_facts = 2000\nmax_derived = 1000\nmax_steps = 100000\ntimeout_ms = 1500\nsample = [\"**/*.kernel.mg\"]\n";

impl World {
    /// The world that bytes stand for.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let (choice, rest) =
            bytes.split_first().map_or((0, bytes), |(first, rest)| (usize::from(*first), rest));
        let files = match rest.split_first() {
            Some((&GENERATED, rest)) => generated(rest),
            _ => fixture(rest),
        };
        Self { choice, files }
    }

    /// Writes the files to the sandbox, under configurations with small limits. Gives their names there.
    pub(crate) fn write(&self, sandbox: &Sandbox) -> Vec<String> {
        let mut names = Vec::new();
        for (name, bytes) in &self.files {
            let is_configuration = name.to_lowercase().contains("toml");
            let limited = if is_configuration { limited(bytes) } else { bytes.clone() };
            names.extend(sandbox.write(name, &limited));
        }
        if !names.iter().any(|name| name == "mangle-ls.toml") {
            sandbox.write("mangle-ls.toml", format!("[[program]]\nname = \"p\"\n{LIMITS}").as_bytes());
        }
        names.sort();
        names.dedup();
        names
    }
}

/// A configuration without what it says of limits, and with our own.
fn limited(bytes: &[u8]) -> Vec<u8> {
    let is_kept = |line: &&[u8]| {
        let line = String::from_utf8_lossy(line).to_lowercase();
        !["kernel", "max_", "timeout", "\\u"].iter().any(|word| line.contains(word))
    };
    let mut kept: Vec<u8> =
        bytes.split_inclusive(|byte| *byte == b'\n').filter(is_kept).flatten().copied().collect();
    kept.extend_from_slice(LIMITS.as_bytes());
    kept
}

/// Files as examples have them; what is in front of the first `#- ` is `a.mg`.
pub(crate) fn fixture(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if let Some(name) = line.strip_prefix(b"#- ") {
            files.push((String::from_utf8_lossy(name).trim().to_owned(), Vec::new()));
        } else if let Some((_, bytes)) = files.last_mut() {
            bytes.extend_from_slice(line);
        } else {
            files.push(("a.mg".to_owned(), line.to_vec()));
        }
    }
    files
}

fn generated(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let third = bytes.len() / 3;
    let (policy, rest) = bytes.split_at(third);
    let (talk, other) = rest.split_at(third);
    let (name, talk) = transcript(&[&[1], talk].concat());
    let program = mangle(&[&[1], policy].concat());
    let head = program.split(" :-").next().unwrap_or_default().to_owned();
    let test = format!("# @test name: t\n{}\n# @expect {head}\n", mangle(&[&[2], other].concat()));
    let kernel = format!(
        "# @preview name: é\n# @preview shard: coder-7 coder\n# @preview session: s.json\n{}",
        mangle(&[&[3], other].concat())
    );
    vec![
        ("policy.mg".to_owned(), program.into_bytes()),
        ("schemas.gl".to_owned(), b"Decl task_status(T, S) bound [/string, /name].\nDecl pending_action(I, A, T, P, At).\nDecl permitted(A, T, P).\npermitted(A, T, P) :- pending_action(_, A, T, P, _).\n".to_vec()),
        ("p_test.mg".to_owned(), test.into_bytes()),
        ("a.kernel.mg".to_owned(), kernel.into_bytes()),
        ("s.json".to_owned(), super::reply(&mut crate::support::Random::from_bytes(other)).into_bytes()),
        (format!("transcripts/{name}"), talk),
    ]
}
