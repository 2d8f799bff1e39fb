//! Quantifiers and loops over collections: `some X in L`, `every x in xs { … }`, `for x in xs`, and
//! declarations with `some`.

use std::ops::Range;

use super::hit::{ForeignConstruct, Hits};
use super::region::{Region, without_premise};
use super::token::LexemeKind;
use crate::syntax::lower::{camel_case, shorten};
use crate::syntax::rules;

/// The Mangle equivalent of iterating over a collection.
const RANGES_OVER: &str = "a premise `p(X)` ranges over facts, `:list:member(X, L)` over a list";

/// The Mangle equivalent of a test for all elements.
const COUNTEREXAMPLE: &str = "a negated helper rule finds a counterexample, as in `!has_counterexample(L)`";

pub(super) fn habits(region: &Region<'_>, hits: &mut Hits) {
    let Some(arrow) = region.arrow() else { return };
    let end = region.top_level(arrow + 1, |token| token.is("|>")).unwrap_or_else(|| region.stop());
    for at in arrow + 1..end {
        let starts = matches!(region.before(at), ":-" | "⟸" | ",");
        let is_top = region.token(at).is_some_and(|token| token.depth == 0);
        if !(starts && is_top && matches!(region.at(at), "some" | "every" | "any" | "each" | "for")) {
            continue;
        }
        if let Some(hit) = (Quantifier { region, at, end }).hit() {
            hits.add(hit);
        }
    }
}

/// A quantifier at the start of a premise.
struct Quantifier<'r, 't> {
    region: &'r Region<'t>,
    at: usize,
    /// The end of the body.
    end: usize,
}

impl Quantifier<'_, '_> {
    fn hit(&self) -> Option<ForeignConstruct> {
        let region = self.region;
        let variables = self.variables();
        let last = *variables.last()?;
        if region.at(last + 1) == "in" {
            return self.over(&variables, last + 1);
        }
        let ends = last + 1 >= self.end || matches!(region.at(last + 1), "," | ";");
        if region.at(self.at) != "some" || !ends {
            return None;
        }
        let hit = ForeignConstruct::new(
            &rules::FOREIGN_WORD,
            region.token(self.at)?.range(),
            "`some` is a keyword of Rego",
        )
        .note("a variable needs no declaration");
        let hit = hit.change(without_premise(region, &(self.at..last + 1))?).title("delete the declaration");
        Some(self.renamed(hit, &variables, &(self.at..last + 1)).guess())
    }

    /// The indices of the variables after the keyword.
    fn variables(&self) -> Vec<usize> {
        let region = self.region;
        let is_variable = |at: usize| match region.kind(at) {
            Some(LexemeKind::Variable) => true,
            Some(LexemeKind::Word) => !region.is_atom(at) && !region.at(at).contains([':', '.']),
            _ => false,
        };
        let mut all = Vec::new();
        let mut at = self.at + 1;
        while is_variable(at) {
            all.push(at);
            let goes_on = region.at(at + 1) == "," && is_variable(at + 2) && !self.compares(at + 3);
            if !goes_on {
                break;
            }
            at += 2;
        }
        all
    }

    /// True if the token at `at` shows that the previous word belongs to another premise.
    fn compares(&self, at: usize) -> bool {
        !matches!(self.region.at(at), "," | "in" | "." | ";" | "")
    }

    /// Matches `some X in L`.
    fn over(&self, variables: &[usize], word: usize) -> Option<ForeignConstruct> {
        let region = self.region;
        let last = region.top_level(word, |token| token.is(",")).unwrap_or(self.end).min(self.end);
        let quantifier = region.at(self.at);
        let headline = match quantifier {
            "some" | "every" => format!("`{quantifier} … in` is a quantifier of Rego"),
            _ => format!("Mangle has no loop `{quantifier} … in`"),
        };
        let note =
            if matches!(quantifier, "some" | "any" | "for" | "each") { RANGES_OVER } else { COUNTEREXAMPLE };
        let hit =
            ForeignConstruct::new(&rules::FOREIGN_WORD, region.token(self.at)?.range(), headline).note(note);
        let phrase = self.at..last;
        let list =
            region.token(word + 1).filter(|list| list.kind == LexemeKind::Variable && word + 2 == last);
        let hit = match (quantifier, variables, list) {
            ("some", [variable], Some(list)) => {
                let call = format!(":list:member({}, {})", camel(region, *variable), list.text);
                let title = format!("write `{}`", shorten(&call));
                hit.replace(region.range(phrase.clone()), call).title(title)
            }
            ("some", ..) => hit
                .help("bind the collection to a variable, or use a premise with one fact for each element")
                .read_as(without_premise(region, &phrase)?),
            ("every", ..) => hit
                .help("write a helper rule for an element that fails, and negate its head")
                .read_as(without_premise(region, &phrase)?),
            _ => hit
                .help("write a premise with the variable; a rule applies to all its solutions")
                .read_as(without_premise(region, &phrase)?),
        };
        Some(self.renamed(hit, variables, &phrase).guess())
    }

    /// Renames lower-case variables at all other occurrences to start with a capital letter.
    fn renamed(&self, hit: ForeignConstruct, variables: &[usize], phrase: &Range<usize>) -> ForeignConstruct {
        let region = self.region;
        let is_declared = |at: usize| variables.iter().any(|variable| region.at(*variable) == region.at(at));
        let is_use = |at: &usize| {
            !phrase.contains(at)
                && region.kind(*at) == Some(LexemeKind::Word)
                && !region.is_atom(*at)
                && is_declared(*at)
        };
        let is_fix = hit.fix().is_some();
        (0..region.tokens.len()).filter(is_use).filter_map(|at| region.token(at)).fold(hit, |hit, token| {
            let variable = camel_case(token.text);
            if is_fix { hit.replace(token.range(), variable) } else { hit.read(token.range(), variable) }
        })
    }
}

fn camel(region: &Region<'_>, at: usize) -> String {
    match region.kind(at) {
        Some(LexemeKind::Word) => camel_case(region.at(at)),
        _ => region.at(at).to_owned(),
    }
}
