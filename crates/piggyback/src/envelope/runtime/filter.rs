//! The filter between the updates of a packet and the kernel, with its verdicts and accepted facts.
//!
//! The filter needs no kernel, and a program with declarations is optional.

use std::sync::LazyLock;

use super::fact::is_variable;
use super::{RuntimeFact, Value, go};
use crate::envelope::plain;
use mangle_settings::{Consumer, Runtime, TranscriptSettings};
use mangle_syntax::lint::Finding;
use mangle_syntax::syntax::{SourceFile, rules};
use mangle_syntax::text::{slice, without_new_words};

/// The verdict of the filter about an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FilterVerdict {
    /// The update becomes a fact.
    Accepted,
    /// The update is blank and is skipped.
    Blank,
    /// The update exceeds the maximum number of updates.
    Limit,
    /// The update contains `:-`.
    Rule,
    /// The update begins with `decl`.
    Declaration,
    /// The update begins with `import` or `include`.
    Import,
    /// The update has a syntax error.
    Syntax,
    /// The predicate is not in the list of the consumer.
    NotAllowed,
    /// The predicate is reserved for the host.
    HostWitness,
    /// The program does not declare the predicate.
    Undeclared,
    /// The program declares the predicate with a different arity.
    Arity,
    /// A string argument contains shell characters, and the predicate is not exempt.
    ShellText,
}

impl FilterVerdict {
    /// Returns the letter of the verdict in records.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::Accepted => '+',
            Self::Blank => '.',
            Self::Limit => 'L',
            Self::Rule => 'R',
            Self::Declaration => 'D',
            Self::Import => 'I',
            Self::Syntax => 'P',
            Self::NotAllowed | Self::HostWitness => 'N',
            Self::Undeclared => 'U',
            Self::Arity => 'A',
            Self::ShellText => 'M',
        }
    }
}

/// The interface of the filter to a program.
pub trait FilterProgram {
    /// Returns the verdict about a predicate with this arity: accepted, undeclared or wrong arity.
    fn declaration(&self, predicate: &str, arity: usize) -> FilterVerdict;

    /// Returns the arity if the predicate has exactly one declaration. `None` without a
    /// declaration.
    fn arity(&self, predicate: &str) -> Option<usize>;

    /// True if strings of a predicate may contain shell characters.
    ///
    /// Requires the fact `prose_only(/P)`, and no rule may lead from `P` to a predicate of
    /// `exec_sink`.
    fn is_prose(&self, predicate: &str) -> bool;
}

/// The result of parsing an update, independent of the consumer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadUpdate {
    /// An update that is rejected or skipped before its predicate is checked.
    Refused(FilterVerdict),
    /// The fact in the head of the first clause.
    Fact(RuntimeFact),
}

impl ReadUpdate {
    /// Parses an update as the runtime does.
    #[must_use]
    pub fn new(update: &str, runtime: Runtime) -> Self {
        let text = update.trim();
        match refusal(text) {
            Some(verdict) => Self::Refused(verdict),
            None => fact(text, runtime).map_or(Self::Refused(FilterVerdict::Syntax), Self::Fact),
        }
    }

    /// Returns the fact of the update, or `None` if the update is rejected.
    #[must_use]
    pub fn fact(&self) -> Option<&RuntimeFact> {
        match self {
            Self::Fact(fact) => Some(fact),
            Self::Refused(_) => None,
        }
    }

    /// Returns the verdict for a consumer about the update at `index`.
    ///
    /// If there is no program, declarations are not checked, and no predicate is exempt from the
    /// string check.
    #[must_use]
    pub fn verdict(
        &self,
        index: usize,
        consumer: &Consumer,
        runtime: Runtime,
        program: Option<&dyn FilterProgram>,
    ) -> FilterVerdict {
        if consumer.max_updates > 0 && index >= consumer.max_updates {
            return FilterVerdict::Limit;
        }
        let fact = match self {
            Self::Refused(verdict) => return *verdict,
            Self::Fact(fact) => fact,
        };
        if is_host_witness(&fact.predicate, runtime) {
            return FilterVerdict::HostWitness;
        }
        if !accepts(consumer, &fact.predicate) {
            return FilterVerdict::NotAllowed;
        }
        let declared = program
            .map_or(FilterVerdict::Accepted, |program| program.declaration(&fact.predicate, fact.args.len()));
        let is_exempt = || program.is_some_and(|program| program.is_prose(&fact.predicate));
        match declared {
            FilterVerdict::Accepted if shell_text(fact, runtime).is_some() && !is_exempt() => {
                FilterVerdict::ShellText
            }
            declared => declared,
        }
    }
}

