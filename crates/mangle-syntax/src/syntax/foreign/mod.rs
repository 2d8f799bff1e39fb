//! The habits of other languages: what somebody wrote who came from Prolog, Soufflé, SQL, Python or an
//! old manual, and what it means in Mangle.
//!
//! Takes the text of one statement that could not be read ([`Region`]); gives [`Hit`]s: which habit,
//! where, how to read it, how to mend it. Works on words and signs, not on the tree, since there is
//! none to rely on. Whether a reading is right is found out by parsing it; see `mend`.

mod aggregates;
mod arithmetic;
mod declarations;
mod disjunction;
mod functions;
mod hit;
mod lists;
mod phrases;
mod premises;
mod region;
mod rego;
mod statement_kind;
mod statements;
mod terms;
mod token;

pub(super) use arithmetic::as_functions;
use hit::Hits;
pub(super) use hit::{HabitFix, Hit, RegionEdit, apply};
pub(super) use region::Region;
pub(super) use token::{Lexeme, LexemeKind, tokens};

/// What is said of a query.
pub(super) const NO_QUERY: &str = "A file cannot ask a query; it holds declarations, facts and rules only.";

/// The recognisers in the order in which they are asked: the first one to claim a place has it.
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
    statements::pipes,
    aggregates::habits,
    premises::negation,
    phrases::habits,
    premises::groups,
    premises::conjunction,
    premises::control,
    premises::comparison,
    disjunction::habits,
    terms::variables,
    terms::literals,
    terms::names,
    lists::habits,
    arithmetic::habits,
    terms::words,
    statements::commas,
    statements::ends,
];

/// The habits in a statement, in the order of the text. None changes what another one changes.
pub(super) fn habits(region: &Region<'_>) -> Vec<Hit> {
    let mut hits = Hits::default();
    for recogniser in RECOGNISERS {
        recogniser(region, &mut hits);
    }
    hits.0.sort_by_key(|hit| (hit.range.start, hit.range.end));
    hits.0
}
