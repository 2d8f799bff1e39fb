//! Checks of the predicate of an update: permission to assert it, acceptance by the consumer, and
//! existence.

use super::declarations::{DeclaredPredicate, PermissionDependency, PredicateLookup, related};
use super::offers::{ListKind, list_with, may_be_offered, may_name_be_offered};
use super::read::ParsedFact;
use super::update::{UpdateEdit, removal};
use super::{Declarations, ListContext, Update, rules};
use crate::envelope::plain::{Argument, ArgumentKind};
use crate::envelope::pointer::shortened;
use crate::envelope::runtime::{accepts, is_host_witness, is_requested, lists_predicate};
use mangle_engine::program::DeclarationHome;
use mangle_settings::{Consumer, Profile};
use mangle_syntax::lint::{Finding, Fix, Severity, Span};
use mangle_syntax::text::TextRange;

/// The maximum number of predicates with a name in a message.
const SHOWN: usize = 3;

/// Reports findings about the predicate of an update. Returns its declaration with this arity, if
/// one exists.
pub(super) fn check<'a>(
    update: &Update<'_>,
    fact: &ParsedFact<'_>,
    terms: &ListContext<'a>,
    out: &mut Vec<Finding>,
) -> Option<&'a DeclaredPredicate> {
    let name = fact.predicate.as_ref();
    let known =
        terms.declarations.map(|declarations| (declarations, declarations.get(name, fact.args.len())));
    let declared = match known {
        Some((_, PredicateLookup::Declared(declared))) => Some(declared),
        _ => None,
    };
    if let Some(finding) = refused(update, fact, terms) {
        out.push(finding);
        return declared;
    }
    match known {
        Some((declarations, PredicateLookup::Unknown)) => {
            out.push(undeclared(update, fact, declarations, terms))
        }
        Some((declarations, PredicateLookup::OtherArity(_))) => out.push(arity(update, fact, declarations)),
        Some((_, PredicateLookup::Declared(_))) | None => {
            let found = derived(update, fact, declared, terms)
                .or_else(|| permission_input(update, fact, declared, terms))
                .or_else(|| style(update, fact, terms));
            out.extend(found);
        }
    }
    declared
}

/// True if no packet may assert a predicate, and true if the predicate shapes prompts.
fn listed(name: &str, terms: &ListContext<'_>) -> (bool, bool) {
    let settings = &terms.settings.atoms;
    let listed = list_with(name);
    let is_in = |own: &Option<Vec<String>>, usual| match own {
        Some(own) => own.iter().any(|one| one == name),
        None => listed == Some(usual),
    };
    let is_extra = settings.protected_extra.iter().any(|one| one == name);
    (
        is_extra || is_in(&settings.protected, ListKind::Protected),
        is_in(&settings.sensitive, ListKind::Sensitive),
    )
}

/// True if a predicate of the program has no findings.
pub(super) fn is_welcome(name: &str, declared: Option<&DeclaredPredicate>, terms: &ListContext<'_>) -> bool {
    listed(name, terms) == (false, false)
        && accepts(&terms.consumer, name)
        && !is_host_witness(name, terms.settings.caps.runtime)
        && !is_derived(name, declared, terms)
        && decisive(name, declared, terms).is_none()
        && !is_odd(name)
}

/// Reports a predicate that no reply should assert or the consumer does not accept.
fn refused(update: &Update<'_>, fact: &ParsedFact<'_>, terms: &ListContext<'_>) -> Option<Finding> {
    let name = fact.predicate.as_ref();
    let (is_protected, is_sensitive) = listed(name, terms);
    if is_host_witness(name, terms.settings.caps.runtime) && terms.is_asserted {
        let message = format!("a reply may not assert `{}`, which only the host observes", shortened(name));
        let finding = Finding::new(&rules::HOST_WITNESS, update.place(fact.name), message)
            .note(format!("runtime {} rejects the update for every consumer", terms.settings.caps.runtime))
            .fix(removal(update, super::DELETE_UPDATE));
        return Some(finding);
    }
    if !(is_protected || is_sensitive) && accepts(&terms.consumer, name) {
        return None;
    }
    let place = update.place(fact.name);
    // A configured consumer may deliberately accept predicates that other consumers reject.
    let is_granted = terms.is_own_consumer && !terms.consumer.protected && grants(&terms.consumer, name);
    if is_protected && !is_granted {
        let message = format!("a reply may not assert `{}`", shortened(name));
        let finding = Finding::new(&rules::PROTECTED_HEAD, place, message)
            .note("it would grant itself permission")
            .note("only the agent's core or its constitution may assert this predicate");
        return Some(finding.fix(removal(update, super::DELETE_UPDATE)));
    }
    if is_sensitive && !is_granted {
        let message = format!("`{}` changes the next prompt", shortened(name));
        let finding = Finding::new(&rules::PROMPT_SHAPING, place, message)
            .note("a reply that asserts it writes its own instructions");
        return Some(finding.fix(removal(update, super::DELETE_UPDATE)));
    }
    if accepts(&terms.consumer, name) {
        return None;
    }
    let Consumer { predicates, prefixes, .. } = &*terms.consumer;
    let mut listed: Vec<_> = predicates.iter().map(|one| format!("`{one}`")).collect();
    listed.extend(prefixes.iter().map(|prefix| format!("`{prefix}…`")));
    let message = format!("consumer `{}` rejects `{}`", terms.consumer_name, shortened(name));
    let finding = Finding::new(&rules::NOT_ALLOWED, place, message).severity(terms.if_pinned());
    Some(finding.note(format!("it accepts {}", listed.join(", "))))
}

