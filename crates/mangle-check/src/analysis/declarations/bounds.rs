//! Checks of `bound […]` rows: one valid type for each column.

use super::CheckContext;
use mangle_engine::types::{CONSTRUCTORS, Constructor, Fault, FaultKind, faults, visit_types};
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Apply, ApplyForm, BoundRow, Declaration, Term, TermKind};
use mangle_syntax::syntax::literal;
use mangle_syntax::text::TextRange;

use crate::analysis::wording::{code, counted, fix_or_help};

pub(super) static BOUND_COUNT: Rule = rule!("bound-count.md");

pub(super) static BOUND_MALFORMED: Rule = rule!("bound-malformed.md");

pub(super) static BOUND_PREDICATE_STRING: Rule = rule!("bound-predicate-string.md");

pub(super) static BOUND_NOT_TYPE: Rule = rule!("bound-not-type.md");

pub(super) static SUSPICIOUS_TYPE_NAME: Rule = rule!("suspicious-type-name.md");

pub(super) static BOUND_UNCHECKED: Rule = rule!("bound-unchecked.md");

/// Common wrong names of types, with the right type.
const TYPE_CORRECTIONS: [(&str, &str); 18] = [
    ("/bool", BOOL),
    ("/boolean", BOOL),
    ("/int", "/number"),
    ("/integer", "/number"),
    ("/int64", "/number"),
    ("/num", "/number"),
    ("/float", "/float64"),
    ("/double", "/float64"),
    ("/str", "/string"),
    ("/text", "/string"),
    ("/atom", "/name"),
    ("/symbol", "/name"),
    ("/timestamp", "/time"),
    ("/datetime", "/time"),
    ("/list", ".List</any>"),
    ("/array", ".List</any>"),
    ("/map", ".Map</any, /any>"),
    ("/struct", "/any"),
];

const BOOL: &str = ".Union<.Singleton</true>, .Singleton</false>>";

/// Reports errors in the rows.
pub(super) fn check(context: &CheckContext<'_>, declaration: &Declaration, out: &mut Vec<Finding>) {
    for row in &declaration.bounds {
        check_count(declaration, row, out);
        for element in &row.types {
            for fault in faults(element) {
                out.push(report(context, declaration, row, element, fault));
            }
            visit_types(element, &mut |term| out.extend(suspicious(term)));
        }
    }
}

fn check_count(declaration: &Declaration, row: &BoundRow, out: &mut Vec<Finding>) {
    let (wanted, found) = (declaration.atom.args.len(), row.types.len());
    if wanted == found {
        return;
    }
    let message = format!(
        "`bound` row has {}, `{}` has {}",
        counted(found, "type"),
        declaration.atom.name.as_str(),
        counted(wanted, "argument"),
    );
    let finding = Finding::new(&BOUND_COUNT, row.range, message)
        .note("the engine rejects a row without exactly one type per argument");
    out.push(finding.related(Span::here(declaration.atom.range), "arguments"));
}

fn suspicious(term: &Term) -> Option<Finding> {
    let TermKind::Name(name) = term.kind else { return None };
    let (_, meant) = TYPE_CORRECTIONS.iter().find(|(written, _)| *written == name.as_str())?;
    let message = format!("`{name}` is not a base type");
    let note = format!("it is the type of the names below it, such as `{name}/x`");
    let fix = Fix::guess(format!("write `{meant}`")).replace(term.range, *meant);
    Some(Finding::new(&SUSPICIOUS_TYPE_NAME, term.range, message).note(note).fix(fix))
}

fn report(
    context: &CheckContext<'_>,
    declaration: &Declaration,
    row: &BoundRow,
    element: &Term,
    fault: Fault,
) -> Finding {
    let whole = fault.range == element.range;
    let text = code(context.slice(fault.range), QUOTED);
    let (message, help) = (headline(fault.kind, &text), help(fault.kind));
    if !fault.rejected {
        let finding = Finding::new(&BOUND_UNCHECKED, fault.range, message);
        let finding = finding.note("the engine does not check this place and accepts the declaration");
        return with_help(finding, None, help);
    }
    let finding = |rule| {
        let finding = Finding::new(rule, fault.range, message);
        finding.note("the engine rejects the declaration")
    };
    match fault.kind {
        FaultKind::String if whole => predicate_string(context, declaration, row, element),
        FaultKind::Constant | FaultKind::Literal(_) if whole => {
            with_help(finding(&BOUND_NOT_TYPE), as_type(context, element), help)
        }
        _ => with_help(finding(&BOUND_MALFORMED), renamed(context, element, fault), help),
    }
}

