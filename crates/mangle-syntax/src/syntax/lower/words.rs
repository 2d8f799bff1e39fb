//! Words that are not valid Mangle: lower-case variables, underscores, atoms without parentheses,
//! `true` and `null`. Each kind has one finding per statement.

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::super::ast::{Name, TermKind};
use super::super::foreign::{
    BIND_BY_PREMISE, CASES_ARE_RULES, has_known_root, is_control, no_field_access, path_note,
};
use super::super::rules;
use super::atom::camel_case;
use super::{Lower, shorten};
use crate::lint::{Finding, Fix};
use crate::syntax::{SyntaxKind, kind_of};
use crate::text::{Symbol, TextRange};

/// A word and its range.
type WordPlace<'c> = (&'c str, TextRange);

/// The words of a statement, collected at the first invalid word.
#[derive(Debug, Default)]
pub(super) struct Words<'c> {
    /// Lower-case words in the position of terms, with the number of occurrences.
    bare: FxHashMap<&'c str, u32>,
    /// Variables, with the number of occurrences.
    variables: FxHashMap<&'c str, u32>,
    is_rule: bool,
    is_declaration: bool,
}

/// Invalid words to report at the end.
#[derive(Debug, Default)]
pub(super) struct OddWords<'c> {
    /// Variables with an underscore, one entry per occurrence.
    pub(super) underscored: Vec<WordPlace<'c>>,
    /// Lower-case words that stand for variables.
    lowercase: Vec<WordPlace<'c>>,
    /// Lower-case words that stand for names.
    unmarked: Vec<WordPlace<'c>>,
    /// Lower-case words that stand for variables, names or texts.
    unclear: Vec<WordPlace<'c>>,
    /// Control keywords, such as `else`.
    control: Vec<WordPlace<'c>>,
    /// Words with periods, such as `input.user`.
    paths: Vec<WordPlace<'c>>,
    /// Atoms without parentheses.
    bare_atoms: Vec<Name>,
}

