//! Comparison of an argument with its declared type, and suggested corrections.

use super::declarations::DeclaredPredicate;
use super::lists::{PRIORITIES, PRIORITY_WORDS};
use crate::envelope::plain::{Argument, ArgumentKind};
use crate::envelope::runtime::becomes_name;
use mangle_engine::types::{Base, Type};
use mangle_syntax::syntax::literal;
use mangle_syntax::text::slice;

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
pub(super) fn fit(arg: Argument, text: &str, ty: &Type) -> TypeFit {
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
pub(super) fn is_priority(declared: &DeclaredPredicate, at: usize, word: &str) -> bool {
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
pub(super) fn wanted(ty: &Type) -> String {
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
