//! Semantic tokens: the tokens of a file, classified by meaning for syntax highlighting.

use super::mention::{self, Entity, Mention, StatementPart};
use mangle_engine::program::FileSummary;
use mangle_syntax::syntax::{SourceFile, Token, TokenKind};
use mangle_syntax::text::{TextRange, TextSize};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SemanticToken {
    pub range: TextRange,
    pub kind: SemanticTokenKind,
    pub modifiers: Modifiers,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SemanticTokenKind {
    /// `# …`
    Comment,
    Keyword,
    /// An operator or separator of a clause.
    Operator,
    /// A string or byte string.
    String,
    /// A number, a timestamp or a duration.
    Number,
    Predicate,
    Function,
    Variable,
    /// A variable of a head or of a declared atom.
    Parameter,
    Name,
    /// A type or a type constructor.
    Type,
    Package,
    /// An atom of `descr […]`.
    Descriptor,
}

/// Modifiers of a token.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Modifiers {
    /// In a declaration.
    pub declaration: bool,
    /// In a head.
    pub definition: bool,
    /// Built into the engine.
    pub built_in: bool,
    /// Negated.
    pub negated: bool,
}

/// Returns the tokens that overlap `range`, in order. Brackets and other punctuation are omitted.
#[must_use]
pub fn semantic_tokens(source: &SourceFile, file: &FileSummary, range: TextRange) -> Vec<SemanticToken> {
    let mentions = mentions(file, range);
    let mut next = mentions.iter().peekable();
    let tokens = source.tokens(range).into_iter().filter_map(|token| {
        while next.next_if(|mention| mention.range.start() < token.range.start()).is_some() {}
        let mention = next.peek().filter(|mention| mention.range == token.range);
        mention.and_then(|mention| of_mention(mention)).or_else(|| of_token(token))
    });
    tokens.collect()
}

/// Returns the mentions in the statements of `range`, sorted by start.
fn mentions(file: &FileSummary, range: TextRange) -> Vec<Mention> {
    let mut mentions = Vec::new();
    let first = file.items.partition_point(|item| item.start + item.statement.len <= range.start());
    for item in file.items.iter().skip(first).take_while(|item| item.start < range.end()) {
        mention::each(item, &mut |mention| mentions.push(mention));
    }
    mentions.sort_unstable_by_key(|mention| mention.range.start());
    mentions
}

fn of_mention(mention: &Mention) -> Option<SemanticToken> {
    let plain = Modifiers {
        declaration: mention.part == StatementPart::Declared,
        definition: mention.part.is_head(),
        negated: mention.part == StatementPart::Negated,
        built_in: false,
    };
    let built_in = Modifiers { built_in: true, ..plain };
    let negation = Modifiers { negated: plain.negated, ..Modifiers::default() };
    let (kind, modifiers) = match mention.entity {
        Entity::Predicate(_) => (SemanticTokenKind::Predicate, plain),
        Entity::Builtin(_) => (SemanticTokenKind::Predicate, Modifiers { built_in: true, ..negation }),
        Entity::Function(_) => {
            (SemanticTokenKind::Function, Modifiers { built_in: true, ..Modifiers::default() })
        }
        Entity::Variable(_) | Entity::Wildcard if plain.declaration || plain.definition => (
            SemanticTokenKind::Parameter,
            Modifiers { declaration: plain.declaration, ..Modifiers::default() },
        ),
        Entity::Variable(_) | Entity::Wildcard => (SemanticTokenKind::Variable, Modifiers::default()),
        Entity::Name(_) => (SemanticTokenKind::Name, Modifiers::default()),
        Entity::Type(_) => (SemanticTokenKind::Type, Modifiers::default()),
        Entity::Constructor(_) => {
            (SemanticTokenKind::Type, Modifiers { built_in: true, ..Modifiers::default() })
        }
        Entity::Package(_) => (
            SemanticTokenKind::Package,
            Modifiers { declaration: mention.part == StatementPart::Package, ..Modifiers::default() },
        ),
        Entity::Descriptor(_) => (SemanticTokenKind::Descriptor, built_in),
    };
    Some(SemanticToken { range: mention.range, kind, modifiers })
}