fn with_help(finding: Finding, fix: Option<Fix>, help: Option<String>) -> Finding {
    match help {
        Some(help) => fix_or_help(finding, fix, &help),
        None => Finding { fix, ..finding },
    }
}

/// Maximum number of characters of a quoted type.
const QUOTED: usize = 32;

/// The headline of a fault. `text` quotes the faulty term.
fn headline(kind: FaultKind, text: &str) -> String {
    match kind {
        FaultKind::Constant => format!("{text} is a value, not a type"),
        FaultKind::String => format!("{text} is a string, not a type"),
        FaultKind::Literal(ApplyForm::Map) => format!("{text} is a map, not a type"),
        FaultKind::Literal(ApplyForm::Struct) => format!("{text} is a struct, not a type"),
        FaultKind::Literal(_) => format!("{text} is a list, not a type"),
        FaultKind::NotConstructor(name) => format!("`{name}` is not a type constructor"),
        FaultKind::ArgumentCount(constructor, found) => wrong_count(constructor, found),
        FaultKind::OddFields => "struct type lacks a label or a type".into(),
        FaultKind::LabelNotName => format!("field label {text} is not a name"),
        FaultKind::LabelRepeated(label) => format!("field `{label}` is listed twice, only the first counts"),
        FaultKind::OptionalShape => "optional field is not a label and a type".into(),
        FaultKind::OddVariants => "tagged union lacks a tag or a struct type".into(),
        FaultKind::TagNotName => format!("tag {text} is not a name"),
        FaultKind::TagRepeated(tag) => format!("tag `{tag}` is listed twice"),
        FaultKind::VariantNotStruct => format!("variant {text} of a tagged union is not a struct type"),
        FaultKind::VariantHasTagField(field) => format!("tag field `{field}` is listed in a variant"),
        FaultKind::ResultVariable(name) => format!("type variable `{name}` of the result is in no argument"),
        FaultKind::SingletonNotName => format!("{text} in a singleton type is not a name"),
    }
}

/// The help text for a fault.
fn help(kind: FaultKind) -> Option<String> {
    let help = match kind {
        FaultKind::Constant => "use a type such as `/number` or `/string`",
        FaultKind::String => "use a name such as `/string`",
        FaultKind::Literal(ApplyForm::Map) => "use `.Map<…>`, the type of maps",
        FaultKind::Literal(ApplyForm::Struct) => "use `.Struct<…>`, the type of structs",
        FaultKind::Literal(_) => "use `.List<…>`, the type of lists",
        FaultKind::NotConstructor(name) => {
            let name = name.as_str();
            let meant = constructor_like(name.strip_prefix("fn:").unwrap_or(name))?;
            return Some(format!("did you mean `.{}`?", meant.as_str()));
        }
        FaultKind::ArgumentCount(Constructor::Tuple, 2) => "use `.Pair` for two types",
        FaultKind::OddFields => "list labels and types in turn, as in `.Struct</weight : /number>`",
        FaultKind::LabelNotName => "use a name such as `/weight`",
        FaultKind::OptionalShape => "write `opt /label : /type`",
        FaultKind::OddVariants => "list the tag field, then tags and struct types in turn",
        FaultKind::TagNotName => "use a name such as `/kind`",
        FaultKind::VariantNotStruct => "use `.Struct<…>` for each variant",
        FaultKind::VariantHasTagField(_) => "remove the field, which every variant has implicitly",
        FaultKind::SingletonNotName => "use a name, as in `.Singleton</red>`",
        FaultKind::ArgumentCount(..)
        | FaultKind::LabelRepeated(_)
        | FaultKind::TagRepeated(_)
        | FaultKind::ResultVariable(_) => return None,
    };
    Some(help.to_owned())
}

fn wrong_count(constructor: Constructor, found: usize) -> String {
    let name = constructor.as_str();
    let (fewest, most) = constructor.arity();
    let least = if most == Some(fewest) { "" } else { "at least " };
    format!("`.{name}` takes {least}{}, found {found}", counted(fewest, "argument"))
}

/// The constructor whose name differs only in letter case.
fn constructor_like(name: &str) -> Option<Constructor> {
    CONSTRUCTORS.into_iter().find(|constructor| constructor.as_str().eq_ignore_ascii_case(name))
}

