//! Checks of the arguments of an update: groundness, types, listed names, and changes by the
//! runtime's text storage.

use super::declarations::{DeclaredPredicate, ParameterNames, related};
use super::read::{ParsedFact, UpdateRemainder};
use super::update::UpdateEdit;
use super::{ListContext, Update, rules};
use crate::envelope::plain::{Argument, ArgumentKind};
use crate::envelope::pointer::shortened;
use crate::envelope::runtime::{becomes_name, has_extension};
use mangle_engine::types::{Base, Type};
use mangle_settings::versions::runtime::ShellCharacters;
use mangle_settings::{Runtime, TypeSeverity};
use mangle_syntax::lint::{Finding, Severity};
use mangle_syntax::syntax::literal::{self, Piece};
use mangle_syntax::text::{TextRange, TextSize, size, slice};

/// Reports findings about the arguments of an update.
pub(super) fn check(
    update: &Update<'_>,
    fact: &ParsedFact<'_>,
    declared: Option<&DeclaredPredicate>,
    terms: &ListContext<'_>,
    out: &mut Vec<Finding>,
) {
    let text = update.text.as_ref();
    if let Some(rest) = &fact.rest {
        not_ground(update, rest, out);
    }
    let row = declared.and_then(|declared| Some((declared, best_row(&fact.args, text, declared)?)));
    for (at, arg) in fact.args.iter().copied().enumerate() {
        let misfit = row.and_then(|(declared, (row, worst))| {
            let ty = row.get(at).filter(|_| worst != TypeFit::Yes)?;
            mismatch(update, at, arg, ty, declared, terms)
        });
        let misfit = misfit.or_else(|| unknown_name(update, at, arg, declared?));
        out.extend(misfit.or_else(|| flip(update, arg, terms.settings.caps.runtime)));
        if declared.is_some() {
            out.extend(shell_text(update, arg, &fact.predicate, terms));
        }
        if arg.kind == ArgumentKind::Escaped && !terms.settings.atoms.allow_escaped_metachars {
            out.extend(escapes(update, arg, terms.settings.caps.runtime));
        }
    }
}

/// Reports a string that the runtime rejects for a shell character because its predicate is not
/// `prose_only`.
fn shell_text(update: &Update<'_>, arg: Argument, name: &str, terms: &ListContext<'_>) -> Option<Finding> {
    let runtime = terms.settings.caps.runtime;
    let is_exempt = || terms.declarations.is_none_or(|declarations| declarations.is_prose(name));
    if !matches!(arg.kind, ArgumentKind::String | ArgumentKind::Escaped) || !terms.is_asserted || is_exempt()
    {
        return None;
    }
    let value = literal::string_value(slice(&update.text, arg.range))?;
    let char = value.chars().find(|char| runtime.shell_text.contains(char))?;
    let message = format!("string has `{char}`, and `{}` is not `prose_only`", shortened(name));
    let finding = Finding::new(&rules::METACHAR, update.place(arg.range), message)
        .note(format!("runtime {runtime} rejects the update"))
        .help("leave the character out, or declare the predicate `prose_only` in the policy");
    Some(finding)
}

/// Reports variables, functions and intervals.
fn not_ground(update: &Update<'_>, rest: &UpdateRemainder, out: &mut Vec<Finding>) {
    let text = update.text.as_ref();
    out.extend(rest.variables.iter().map(|range| {
        let written = slice(text, *range);
        let message = format!("fact contains the variable `{}`", shortened(written));
        Finding::new(&rules::NON_GROUND, update.place(*range), message)
            .note(format!("the runtime stores the string `\"?{written}\"` in its place"))
    }));
    out.extend(rest.functions.iter().map(|range| {
        Finding::new(&rules::FUNCTION_TERM, update.place(*range), "function in a fact is not evaluated")
            .note("the runtime stores the expression as a string")
    }));
    out.extend(rest.interval.map(|range| {
        Finding::new(&rules::KIND_FLIP, update.place(range), "runtime ignores the interval")
            .note("the fact holds always")
    }));
}

/// The help text for a float, which the runtime does not store.
const SCALE: &str = "scale it to an integer, such as 95 for 0.95";