/// True if only the host may assert a predicate.
#[must_use]
pub fn is_host_witness(predicate: &str, runtime: Runtime) -> bool {
    runtime.host_witnesses.binary_search(&predicate).is_ok()
}

/// Returns the first text argument of a fact that contains shell characters.
#[must_use]
pub fn shell_text(fact: &RuntimeFact, runtime: Runtime) -> Option<&[u8]> {
    let is_one = |byte: &u8| runtime.shell_text.contains(&char::from(*byte));
    fact.args.iter().find_map(|arg| match arg {
        Value::Text(text) if text.iter().any(is_one) => Some(text.as_slice()),
        _ => None,
    })
}

/// Returns the verdict for a trimmed update that is rejected by its text alone.
#[must_use]
pub fn refusal(text: &str) -> Option<FilterVerdict> {
    if text.is_empty() {
        Some(FilterVerdict::Blank)
    } else if text.contains(":-") {
        Some(FilterVerdict::Rule)
    } else if ["decl ", "decl\t"].iter().any(|word| go::begins_with(text, word)) {
        Some(FilterVerdict::Declaration)
    } else if ["import ", "include "].iter().any(|word| go::begins_with(text, word)) {
        Some(FilterVerdict::Import)
    } else {
        None
    }
}

/// Returns the text that the filter passes to the parser for a trimmed update.
#[must_use]
pub fn parsed_text(text: &str) -> String {
    format!("{}.", text.strip_suffix('.').unwrap_or(text))
}

/// Returns the head of the first clause of a trimmed update, if the whole update can be parsed.
fn fact(text: &str, runtime: Runtime) -> Option<RuntimeFact> {
    if let Some(plain) = plain::read(text) {
        return Some(RuntimeFact::of_plain(&plain, text, runtime));
    }
    let text = parsed_text(text);
    // The engine accepts NUL in a string; this grammar treats it as the end of the text.
    let source = without_new_words(|| SourceFile::parse(text.replace('\0', "\u{1}").into()));
    if !is_readable(&source) {
        return None;
    }
    let item = source.items().iter().find(|item| item.statement.clause().is_some())?;
    let clause = item.statement.clause()?;
    Some(RuntimeFact::from_atom(&clause.head, text.get(usize::from(item.start)..)?, runtime))
}

/// True if the engine's parser accepts a text.
fn is_readable(source: &SourceFile) -> bool {
    let of_statements = source.items().iter().flat_map(|item| {
        item.statement
            .findings
            .iter()
            .map(|finding| (finding, slice(source.text(), finding.range + item.start)))
    });
    let of_file = source.findings().iter().map(|finding| (finding, slice(source.text(), finding.range)));
    !of_file.chain(of_statements).any(|(finding, text)| stops_the_engine(finding, text))
}

/// True if this finding stops the engine's parser.
#[must_use]
pub fn stops_the_engine(finding: &Finding, text: &str) -> bool {
    let is_refused = finding.rule.is_unreadable()
        // The engine also skips text in comments.
        && finding.rule != &rules::LONE_CR;
    is_refused && !(finding.rule == &rules::FOREIGN_CONSTANT && is_variable(text))
}

/// True if a consumer accepts updates of a predicate. If a consumer has no list, it accepts all
/// predicates.
#[must_use]
pub fn accepts(consumer: &Consumer, predicate: &str) -> bool {
    let Consumer { predicates, prefixes, .. } = consumer;
    predicates.is_empty() && prefixes.is_empty()
        || predicates.iter().any(|one| one == predicate)
        || prefixes.iter().any(|prefix| predicate.starts_with(prefix.as_str()))
}

/// True if the list of a consumer contains a predicate. Replies are then expected to assert it.
#[must_use]
pub fn lists_predicate(consumer: &Consumer, predicate: &str) -> bool {
    let has_list = !(consumer.predicates.is_empty() && consumer.prefixes.is_empty());
    has_list && accepts(consumer, predicate)
}

/// Returns the consumer of the updates under these settings.
#[must_use]
pub fn consumer_of(settings: &TranscriptSettings) -> &Consumer {
    let name = settings.consumer.as_deref().unwrap_or(OPEN);
    let runtime = settings.caps.runtime;
    let own = settings.consumers.get(name).or_else(|| built_in(name, runtime));
    own.or_else(|| built_in(OPEN, runtime)).unwrap_or(&DEFAULT_CONSUMER)
}

/// The name of the default consumer.
const OPEN: &str = "open";

/// A consumer that accepts every readable update, for settings with an unknown consumer.
static DEFAULT_CONSUMER: Consumer = ACCEPT_ALL;

/// A consumer that accepts everything.
const ACCEPT_ALL: Consumer =
    Consumer { predicates: Vec::new(), prefixes: Vec::new(), max_updates: 0, protected: true };