/// Rewrites a list, map or struct of types as the type of such values.
fn as_type(context: &CheckContext<'_>, element: &Term) -> Option<Fix> {
    let apply = element.apply()?;
    let first = apply.args.first()?.range.start();
    let inside = TextRange::new(first, apply.args.last()?.range.end());
    let (name, inside) = match (apply.form, apply.args.as_slice()) {
        (ApplyForm::List, [_]) => ("List", context.slice(inside).to_owned()),
        (ApplyForm::Map, [key, value]) => {
            ("Map", format!("{}, {}", context.slice(key.range), context.slice(value.range)))
        }
        (ApplyForm::Struct, fields) => ("Struct", struct_fields(context, fields)?),
        _ => return None,
    };
    let types = match apply.form {
        ApplyForm::Struct => apply.args.iter().skip(1).step_by(2).collect::<Vec<_>>(),
        _ => apply.args.iter().collect(),
    };
    let sound = types.into_iter().all(|tpe| faults(tpe).is_empty());
    let text = format!(".{name}<{inside}>");
    sound.then(|| Fix::safe(format!("write `{text}`")).replace(element.range, text))
}

fn struct_fields(context: &CheckContext<'_>, fields: &[Term]) -> Option<String> {
    let pairs = fields.chunks(2).map(|pair| match pair {
        [Term { range, kind: TermKind::Name(_) }, tpe] => {
            Some(format!("{} : {}", context.slice(*range), context.slice(tpe.range)))
        }
        _ => None,
    });
    Some(pairs.collect::<Option<Vec<_>>>()?.join(", "))
}

/// The fix for a constructor with wrong letter case, and for a tuple of two.
fn renamed(context: &CheckContext<'_>, element: &Term, fault: Fault) -> Option<Fix> {
    let mut found: Option<&Apply> = None;
    element.walk(&mut |term| {
        found = found.or(term
            .apply()
            .filter(|apply| fault.range == term.range || fault.range == apply.function.range));
    });
    let function = found?.function;
    let meant = match fault.kind {
        FaultKind::NotConstructor(name) => constructor_like(name.as_str().strip_prefix("fn:")?)?,
        FaultKind::ArgumentCount(Constructor::Tuple, 2) => Constructor::Pair,
        _ => return None,
    };
    let written = context.slice(function.range);
    let text = written.replace(function.as_str().strip_prefix("fn:")?, meant.as_str());
    (text != written).then(|| Fix::safe(format!("write `{text}`")).replace(function.range, text))
}

fn predicate_string(
    context: &CheckContext<'_>,
    declaration: &Declaration,
    row: &BoundRow,
    element: &Term,
) -> Finding {
    let message = format!("string {} instead of a type", code(context.slice(element.range), QUOTED));
    let finding = Finding::new(&BOUND_PREDICATE_STRING, element.range, message)
        .note("the documentation of Mangle allows a predicate here, but the engine rejects it");
    let fix = as_inclusion(context, declaration, row);
    fix_or_help(finding, fix, "give the argument a type and name the predicate in `inclusion`")
}

/// Converts the strings of the only row to an `inclusion`. With several rows this would change the
/// meaning: a fact has to match one row, but every inclusion.
fn as_inclusion(context: &CheckContext<'_>, declaration: &Declaration, row: &BoundRow) -> Option<Fix> {
    let [_] = declaration.bounds.as_slice() else { return None };
    let mut fix = Fix::safe("move the predicate to `inclusion`");
    let mut atoms = Vec::new();
    for (element, parameter) in row.types.iter().zip(&declaration.atom.args) {
        if !matches!(element.kind, TermKind::String) {
            continue;
        }
        let predicate = literal::string_value(context.slice(element.range))?;
        let is_name = predicate.starts_with(|c: char| c.is_ascii_lowercase())
            && predicate.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '.'));
        if !is_name || predicate.starts_with("fn:") {
            return None;
        }
        atoms.push(format!("{predicate}({})", parameter.variable()?));
        fix = fix.replace(element.range, "/any");
    }
    let atoms = atoms.join(", ");
    match declaration.inclusion.last() {
        Some(last) => Some(fix.insert(last.range.end(), format!(", {atoms}"))),
        None if context
            .slice(TextRange::new(row.range.end(), context.item.statement.len))
            .contains("inclusion") =>
        {
            None
        }
        None => Some(fix.insert(row.range.end(), format!(" inclusion [{atoms}]"))),
    }
}