/// True if the list of a consumer contains a predicate.
fn grants(consumer: &Consumer, name: &str) -> bool {
    consumer.predicates.iter().any(|one| one == name)
}

fn undeclared(
    update: &Update<'_>,
    fact: &ParsedFact<'_>,
    declarations: &Declarations,
    terms: &ListContext<'_>,
) -> Finding {
    let (name, arity) = (fact.predicate.as_ref(), fact.args.len());
    let is_wanted = |declared: &DeclaredPredicate| may_be_offered(declared, terms.settings);
    let near = declarations.nearest_of(name, Some(arity), is_wanted);
    let message = format!("predicate `{}/{arity}` is not declared", shortened(name));
    let mut finding = Finding::new(&rules::UNDECLARED, update.place(fact.name), message)
        .note("no file of the policy declares or defines it, so the runtime rejects the fact");
    if let Some(near) = near {
        let shown = declarations.named(near).next().map(DeclaredPredicate::signature);
        finding = finding.help(format!("did you mean `{}`?", shown.as_deref().unwrap_or(near)));
    }
    if terms.profile < Profile::V1_2 {
        finding = finding.severity(Severity::Warning);
    }
    let Some(near) = near else {
        // Predicates that affect permissions are not declared automatically.
        let home = declarations.home().filter(|_| !declarations.decides(name));
        finding.fix = home.and_then(|home| declare(fact, home));
        return finding;
    };
    let place = declarations.named(near).find_map(|declared| declared.place);
    let finding = related(finding, place, "similar name");
    finding.fix(UpdateEdit::guess(update, format!("write `{near}`")).replace(fact.name, near).fix())
}

/// Returns the fix that declares the predicate in the program, with types inferred from the
/// arguments.
fn declare(fact: &ParsedFact<'_>, home: DeclarationHome) -> Option<Fix> {
    let name = fact.predicate.as_ref();
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    if !name.starts_with(|char: char| char.is_ascii_lowercase()) || !name.bytes().all(is_plain) {
        return None;
    }
    let bound = |arg: &Argument| match arg.kind {
        ArgumentKind::Name => "/name",
        ArgumentKind::Number(_) => "/number",
        ArgumentKind::Float => "/float64",
        ArgumentKind::String | ArgumentKind::Escaped => "/string",
        ArgumentKind::Bytes => "/bytes",
        ArgumentKind::Variable | ArgumentKind::Function | ArgumentKind::Compound => "/any",
    };
    let bounds: Vec<_> = fact.args.iter().map(bound).collect();
    let parameters: Vec<_> = (1..=fact.args.len()).map(|at| format!("Arg{at}")).collect();
    let bounds = if bounds.is_empty() { String::new() } else { format!(" bound [{}]", bounds.join(", ")) };
    let (DeclarationHome { place: (file, statement, range), line_end }, count) = (home, fact.args.len());
    let text = format!("{line_end}Decl {name}({}){bounds}.", parameters.join(", "));
    Some(
        Fix::guess(format!("declare `{name}/{count}` in the policy"))
            .edit(Span::new(file, statement, range), text),
    )
}

fn arity(update: &Update<'_>, fact: &ParsedFact<'_>, declarations: &Declarations) -> Finding {
    let name = fact.predicate.as_ref();
    let named: Vec<_> = declarations.named(name).collect();
    let shown: Vec<_> = named.iter().take(SHOWN).map(|one| format!("`{}`", one.signature())).collect();
    let message = format!("`{}` is not declared with {}", shortened(name), counted(fact.args.len()));
    let args = TextRange::new(fact.name.end(), fact.range.end());
    let finding = Finding::new(&rules::ARITY, update.place(args), message)
        .note(format!("the policy has {}", shown.join(" and ")))
        .note("the runtime rejects the fact");
    named.iter().take(SHOWN).fold(finding, |finding, one| related(finding, one.place, "declared here"))
}

