//! Words that are no Mangle: lower-case variables, underscores, atoms without parentheses, `true` and
//! `null`. One finding for all of a kind in a statement, since they are one habit.

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::super::ast::{Name, TermKind};
use super::super::kind::{SyntaxKind, kind_of};
use super::super::rules;
use super::Lower;
use super::token::camel_case;
use crate::lint::{Finding, Fix};
use crate::text::{Symbol, TextRange};

/// A word and where it stands.
pub(super) type WordPlace<'c> = (&'c str, TextRange);

/// The words of a statement, collected when the first odd one is met.
#[derive(Debug, Default)]
pub(super) struct Words<'c> {
    /// Lower-case words where terms belong, and how often each occurs.
    bare: FxHashMap<&'c str, u32>,
    /// Variables, likewise.
    variables: FxHashMap<&'c str, u32>,
    is_rule: bool,
    is_declaration: bool,
}

/// Odd words that were met and are reported at the end.
#[derive(Debug, Default)]
pub(super) struct OddWords<'c> {
    /// Variables with an underscore, as often as they occur.
    pub(super) underscored: Vec<WordPlace<'c>>,
    /// Lower-case words that stand for variables.
    lowercase: Vec<WordPlace<'c>>,
    /// Lower-case words that stand for names.
    unmarked: Vec<WordPlace<'c>>,
    /// Atoms without parentheses.
    bare_atoms: Vec<Name>,
}

