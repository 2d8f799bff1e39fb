//! Lowering of atoms and names.

use tree_sitter::Node;

use super::super::ast::{Atom, Name};
use super::super::kind::{SyntaxKind, kind_of};
use super::super::{literal, rules};
use super::{Commas, Lower, shorten};
use crate::lint::{Finding, Fix};
use crate::text::{Symbol, TextRange};

/// Reserved words of the engine, which cannot name a predicate.
const RESERVED: [&str; 8] = ["temporal", "descr", "inclusion", "now", "opt", "bound", "let", "do"];

impl<'t> Lower<'_, 't> {
    /// Lowers an atom, with or without parentheses. The cursor must be on it.
    pub(super) fn atom(&mut self, node: Node<'t>) -> Atom {
        let range = self.range(node);
        let bare = Self::is_bare(node);
        let mut name = None;
        let mut args = Vec::new();
        let mut commas = Commas::default();
        self.children(|this, child, kind| match kind {
            SyntaxKind::Identifier | SyntaxKind::Variable if name.is_none() => {
                name = Some(this.predicate_name(child, kind));
            }
            SyntaxKind::Comma | SyntaxKind::DoubleComma => this.comma(&mut commas, child),
            SyntaxKind::Token => {}
            SyntaxKind::Negation | SyntaxKind::Comparison => this.premise_as_argument(child),
            SyntaxKind::Error
            | SyntaxKind::MissingParen
            | SyntaxKind::MissingComma
            | SyntaxKind::StrayParen => {
                this.other(child, kind);
            }
            _ => {
                this.element(&mut commas);
                let term = this.term(child);
                args.push(term);
            }
        });
        self.end_of_list(&commas);
        let name = name.unwrap_or_else(|| Name {
            symbol: Symbol::of_language(""),
            range: TextRange::empty(range.start()),
        });
        if bare {
            self.missing_parens(name);
        }
        args.shrink_to_fit();
        Atom { name, args, range }
    }

    /// Reports a negation or comparison among arguments, which indicates a missing `)` of the atom.
    fn premise_as_argument(&mut self, node: Node<'t>) {
        let at = self.before(TextRange::empty(self.range(node).start()));
        let message = "missing `)`: a premise cannot be an argument";
        self.hard(Finding::new(&rules::MISSING_BRACKET, at, message).label("expected `)` after this"));
    }

    fn predicate_name(&mut self, node: Node<'t>, kind: SyntaxKind) -> Name {
        let name = self.name(node);
        if kind == SyntaxKind::Variable {
            self.uppercase_predicate(name);
        } else if RESERVED.contains(&self.slice(name.range)) {
            let word = self.slice(name.range);
            self.soft(reserved(word, "predicate", name.range));
        }
        name
    }

    fn uppercase_predicate(&mut self, name: Name) {
        let word = self.slice(name.range);
        let mut lower: String = word.trim_start_matches('_').to_owned();
        if word.len() > 1 && !word.contains(|c: char| c.is_ascii_lowercase()) {
            lower.make_ascii_lowercase();
        } else if let Some(first) = lower.get_mut(..1) {
            first.make_ascii_lowercase();
        }
        let mut finding = not_lower_case(word, "predicate", name.range);
        if self.applications == 0 && lower.starts_with(|c: char| c.is_ascii_lowercase()) {
            finding = finding.fix(Fix::guess(format!("rename to `{lower}`")).replace(name.range, lower));
        }
        self.soft(finding);
    }

    /// Lowers the name after `Package` or `Use`. Capital letters in a package have a separate rule.
    /// The name in a `Use` can have them, except at the start.
    pub(super) fn package_name(&mut self, node: Node<'t>, keyword: &str) -> Name {
        let name = self.name(node);
        let word = self.source(node);
        if RESERVED.contains(&word) || matches!(word, "Package" | "Use" | "Decl") {
            self.soft(reserved(word, "package", name.range));
        } else if word.starts_with('_')
            || (keyword == "Use" && word.starts_with(|c: char| c.is_ascii_uppercase()))
        {
            self.soft(not_lower_case(word, "package", name.range));
        }
        name
    }

    pub(super) fn name(&self, node: Node<'t>) -> Name {
        Name { symbol: Symbol::new(self.source(node)), range: self.range(node) }
    }

    /// [`Atom::is_function`] based on the text, because the word can be unknown.
    pub(super) fn is_function(&self, atom: &Atom) -> bool {
        self.slice(atom.name.range).starts_with("fn:")
    }

    /// Reports `fn:f(…)` in the position of an atom. `role` describes the position.
    pub(super) fn check_not_function(&mut self, atom: &Atom, role: &str) {
        if self.is_function(atom) {
            let name = self.slice(atom.name.range);
            let message = format!("function `{}` cannot {role}", shorten(name));
            let finding = Finding::new(&rules::FUNCTION_AS_ATOM, atom.name.range, message);
            self.soft(finding.label("not a predicate").note("the engine accepts only a predicate there"));
            self.holes = true;
        }
    }

    /// Reports `fn:string:contains(X, "a")` as a condition.
    pub(super) fn function_as_premise(&mut self, atom: &Atom) {
        self.holes = true;
        let function = self.slice(atom.name.range);
        let twin = match function {
            "fn:string:contains" | "fn:string_contains" => Some(":string:contains"),
            "fn:string:starts_with" | "fn:string_starts_with" => Some(":string:starts_with"),
            "fn:string:ends_with" | "fn:string_ends_with" => Some(":string:ends_with"),
            "fn:list:member" => Some(":list:member"),
            "fn:match_prefix" => Some(":match_prefix"),
            _ => None,
        };
        let message = format!("function `{}` is used as a premise", shorten(function));
        let mut finding = Finding::new(&rules::FUNCTION_AS_PREMISE, atom.name.range, message)
            .note("a function returns a value, which is neither true nor false")
            .help("bind its result to a variable with `=`");
        if let Some(twin) = twin {
            let fix = Fix::safe(format!("write `{twin}`")).replace(atom.name.range, twin);
            finding = finding.fix(fix.replacing(atom.name.range));
        } else if function == "fn:list:contains" {
            let fix = Fix::safe("wrap it in `:filter(…)`")
                .insert(atom.range.start(), ":filter(")
                .insert(atom.range.end(), ")")
                .replacing(atom.range);
            finding = finding.fix(fix);
        }
        self.soft(finding);
    }

    /// Lowers an atom list, `[a(…), b(…)]`. The cursor must be on it.
    pub(super) fn atom_list(&mut self, node: Node<'t>) -> Vec<Atom> {
        let mut atoms = Vec::new();
        let mut commas = Commas::default();
        self.check_glued_bracket(node);
        self.children(|this, child, kind| match kind {
            SyntaxKind::Comma | SyntaxKind::DoubleComma => this.comma(&mut commas, child),
            SyntaxKind::Atom | SyntaxKind::BareAtom => {
                this.element(&mut commas);
                let atom = this.atom(child);
                this.check_not_function(&atom, "be an entry of this list");
                atoms.push(atom);
            }
            SyntaxKind::Token => {}
            SyntaxKind::String | SyntaxKind::Constant | SyntaxKind::Number => {
                this.element(&mut commas);
                this.value_in_atom_list(child);
            }
            _ => this.other(child, kind),
        });
        self.end_of_list(&commas);
        atoms.shrink_to_fit();
        atoms
    }

    /// Reports `descr ["text"]`.
    fn value_in_atom_list(&mut self, node: Node<'t>) {
        let range = self.range(node);
        let found = match kind_of(node) {
            SyntaxKind::String => "string",
            SyntaxKind::Number => "number",
            _ => "name",
        };
        let message = format!("expected an atom, found a {found}");
        let mut finding = Finding::new(&rules::NOT_AN_ATOM, range, message)
            .note("descriptors and constraints are atoms, such as `doc(\"…\")`");
        if literal::string_content(self.source(node)).is_some() {
            let fix = Fix::safe("wrap it in `doc(…)`").insert(range.start(), "doc(").insert(range.end(), ")");
            finding = finding.fix(fix);
        }
        self.soft(finding);
        self.holes = true;
    }
}

/// The finding for a keyword used as the name of a `kind` of object.
pub(super) fn reserved(word: &str, kind: &str, range: TextRange) -> Finding {
    let message = format!("`{word}` is a reserved word and cannot name a {kind}");
    Finding::new(&rules::RESERVED_WORD, range, message)
        .note("the engine reads it as a keyword and rejects the statement")
        .help("choose another name")
}

/// The finding for the name of a `kind` of object that does not start with a lower-case letter.
fn not_lower_case(word: &str, kind: &str, range: TextRange) -> Finding {
    let shown = shorten(word);
    if word.starts_with('_') {
        let message = format!("{kind} `{shown}` starts with an underscore");
        return Finding::new(&rules::UPPERCASE_PREDICATE, range, message)
            .note(format!("the name of a {kind} starts with a lower-case letter"));
    }
    Finding::new(&rules::UPPERCASE_PREDICATE, range, format!("{kind} `{shown}` starts with a capital letter"))
        .note("the engine reads a capitalized word as a variable")
}
