//! Checks of the parameters of a declared atom and of their modes.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{CheckContext, ProgramFindings, descriptors, is_synthetic};
use crate::analysis::wording::{code, counted, fix_or_help};
use mangle_engine::program::{Mode, NeededInput, Predicate, Program, Site, needed_input};
use mangle_syntax::lint::{Finding, Fix, Rule, Severity, Span, rule};
use mangle_syntax::syntax::ast::{Atom, Declaration, Term, TermKind};
use mangle_syntax::syntax::literal;
use mangle_syntax::text::{Symbol, TextRange};

pub(super) static DECL_PARAM_REPEATED: Rule = rule!("decl-param-repeated.md");

/// Reports repeated parameters.
pub(super) fn check(declaration: &Declaration, out: &mut Vec<Finding>) {
    // If `arg` atoms exist, the engine reports them as missing instead. `synthetic()` disables the
    // count.
    if is_synthetic(declaration) || descriptors(declaration, "arg").next().is_some() {
        return;
    }
    let mut seen: FxHashMap<Symbol, TextRange> = FxHashMap::default();
    let mentioned = mentioned(declaration);
    let mut fresh_names = FreshNames::new(declaration);
    for parameter in &declaration.atom.args {
        let Some(name) = name_of(parameter) else { continue };
        let Some(&first) = seen.get(&name) else {
            seen.insert(name, parameter.range);
            continue;
        };
        let message = format!("duplicate parameter `{name}` of `{}`", declaration.atom.name.as_str());
        let finding = Finding::new(&DECL_PARAM_REPEATED, parameter.range, message)
            .related(Span::here(first), "first occurrence")
            .note("the engine rejects a declaration with a repeated parameter");
        // The name can mean either column if the declaration uses it elsewhere.
        let fix = (!mentioned.contains(&name)).then(|| {
            let fresh = fresh_names.next(name);
            seen.insert(fresh, parameter.range);
            let fix = Fix::safe(format!("rename this parameter to `{fresh}`"));
            fix.replace(parameter.range, fresh.as_str())
        });
        out.push(fix_or_help(finding, fix, "rename one of the two parameters"));
    }
}

/// The name of a parameter, including `_`. `None` if the parameter is not a variable, which the
/// parser reports.
fn name_of(parameter: &Term) -> Option<Symbol> {
    match parameter.kind {
        TermKind::Variable(name) => Some(name),
        TermKind::Wildcard => Some(Symbol::new("_")),
        _ => None,
    }
}

/// The variables used by descriptors and inclusions.
fn mentioned(declaration: &Declaration) -> FxHashSet<Symbol> {
    let atoms = declaration.descriptors.iter().chain(&declaration.inclusion);
    let mut mentioned = FxHashSet::default();
    for arg in atoms.flat_map(|atom| &atom.args) {
        arg.variables(&mut |variable, _| {
            mentioned.insert(variable);
        });
    }
    mentioned
}

/// Generates unused parameter names: `ID2`, `ID3`, …
struct FreshNames {
    taken: FxHashSet<Symbol>,
    /// The last number used for each name.
    last: FxHashMap<Symbol, u32>,
}

impl FreshNames {
    fn new(declaration: &Declaration) -> Self {
        let taken = declaration.atom.args.iter().filter_map(name_of).collect();
        Self { taken, last: FxHashMap::default() }
    }

    /// A new name in place of `name`.
    fn next(&mut self, name: Symbol) -> Symbol {
        let stem = if name.as_str() == "_" { "Column" } else { name.as_str() };
        let last = self.last.entry(name).or_insert(1);
        loop {
            *last += 1;
            let fresh = Symbol::new(&format!("{stem}{last}"));
            if self.taken.insert(fresh) {
                return fresh;
            }
        }
    }
}

pub(super) static EXTERNAL_MODE_COUNT: Rule = rule!("external-mode-count.md");

pub(super) static MODE_INVALID: Rule = rule!("mode-invalid.md");

pub(super) static MODE_INPUT_BOTTOM_UP: Rule = rule!("mode-input-bottom-up.md");

/// Reports errors in the modes of a declaration.
pub(super) fn check_modes(context: &CheckContext<'_>, declaration: &Declaration, out: &mut Vec<Finding>) {
    let before = out.len();
    for mode in descriptors(declaration, "mode") {
        check_mode(context, declaration, mode, out);
    }
    if out.len() == before
        && let Some(external) = descriptors(declaration, "external").next()
    {
        out.extend(check_external(declaration, external));
    }
}