impl<'c, 't> Lower<'c, 't> {
    fn words(&mut self) -> &Words<'c> {
        let (root, text) = (self.root, self.text);
        self.words.get_or_insert_with(|| collect(root, text))
    }

    /// `x` where a variable was meant, `active` where a name was, `true`, `null`.
    pub(super) fn bare_name(&mut self, node: Node<'t>, range: TextRange) -> TermKind {
        let word = self.source(node);
        if self.words().is_declaration {
            return self.bare_name_in_declaration(word, range);
        }
        if let Some(meant) = foreign_constant(word) {
            return self.foreign_constant(word, meant, range);
        }
        let is_let = self.follows_let(node);
        let words = self.words();
        let often = words.bare.get(word).is_some_and(|count| *count > 1);
        if words.is_rule && (is_let || often || is_short(word)) {
            self.odd.lowercase.push((word, range));
            return TermKind::Variable(Symbol::new(&camel_case(word)));
        }
        self.odd.unmarked.push((word, range));
        TermKind::Broken
    }

    /// Whether `let` stands before a node. Asking the tree for the node's parent would start at its root,
    /// and nest as deep as the tree does.
    fn follows_let(&self, node: Node<'t>) -> bool {
        let before = self.text.get(..node.start_byte()).unwrap_or("").trim_ascii_end();
        let rest = before.strip_suffix("let");
        rest.is_some_and(|rest| !rest.ends_with(|last: char| last.is_ascii_alphanumeric() || last == '_'))
    }

    fn bare_name_in_declaration(&mut self, word: &str, range: TextRange) -> TermKind {
        let variable = camel_case(word);
        let message = format!(
            "`{word}` is no value: variables start with a capital (`{variable}`), types and names with a slash (`/{word}`), text stands in quotes."
        );
        let fix = Fix::guess(format!("Write `/{word}`")).insert(range.start(), "/");
        self.soft(Finding::new(&rules::LOWERCASE_VARIABLE, range, message).fix(fix));
        TermKind::Broken
    }

    /// `true` and `null` as terms; also `True` and `None`, which are variables to the engine, where they
    /// occur once in a clause.
    pub(super) fn foreign_constant(&mut self, word: &str, meant: &str, range: TextRange) -> TermKind {
        self.holes = true;
        if meant == "/null" {
            // What stands for it is agreed on in a program, if anything does: a comparison with a value that nothing has
            // would hold always, or never.
            let message = format!(
                "Mangle has no `{word}`. What is unknown is not stated; where a value must stand, agree on a name such as `/none`."
            );
            self.soft(Finding::new(&rules::FOREIGN_CONSTANT, range, message));
            return TermKind::Broken;
        }
        let message =
            format!("`{word}` is no value of Mangle; by convention the name `{meant}` stands for it.");
        let fix = self.guarded(Fix::guess(format!("Write `{meant}`")).replace(range, meant), range);
        self.soft(Finding::new(&rules::FOREIGN_CONSTANT, range, message).fix(fix));
        TermKind::Broken
    }

    /// A full stop behind a name would become part of it.
    fn guarded(&self, mut fix: Fix, range: TextRange) -> Fix {
        let next = self.byte(self.base + usize::from(range.end()));
        if let (Some(b'.'), Some(edit)) = (next, fix.edits.last_mut()) {
            edit.text.push(' ');
        }
        fix
    }

    /// Whether a variable is `True` or `None` for somebody who knows Python.
    pub(super) fn capital_constant(&mut self, word: &str) -> Option<&'static str> {
        let meant = foreign_constant(word)?;
        let words = self.words();
        let once = words.variables.get(word) == Some(&1);
        (once && !words.is_declaration).then_some(meant)
    }

    pub(super) fn missing_parens(&mut self, name: Name) {
        self.odd.bare_atoms.push(name);
    }

    /// Reports the odd words that were met.
    pub(super) fn report_odd_words(&mut self) {
        let odd = std::mem::take(&mut self.odd);
        self.report_underscores(&odd.underscored);
        self.report_lowercase(&odd.lowercase);
        self.report_unmarked(&odd.unmarked);
        self.report_bare_atoms(&odd.bare_atoms);
    }

    /// One finding a variable, whose fix renames it wherever it stands in the statement.
    fn report_underscores(&mut self, all: &[WordPlace<'c>]) {
        let mut places: FxHashMap<&str, Vec<TextRange>> = FxHashMap::default();
        for (word, range) in all {
            places.entry(word).or_default().push(*range);
        }
        for &(word, range) in all {
            // The first occurrence stands for all.
            let Some(places) = places.remove(word) else { continue };
            let ignored = word.starts_with('_') && places.len() == 1 && self.words().is_rule;
            let name = if ignored { "_".to_owned() } else { self.unused(camel_case(word)) };
            let fix = Fix::guess(format!("Rename to `{name}`"));
            let fix = places.iter().fold(fix, |fix, place| fix.replace(*place, name.as_str()));
            let message = if ignored {
                format!(
                    "Variables have no underscore: `{word}` does not parse. What is not looked at is `_`."
                )
            } else {
                format!("Variables have no underscore: `{word}` does not parse. Write `{name}`.")
            };
            self.soft(Finding::new(&rules::UNDERSCORE_IN_VARIABLE, range, message).fix(fix));
        }
    }

    /// `name`, or the first of `name2`, `name3`, … that is no variable of the statement.
    fn unused(&mut self, name: String) -> String {
        let words = self.words();
        let taken = |name: &str| words.variables.contains_key(name);
        let mut unused = name.clone();
        let mut number = 2;
        while taken(&unused) {
            unused = format!("{name}{number}");
            number += 1;
        }
        unused
    }

    fn report_lowercase(&mut self, all: &[WordPlace<'c>]) {
        let Some(&(word, range)) = all.first() else { return };
        let fix = Fix::guess("Write variables with a capital");
        let fix = all.iter().fold(fix, |fix, (word, place)| fix.replace(*place, camel_case(word)));
        let message = format!(
            "Variables start with a capital: `{}`. A lower-case word is a predicate to the engine.",
            camel_case(word)
        );
        self.soft(Finding::new(&rules::LOWERCASE_VARIABLE, range, message).fix(fix));
    }

    fn report_unmarked(&mut self, all: &[WordPlace<'c>]) {
        let Some(&(word, range)) = all.first() else { return };
        let variable = camel_case(word);
        let message = format!(
            "`{word}` is no value: names start with a slash (`/{word}`), variables with a capital (`{variable}`), text stands in quotes."
        );
        let mut fix =
            Fix::guess(if all.len() == 1 { format!("Write `/{word}`") } else { "Write names".to_owned() });
        for (word, place) in all {
            fix = self.guarded(fix.replace(*place, format!("/{}", word.trim_start_matches(':'))), *place);
        }
        let finding = Finding::new(&rules::LOWERCASE_VARIABLE, range, message);
        // A word that is missing altogether cannot be written otherwise.
        let is_there = all.iter().all(|(word, _)| !word.is_empty());
        self.soft(if is_there { finding.fix(fix) } else { finding });
    }

    fn report_bare_atoms(&mut self, all: &[Name]) {
        let Some(first) = all.first() else { return };
        let fix = Fix::safe("Add `()`");
        let fix = all.iter().fold(fix, |fix, name| fix.insert(name.range.end(), "()"));
        let message = match all {
            [name] => {
                format!("`{0}` needs parentheses, also without arguments: `{0}()`.", self.slice(name.range))
            }
            _ => format!(
                "Atoms need parentheses, also without arguments: `{}()` and {} more here.",
                self.slice(first.range),
                all.len() - 1
            ),
        };
        self.soft(Finding::new(&rules::MISSING_PARENS, first.range, message).fix(fix));
    }
}

/// What somebody means who writes `true`, `False` or `null`.
fn foreign_constant(word: &str) -> Option<&'static str> {
    Some(match word {
        "true" | "True" | "TRUE" => "/true",
        "false" | "False" | "FALSE" => "/false",
        "null" | "nil" | "none" | "undefined" | "None" | "NULL" | "Null" | "Nil" | "NIL" => "/null",
        _ => return None,
    })
}

/// `x`, `y1`: nobody calls a thing so.
fn is_short(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some() && chars.all(|c| c.is_ascii_digit())
}

fn collect<'c>(root: Node<'_>, text: &'c str) -> Words<'c> {
    let mut words = Words { is_declaration: kind_of(root) == SyntaxKind::Declaration, ..Words::default() };
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        let source = text.get(node.byte_range()).unwrap_or("");
        match kind_of(node) {
            SyntaxKind::BareName => *words.bare.entry(source).or_default() += 1,
            SyntaxKind::Variable => *words.variables.entry(source).or_default() += 1,
            SyntaxKind::Arrow | SyntaxKind::LongArrow | SyntaxKind::WrongArrow => words.is_rule = true,
            _ => {}
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return words;
            }
        }
    }
}
