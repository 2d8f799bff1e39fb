//! The rows `bound […]`: one well-formed type for each column.

use super::CheckContext;
use mangle_engine::types::{CONSTRUCTORS, Constructor, Fault, FaultKind, faults, visit_types};
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Apply, ApplyForm, BoundRow, Declaration, Term, TermKind};
use mangle_syntax::syntax::literal;
use mangle_syntax::text::TextRange;

use crate::analysis::wording::counted;

pub(super) static BOUND_COUNT: Rule = rule!("bound-count.md");

pub(super) static BOUND_MALFORMED: Rule = rule!("bound-malformed.md");

pub(super) static BOUND_PREDICATE_STRING: Rule = rule!("bound-predicate-string.md");

pub(super) static BOUND_NOT_TYPE: Rule = rule!("bound-not-type.md");

pub(super) static SUSPICIOUS_TYPE_NAME: Rule = rule!("suspicious-type-name.md");

pub(super) static BOUND_UNCHECKED: Rule = rule!("bound-unchecked.md");

/// Names that people write for a type, and what they mean.
const MEANT: [(&str, &str); 18] = [
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

/// Reports what is wrong with the rows.
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
        "`{}` has {}, but this row has {}. The engine rejects a row that does not give one type for each \
         argument.",
        declaration.atom.name.as_str(),
        counted(wanted, "argument"),
        counted(found, "type"),
    );
    let finding = Finding::new(&BOUND_COUNT, row.range, message);
    out.push(finding.related(Span::here(declaration.atom.range), "the arguments"));
}

fn suspicious(term: &Term) -> Option<Finding> {
    let TermKind::Name(name) = term.kind else { return None };
    let (_, meant) = MEANT.iter().find(|(written, _)| *written == name.as_str())?;
    let message = format!(
        "`{name}` is no base type. It means the names below it, such as `{name}/x`; `{meant}` is probably meant."
    );
    let fix = Fix::guess(format!("Write `{meant}`")).replace(term.range, *meant);
    Some(Finding::new(&SUSPICIOUS_TYPE_NAME, term.range, message).fix(fix))
}

fn report(
    context: &CheckContext<'_>,
    declaration: &Declaration,
    row: &BoundRow,
    element: &Term,
    fault: Fault,
) -> Finding {
    let whole = fault.range == element.range;
    if !fault.rejected {
        let message = format!("{} The engine does not look here and takes it.", explain(fault.kind));
        return Finding::new(&BOUND_UNCHECKED, fault.range, message);
    }
    match fault.kind {
        FaultKind::String if whole => predicate_string(context, declaration, row, element),
        FaultKind::Constant | FaultKind::Literal(_) if whole => {
            let finding = Finding::new(&BOUND_NOT_TYPE, fault.range, explain(fault.kind));
            with(finding, as_type(context, element))
        }
        kind => {
            let finding = Finding::new(&BOUND_MALFORMED, fault.range, explain(kind));
            with(finding, renamed(context, element, fault))
        }
    }
}

fn with(finding: Finding, fix: Option<Fix>) -> Finding {
    Finding { fix, ..finding }
}

/// What is wrong, as a sentence.
fn explain(kind: FaultKind) -> String {
    match kind {
        FaultKind::Constant => {
            "This is a value. A bound wants a type, such as `/number` or `/string`.".into()
        }
        FaultKind::String => "A string is no type. Types are names such as `/string`.".into(),
        FaultKind::Literal(form) => {
            let (found, meant) = match form {
                ApplyForm::Map => ("map", ".Map<…>"),
                ApplyForm::Struct => ("struct", ".Struct<…>"),
                _ => ("list", ".List<…>"),
            };
            format!("This is a {found}, a value. The type of such values is `{meant}`.")
        }
        FaultKind::NotConstructor(name) => {
            let name = name.as_str();
            let shown = name.strip_prefix("fn:").unwrap_or(name);
            match constructor_like(shown) {
                Some(constructor) => {
                    format!("`{name}` is no type. The constructor is `.{}`.", constructor.as_str())
                }
                None => format!("There is no type constructor `{shown}`."),
            }
        }
        FaultKind::ArgumentCount(Constructor::Tuple, 2) => {
            "A tuple has at least three parts; two are a `.Pair`.".into()
        }
        FaultKind::ArgumentCount(constructor, found) => wrong_count(constructor, found),
        FaultKind::OddFields => "A struct type lists labels and types in turn; here one is missing.".into(),
        FaultKind::LabelNotName => "The label of a field is a name, such as `/weight`.".into(),
        FaultKind::LabelRepeated(label) => {
            format!("The field `{label}` is listed twice; only the first counts.")
        }
        FaultKind::OptionalShape => "An optional field has a label and a type: `opt /label : /type`.".into(),
        FaultKind::OddVariants => {
            "A tagged union lists its tag field, and then tags and struct types in turn; here one is missing."
                .into()
        }
        FaultKind::TagNotName => {
            "The tag field and the tags of a tagged union are names, such as `/kind`.".into()
        }
        FaultKind::TagRepeated(tag) => format!("The tag `{tag}` is listed twice."),
        FaultKind::VariantNotStruct => "Each variant of a tagged union is a `.Struct<…>`.".into(),
        FaultKind::VariantHasTagField(field) => {
            format!("The tag field `{field}` may not be listed in a variant; it is there by itself.")
        }
        FaultKind::ResultVariable(name) => {
            format!("The type variable `{name}` of the result does not occur in the arguments.")
        }
        FaultKind::SingletonNotName => {
            "The engine only takes a name here, such as `.Singleton</red>`.".into()
        }
    }
}

fn wrong_count(constructor: Constructor, found: usize) -> String {
    let name = constructor.as_str();
    let (fewest, most) = constructor.arity();
    let least = if most == Some(fewest) { "" } else { "at least " };
    format!("`.{name}` takes {least}{}, not {found}.", counted(fewest, "argument"))
}

/// The constructor whose name differs by case alone.
fn constructor_like(name: &str) -> Option<Constructor> {
    CONSTRUCTORS.into_iter().find(|constructor| constructor.as_str().eq_ignore_ascii_case(name))
}

/// A list, map or struct of types, rewritten as the type of such values.
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
    sound.then(|| Fix::safe(format!("Write `{text}`")).replace(element.range, text))
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

/// The fix for a constructor that is written in another case, and for a tuple of two.
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
    (text != written).then(|| Fix::safe(format!("Write `{text}`")).replace(function.range, text))
}

fn predicate_string(
    context: &CheckContext<'_>,
    declaration: &Declaration,
    row: &BoundRow,
    element: &Term,
) -> Finding {
    let message = "A string here is documented as \"the values of this predicate\", but the engine rejects it. \
                   Give the column a type and say the rest with `inclusion`.";
    let finding = Finding::new(&BOUND_PREDICATE_STRING, element.range, message);
    let fix = as_inclusion(context, declaration, row);
    with(finding, fix)
}

/// Turns all strings of the only row into an `inclusion`. With several rows, the predicate would
/// hold for one of them, while an inclusion holds for all.
fn as_inclusion(context: &CheckContext<'_>, declaration: &Declaration, row: &BoundRow) -> Option<Fix> {
    let [_] = declaration.bounds.as_slice() else { return None };
    let mut fix = Fix::safe("Say it with `inclusion`");
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