/// Classifies a token without a mention: keywords, operators, and tokens in damaged code.
fn of_token(token: Token) -> Option<SemanticToken> {
    let kind = match token.kind {
        TokenKind::Comment => SemanticTokenKind::Comment,
        TokenKind::Keyword => SemanticTokenKind::Keyword,
        TokenKind::Operator | TokenKind::Arrow | TokenKind::Pipe | TokenKind::Bang | TokenKind::At => {
            SemanticTokenKind::Operator
        }
        TokenKind::String => SemanticTokenKind::String,
        TokenKind::Number | TokenKind::Time => SemanticTokenKind::Number,
        TokenKind::Identifier => SemanticTokenKind::Predicate,
        TokenKind::Variable => SemanticTokenKind::Variable,
        TokenKind::Constant => SemanticTokenKind::Name,
        TokenKind::TypeName => SemanticTokenKind::Type,
        TokenKind::Open
        | TokenKind::Close
        | TokenKind::Comma
        | TokenKind::Dot
        | TokenKind::Colon
        | TokenKind::Other => return None,
    };
    Some(SemanticToken { range: token.range, kind, modifiers: Modifiers::default() })
}

#[must_use]
pub fn whole(source: &SourceFile) -> TextRange {
    TextRange::new(TextSize::new(0), mangle_syntax::text::text_len(source.text()))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use super::*;
    use mangle_syntax::text::{FileId, size, slice};

    fn tokens(text: &str) -> Vec<SemanticToken> {
        let source = SourceFile::parse(text.into());
        semantic_tokens(&source, &FileSummary::new(FileId(0), &source), whole(&source))
    }

    #[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
    fn check(text: &str, expect: Expect) {
        let mut out = String::new();
        for SemanticToken { range, kind, modifiers } in tokens(text) {
            let Modifiers { declaration, definition, built_in, negated } = modifiers;
            let marks = [(declaration, "decl"), (definition, "def"), (built_in, "lib"), (negated, "neg")];
            let marks: Vec<_> = marks.into_iter().filter(|(is, _)| *is).map(|(_, mark)| mark).collect();
            let _ = writeln!(out, "{} {kind:?} {}", slice(text, range), marks.join(" "));
        }
        expect.assert_eq(&out);
    }

    #[test]
    fn of_everything() {
        check(
            "Package a!\n# c\nDecl p(X) descr [mode(\"+\")] bound [.List</string>].\np(X) :- !q(X, _), :lt(X, 1), <-[0s, 7d] r(/x) |> let Y = fn:plus(X, 1.5).",
            expect![[r#"
                Package Keyword 
                a Package decl
                ! Operator 
                # c Comment 
                Decl Keyword 
                p Predicate decl
                X Parameter decl
                descr Keyword 
                mode Descriptor lib
                "+" String 
                bound Keyword 
                .List Type lib
                /string Type 
                p Predicate def
                X Parameter 
                :- Operator 
                ! Operator 
                q Predicate neg
                X Variable 
                _ Variable 
                :lt Predicate lib
                X Variable 
                1 Number 
                <- Operator 
                0s Number 
                7d Number 
                r Predicate 
                /x Name 
                |> Operator 
                let Keyword 
                Y Variable 
                = Operator 
                fn:plus Function lib
                X Variable 
                1.5 Number 
            "#]],
        );
    }

    #[test]
    fn of_damage() {
        check(
            "p(X :- q(/a, ) ; é fn:plus(",
            expect![[r#"
            p Predicate def
            X Parameter 
            :- Operator 
            q Predicate 
            /a Name 
            fn:plus Function lib
        "#]],
        );
    }

    #[test]
    fn a_range_gives_what_the_whole_has_there() {
        let text = "p(1). # 🦀\nq(X) :- !p(X),\n  r(\"a\nb\", X).\ns(/x).\n";
        let source = SourceFile::parse(text.into());
        let file = FileSummary::new(FileId(0), &source);
        let all = tokens(text);
        for start in 0..text.len() {
            for end in start + 1..=text.len() {
                let range = TextRange::new(size(start), size(end));
                let there = all
                    .iter()
                    .filter(|token| token.range.start() < range.end() && token.range.end() > range.start());
                let found = semantic_tokens(&source, &file, range);
                assert_eq!(found, there.copied().collect::<Vec<_>>(), "{start}..{end}");
            }
        }
    }
}
