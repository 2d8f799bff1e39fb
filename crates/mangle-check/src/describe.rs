//! Signatures of predicates and built-ins with parameter names, types, modes and documentation, for
//! hover, completion, signature help and inlay hints.

use std::fmt::Write as _;

use super::headings::banners_of_comment;
use crate::Analysis;
use crate::policy_test::TestKey;
use mangle_engine::program::builtins::{Arity, BuiltinFunction, BuiltinPredicate};
use mangle_engine::program::{FileSummary, Mode, Predicate, Program};
use mangle_engine::types::Type;
use mangle_syntax::syntax::ast::{Atom, Declaration, Item, TermKind};
use mangle_syntax::syntax::literal;
use mangle_syntax::text::{TextRange, TextSize, slice, text_len};

/// The signature of a predicate or function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Callable {
    /// The name as written in calls, with its prefix.
    pub name: String,
    /// The parameters. For a variadic function, only the documented ones.
    pub parameters: Vec<Parameter>,
    /// True if more arguments can follow.
    pub variadic: bool,
    /// The type of the result, for functions.
    pub result: Option<String>,
    /// The documentation, from the author for predicates and from mangle-ls for built-ins.
    pub documentation: Option<String>,
}

/// A parameter of a [`Callable`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parameter {
    /// The name of the parameter, if known.
    pub name: Option<String>,
    /// The type in Mangle syntax, if known.
    pub ty: Option<String>,
    /// The declared mode, if any.
    pub mode: Option<Mode>,
    /// The documentation of the parameter.
    pub documentation: Option<String>,
}

impl Callable {
    /// Describes a predicate of the program.
    #[must_use]
    pub fn predicate(analysis: &dyn Analysis, predicate: &Predicate) -> Self {
        let program = analysis.program();
        let declared = program.declarations(predicate).next();
        let declaration = program.declaration(predicate);
        let rows = program.id(predicate.key).map(|id| analysis.types().rows(id));
        let types = rows.filter(|rows| !rows.is_unknown());
        let text = declared.map_or("", |site| site.file.statement_text(site.item));
        let parameters = (0..usize::from(predicate.key.arity)).map(|at| {
            let name = parameter_name(program, predicate, at);
            Parameter {
                documentation: declaration.zip(name).and_then(|(all, name)| said_of(all, name, text)),
                name: name.map(str::to_owned),
                ty: types.map(|rows| rows.column(at).to_string()).filter(|ty| ty != "/any"),
                mode: predicate.signature.modes.get(at).copied(),
            }
        });
        Self {
            name: predicate.key.name.as_str().to_owned(),
            parameters: parameters.collect(),
            variadic: false,
            result: None,
            documentation: documentation(program, predicate),
        }
    }

    /// Describes a built-in predicate.
    #[must_use]
    pub fn builtin(builtin: &BuiltinPredicate) -> Self {
        let parameters = builtin.parameters.iter().map(|parameter| Parameter {
            ty: Some(parameter.ty.to_owned()),
            mode: Some(parameter.mode),
            ..Parameter::default()
        });
        Self {
            name: builtin.name.to_owned(),
            parameters: parameters.collect(),
            variadic: false,
            result: None,
            documentation: Some(builtin.description.to_owned()),
        }
    }

    /// Describes a built-in function or reducer.
    #[must_use]
    pub fn function(function: &BuiltinFunction) -> Self {
        let parameters = function
            .parameters
            .iter()
            .map(|ty| Parameter { ty: Some((*ty).to_owned()), ..Parameter::default() });
        Self {
            name: function.name.to_owned(),
            parameters: parameters.collect(),
            variadic: !matches!(function.arity, Arity::Exactly(_)),
            result: Some(function.result.to_owned()),
            documentation: Some(function.description.to_owned()),
        }
    }

    /// The signature as text, `p(+X: /name, Y)`, and the range of each parameter.
    #[must_use]
    pub fn label(&self) -> (String, Vec<TextRange>) {
        let mut label = format!("{}(", self.name);
        let mut places = Vec::new();
        for (index, parameter) in self.parameters.iter().enumerate() {
            if index > 0 {
                label.push_str(", ");
            }
            let start = mangle_syntax::text::text_len(&label);
            let _ = write!(label, "{parameter}");
            places.push(TextRange::new(start, mangle_syntax::text::text_len(&label)));
        }
        if self.variadic {
            label.push_str(if self.parameters.is_empty() { "…" } else { ", …" });
        }
        label.push(')');
        if let Some(result) = &self.result {
            let _ = write!(label, " → {result}");
        }
        (label, places)
    }
}

impl std::fmt::Display for Parameter {
    /// Formats the parameter: `+X: /name`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.mode {
            Some(Mode::Input) => f.write_str("+")?,
            Some(Mode::Output) => f.write_str("-")?,
            Some(Mode::Either) | None => {}
        }
        match (&self.name, &self.ty) {
            (Some(name), Some(ty)) => write!(f, "{name}: {ty}"),
            (Some(word), None) | (None, Some(word)) => f.write_str(word),
            (None, None) => f.write_str("_"),
        }
    }
}

