//! Every line of a prompt says where it comes from, and its words are there: over all recorded cases, the examples, and
//! kernels and atoms that are generated; also of compiled prompts, and of the compressed input of a turn. What stands in
//! no file is of a kind that says so.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent_prompt::jit::{AtomFile, AtomKind, Corpus, JitCompiler};
use agent_prompt::session::{SessionFile, SessionForm};
use agent_prompt::{
    DerivedContext, Header, LineOrigin, Mode, OriginPlace, Preview, PreviewSettings, PreviewState,
    PreviewedPrompt, PromptLine, PromptPart, PromptRequest, RecordedSession, RecordedTurn, SourcedText,
};
use mangle_engine::kernel::{Clock, Limits, Reading};
use mangle_engine::program::{FileSummary, Program};
use mangle_settings::PromptSettings;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Cancel, FileId, slice};
use proptest::prelude::*;
use serde_json::Value;

/// What the runtime adds to values on its own: the outcome of a task.
const OURS: [&str; 3] = ["SUCCESS", "FAILED", "turn"];

fn root() -> PathBuf {
    env!("CARGO_MANIFEST_DIR").into()
}

/// The texts that stand beside the program.
#[derive(Default)]
struct Beside<'t> {
    session: &'t str,
    /// Of atoms, and of the files of their contents.
    atoms: Vec<(FileId, String)>,
    /// Of captured turns.
    transcript: &'t str,
}

fn beside(session: &str) -> Beside<'_> {
    Beside { session, ..Beside::default() }
}

/// A preview of files of which the last one is the sample.
fn preview(files: &[String], wanted: Vec<PromptRequest>) -> Preview {
    compiled(files, wanted, None)
}

/// The same, with a prompt compiler.
fn compiled(files: &[String], wanted: Vec<PromptRequest>, compiler: Option<Arc<JitCompiler>>) -> Preview {
    let summary = |(id, text): (u32, &String)| {
        Arc::new(FileSummary::new(FileId(id), &SourceFile::parse(text.as_str().into())))
    };
    let program = Arc::new(Program::new((0..).zip(files).map(summary).collect()));
    let sample = FileId(u32::try_from(files.len() - 1).unwrap());
    let settings = PreviewSettings::from_settings(
        &PromptSettings::default(),
        Reading::Engine,
        Limits::default(),
        Clock { now_ns: 0 },
    );
    let settings = PreviewSettings { compiler, ..settings };
    Preview::new(program, Some(sample), wanted, settings, &Cancel::new())
}

/// The lines of previews whose origins were opened. Panics where one does not hold what it should.
fn opened(preview: &mut Preview, beside: &Beside<'_>, name: &str) -> usize {
    let (common, prompts) = preview.parts();
    let mut count = 0;
    for shown in prompts {
        assert_eq!(shown.prompt.fallback, None, "{name}");
        let lines: Vec<PromptLine> = shown.prompt.lines().map(|(_, line)| line.clone()).collect();
        for line in lines {
            check(common, shown, &line, beside, name);
            count += 1;
        }
    }
    count
}

fn check(
    common: &PreviewState,
    shown: &mut PreviewedPrompt,
    line: &PromptLine,
    beside: &Beside<'_>,
    name: &str,
) {
    let place = common.place(shown, &line.origin);
    match &line.origin {
        LineOrigin::Builtin { name: text } => {
            assert!(!text.is_empty() && place.is_none(), "{name}: {line:?}");
            return;
        }
        LineOrigin::Suffix { because } => {
            assert!(!because.is_empty() && place.is_none(), "{name}: {line:?}");
            return;
        }
        _ => {}
    }
    let kind = line.origin.kind();
    let is_elsewhere =
        matches!(&line.origin, LineOrigin::Fact(held) if kind == "synthetic" || held.key.is_none());
    let is_turn = matches!(&line.origin, LineOrigin::Turn { .. });
    assert!(
        place.is_some() || is_elsewhere || is_turn || line.value().is_empty(),
        "{name}: {kind} {line:?} is nowhere"
    );
    let mut texts: Vec<String> =
        common.opened(shown, &line.origin).into_iter().map(|opened| opened.text).collect();
    texts.extend(written_beside(&line.origin, place, beside));
    if line.tag == Some("modified") {
        // How many there are, not which.
        return;
    }
    let mut said: Vec<String> = texts.iter().flat_map(|text| words(&unescaped(text))).collect();
    if texts.iter().any(|text| text.contains("{{")) && shown.prompt.compilation.is_some() {
        said.extend(situation(&shown.derived));
    }
    for word in words(line.value()).into_iter().filter(|word| !OURS.contains(&word.as_str())) {
        assert!(said.contains(&word), "{name}: {word:?} of {:?} ({kind}) is not in {texts:?}", line.text);
    }
}