/// Reports an argument of the wrong type.
fn mismatch(
    update: &Update<'_>,
    at: usize,
    arg: Argument,
    ty: &Type,
    declared: &DeclaredPredicate,
    terms: &ListContext<'_>,
) -> Option<Finding> {
    let text = update.text.as_ref();
    let fits = fit(arg, text, ty);
    let written = slice(text, arg.range);
    if fits == TypeFit::Yes {
        return None;
    }
    let parameter = declared.parameter(at);
    let is_float_lost = arg.kind == ArgumentKind::Float
        && !terms.settings.caps.runtime.float_arguments
        && ty.members().contains(&Type::Base(Base::Number));
    let is_word = arg.kind == ArgumentKind::Name && is_priority(declared, at, written);
    let why = match (fits, is_word, is_float_lost) {
        (_, true, _) => "the runtime converts this word to the declared type",
        (TypeFit::Nearly, ..) => "the engine compares integers with floats only in some places",
        (_, _, true) => "the runtime does not store floats",
        _ => "the fact is stored, but rules that expect the declared type never match it",
    };
    let message = format!("expected {} for argument {parameter}, found {}", wanted(ty), found(arg.kind));
    let mut finding = Finding::new(&rules::ARG_TYPE, update.place(arg.range), message).note(why);
    if is_float_lost && !is_word {
        finding = finding.help(SCALE);
    }
    if is_word || fits == TypeFit::Nearly {
        finding = finding.severity(Severity::Hint);
    } else if terms.settings.atoms.types == TypeSeverity::Error {
        finding = finding.severity(Severity::Error);
    }
    finding = related(finding, declared.place, "declared here");
    let Some((text, is_sure)) = instead(arg, text, ty).filter(|_| !is_word) else { return Some(finding) };
    let is_listed =
        declared.names.get(at).is_some_and(|names| names.as_ref().is_some_and(|names| names.contains(&text)));
    let title = format!("write `{text}`");
    let change = match is_sure || is_listed {
        true => UpdateEdit::safe(update, title),
        false => UpdateEdit::guess(update, title),
    };
    Some(finding.fix(change.replace(arg.range, &text).fix()))
}

/// Reports a name that is not in the list of the declaration.
fn unknown_name(
    update: &Update<'_>,
    at: usize,
    arg: Argument,
    declared: &DeclaredPredicate,
) -> Option<Finding> {
    let names: &ParameterNames = declared.names.get(at)?.as_ref()?;
    let name = slice(&update.text, arg.range);
    if arg.kind != ArgumentKind::Name || names.contains(name) {
        return None;
    }
    let near = names.nearest(name);
    let message =
        format!("`{}` is not a documented value of argument {}", shortened(name), declared.parameter(at));
    let finding = Finding::new(&rules::UNKNOWN_NAME, update.place(arg.range), message)
        .note(format!("`{}` is documented with {}", declared.name, names.list()))
        .note("rules that match a documented value do not match this one");
    let finding = related(finding, names.place, "values listed here");
    let fix =
        near.map(|near| UpdateEdit::guess(update, format!("write `{near}`")).replace(arg.range, near).fix());
    Some(Finding { fix, ..finding })
}

/// Reports an argument that changes when the runtime stores it as text and parses it again.
fn flip(update: &Update<'_>, arg: Argument, runtime: Runtime) -> Option<Finding> {
    let text = update.text.as_ref();
    let written = slice(text, arg.range);
    let (message, note) = match arg.kind {
        ArgumentKind::String | ArgumentKind::Escaped if begins_like_a_name(written) => {
            let value = literal::string_value(written)?;
            if !becomes_name(value.as_bytes()) {
                return None;
            }
            let message = format!("runtime stores this string as the name `{}`", shortened(&value));
            (message, "rules that compare it with a string never match")
        }
        ArgumentKind::Name if is_path(written) => {
            let message = format!("runtime stores `{}` as a string", shortened(written));
            (message, "the name looks like a path, and rules that compare it with a name never match")
        }
        ArgumentKind::Float if !runtime.float_arguments => {
            let finding =
                Finding::new(&rules::KIND_FLIP, update.place(arg.range), "runtime does not store floats")
                    .note("it stores a text in place of the number");
            return Some(finding.help(SCALE));
        }
        ArgumentKind::Bytes => (
            "runtime stores the byte string as a string".to_owned(),
            "rules that compare it with bytes never match",
        ),
        ArgumentKind::Compound => (
            "runtime stores the compound term as a string".to_owned(),
            "the string spells out the term, as in `\"fn:list(1,2)\"`, and rules cannot take it apart",
        ),
        _ => return None,
    };
    Some(Finding::new(&rules::KIND_FLIP, update.place(arg.range), message).note(note))
}

/// True if the value of a string literal may begin with a slash.
pub(super) fn begins_like_a_name(literal: &str) -> bool {
    literal.get(1..).is_some_and(|rest| rest.starts_with(['/', '\\']))
}

