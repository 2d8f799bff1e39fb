//! Matching of texts against expressions, by sets of end positions.

use std::collections::BTreeSet;

use crate::expr::Expr;

impl Expr {
    /// True if the set contains the text. Time: at most the length of the text for each node of the
    /// expression.
    #[must_use]
    pub fn accepts(&self, text: &str) -> bool {
        self.ends(text, &BTreeSet::from([0])).contains(&text.len())
    }

    /// The end positions of matches that start at the given positions.
    fn ends(&self, text: &str, starts: &BTreeSet<usize>) -> BTreeSet<usize> {
        let after = |start: &usize| text.get(*start..).unwrap_or_default();
        match self {
            _ if starts.is_empty() => BTreeSet::new(),
            Self::Literal(literal) => {
                let here = starts.iter().filter(|start| after(start).starts_with(literal.as_str()));
                here.map(|start| start + literal.len()).collect()
            }
            Self::Class(class) => {
                let next = starts.iter().filter_map(|start| Some((start, after(start).chars().next()?)));
                let fits = next.filter(|(_, char)| class.contains(*char));
                fits.map(|(start, char)| start + char.len_utf8()).collect()
            }
            Self::Sequence(parts) => {
                parts.iter().fold(starts.clone(), |starts, part| part.ends(text, &starts))
            }
            Self::Choice(parts) => parts.iter().flat_map(|part| part.ends(text, starts)).collect(),
            Self::Repeat(part, least, most) => repeated(part, (*least, *most), text, starts),
            Self::Rule(rule) => rule.body.ends(text, starts),
        }
    }
}

fn repeated(part: &Expr, (least, most): (u32, u32), text: &str, starts: &BTreeSet<usize>) -> BTreeSet<usize> {
    let mut ends = if least == 0 { starts.clone() } else { BTreeSet::new() };
    let mut current = starts.clone();
    for count in 1..=most {
        current = part.ends(text, &current);
        if count >= least {
            // A position that was reached with fewer repetitions has already been continued.
            current.retain(|end| ends.insert(*end) || count <= least);
        }
        if current.is_empty() {
            break;
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::CharClass;

    #[test]
    fn repetitions_are_counted() {
        let letters = Expr::Class(CharClass::chars("ab")).repeat(1, 3);
        let list = Expr::Sequence(vec![
            letters.clone(),
            Expr::Sequence(vec![Expr::literal(","), letters]).repeat(0, 2),
        ]);
        for text in ["a", "ab,b", "aba,a,bbb"] {
            assert!(list.accepts(text), "{text}");
        }
        for text in ["", "a,", "abab", "a,b,a,b", "c", "a,b "] {
            assert!(!list.accepts(text), "{text}");
        }
        let pairs = Expr::Choice(vec![Expr::literal("a"), Expr::literal("aa")]).repeat(2, 3);
        let accepted: Vec<_> = (0..8).filter(|count| pairs.accepts(&"a".repeat(*count))).collect();
        assert_eq!(accepted, [2, 3, 4, 5, 6]);
    }
}