/// What is written at an origin beside the program.
fn written_beside(origin: &LineOrigin, place: Option<OriginPlace>, beside: &Beside<'_>) -> Option<String> {
    match (origin, place) {
        (_, Some(OriginPlace::Session(range))) => Some(slice(beside.session, range).to_owned()),
        (_, Some(OriginPlace::File(file, range))) => {
            let (_, text) = beside.atoms.iter().find(|(known, _)| *known == file)?;
            Some(slice(text, range).to_owned())
        }
        (LineOrigin::Turn { line, .. }, None) => {
            Some(beside.transcript.lines().nth(line - 1).unwrap_or_default().to_owned())
        }
        _ => None,
    }
}

/// The words that names between braces stand for.
fn situation(derived: &DerivedContext) -> Vec<String> {
    let budget = (derived.token_budget - derived.reserved).to_string();
    let specialists = "researcher finds knowledge and checks it reviewer reviews code".to_owned();
    let values = [
        &derived.language,
        &derived.shard_type,
        &derived.operational_mode.to_owned(),
        &derived.campaign_phase,
        &derived.intent_verb,
        &derived.frameworks.join(" "),
        &derived.world_states.join(" "),
        &budget,
        &specialists,
        &"unknown agent active normal".to_owned(),
    ]
    .map(|value| words(value));
    values.concat()
}

/// The words of a text.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|char: char| !char.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// A text without the escapes of strings.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match (char, chars.peek().copied()) {
            ('\\', Some('n' | 't' | 'r')) => {
                chars.next();
                out.push(' ');
            }
            ('\\', Some('u')) => {
                chars.next();
                // `\u{e9}` of policies, `\u00e9` of YAML.
                let digits: String = match chars.next_if_eq(&'{') {
                    Some(_) => chars.by_ref().take_while(|char| *char != '}').collect(),
                    None => chars.by_ref().take(4).collect(),
                };
                let code = u32::from_str_radix(&digits, 16).ok();
                out.extend(code.and_then(char::from_u32));
            }
            ('\\', Some(next)) => {
                chars.next();
                out.push(next);
            }
            _ => out.push(char),
        }
    }
    out
}

#[test]
fn of_all_recorded_cases() {
    let cases = std::fs::read_to_string(root().join("tests/conformance/prompts/cases.jsonl")).unwrap();
    let (mut lines, mut prompts) = (0, 0);
    for case in cases.lines() {
        let case: Value = serde_json::from_str(case).unwrap();
        let (name, input) = (case["name"].as_str().unwrap(), &case["input"]);
        let shard = input.get("map").unwrap_or(input);
        let (Some(id), Some(kind)) = (shard["shard_id"].as_str(), shard["shard_type"].as_str()) else {
            continue;
        };
        let mut session = input.get("session").cloned().unwrap_or_else(|| serde_json::json!({}));
        if let Some(intent) = input.get("intent") {
            session["intent"] = intent.clone();
        }
        let session = serde_json::to_string_pretty(&session).unwrap();
        let facts = input["facts"].as_array().cloned().unwrap_or_default();
        let kernel: String = facts.iter().map(|fact| fact.as_str().unwrap().to_owned() + "\n").collect();
        let header = format!("# @preview name: x\n# @preview shard: {id:?} {kind:?}\n");
        for mode in [Mode::Legacy, Mode::Section] {
            let kernel = format!("{header}# @preview mode: {}\n{kernel}", mode.as_str());
            let wanted = wanted(&kernel, Some((&session, SessionForm::Json)));
            prompts += wanted.len();
            lines += opened(&mut preview(&[kernel], wanted), &beside(&session), name);
        }
    }
    assert!(prompts > 200 && lines > 2_000, "{lines} lines of {prompts} prompts");
}

/// What the header of a kernel asks for: system prompts, and inputs of turns.
fn wanted(kernel: &str, session: Option<(&str, SessionForm)>) -> Vec<PromptRequest> {
    let session = session.map(|(text, form)| SessionFile::read(text, form));
    let groups = Header::read(kernel).groups;
    let all = groups.iter().filter_map(|group| PromptRequest::from_group(group, session.clone(), "sample"));
    let with_turns = all.flat_map(|wanted| {
        let message = wanted.session.as_ref().map(|file| file.user_input.clone());
        let turn = message.filter(|message| !message.is_empty());
        let turn = turn.map(|message| PromptRequest { part: PromptPart::Turn(message), ..wanted.clone() });
        std::iter::once(wanted).chain(turn)
    });
    with_turns.collect()
}

fn read(folder: &Path, names: &[&str]) -> Vec<String> {
    names.iter().map(|name| std::fs::read_to_string(folder.join(name)).unwrap()).collect()
}