/// True if the runtime treats a name as a path.
pub(super) fn is_path(name: &str) -> bool {
    name.bytes().filter(|byte| *byte == b'/').count() > 2 || (name.contains('.') && has_extension(name))
}

/// Reports escapes in a string for characters that would cause the runtime to drop the update.
fn escapes(update: &Update<'_>, arg: Argument, runtime: Runtime) -> Vec<Finding> {
    // Only checks of the escaped text can be circumvented.
    let ShellCharacters::Anywhere(characters) = runtime.shell_characters else { return Vec::new() };
    let written = slice(&update.text, arg.range);
    let Some(content) = literal::string_content(written) else { return Vec::new() };
    let inside = arg.range.start() + TextSize::new(1);
    let found = literal::pieces(content, false).filter_map(|(at, piece)| match piece {
        Piece::Char(char) if characters.contains(&char) => Some((at, char)),
        _ => None,
    });
    let finding = |(at, char): (usize, char)| {
        let rest = content.get(at..).unwrap_or("");
        let len = if rest.starts_with("\\u") { rest.find('}').map_or(1, |end| end + 1) } else { 4 };
        let range = TextRange::at(inside + size(at), size(len));
        let message = format!("escape hides `{char}` from the runtime's check");
        Finding::new(&rules::ESCAPED_METACHAR, update.place(range), message)
            .note("the fact store has the character itself, which the check would have rejected")
    };
    found.map(finding).collect()
}

/// Parameters, with indices from zero, that accept a word as well as a number.
const PRIORITIES: [(&str, usize); 3] = [("agenda_item", 2), ("atom_priority", 1), ("prompt_atom", 2)];

/// The accepted words for these parameters.
const PRIORITY_WORDS: [&str; 5] = ["/critical", "/high", "/low", "/medium", "/normal"];

/// The result of comparing an argument with a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TypeFit {
    /// The argument has the type.
    Yes,
    /// The engine or the agent converts the argument.
    Nearly,
    /// The argument does not have the type.
    No,
}

/// Compares an argument with a type. Arguments that are not constants are checked elsewhere.
fn fit(arg: Argument, text: &str, ty: &Type) -> TypeFit {
    let yes = |is: bool| if is { TypeFit::Yes } else { TypeFit::No };
    if matches!(arg.kind, ArgumentKind::Variable | ArgumentKind::Function | ArgumentKind::Compound) {
        return TypeFit::Yes;
    }
    let name = || if arg.kind == ArgumentKind::Name { slice(text, arg.range) } else { "" };
    match ty {
        Type::Any | Type::Variable(_) => TypeFit::Yes,
        Type::Base(Base::Number) => yes(matches!(arg.kind, ArgumentKind::Number(_))),
        Type::Base(Base::Float) if matches!(arg.kind, ArgumentKind::Number(_)) => TypeFit::Nearly,
        Type::Base(Base::Float) => yes(arg.kind == ArgumentKind::Float),
        Type::Base(Base::String) => yes(matches!(arg.kind, ArgumentKind::String | ArgumentKind::Escaped)),
        Type::Base(Base::Bytes) => yes(arg.kind == ArgumentKind::Bytes),
        Type::Base(Base::Name) => yes(arg.kind == ArgumentKind::Name),
        Type::Prefix(prefix) => {
            let below = name().strip_prefix(prefix.as_str());
            yes(below.is_some_and(|below| below.starts_with('/')))
        }
        Type::Singleton(one) | Type::Literal(one) => yes(name() == one.as_str()),
        Type::Union(members) => {
            members.iter().map(|member| fit(arg, text, member)).min().unwrap_or(TypeFit::Yes)
        }
        // No literal has one of these types.
        Type::Base(Base::Time | Base::Duration)
        | Type::List(_)
        | Type::Option(_)
        | Type::Pair(_)
        | Type::Map(_)
        | Type::Struct(_) => TypeFit::No,
    }
}

/// Returns the alternative of a declaration that matches the arguments best, with the result for
/// its worst argument.
pub(super) fn best_row<'d>(
    args: &[Argument],
    text: &str,
    declared: &'d DeclaredPredicate,
) -> Option<(&'d [Type], TypeFit)> {
    let judge = |row: &'d Vec<Type>| {
        let fits = args.iter().zip(row).map(|(arg, ty)| fit(*arg, text, ty));
        let (worst, wrong) = fits.fold((TypeFit::Yes, 0), |(worst, wrong), fit| {
            (worst.max(fit), wrong + usize::from(fit == TypeFit::No))
        });
        (row.as_slice(), worst, wrong)
    };
    let found = declared.rows.iter().map(judge).min_by_key(|(_, worst, wrong)| (*wrong, *worst))?;
    Some((found.0, found.1))
}