/// The name of a predicate's parameter, from its `Decl` or from the head of its first clause.
#[must_use]
pub fn parameter_name(program: &Program, predicate: &Predicate, at: usize) -> Option<&'static str> {
    let declared = program.declaration(predicate).map(|declaration| &declaration.atom);
    variable_at(declared.or_else(|| program.first_clause(predicate).map(|clause| &clause.head))?, at)
}

fn variable_at(atom: &Atom, at: usize) -> Option<&'static str> {
    match atom.args.get(at)?.kind {
        TermKind::Variable(symbol) => Some(symbol.as_str()),
        _ => None,
    }
}

/// The text of `arg(NAME, "…")`.
fn said_of(declaration: &Declaration, name: &str, text: &str) -> Option<String> {
    let mut args = declaration.descriptors.iter().filter(|atom| atom.name.as_str() == "arg");
    let atom = args.find(|atom| variable_at(atom, 0) == Some(name))?;
    paragraphs(atom.args.get(1..)?, text)
}

/// The bounds for a generated `Decl`, one per column, inferred from the program.
#[must_use]
pub fn bounds(analysis: &dyn Analysis, predicate: &Predicate) -> Vec<String> {
    let rows = analysis.program().id(predicate.key).map(|id| analysis.types().rows(id));
    let columns = 0..usize::from(predicate.key.arity);
    columns.map(|at| rows.map_or_else(|| "/any".into(), |rows| bound(&rows.column(at)))).collect()
}

/// The bound of a column: the generalized type, or `/any` if the type is empty or shortened.
#[must_use]
pub fn bound(ty: &Type) -> String {
    let text = ty.generalised().to_string();
    // A shortened type cannot be parsed.
    if ty.is_bottom() || text.contains('…') { "/any".into() } else { text }
}

/// The documentation of a predicate: `doc(…)`, the comment above its `Decl`, or the comment above
/// its first clause.
#[must_use]
pub fn documentation(program: &Program, predicate: &Predicate) -> Option<String> {
    let declared = program.declarations(predicate).next();
    let doc = declared.and_then(|site| {
        let declaration = site.item.statement.declaration()?;
        let doc = declaration.descriptors.iter().find(|atom| atom.name.as_str() == "doc")?;
        paragraphs(&doc.args, site.file.statement_text(site.item))
    });
    let site = declared.or_else(|| program.clauses(predicate).next());
    doc.or_else(|| site.and_then(|site| comment_above(site.file, site.item)))
}

fn paragraphs(strings: &[mangle_syntax::syntax::ast::Term], text: &str) -> Option<String> {
    let values = strings.iter().filter_map(|term| literal::string_value(slice(text, term.range)));
    let said = values.map(|value| value.trim().to_owned()).collect::<Vec<_>>().join("\n\n");
    Some(said).filter(|said| !said.is_empty())
}

/// The text of the comment directly above a statement, without comment characters. Banners,
/// directives and test comments are excluded.
#[must_use]
pub fn comment_above(file: &FileSummary, item: &Item) -> Option<String> {
    let comment = comment_range_above(file, item)?;
    let banners = banners_of_comment(&file.text, comment);
    let mut start = comment.start();
    let mut words = Vec::new();
    for line in slice(&file.text, comment).split_inclusive('\n') {
        let said = line.trim().trim_start_matches('#').trim();
        if !banners.iter().any(|banner| banner.contains(start)) && is_said(said) {
            words.push(said);
        }
        start += text_len(line);
    }
    Some(words.join("\n")).filter(|said| !said.is_empty())
}

/// True if the line of a comment is prose.
fn is_said(line: &str) -> bool {
    let key = line.strip_prefix('@').and_then(|rest| rest.split_whitespace().next());
    let is_directive = key.is_some_and(|key| key == "preview" || TestKey::parse(key).is_some());
    let is_rule = ["---", "===", "***", "~~~", "##"].iter().any(|signs| line.starts_with(signs));
    line.contains(char::is_alphanumeric) && !line.starts_with("mangle-ls:") && !is_directive && !is_rule
}

/// The range of the comment lines directly above a statement.
#[must_use]
pub fn comment_range_above(file: &FileSummary, item: &Item) -> Option<TextRange> {
    let before = slice(&file.text, TextRange::new(TextSize::new(0), item.start));
    let above = before.strip_suffix('\n')?;
    let lines = above.rsplit('\n').take_while(|line| line.trim_start().starts_with('#'));
    let len = lines.map(|line| line.len() + 1).sum::<usize>().checked_sub(1)?;
    let end = mangle_syntax::text::text_len(above);
    Some(TextRange::new(end - mangle_syntax::text::size(len), end))
}