#[test]
fn of_the_examples() {
    let examples = root().join("examples");
    let prompts = read(&examples.join("prompts"), &["schemas.gl", "policy.mg", "fix-auth.kernel.mg"]);
    let session = std::fs::read_to_string(examples.join("prompts/fix-auth.session.yaml")).unwrap();
    let asked = wanted(prompts.last().unwrap(), Some((&session, SessionForm::Yaml)));
    let mut lines = opened(&mut preview(&prompts, asked), &beside(&session), "prompts");
    for of in ["guardian", "silent-errors"] {
        let names = ["schemas.gl", "campaign.mg", "constitution.mg", "context.mg", "facts.mg", "recovery.mg"];
        let mut files = read(&examples.join(of), &names);
        files.extend(read(&examples.join("jailbreak"), &[&format!("{of}.kernel.mg")]));
        let asked = wanted(files.last().unwrap(), None);
        lines += opened(&mut preview(&files, asked), &Beside::default(), of);
    }
    assert!(lines > 80, "{lines}");
}

const POLICY: &str = "\
Decl active_shard(Id, Type) bound [/string, /name].
Decl specialist_knowledge(Id, Topic, Text) bound [/string, /name, /string].
Decl shard_context_atom(Id, Text, Score) bound [/string, /string, /number].
Decl injectable_context(Id, Text) bound [/string, /string].
Decl shard_prompt_base(Type, Text) bound [/name, /string].
Decl note(Text, Score) bound [/string, /number].
shard_context_atom(S, T, 80) :- active_shard(S, _), specialist_knowledge(S, _, T).
shard_context_atom(S, T, N) :- active_shard(S, _), note(T, N).
injectable_context(S, T) :- shard_context_atom(S, T, N), 50 < N.
injectable_context(S, Line) :- active_shard(S, _), note(T, _), Line = fn:string:concat(\"also \", T).
";

/// A text as policies write it: with blanks, quotes, several lines, signs of other scripts, nothing at all.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zé日 .,]{0,12}",
        Just("two\\nlines".to_owned()),
        Just("a \\\"quoted\\\" word".to_owned()),
        Just("back\\\\slash".to_owned()),
        Just("{{language}}".to_owned()),
    ]
}

