//! Recognition of foreign syntax: constructs from Prolog, Soufflé, SQL, Python, Rego or outdated
//! manuals, with their Mangle equivalents.
//!
//! The module takes the text of one statement with syntax errors ([`Region`]). It returns
//! a
//! [`ForeignConstruct`]: the construct, its range, its reading as Mangle, and its fix.
//!
//! Recognizers work on tokens, because a reliable tree does not exist. A reading is verified by
//! parsing it; see `recover`.

mod aggregates;
mod arithmetic;
mod arrow;
mod constructs;
mod declarations;
mod disjunction;
mod functions;
mod group_by;
mod hit;
mod lists;
mod membership;
mod paths;
mod phrases;
mod premises;
mod quantifiers;
mod reducers;
mod region;
mod rego;
mod sql;
mod statement_kind;
mod statement_start;
mod statements;
mod terms;
mod times;
mod token;

pub(super) use arithmetic::{as_functions, no_infix};
pub(super) use arrow::arrow_note;
pub(super) use declarations::{TYPES_FOLLOW, typed_argument};
pub(super) use functions::value_advice;
use hit::Hits;
pub(super) use hit::{ForeignConstruct, HabitFix, RegionEdit, apply};
pub(super) use lists::{MATCH_CONS, NO_LIST_PATTERN};
pub(super) use paths::{BIND_BY_PREMISE, has_known_root, no_field_access, path_note};
pub(super) use phrases::{CASES_ARE_RULES, is_control};
pub(super) use premises::{NEGATION_SIGN, does_not_negate, only_atoms_are_negated};
pub(super) use region::Region;
pub(super) use token::{Lexeme, LexemeKind, tokens};

/// The headline about a query.
pub(super) const NO_QUERY: &str = "query in a file";

/// The reason that a query is an error.
pub(super) const IN_A_FILE: &str = "the engine accepts only declarations, facts and rules in a file";

/// The note about alternatives.
pub(super) const NO_DISJUNCTION: &str = "alternatives are separate rules with the same head";

/// The note about null and similar values.
const ABSENCE: &str = "what is unknown is expressed by the absence of a fact";

/// The title of the fix for text that is not code.
const TO_COMMENT: &str = "turn it into a comment";

/// The recognizers in order of priority: the first one that matches a position wins.
const RECOGNISERS: &[fn(&Region<'_>, &mut Hits)] = &[
    terms::lookalikes,
    statements::comments,
    rego::habits,
    statements::prose,
    statements::directives,
    statements::question,
    declarations::habits,
    statements::keywords,
    statements::markup,
    statements::arrows,
    statements::early_lets,
    statements::pipes,
    aggregates::habits,
    constructs::habits,
    quantifiers::habits,
    membership::habits,
    paths::habits,
    premises::negation,
    phrases::habits,
    premises::groups,
    premises::conjunction,
    premises::control,
    premises::comparison,
    disjunction::habits,
    terms::variables,
    times::habits,
    terms::literals,
    terms::names,
    lists::habits,
    arithmetic::habits,
    terms::words,
    statements::commas,
    statements::ends,
];

/// The foreign constructs in a statement, in text order. Their edits do not overlap.
pub(super) fn habits(region: &Region<'_>) -> Vec<ForeignConstruct> {
    let mut hits = Hits::default();
    for recogniser in RECOGNISERS {
        recogniser(region, &mut hits);
    }
    hits.0.sort_by_key(|hit| (hit.range.start, hit.range.end));
    hits.0
}
