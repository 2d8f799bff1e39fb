//! Lowering of `Decl` statements.

use tree_sitter::Node;

use super::super::ast::{Atom, BoundRow, Declaration, StatementKind, TermKind};
use super::super::foreign::TYPES_FOLLOW;
use super::super::rules;
use super::Lower;
use crate::lint::{Finding, Fix};
use crate::syntax::SyntaxKind;
use crate::text::TextRange;

/// A part of a declaration, in the order that the engine requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Temporal,
    Descriptors,
    Bound,
    Inclusion,
}

impl Part {
    fn word(self) -> &'static str {
        match self {
            Self::Temporal => "temporal",
            Self::Descriptors => "descr",
            Self::Bound => "bound",
            Self::Inclusion => "inclusion",
        }
    }

    /// True if a word is a misspelling of this part's keyword.
    fn is_meant_by(self, word: &str) -> bool {
        let word = word.to_lowercase();
        let alias = match word.as_str() {
            "desc" | "description" | "describe" => "descr",
            "type" => "bound",
            "include" => "inclusion",
            other => other.trim_end_matches('s'),
        };
        alias == self.word()
    }
}

impl<'t> Lower<'_, 't> {
    pub(super) fn declaration(&mut self, node: Node<'t>) -> StatementKind {
        let mut atom = None;
        let mut parts: Vec<(Part, TextRange)> = Vec::new();
        let (mut temporal, mut descriptors) = (None, Vec::new());
        let (mut bounds, mut inclusion) = (Vec::new(), Vec::new());
        self.children(|this, child, kind| {
            let range = this.range(child);
            match kind {
                SyntaxKind::Atom | SyntaxKind::BareAtom if atom.is_none() => {
                    atom = Some(this.declared_atom(child))
                }
                SyntaxKind::UnopenedAtom => this.unopened_declaration(child),
                SyntaxKind::Temporal => {
                    parts.push((Part::Temporal, range));
                    temporal = Some(range);
                }
                SyntaxKind::Descriptors => {
                    parts.push((Part::Descriptors, range));
                    let atoms = this.inner_atoms();
                    descriptors.extend(atoms);
                }
                SyntaxKind::Bound => {
                    parts.push((Part::Bound, range));
                    let row = this.bound_row(child);
                    bounds.push(row);
                }
                SyntaxKind::Inclusion => {
                    parts.push((Part::Inclusion, range));
                    let atoms = this.inner_atoms();
                    inclusion.extend(atoms);
                }
                SyntaxKind::UnknownPart => this.unknown_part(child),
                SyntaxKind::Dot => this.full_stop(child),
                _ => this.other(child, kind),
            }
        });
        self.check_part_order(&parts);
        let Some(atom) = atom else {
            self.unreadable(node);
            return StatementKind::Broken;
        };
        let declaration = Declaration { atom, temporal, descriptors, bounds, inclusion };
        StatementKind::Declaration(Box::new(declaration))
    }

    fn unopened_declaration(&mut self, node: Node<'t>) {
        let range = self.first_line(self.range(node));
        self.hard(Finding::new(&rules::UNMATCHED_PARENTHESIS, range, "missing `(` after the predicate"));
    }

    fn declared_atom(&mut self, node: Node<'t>) -> Atom {
        // The kind of the argument matters more than the fact that it is not a term.
        let before = self.soft.len();
        let holes = self.holes;
        let atom = self.atom(node);
        self.check_not_function(&atom, "be declared");
        if atom.args.iter().all(|arg| matches!(arg.kind, TermKind::Variable(_) | TermKind::Wildcard)) {
            return atom;
        }
        let is_argument = |finding: &Finding| {
            let lenient = [&rules::LOWERCASE_VARIABLE, &rules::LEGACY_TYPED_ARG];
            lenient.contains(&finding.rule)
        };
        let known = self.soft.split_off(before);
        self.holes = holes;
        let (arguments, rest): (Vec<_>, Vec<_>) = known.into_iter().partition(is_argument);
        self.soft.extend(rest);
        let mut lowercase = Vec::new();
        for arg in &atom.args {
            self.declared_argument(arg.range, &arg.kind, &arguments, &mut lowercase);
        }
        self.lowercase_arguments(&lowercase);
        atom
    }

    fn lowercase_arguments(&mut self, all: &[TextRange]) {
        let Some(&first) = all.first() else { return };
        let fix = Fix::safe("start the variables with a capital letter");
        let fix = all
            .iter()
            .fold(fix, |fix, range| fix.replace(*range, super::atom::camel_case(self.slice(*range))));
        let shown = super::shorten(self.slice(first));
        let message = format!("`Decl` argument `{shown}` starts with a lower-case letter");
        let finding = Finding::new(&rules::DECL_LOWERCASE_ARG, first, message);
        self.soft(finding.note("the engine reads a lower-case word as a predicate").fix(fix));
    }

    fn declared_argument(
        &mut self,
        range: TextRange,
        kind: &TermKind,
        known: &[Finding],
        lowercase: &mut Vec<TextRange>,
    ) {
        let shown = self.slice(range);
        match (kind, known.iter().find(|finding| range.contains_range(finding.range))) {
            (TermKind::Variable(_) | TermKind::Wildcard, None) => {}
            (_, Some(finding)) if finding.rule == &rules::LEGACY_TYPED_ARG => self.soft(finding.clone()),
            (_, Some(_)) if is_word(shown) => lowercase.push(range),
            _ => {
                self.holes = true;
                let message = format!("`Decl` argument `{}` is not a variable", super::shorten(shown));
                let finding = Finding::new(&rules::DECL_ARG_NOT_VARIABLE, range, message);
                self.soft(finding.note(TYPES_FOLLOW).help("write a variable"));
            }
        }
    }

    fn inner_atoms(&mut self) -> Vec<Atom> {
        let mut atoms = Vec::new();
        self.children(|this, child, kind| match kind {
            SyntaxKind::AtomList => atoms = this.atom_list(child),
            _ => this.other(child, kind),
        });
        atoms
    }

    fn bound_row(&mut self, node: Node<'t>) -> BoundRow {
        let range = self.range(node);
        let (types, _) = self.read_list(|this, child, _| this.term(child));
        BoundRow { range, types }
    }

    fn unknown_part(&mut self, node: Node<'t>) {
        let range = self.first_line(self.range(node));
        let written = self.slice(range);
        let word = written.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
        let known = [Part::Temporal, Part::Descriptors, Part::Bound, Part::Inclusion];
        let meant = known.into_iter().find(|part| part.is_meant_by(word) && part.word() != word);
        let word_range = TextRange::at(range.start(), super::size(word.len()));
        let message = format!("`{}` is not a part of `Decl`", super::shorten(word));
        let mut finding = Finding::new(&rules::UNKNOWN_DECL_PART, word_range, message)
            .note("the parts are `temporal`, `descr`, `bound` and `inclusion`");
        if let Some(meant) = meant {
            let fix = Fix::safe(format!("write `{}`", meant.word())).replace(word_range, meant.word());
            finding = finding.fix(fix);
        }
        self.holes = true;
        self.soft(finding);
    }

    /// Checks the order `temporal descr bound* inclusion`. Each part except `bound` can occur at
    /// most once.
    fn check_part_order(&mut self, parts: &[(Part, TextRange)]) {
        for pair in parts.windows(2) {
            let [(before, _), (part, range)] = pair else { continue };
            if part > before || (part == before && *part == Part::Bound) {
                continue;
            }
            let (message, note) = if part == before {
                (format!("second `{}` in a `Decl`", part.word()), "only `bound` can be repeated")
            } else {
                let message = format!("`{}` after `{}` in a `Decl`", part.word(), before.word());
                (message, "the engine requires the order `temporal`, `descr`, `bound`, `inclusion`")
            };
            let mut finding = Finding::new(&rules::DECL_PART_ORDER, *range, message).note(note);
            if part != before {
                finding = finding.fix(self.reorder(parts));
            }
            self.soft(finding);
            return;
        }
    }

    fn reorder(&self, parts: &[(Part, TextRange)]) -> Fix {
        let mut sorted: Vec<_> = parts.iter().collect();
        sorted.sort_by_key(|(part, _)| *part);
        let edits = parts.iter().zip(sorted).filter(|(old, new)| old.1 != new.1);
        edits.fold(Fix::safe("reorder the parts"), |fix, (old, new)| fix.replace(old.1, self.slice(new.1)))
    }
}

/// True if a text is one word, which can become a variable without loss.
fn is_word(text: &str) -> bool {
    text.chars().all(|char| char.is_ascii_alphanumeric() || "_-:.".contains(char))
}
