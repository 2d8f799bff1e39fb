//! Grammars and schemas of replies: what is written of any program is read again without a finding, and any file beside a
//! policy is read.

use std::sync::Arc;

use mangle_engine::program::{FileSummary, Program};
use mangle_ide::reply_grammars::{GrammarFileRequest, ReplyGrammarRequest};
use mangle_settings::Settings;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::FileId;
use reply_grammar::target::{TARGETS, Target};

use crate::generate::{mangle, text};
use crate::oracle;

/// The policy of files that are only read.
const POLICY: &str = "# Status: /open, /done\nDecl task_status(Task, Status) bound [/string, /name].\n\
    Decl ratio(A) bound [/float64].\nDecl note(A) bound [/string] bound [/number].\n";

/// The names of files in each notation.
const NAMES: [&str; 5] = ["reply.gbnf", "reply.ebnf", "reply.lark", "reply.regex", "reply.schema.json"];

pub(crate) fn run(bytes: &[u8]) {
    let Some((kind, rest)) = bytes.split_first() else { return };
    if let Some(name) = NAMES.get(usize::from(*kind)) {
        return read(name, &text(rest));
    }
    if let Some(target) = TARGETS.get(usize::from(*kind) % TARGETS.len()) {
        write(target, &program(&mangle(rest)));
    }
}

fn program(text: &str) -> Program {
    Program::new(vec![Arc::new(FileSummary::new(FileId(0), &SourceFile::parse(text.into())))])
}

/// Any text beside a policy.
fn read(name: &str, text: &str) {
    let (program, settings) = (program(POLICY), Settings::default());
    let request = GrammarFileRequest { name, text, program: &program, settings: &settings, tools: None };
    request.check().iter().for_each(|found| oracle::finding(found, text.as_bytes()));
}

/// What is written has nothing against it.
fn write(target: &'static Target, program: &Program) {
    let settings = Settings::default();
    for dialect in target.dialects.iter().copied() {
        let (profile, consumer, tools) = (None, None, None);
        let request =
            ReplyGrammarRequest { program, settings: &settings, tools, profile, consumer, target, dialect };
        let Ok(grammar) = request.generate() else { continue };
        let (name, text) = (format!("reply.{}", target.extension), grammar.text.as_str());
        let file = GrammarFileRequest { name: &name, text, program, settings: &settings, tools };
        assert_eq!(file.check(), [], "{} of\n{text}", target.name);
    }
}
