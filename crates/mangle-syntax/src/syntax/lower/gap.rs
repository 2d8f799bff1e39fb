//! Classification of the context of a missing comma or period: evident or ambiguous.

use super::Lower;
use crate::syntax::foreign::{Lexeme, LexemeKind, tokens};
use crate::syntax::lower::Gap;
use crate::text::TextSize;

/// Maximum length of the text after a position to inspect.
const AHEAD: usize = 400;

const COMPARISONS: [&str; 6] = ["=", "!=", "<", "<=", ">", ">="];
const NEGATIONS: [&str; 4] = ["!", "not", "\\+", "~"];

impl<'c> Lower<'c, '_> {
    /// The context of `at`.
    pub(super) fn gap(&self, at: TextSize) -> Gap {
        let (before, behind) = (tokens(self.before_place(at)), tokens(self.behind_place(at)));
        let (Some(left), Some(right)) = (before.last(), behind.first()) else { return Gap::Unclear };
        let next = behind.get(1);
        let is_call = is_call(right, next);
        let is_bare = right.kind == LexemeKind::Word && !is_call && !NEGATIONS.contains(&right.text);
        if left.kind == LexemeKind::Word || is_bare {
            return Gap::Words;
        }
        let closes = matches!(left.text, ")" | "]" | "}");
        let opens = matches!(left.text, "(" | "[" | "{");
        if left.depth + u32::from(opens) > 0 {
            let starts = matches!(right.text, "[" | "{") || is_call;
            return if closes && starts { Gap::Evident } else { Gap::Unclear };
        }
        let compares = right.is_operand() && next.is_some_and(|next| COMPARISONS.contains(&next.text));
        let starts = is_call || compares || NEGATIONS.contains(&right.text);
        if starts && (closes || right.first) { Gap::Evident } else { Gap::Unclear }
    }

    /// True if a statement without its period can continue after `at`: the next text starts no
    /// statement. For a rule, the next text can also resemble both a fact and a premise.
    pub(super) fn may_go_on(&self, at: TextSize) -> bool {
        let rest = self.behind_place(at);
        let code = rest.trim_start();
        let blank = rest.get(..rest.len() - code.len()).unwrap_or("");
        let is_comment = ["#", "//", "/*", "%", "--"].iter().any(|sign| code.starts_with(sign));
        if code.is_empty() || is_comment || blank.matches('\n').count() > 1 {
            return false;
        }
        let behind = tokens(code);
        let (Some(first), next) = (behind.first(), behind.get(1)) else { return false };
        let is_keyword = matches!(first.text, "Decl" | "Package" | "Use");
        let is_head = is_call(first, next) || next.is_some_and(|next| matches!(next.text, ":-" | "⟸" | "."));
        if !blank.contains('\n') || !(is_keyword || is_head) {
            return true;
        }
        let is_rule = tokens(self.before_place(at)).iter().any(|token| matches!(token.text, ":-" | "⟸"));
        let end = behind.iter().skip(2).position(|token| token.is(")") && token.depth == first.depth);
        let stop = end.and_then(|end| behind.get(end + 3));
        is_rule && !is_keyword && stop.is_some_and(|stop| matches!(stop.text, "." | ","))
    }

    fn before_place(&self, at: TextSize) -> &'c str {
        self.text.get(self.base..self.base + usize::from(at)).unwrap_or("")
    }

    fn behind_place(&self, at: TextSize) -> &'c str {
        let start = self.base + usize::from(at);
        let mut end = self.text.len().min(start + AHEAD);
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        self.text.get(start..end).unwrap_or("")
    }
}

/// True if a word has a parenthesis.
fn is_call(word: &Lexeme<'_>, next: Option<&Lexeme<'_>>) -> bool {
    word.kind == LexemeKind::Word && next.is_some_and(|next| next.is("(") && next.glued)
}