/// True if rules derive a predicate. Excludes derived predicates that the runtime also requests
/// from its agents.
fn is_derived(name: &str, declared: Option<&DeclaredPredicate>, terms: &ListContext<'_>) -> bool {
    let is_known = declared.is_some_and(|declared| declared.derived.is_some());
    (is_known || list_with(name) == Some(ListKind::Derived))
        && !is_requested(name, terms.settings.caps.runtime)
}

/// Reports a predicate that rules derive.
fn derived(
    update: &Update<'_>,
    fact: &ParsedFact<'_>,
    declared: Option<&DeclaredPredicate>,
    terms: &ListContext<'_>,
) -> Option<Finding> {
    let name = fact.predicate.as_ref();
    if !is_derived(name, declared, terms) {
        return None;
    }
    let rule = declared.and_then(|declared| declared.derived);
    let message = format!("update asserts `{}`, which rules derive", shortened(name));
    let finding = Finding::new(&rules::DERIVED_HEAD, update.place(fact.name), message)
        .note("the fact holds even where the rules do not derive it");
    Some(related(finding, rule, "derived here"))
}

/// Returns the influence on permissions of a predicate without rules. `None` if replies are
/// expected to assert it.
fn decisive(
    name: &str,
    declared: Option<&DeclaredPredicate>,
    terms: &ListContext<'_>,
) -> Option<PermissionDependency> {
    let declared = declared.filter(|declared| terms.is_asserted && declared.derived.is_none())?;
    let is_expected =
        is_requested(name, terms.settings.caps.runtime) || lists_predicate(&terms.consumer, name);
    declared.ground.filter(|_| !is_expected)
}

/// Reports a predicate that the policy uses before it permits an action.
fn permission_input(
    update: &Update<'_>,
    fact: &ParsedFact<'_>,
    declared: Option<&DeclaredPredicate>,
    terms: &ListContext<'_>,
) -> Option<Finding> {
    let name = fact.predicate.as_ref();
    let ground = decisive(name, declared, terms)?;
    let PermissionDependency { by, root, place, grants } = ground;
    let message = format!("`{root}` depends on the asserted `{}`", shortened(name));
    let mut finding = Finding::new(&rules::PERMISSION_INPUT, update.place(fact.name), message);
    if by != root {
        finding = finding.label(format!("through `{by}`"));
    }
    finding = match grants {
        true => finding
            .note("a reply that asserts it decides what it may do itself")
            .help("let the runtime assert it, or name it in the list of a consumer"),
        false => finding.note("this fact makes the policy permit less").severity(Severity::Information),
    };
    Some(related(finding, place, "read here"))
}

/// True if a predicate has an unconventional name.
fn is_odd(name: &str) -> bool {
    name.bytes().any(|byte| byte.is_ascii_uppercase() || matches!(byte, b':' | b'.'))
}

fn style(update: &Update<'_>, fact: &ParsedFact<'_>, terms: &ListContext<'_>) -> Option<Finding> {
    let name = fact.predicate.as_ref();
    if !is_odd(name) {
        return None;
    }
    let snake = snake_case(name);
    let message = format!("unusual predicate name `{}`", shortened(name));
    let finding = Finding::new(&rules::PRED_STYLE, update.place(fact.name), message)
        .note(format!("predicates are written in lower case with underscores, as in `{snake}`"));
    let change = || UpdateEdit::guess(update, format!("write `{snake}`")).replace(fact.name, &snake);
    let is_offered = may_name_be_offered(&snake, terms.declarations, terms.settings);
    Some(Finding { fix: is_offered.then(|| change().fix()), ..finding })
}

/// Converts `fileState` to `file_state`.
fn snake_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for char in name.trim_start_matches([':', '.']).chars() {
        if char.is_ascii_uppercase() && !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
        out.push(if matches!(char, ':' | '.') { '_' } else { char.to_ascii_lowercase() });
    }
    out
}

/// Formats a number of arguments: `1 argument`, `2 arguments`, `no arguments`.
fn counted(count: usize) -> String {
    match count {
        0 => "no arguments".to_owned(),
        1 => "1 argument".to_owned(),
        _ => format!("{count} arguments"),
    }
}