impl<'c, 't> Lower<'c, 't> {
    fn words(&mut self) -> &Words<'c> {
        let (root, text) = (self.root, self.text);
        self.words.get_or_insert_with(|| collect(root, text))
    }

    /// Lowers `x` instead of a variable, `active` instead of a name, `true`, `null`.
    pub(super) fn bare_name(&mut self, node: Node<'t>, range: TextRange) -> TermKind {
        let word = self.source(node);
        if self.words().is_declaration {
            return self.bare_name_in_declaration(word, range);
        }
        if let Some(meant) = foreign_constant(word) {
            return self.foreign_constant(word, meant, range);
        }
        if word == "now" {
            return self.now_as_value(range);
        }
        if word.contains('.') {
            self.odd.paths.push((word, range));
            return TermKind::Broken;
        }
        let is_let = self.follows_let(node);
        let words = self.words();
        let often = words.bare.get(word).is_some_and(|count| *count > 1);
        // Next to capitalized variables, a letter can also be a Prolog constant.
        let has_lower_variables = words.variables.is_empty() || words.bare.values().any(|count| *count > 1);
        let is_variable = is_let || often || (is_short(word) && has_lower_variables);
        if words.is_rule && is_variable {
            self.odd.lowercase.push((word, range));
            return TermKind::Variable(Symbol::new(&camel_case(word)));
        }
        if words.is_rule && is_control(word) {
            self.odd.control.push((word, range));
            return TermKind::Broken;
        }
        let is_variable_too = words.is_rule && words.variables.contains_key(camel_case(word).as_str());
        if is_variable_too || (words.is_rule && is_short(word)) || self.applications > 0 || is_type(word) {
            self.odd.unclear.push((word, range));
        } else {
            self.odd.unmarked.push((word, range));
        }
        TermKind::Broken
    }

    /// Lowers one side of a comparison such as `role == "admin"`: if the other side is a value, the
    /// word is a variable.
    pub(super) fn compared_name(&mut self, node: Node<'t>, range: TextRange) -> TermKind {
        let word = self.source(node);
        let variable = camel_case(word);
        let words = self.words();
        if words.is_declaration
            || foreign_constant(word).is_some()
            || word == "now"
            || word.contains('.')
            || is_control(word)
        {
            return self.bare_name(node, range);
        }
        if words.variables.contains_key(variable.as_str()) {
            self.odd.lowercase.push((word, range));
            return TermKind::Variable(Symbol::new(&variable));
        }
        if words.bare.get(word).is_some_and(|count| *count > 1) || is_short(word) {
            return self.bare_name(node, range);
        }
        self.odd.unclear.push((word, range));
        self.holes = true;
        TermKind::Broken
    }

    /// Reports `T >= now`.
    fn now_as_value(&mut self, range: TextRange) -> TermKind {
        let call = "fn:time:now()";
        let finding =
            Finding::new(&rules::TEMPORAL_LITERAL_AS_TERM, range, "`now` is outside of an interval")
                .note("the engine reads `now` only inside of `@[…]`")
                .note("times are compared by `:time:lt`, `:time:le`, `:time:gt` and `:time:ge`");
        self.soft(finding.fix(Fix::guess(format!("write `{call}`")).replace(range, call)));
        TermKind::Broken
    }

    /// True if `let` precedes a node. Does not ask the node for its parent, because that lookup
    /// starts at the root, which is as deep as the nesting.
    fn follows_let(&self, node: Node<'t>) -> bool {
        let before = self.text.get(..node.start_byte()).unwrap_or("").trim_ascii_end();
        let rest = before.strip_suffix("let");
        rest.is_some_and(|rest| !rest.ends_with(|last: char| last.is_ascii_alphanumeric() || last == '_'))
    }

    fn bare_name_in_declaration(&mut self, word: &str, range: TextRange) -> TermKind {
        let variable = camel_case(word);
        let fix = Fix::guess(format!("write `/{word}`")).insert(range.start(), "/");
        let note = format!(
            "types and names start with `/`, variables with a capital (`{variable}`); text is quoted"
        );
        self.soft(Finding::new(&rules::LOWERCASE_VARIABLE, range, not_a_value(word)).note(note).fix(fix));
        TermKind::Broken
    }

    /// Reports `true` and `null` as terms, and `True` and `None`, which are variables to the
    /// engine, if they occur once in a clause.
    pub(super) fn foreign_constant(&mut self, word: &str, meant: &str, range: TextRange) -> TermKind {
        self.holes = true;
        if meant == "/null" {
            // The equivalent depends on the conventions of the program: a comparison with an unused
            // value would hold always, or never.
            let finding =
                Finding::new(&rules::FOREIGN_CONSTANT, range, format!("`{word}` is not a value of Mangle"))
                    .note("what is unknown is expressed by the absence of a fact")
                    .help("omit the fact, or choose a name such as `/none` for it");
            self.soft(finding);
            return TermKind::Broken;
        }
        let fix = self.guarded(Fix::guess(format!("write `{meant}`")).replace(range, meant), range);
        let finding =
            Finding::new(&rules::FOREIGN_CONSTANT, range, format!("`{word}` is not a value of Mangle"))
                .note(format!("by convention the name `{meant}` represents it"));
        self.soft(finding.fix(fix));
        TermKind::Broken
    }

    /// Adds a blank after a name that would absorb a period.
    fn guarded(&self, mut fix: Fix, range: TextRange) -> Fix {
        let next = self.byte(self.base + usize::from(range.end()));
        if let (Some(b'.'), Some(edit)) = (next, fix.edits.last_mut()) {
            edit.text.push(' ');
        }
        fix
    }

    /// The constant that a variable such as `True` or `None` of Python probably means.
    pub(super) fn capital_constant(&mut self, word: &str) -> Option<&'static str> {
        let meant = foreign_constant(word)?;
        let words = self.words();
        let once = words.variables.get(word) == Some(&1);
        (once && !words.is_declaration).then_some(meant)
    }

    pub(super) fn missing_parens(&mut self, name: Name) {
        let word = self.slice(name.range);
        if has_known_root(word) {
            self.odd.paths.push((word, name.range));
            self.holes = true;
            return;
        }
        if word == "nl" && self.words().is_rule {
            let finding = Finding::new(&rules::FOREIGN_CONTROL, name.range, "Mangle has no command `nl`");
            let finding = finding.note("a rule derives facts and has no other effect");
            self.soft(finding.help("remove the premise"));
            self.holes = true;
            return;
        }
        self.odd.bare_atoms.push(name);
    }

    /// Reports the invalid words.
    pub(super) fn report_odd_words(&mut self) {
        let odd = std::mem::take(&mut self.odd);
        self.report_underscores(&odd.underscored);
        self.report_lowercase(&odd.lowercase);
        self.report_unmarked(&odd.unmarked);
        self.report_unclear(&odd.unclear);
        self.report_paths(&odd.paths);
        self.report_control(&odd.control);
        self.report_bare_atoms(&odd.bare_atoms);
    }

    /// Reports one finding per variable. Its fix renames all occurrences in the statement.
    fn report_underscores(&mut self, all: &[WordPlace<'c>]) {
        let mut places: FxHashMap<&str, Vec<TextRange>> = FxHashMap::default();
        for (word, range) in all {
            places.entry(word).or_default().push(*range);
        }
        for &(word, range) in all {
            // The first occurrence has the finding.
            let Some(places) = places.remove(word) else { continue };
            let ignored = word.starts_with('_') && places.len() == 1 && self.words().is_rule;
            let name = if ignored { "_".to_owned() } else { self.unused(camel_case(word)) };
            let fix = Fix::guess(format!("rename to `{name}`"));
            let fix = places.iter().fold(fix, |fix, place| fix.replace(*place, name.as_str()));
            let message = format!("variable `{}` contains an underscore", shorten(word));
            let note = if ignored {
                "the engine rejects it; an unused value is written `_`"
            } else {
                "the engine rejects it; variables consist of letters and digits"
            };
            self.soft(Finding::new(&rules::UNDERSCORE_IN_VARIABLE, range, message).note(note).fix(fix));
        }
    }

    /// Returns `name`, or the first of `name2`, `name3`, … that is not a variable of the statement.
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
        let fix = Fix::guess("start the variables with a capital letter");
        let fix = all.iter().fold(fix, |fix, (word, place)| fix.replace(*place, camel_case(word)));
        let message = format!("variable `{}` starts with a lower-case letter", shorten(word));
        let finding = Finding::new(&rules::LOWERCASE_VARIABLE, range, message);
        self.soft(finding.note("the engine reads a lower-case word as a predicate").fix(fix));
    }

    fn report_unmarked(&mut self, all: &[WordPlace<'c>]) {
        let Some(&(word, range)) = all.first() else { return };
        let title = match all {
            [_] => format!("write `/{word}`"),
            _ => "start the names with a slash".to_owned(),
        };
        let mut fix = Fix::guess(title);
        for (word, place) in all {
            fix = self.guarded(fix.replace(*place, format!("/{}", word.trim_start_matches(':'))), *place);
        }
        let finding =
            Finding::new(&rules::LOWERCASE_VARIABLE, range, not_a_value(word)).note(start_of_values(word));
        // A missing word cannot be rewritten.
        let is_there = all.iter().all(|(word, _)| !word.is_empty());
        self.soft(if is_there { finding.fix(fix) } else { finding });
    }

    /// Reports words without a fix, because each has several readings.
    fn report_unclear(&mut self, all: &[WordPlace<'c>]) {
        let Some(&(word, range)) = all.first() else { return };
        let finding = Finding::new(&rules::LOWERCASE_VARIABLE, range, not_a_value(word));
        self.soft(if is_type(word) {
            finding
                .note("no premise tests the type of a value")
                .help("state the type of the argument in the `bound […]` of its `Decl`")
        } else {
            finding
                .note(start_of_values(word))
                .help("write a variable that a premise binds, a name or a string")
        });
    }

    /// Reports `else := false`.
    fn report_control(&mut self, all: &[WordPlace<'c>]) {
        let Some(&(word, range)) = all.first() else { return };
        let finding = Finding::new(&rules::FOREIGN_WORD, range, format!("Mangle has no word `{word}`"));
        self.soft(finding.note(CASES_ARE_RULES).help("write one rule for each case"));
    }

    /// Reports one finding for all paths of a statement.
    fn report_paths(&mut self, all: &[WordPlace<'c>]) {
        let Some(&(word, range)) = all.first() else { return };
        let finding = Finding::new(&rules::FOREIGN_WORD, range, no_field_access(word));
        self.soft(finding.note(path_note(word)).help(BIND_BY_PREMISE));
    }

    fn report_bare_atoms(&mut self, all: &[Name]) {
        let Some(first) = all.first() else { return };
        let fix = Fix::safe("add `()`");
        let fix = all.iter().fold(fix, |fix, name| fix.insert(name.range.end(), "()"));
        let shown = shorten(self.slice(first.range));
        let message = match all {
            [_] => format!("atom `{shown}` has no parentheses"),
            _ => format!("`{shown}` and {} more atoms have no parentheses", all.len() - 1),
        };
        let finding = Finding::new(&rules::MISSING_PARENS, first.range, message);
        self.soft(finding.note("the engine expects them even without arguments").fix(fix));
    }
}

/// The headline for a lower-case word in the position of a value. `word` is empty if it is missing.
fn not_a_value(word: &str) -> String {
    if word.is_empty() { "missing value".to_owned() } else { format!("`{}` is not a value", shorten(word)) }
}

/// The note about a lower-case word.
fn start_of_values(word: &str) -> String {
    let variable = camel_case(word);
    format!("names start with `/`, variables with a capital (`{variable}`); text is quoted")
}

/// The meaning of `true`, `False` or `null`.
fn foreign_constant(word: &str) -> Option<&'static str> {
    Some(match word {
        "true" | "True" | "TRUE" => "/true",
        "false" | "False" | "FALSE" => "/false",
        "null" | "nil" | "none" | "undefined" | "None" | "NULL" | "Null" | "Nil" | "NIL" => "/null",
        _ => return None,
    })
}

/// True for a Python type, which is not a name.
fn is_type(word: &str) -> bool {
    matches!(word, "str" | "int" | "float" | "bool" | "list" | "dict" | "set" | "tuple")
}

/// True for `x`, `y1`, which are unlikely names of objects.
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