fn statement() -> impl Strategy<Value = String> {
    prop_oneof![
        (text(), 40..90u8).prop_map(|(text, score)| format!("note(\"{text}\", {score}).")),
        text().prop_map(|text| format!("injectable_context(\"*\", \"{text}\").")),
        text().prop_map(|text| format!("injectable_context(\"coder-1\", \"{text}\").")),
        text().prop_map(|text| format!("specialist_knowledge(\"coder-1\", /topic, \"{text}\").")),
        text().prop_map(|text| format!("shard_prompt_base(/coder, \"{text}\").")),
        Just("injectable_context(S, T) :- note(T, N), active_shard(S, _), N < 50.".to_owned()),
        Just("injectable_context(S, \"a rule's own words\") :- active_shard(S, /coder).".to_owned()),
        Just("injectable_context(\"*\", \"never closed.".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn of_generated_kernels(statements in prop::collection::vec(statement(), 0..10)) {
        let header = "# @preview name: one\n# @preview shard: coder-1 coder\n\
                      # @preview intent: i1 /mutation /fix \"auth.go\" \"no deps\"\n\
                      # @preview name: two\n# @preview shard: coder-1 coder\n# @preview mode: section\n";
        let kernel = format!("{header}{}\n", statements.join("\n"));
        let asked = wanted(&kernel, None);
        opened(&mut preview(&[POLICY.to_owned(), kernel], asked), &Beside::default(), "generated");
    }
}

/// The file of the atoms, and that of the content that some of them name.
const ATOMS: (FileId, FileId) = (FileId(100), FileId(101));

const CONTENT: &str = "From a file of its own,\n\n  {{language}} in its second line.\n";

const SKELETON: &str = "\
- {id: me, category: identity, is_mandatory: true, priority: 9, content: 'I am {{shard_type}}.'}
- id: envelope
  category: protocol
  is_mandatory: true
  depends_on: [needed]
  content: |
    Write \"control_packet\" first.

      - {{world_states}}, {{unknown}}
    {{available_specialists}}
- {id: needed, category: domain, content: &said \"Two lines:\\nthe \\\"second\\\" one\\tends.\"}
- {id: again, category: domain, is_mandatory: true, content: *said}
";

/// A content as YAML writes it.
fn content() -> impl Strategy<Value = String> {
    let line = "[a-zé日{}:#' ,.]{0,16}";
    let block = |mark: &'static str| {
        prop::collection::vec(line, 1..5).prop_map(move |lines| {
            let mut block = format!("{mark}\n    x\n");
            lines.iter().for_each(|line| _ = writeln!(block, "    {line}"));
            block
        })
    };
    let quoted = |mark: char| {
        line.prop_map(move |text| format!("{mark}x {}{mark}\n", text.replace('\'', "''").replace('"', "")))
    };
    prop_oneof![
        block("|"),
        block("|-"),
        block(">"),
        quoted('\''),
        line.prop_map(|text| format!("\"a {}\\nb\\u00e9 {{{{intent_verb}}}}\"\n", text.replace('\'', ""))),
        Just("*said\n".to_owned()),
        Just("plain words\n    that go on, {{language}}\n".to_owned()),
        Just("''\n  content_file: there.md\n".to_owned()),
    ]
}

fn corpus(text: &str) -> Arc<JitCompiler> {
    let file = AtomFile { file: ATOMS.0, kind: AtomKind::Corpus, agent: None, text: Arc::from(text) };
    let mut open = |_, name: &str| (name == "there.md").then(|| (ATOMS.1, Arc::from(CONTENT)));
    let corpus = Corpus::read(&[file], &mut open);
    assert!(corpus.faults.is_empty(), "{:?} in\n{text}", corpus.faults);
    Arc::new(JitCompiler::new(Arc::new(corpus)))
}

/// A session with the score of an atom that only a search finds.
const FOUND: &str = "test_state: /failing\nfailing_tests: [a]\nvectors: {a0: 0.9, a1: 0.8, a2: 0.7}\n";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn of_compiled_prompts(
        contents in prop::collection::vec((content(), any::<bool>()), 0..6),
        statements in prop::collection::vec(statement(), 0..6),
    ) {
        let mut atoms = SKELETON.to_owned();
        for (number, (content, is_mandatory)) in contents.iter().enumerate() {
            let _ = write!(atoms, "- id: a{number}\n  category: methodology\n  is_mandatory: {is_mandatory}\n  \
                                   content: {content}");
        }
        // The stable id of the shard is its type, else nothing is injected.
        let kernel = format!(
            "# @preview name: one\n# @preview shard: coder-1 coder\n# @preview mode: jit\n\
             # @preview intent: i1 /mutation /fix \"auth.go\"\n{}\n",
            statements.join("\n")
        );
        let asked = wanted(&kernel, Some((FOUND, SessionForm::Yaml)));
        let of = vec![(ATOMS.0, atoms.clone()), (ATOMS.1, CONTENT.to_owned())];
        let beside = Beside { session: FOUND, atoms: of, transcript: "" };
        let mut preview = compiled(&[POLICY.to_owned(), kernel], asked, Some(corpus(&atoms)));
        let lines = opened(&mut preview, &beside, "compiled");
        prop_assert!(lines >= 10, "{lines}");
    }

    #[test]
    fn of_compressed_inputs(
        statements in prop::collection::vec(statement(), 0..8),
        count in 0..9u64,
        history in text(),
    ) {
        let facts: Vec<_> = (1..=count).map(|turn| format!("task_status(\"t{turn}\",/done)")).collect();
        let stamp = |turn| format!("2026-01-0{turn}T00:00:00Z");
        let transcript: String =
            (1..=count).zip(&facts).map(|(turn, fact)| format!("{turn} {} {fact}\n", stamp(turn))).collect();
        let turns = (1..=count).zip(&facts).map(|(number, fact)| RecordedTurn {
            number,
            time: stamp(number),
            line: usize::try_from(number).unwrap(),
            facts: vec![fact.clone()],
        });
        let recorded = Arc::new(RecordedSession { file: "session.jsonl".into(), turns: turns.collect() });
        let session = format!("compressed_history: \"{history}\"\nuser_input: \"Go on: {history}\"\n");
        let file = SessionFile::read(&session, SessionForm::Yaml);
        let said: SourcedText = file.user_input.clone();
        let believed: String = facts.iter().map(|fact| format!("{fact}.\n")).collect();
        let kernel = format!(
            "# @preview name: one\n# @preview shard: coder-1 coder\n# @preview intent: i1 /mutation /fix \"a.go\"\n\
             {believed}permitted(/read).\ntest_state(/failing).\n{}\n",
            statements.join("\n")
        );
        let groups = Header::read(&kernel).groups;
        let asked = PromptRequest::from_group(&groups[0], Some(file), "one").unwrap();
        let asked = PromptRequest { part: PromptPart::Compressed(said, recorded), ..asked };
        let beside = Beside { session: &session, atoms: Vec::new(), transcript: &transcript };
        let mut preview = preview(&[POLICY.to_owned(), kernel], vec![asked]);
        let lines = opened(&mut preview, &beside, "compressed");
        prop_assert!(lines >= 5, "{lines}");
    }
}
