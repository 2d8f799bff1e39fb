//! `[[program]]`: a set of files that is analyzed together, and the runtime of these files.

use toml_span::value::Table;

use super::Globs;
use super::ProgramRanges;
use super::declare::settings;
use super::keys::Kind;
use super::kinds::{Entry, Text};
use super::value::{KeyPath, Reader, ValueError, first_line, shorten};
use mangle_syntax::text::{Symbol, TextRange};

settings! {
    /// One `[[program]]`.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ProgramSettings("program") {
        /// The name of the program in output. Default: the folder name.
        name: Option<String>;
        /// The files of the program. Hidden files, git-ignored files, and folders with their own
        /// configuration are always excluded.
        include: Globs = ["**/*.mg", "**/*.gl"];
        /// Files to exclude from `include`.
        exclude: Globs;
        /// Files that codeNERD preprocesses: it removes lines that start with `TAXONOMY:`, `INTENT:` or
        /// `PROMPT:`. Elsewhere, such lines are errors.
        hybrid: Globs;
        /// Predicates that the host program supplies, for example `"now/1"` (name and arity). They are
        /// treated as declared and defined.
        host_predicates: Vec<(Symbol, u16)> as Vec<Predicate>;
    }
}

impl ProgramSettings {
    /// True if the program contains the file at `path`, which is relative to the configuration file
    /// and uses `/`.
    #[must_use]
    pub fn includes(&self, path: &str) -> bool {
        self.include.matches(path) && !self.exclude.matches(path)
    }

    /// [`ProgramSettings::includes`] for a file with an extension from `[files] extensions`. The
    /// default `include` also accepts such files.
    #[must_use]
    pub fn includes_added(&self, path: &str) -> bool {
        let is_default = self.include == Self::default().include;
        (is_default || self.include.matches(path)) && !self.exclude.matches(path)
    }
}

impl Entry for ProgramSettings {
    const ONE: &'static str = "a program";

    fn entry(reader: &mut Reader<'_>, table: Table<'_>, start: TextRange, others: &[Self]) -> Option<Self> {
        let start = table.get("include").map_or(start, |include| first_line(reader.text, include.span));
        let program: Self = reader.read_table(table);
        for (name, span) in reader.take_notes("program.name") {
            if others.iter().any(|other| other.name.as_ref() == Some(&name)) {
                let error = ValueError::new(format!("second program with the name `{}`", shorten(&name)));
                reader.questionable_value(span, error.note("output cannot distinguish the two programs"));
            }
        }
        let (include, hybrid) = (reader.take_places("program.include"), reader.take_places("program.hybrid"));
        reader.programs.push(ProgramRanges { start, include, hybrid });
        Some(program)
    }
}

/// A predicate with its arity: `now/1`.
pub(super) enum Predicate {}

impl Text for Predicate {
    type Value = (Symbol, u16);

    const LIST: Kind = Kind::Predicates;

    fn parse(text: &str, _: KeyPath) -> Result<(Symbol, u16), ValueError> {
        host_predicate(text).ok_or_else(|| {
            ValueError::new(format!("`{}` is not a predicate with its arity", shorten(text)))
                .help("write its name and its number of arguments, as in `now/1`")
        })
    }

    fn print(value: &Self::Value) -> String {
        let (name, arity) = value;
        format!("{name}/{arity}")
    }
}

/// Parses `name/arity`.
fn host_predicate(word: &str) -> Option<(Symbol, u16)> {
    let (name, arity) = word.split_once('/')?;
    let arity = arity.parse().ok()?;
    let rest_fits =
        |rest: &str| rest.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.' || c == ':');
    let starts_well = name.starts_with(char::is_lowercase);
    (starts_well && rest_fits(name)).then(|| (Symbol::new(name), arity))
}