/// True if a consumer of the runtime lists a predicate.
#[must_use]
pub fn is_requested(predicate: &str, runtime: Runtime) -> bool {
    consumers(runtime).iter().any(|(_, consumer)| consumer.predicates.iter().any(|one| one == predicate))
}

/// Consumers with their names.
type NamedConsumers = [(&'static str, Consumer); 5];

/// Returns the consumers of a runtime with their names.
#[must_use]
pub fn consumers(runtime: Runtime) -> &'static NamedConsumers {
    static ALL: LazyLock<Vec<(Runtime, NamedConsumers)>> = LazyLock::new(|| {
        let all = |max_updates| consumer(&[], &[], max_updates);
        let of = |runtime: Runtime| {
            [
                ("session", consumer(runtime.session_predicates, &[], 100)),
                ("planner", consumer(&PLANNER, &PLANNER_PREFIXES, 200)),
                ("perception", consumer(&["ambiguity_flag", "clarification_needed"], &[], 50)),
                ("compressor", all(0)),
                ("open", Consumer { protected: true, ..all(2_000) }),
            ]
        };
        Runtime::all().map(|runtime| (runtime, of(runtime))).collect()
    });
    static NONE: NamedConsumers = [
        ("session", ACCEPT_ALL),
        ("planner", ACCEPT_ALL),
        ("perception", ACCEPT_ALL),
        ("compressor", ACCEPT_ALL),
        ("open", ACCEPT_ALL),
    ];
    ALL.iter().find(|(known, _)| *known == runtime).map_or(&NONE, |(_, consumers)| consumers)
}

const PLANNER: [&str; 5] =
    ["missing_tool_for", "observation", "task_status", "task_completed", "campaign_completed"];

const PLANNER_PREFIXES: [&str; 10] = [
    "campaign_",
    "phase_",
    "task_",
    "context_",
    "plan_",
    "replan_",
    "build_",
    "architectural_",
    "suspicious_",
    "eligible_",
];

fn consumer(predicates: &[&str], prefixes: &[&str], max_updates: usize) -> Consumer {
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    Consumer { predicates: owned(predicates), prefixes: owned(prefixes), max_updates, protected: false }
}

/// Returns the consumer of a runtime with this name.
#[must_use]
pub fn built_in(name: &str, runtime: Runtime) -> Option<&'static Consumer> {
    consumers(runtime).iter().find(|(known, _)| *known == name).map(|(_, consumer)| consumer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(update: &str, letter: char, stored: Option<&str>) {
        let read = ReadUpdate::new(update, Runtime::default());
        let consumer =
            Consumer { predicates: Vec::new(), prefixes: Vec::new(), max_updates: 0, protected: false };
        assert_eq!(read.verdict(0, &consumer, Runtime::default(), None).letter(), letter, "{update:?}");
        assert_eq!(read.fact().map(RuntimeFact::runtime_text).as_deref(), stored, "{update:?}");
    }

    #[test]
    fn what_a_comment_swallows_is_no_mistake() {
        check("p(1). # a\rq(", '+', Some("p(1)."));
        check("# p(1).", 'P', None);
    }

    #[test]
    fn a_nul_is_text() {
        check("p(\"a\0b\").", '+', Some("p(\"a\\x00b\")."));
        check("p(\0).", 'P', None);
    }

    #[test]
    fn words_are_compared_in_any_case() {
        check("DECL\tp(X).", 'D', None);
        check("\u{130}mport a.", 'I', None);
        check("imports(/a).", '+', Some("imports(/a)."));
    }

    #[test]
    fn bytes_need_not_be_text() {
        check("p(b\"\\xff\\u{00e9}\").", '+', Some("p(\"\\xffé\")."));
        let read = ReadUpdate::new("p(b\"\\xff\").", Runtime::default());
        assert_eq!(read.fact().map(|fact| fact.args.clone()), Some(vec![Value::Text(vec![0xff])]));
        assert_eq!(read.fact().map(RuntimeFact::engine_text).as_deref(), Some("p(<bad>)"));
    }

    #[test]
    fn the_engine_prints_what_is_no_constant() {
        let args = "[1, -0.5], {/a: \"é'\"}, [/k : b\"\\x00\\xff\"], fn:f(X, _), .List</a>";
        let shown =
            r#"f("fn:list(1,-0.5)", "fn:struct(/a,\"\\u{0000e9}\\'\")", "fn:map(/k,b\"\x00\\xff\")", "#
                .to_owned()
                + r#""fn:f(X,_)", "fn:List(/a)")."#;
        check(&format!("f({args})."), '+', Some(&shown));
    }
}