/// True if the agent accepts this word instead of a declared number.
fn is_priority(declared: &DeclaredPredicate, at: usize, word: &str) -> bool {
    PRIORITIES.contains(&(declared.name, at)) && PRIORITY_WORDS.contains(&word)
}

/// Returns the replacement for an argument of the wrong type, and true if the replacement is
/// certain.
pub(super) fn instead(arg: Argument, text: &str, ty: &Type) -> Option<(String, bool)> {
    let written = slice(text, arg.range);
    let wants = |base: Base| ty.members().contains(&Type::Base(base));
    let content = || literal::string_value(written);
    match arg.kind {
        ArgumentKind::String | ArgumentKind::Escaped if ty.is_name() => {
            let name = name_of(&content()?)?;
            let sure = ty.is_name() && fit_name(&name, ty);
            sure.then_some((name, true))
        }
        ArgumentKind::String | ArgumentKind::Escaped if wants(Base::Number) => {
            let number: i64 = content()?.parse().ok()?;
            Some((number.to_string(), true))
        }
        ArgumentKind::Name if wants(Base::String) => Some((string_of(written), false)),
        ArgumentKind::Number(_) if wants(Base::String) => Some((format!("\"{written}\""), true)),
        ArgumentKind::Float if wants(Base::Number) => Some((hundredfold(written)?, false)),
        _ => None,
    }
}

fn fit_name(name: &str, ty: &Type) -> bool {
    let range = mangle_syntax::text::TextRange::up_to(mangle_syntax::text::text_len(name));
    fit(Argument { kind: ArgumentKind::Name, range }, name, ty) == TypeFit::Yes
}

/// Converts a text to a name, with or without its slash. `None` if it is not a valid name.
fn name_of(text: &str) -> Option<String> {
    let is_part = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_~%".contains(&byte))
    };
    let body = text.strip_prefix('/').unwrap_or(text);
    let name = format!("/{body}");
    // The runtime must not treat the result as a path.
    (body.split('/').all(is_part) && becomes_name(name.as_bytes())).then_some(name)
}

/// Converts a name to a string without its slash, because the runtime converts most strings with a
/// slash to names.
fn string_of(name: &str) -> String {
    let body = if becomes_name(name.as_bytes()) { name.trim_start_matches('/') } else { name };
    format!("\"{body}\"")
}

/// Converts `0.95` to `95`.
fn hundredfold(float: &str) -> Option<String> {
    let value: f64 = float.parse().ok()?;
    let scaled = (value * 100.0).round();
    let is_exact = (scaled - value * 100.0).abs() < 1e-9;
    (is_exact && (0.0..=1.0).contains(&value)).then(|| format!("{scaled:.0}"))
}

/// Describes the expected type in a message.
fn wanted(ty: &Type) -> String {
    let one = |member: &Type| match member {
        Type::Base(Base::Number) => "an integer".to_owned(),
        Type::Base(Base::Float) => "a float".to_owned(),
        Type::Base(Base::String) => "a string".to_owned(),
        Type::Base(Base::Bytes) => "a byte string".to_owned(),
        Type::Base(Base::Name) => "a name".to_owned(),
        Type::Base(Base::Time) => "an instant".to_owned(),
        Type::Base(Base::Duration) => "a duration".to_owned(),
        Type::Prefix(prefix) => format!("a name below `{prefix}/`"),
        Type::Singleton(name) | Type::Literal(name) => format!("`{name}`"),
        other => format!("`{other}`"),
    };
    let words: Vec<_> = ty.members().iter().map(one).collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        Some((one, _)) => one.clone(),
        None => "nothing".to_owned(),
    }
}

/// Describes an argument in a message.
pub(super) fn found(kind: ArgumentKind) -> &'static str {
    match kind {
        ArgumentKind::Name => "a name",
        ArgumentKind::Number(_) => "an integer",
        ArgumentKind::Float => "a float",
        ArgumentKind::String | ArgumentKind::Escaped => "a string",
        ArgumentKind::Bytes => "a byte string",
        ArgumentKind::Variable => "a variable",
        ArgumentKind::Function => "a function",
        ArgumentKind::Compound => "a list, a map or a struct",
    }
}
