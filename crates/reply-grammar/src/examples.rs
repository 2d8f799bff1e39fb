//! Short examples of a set that cover every alternative.

use crate::expr::{Expr, Rule, filler};

/// The maximum number of examples.
const MAX_EXAMPLES: usize = 2_000;

impl Expr {
    /// Short texts that cover every alternative, up to `MAX_EXAMPLES`. Rules that are `open` have a
    /// single text.
    #[must_use]
    pub fn examples(&self, open: &dyn Fn(&Rule) -> bool) -> Vec<String> {
        let mut found = match self {
            Self::Literal(text) => vec![text.clone()],
            Self::Class(class) => vec![filler(class, "").to_string()],
            Self::Sequence(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| part.examples(open)).collect();
                let count = parts.iter().map(Vec::len).max().unwrap_or(1);
                (0..count).map(|at| side_by_side(&parts, at)).collect()
            }
            Self::Choice(parts) => {
                let mut found = Vec::new();
                for part in parts.iter().take(MAX_EXAMPLES) {
                    if found.len() < MAX_EXAMPLES {
                        found.extend(part.examples(open));
                    }
                }
                found
            }
            Self::Repeat(_, _, 0) => vec![String::new()],
            Self::Repeat(part, least, _) => {
                let count = (*least).clamp(1, 100) as usize;
                let mut found: Vec<_> = part.examples(open).iter().map(|text| text.repeat(count)).collect();
                if *least == 0 {
                    found.push(String::new());
                }
                found
            }
            Self::Rule(rule) if open(rule) => vec![plain(&rule.body)],
            Self::Rule(rule) => rule.body.examples(open),
        };
        found.truncate(MAX_EXAMPLES);
        found
    }

    /// A text of the first alternatives without repetitions. If `has_optional`, includes optional
    /// parts.
    fn shortest(&self, has_optional: bool) -> String {
        match self {
            Self::Literal(text) => text.clone(),
            Self::Class(class) => filler(class, "").to_string(),
            Self::Sequence(parts) => parts.iter().map(|part| part.shortest(has_optional)).collect(),
            Self::Choice(parts) => parts.first().map(|part| part.shortest(has_optional)).unwrap_or_default(),
            Self::Repeat(part, 0, 1) if has_optional => part.shortest(has_optional),
            Self::Repeat(part, least, _) => part.shortest(has_optional).repeat((*least).min(100) as usize),
            Self::Rule(rule) => rule.body.shortest(has_optional),
        }
    }
}

/// The shortest text that contains an alphanumeric character, if possible.
fn plain(expr: &Expr) -> String {
    let shortest = expr.shortest(false);
    if shortest.contains(char::is_alphanumeric) { shortest } else { expr.shortest(true) }
}

/// Joins the elements at an index of several lists. Shorter lists are cycled.
fn side_by_side(parts: &[Vec<String>], at: usize) -> String {
    parts.iter().filter_map(|part| part.get(at.checked_rem(part.len())?)).map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::CharClass;

    #[test]
    fn every_alternative_occurs() {
        let names = Expr::Choice(vec![Expr::literal("a"), Expr::literal("b"), Expr::literal("c")]);
        let list = Expr::Sequence(vec![names, Expr::Class(CharClass::chars("x")).optional()]);
        assert_eq!(list.examples(&|_| false), ["ax", "b", "cx"]);
        let rule = Expr::terminal("list", list);
        assert_eq!(rule.examples(&|_| true), ["a"]);
        assert_eq!(rule.clone().repeat(2, 3).examples(&|_| true), ["aa"]);
        let quoted = Expr::terminal("text", Expr::Sequence(vec![Expr::literal("\""), rule.optional()]));
        assert_eq!(quoted.examples(&|_| true), ["\"ax"]);
    }
}