fn check_mode(context: &CheckContext<'_>, declaration: &Declaration, mode: &Atom, out: &mut Vec<Finding>) {
    let before = out.len();
    for arg in &mode.args {
        if Mode::read(arg, context.text).is_some() || matches!(arg.kind, TermKind::Broken) {
            continue;
        }
        let message = format!("{} is not a mode", code(context.slice(arg.range), 40));
        let finding = Finding::new(&MODE_INVALID, arg.range, message)
            .note("the engine silently ignores the whole `mode`")
            .note("modes are `\"+\"` (bound by the caller), `\"-\"` (bound by the predicate) and `\"?\"` (either)");
        let fix = mode_for_word(context, arg).map(|meant| {
            Fix::guess(format!("write `\"{meant}\"`")).replace(arg.range, format!("\"{meant}\""))
        });
        out.push(Finding { fix, ..finding });
    }
    let (wanted, found) = (declaration.atom.args.len(), mode.args.len());
    if wanted == found || out.len() > before {
        return;
    }
    let consequence = match found {
        0 => "the engine ignores an empty `mode`",
        _ if found < wanted => "arguments without a mode bind no variables",
        _ => "the engine panics when a premise queries the predicate",
    };
    let entries = if found == 1 { "1 entry" } else { &format!("{found} entries") };
    let arguments = counted(wanted, "argument");
    let message = format!("`mode` has {entries}, `{}` has {arguments}", declaration.atom.name.as_str());
    let finding = Finding::new(&MODE_INVALID, mode.range, message).note(consequence);
    out.push(finding.related(Span::here(declaration.atom.range), "arguments"));
}

/// The mode symbol for a mode that is written as a word.
fn mode_for_word(context: &CheckContext<'_>, arg: &Term) -> Option<&'static str> {
    let word = literal::string_value(context.slice(arg.range))?;
    match word.trim().to_ascii_lowercase().as_str() {
        "+" | "in" | "i" | "input" | "bound" | "b" => Some("+"),
        "-" | "out" | "o" | "output" | "free" | "f" => Some("-"),
        "?" | "any" | "inout" | "either" => Some("?"),
        _ => None,
    }
}

fn check_external(declaration: &Declaration, external: &Atom) -> Option<Finding> {
    let modes: Vec<_> = descriptors(declaration, "mode").filter(|mode| !mode.args.is_empty()).collect();
    let count = match modes.len() {
        0 => "no mode".to_owned(),
        count => format!("{count} modes"),
    };
    let message = format!("external predicate `{}` has {count}", declaration.atom.name.as_str());
    let finding = Finding::new(&EXTERNAL_MODE_COUNT, external.range, message)
        .note("the engine rejects an external predicate without exactly one mode");
    let finding = match modes.as_slice() {
        [_] => return None,
        [] if declaration.atom.args.is_empty() => {
            finding.note("a predicate without arguments cannot have a mode")
        }
        [] => finding.help("add a mode that marks inputs and outputs, as in `mode(\"+\", \"-\")`"),
        _ => finding.help("keep one of the modes"),
    };
    Some(
        modes
            .iter()
            .skip(1)
            .fold(finding, |finding, mode| finding.related(Span::here(mode.range), "another mode")),
    )
}

/// Reports input modes that the rules of a predicate depend on although they run without a caller.
pub(super) fn check_predicate(program: &Program, predicate: &Predicate, out: &mut ProgramFindings) {
    let signature = &predicate.signature;
    if signature.deferred || signature.defined.is_none() || !signature.modes.contains(&Mode::Input) {
        return;
    }
    let sites = program.clauses(predicate);
    let needed = sites.filter_map(|site| Some((site, needed_input(program, predicate, &site)?)));
    let needed: Vec<_> = needed.collect();
    if let Some((site, needed)) = needed.iter().find(|(_, it)| it.aborts).or(needed.first()) {
        report_needed(program, predicate, site, *needed, out);
    }
}

fn report_needed(
    program: &Program,
    predicate: &Predicate,
    site: &Site<'_>,
    needed: NeededInput,
    out: &mut ProgramFindings,
) {
    let Some(place) = program.declarations(predicate).next() else { return };
    let Some(declaration) = place.item.statement.declaration() else { return };
    let text = place.file.statement_text(place.item);
    let asks = |arg: &Term| Mode::read(arg, text) == Some(Mode::Input);
    let Some(mode) = descriptors(declaration, "mode").find(|mode| mode.args.iter().any(asks)) else { return };
    let (name, variable) = (predicate.key.name, needed.variable);
    let (effect, severity) = match needed.aborts {
        true => (format!("the engine aborts when it evaluates this rule of `{name}`"), Severity::Error),
        false => (format!("this rule of `{name}` derives no correct facts"), Severity::Warning),
    };
    let message = format!("`+` argument `{variable}` is unbound in bottom-up evaluation");
    let finding = Finding::new(&MODE_INPUT_BOTTOM_UP, mode.range, message)
        .severity(severity)
        .related(Span::new(site.file.id, site.item.statement.id, needed.range), "unbound here")
        .note(effect)
        .note("rules are evaluated without a caller unless the predicate is `deferred()`");
    let fix = (!predicate.signature.external)
        .then(|| Fix::guess("add `deferred()`").insert(mode.range.end(), ", deferred()"));
    let help = format!("bind `{variable}` earlier in the body");
    out.push(place.file.id, place.item.statement.id, fix_or_help(finding, fix, &help));
}
