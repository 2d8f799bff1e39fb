//! Statements of Rego, and the statements of Cedar, Python and SQL that [`Foreign`] recognizes.
//!
//! Examples of Rego: `default allow := false`, `deny[msg] { … }`, `deny contains msg if
//! request(U)`.

use std::ops::Range;

use super::region::Region;
use super::statement_kind::Foreign;
use super::statements::as_comment;
use super::token::LexemeKind;
use super::{ForeignConstruct, Hits, TO_COMMENT};
use crate::syntax::lower::shorten;
use crate::syntax::rules;

pub(super) fn habits(region: &Region<'_>, hits: &mut Hits) {
    let Some(foreign) = Foreign::parse(&region.tokens) else { return };
    let whole = 0..region.text.len();
    let line = region.text.lines().next().map_or(0, |line| line.trim_end().len());
    let hit = match foreign {
        Foreign::Default => directive(region, "default", "a fact that no rule derives is false by default"),
        Foreign::Import => directive(region, "import", "all built-ins of Mangle are always available"),
        // The intended keyword is `Package`, which the recognizer of keywords reports.
        Foreign::Package => return,
        Foreign::Rule(rule) => {
            let note = rule_note(region, rule.argument);
            ForeignConstruct::new(&rules::FOREIGN_RULE, 0..line, "rule in the notation of Rego").note(note)
        }
        Foreign::Select => {
            ForeignConstruct::new(&rules::FOREIGN_RULE, 0..line, QUERY_OF_SQL).note(QUERY_IS_A_RULE)
        }
        Foreign::Command => command(region),
        Foreign::Cedar(effect) => cedar(region, effect, line),
        Foreign::Python => {
            ForeignConstruct::new(&rules::FOREIGN_RULE, 0..line, "statement in the notation of Python")
                .note(python_note(region.at(0)))
                .help(match region.at(0) {
                    "import" | "from" => "delete the statement",
                    "class" => "declare a predicate with one argument for each field",
                    _ => "write the result before `:-`, the conditions after it, and a full stop",
                })
        }
        Foreign::Conditional => {
            ForeignConstruct::new(&rules::FOREIGN_RULE, 0..line, "Mangle has no statement `if … then`")
                .note("a rule of Mangle is written `head :- premise, premise.`")
                .help("write the result before `:-`, the conditions after it, and a full stop")
        }
        Foreign::GrammarRule => {
            ForeignConstruct::new(&rules::FOREIGN_RULE, 0..line, "grammar rule in the notation of Prolog")
                .note("a program derives facts and parses no text")
                .help("let the program that embeds the engine parse the text and add facts")
        }
        Foreign::Assignment => {
            let headline = format!("Mangle has no assignment `{} = …`", shorten(region.at(0)));
            ForeignConstruct::new(&rules::FOREIGN_RULE, 0..line, headline)
                .note("a program consists of facts and rules; only a premise binds a variable")
                .help("write one fact for each value")
        }
    };
    hits.add(hit.read(whole, ""));
}

/// The headline about `SELECT`.
pub(super) const QUERY_OF_SQL: &str = "query in the notation of SQL";

/// The Mangle equivalent of a query.
pub(super) const QUERY_IS_A_RULE: &str =
    "a rule of Mangle derives the result, as in `result(X) :- table(X, Y), Y > 1.`";

/// Matches `INSERT INTO t VALUES (1)`.
fn command(region: &Region<'_>) -> ForeignConstruct {
    let words = region.range(0..2);
    let headline = format!("`{}` is a command of SQL", region.slice(words.clone()));
    let hit = ForeignConstruct::new(&rules::FOREIGN_RULE, words, headline);
    match region.at(0).to_ascii_lowercase().as_str() {
        "insert" => hit.note("each row of a table is a fact").help("write one fact for each row"),
        "create" if region.tokens.iter().any(|token| token.text.eq_ignore_ascii_case("select")) => {
            hit.note(QUERY_IS_A_RULE).help("write a rule whose head is the view")
        }
        "create" => hit
            .note("a table is a predicate, and its columns are arguments")
            .help("declare the predicate with `Decl` and its types with `bound […]`"),
        _ => hit.note("a program states facts and rules; no statement changes a fact"),
    }
}

/// Matches `permit(principal, action, resource) when { … };`.
fn cedar(region: &Region<'_>, effect: usize, line: usize) -> ForeignConstruct {
    let word = region.at(effect);
    let note = format!("a rule of Mangle is written `{word}(…) :- …, ….`, with commas between the premises");
    let help = match word {
        "permit" => "write attributes as arguments of predicates, and `unless` as negated premises",
        _ => "derive the forbidden cases with a rule, and negate its head in the rules that permit",
    };
    ForeignConstruct::new(&rules::FOREIGN_RULE, 0..line, "policy in the notation of Cedar")
        .note(note)
        .help(help)
}

/// The Mangle equivalent of a Python statement.
fn python_note(word: &str) -> &'static str {
    match word {
        "import" | "from" => "all built-ins of Mangle are always available",
        "def" | "async" | "return" => {
            "a rule takes the place of a function; its result is one of its arguments"
        }
        "class" => "a predicate takes the place of a class; its arguments are the fields",
        "for" | "while" => "a rule applies to all facts that match its premises, without a loop",
        _ => "a rule of Mangle is written `head :- premise, premise.`",
    }
}

fn directive(region: &Region<'_>, keyword: &str, note: &str) -> ForeignConstruct {
    let whole = 0..region.text.len();
    let end = region.token(1).map_or(whole.end, |token| token.end);
    let headline = format!("`{keyword}` is a keyword of Rego");
    let hit = ForeignConstruct::new(&rules::FOREIGN_DIRECTIVE, 0..end, headline).note(note);
    hit.fix_with(whole, as_comment(region.text)).title(TO_COMMENT).guess()
}

/// The start of the equivalent Mangle rule.
fn rule_note(region: &Region<'_>, argument: Option<Range<usize>>) -> String {
    let argument = argument.map_or_else(String::new, |tokens| head_argument(region, tokens));
    format!(
        "a rule of Mangle is written `{}({argument}) :- …, ….`, with commas between the premises",
        region.at(0)
    )
}

/// The values that a Rego head collects, as a Mangle argument. `…` for more than one value.
fn head_argument(region: &Region<'_>, tokens: Range<usize>) -> String {
    if tokens.is_empty() {
        return String::new();
    }
    match region.kind(tokens.start).filter(|_| tokens.len() == 1) {
        Some(LexemeKind::Text) => region.at(tokens.start).to_owned(),
        Some(_) => capitalised(region.at(tokens.start)),
        None => "…".to_owned(),
    }
}

/// Converts a name to a Mangle variable.
fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
