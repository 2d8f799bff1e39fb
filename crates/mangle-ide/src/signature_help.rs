//! Signature help: the innermost call at the cursor, its parameters, and the active parameter.

use super::cursor::{self, Bracket, Callee, Cursor, CursorPart, CursorPlace, Frame};
use super::directives::DirectiveFile;
use super::markup::Markup;
use super::{Place, vocabulary};
use mangle_check::describe::Callable;
use mangle_engine::program::builtins::{self, Arity, BuiltinFunction};
use mangle_engine::program::{Predicate, PredicateKey};
use mangle_syntax::text::{Symbol, TextRange, size, text_len};

/// Signatures of a callee.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureHelp {
    /// One signature per arity.
    pub signatures: Vec<Signature>,
    /// Index of the signature that matches the written arguments.
    pub active: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// For example `p(X: /name, Y)`.
    pub label: String,
    pub documentation: Markup,
    pub parameters: Vec<Parameter>,
    /// Index of the active parameter. Past the end if there are too many arguments.
    pub active: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Range in the label.
    pub range: TextRange,
    pub documentation: Markup,
}

/// Returns the signatures of the innermost open call at a place.
#[must_use]
pub fn signature_help(place: Place<'_>) -> Option<SignatureHelp> {
    match DirectiveFile::new(place) {
        Some(inside) => in_code(inside.place(place)),
        None => in_code(place),
    }
}

fn in_code(place: Place<'_>) -> Option<SignatureHelp> {
    let cursor = match cursor::analyze(place) {
        CursorPlace::Code(cursor) => cursor,
        // A string is one argument.
        CursorPlace::String(string) => match cursor::analyze(Place { offset: string.start(), ..place }) {
            CursorPlace::Code(cursor) => cursor,
            _ => return None,
        },
        CursorPlace::Comment(_) => return None,
    };
    let frames = &cursor.before.frames;
    let (at, frame) = frames.iter().enumerate().rev().find(|(_, frame)| is_call(frame))?;
    let arguments = cursor.arguments.filter(|_| at + 1 == frames.len());
    let call = Call { place, cursor: &cursor, at, index: frame.commas, arguments };
    match (frame.bracket, frame.callee) {
        (Bracket::Bound, _) => call.bound(),
        (_, Some(callee)) => call.signature_help(callee),
        _ => None,
    }
}

/// True if the bracket belongs to a describable callee. False for lists and similar brackets.
fn is_call(frame: &Frame) -> bool {
    match frame.bracket {
        Bracket::Call | Bracket::Type => frame.callee.is_some(),
        Bracket::Bound => true,
        _ => false,
    }
}

struct Call<'a> {
    place: Place<'a>,
    cursor: &'a Cursor,
    /// Index of the open bracket.
    at: usize,
    /// Index of the active argument.
    index: usize,
    /// Number of arguments, if the bracket is closed.
    arguments: Option<usize>,
}

impl Call<'_> {
    fn signature_help(&self, callee: Callee) -> Option<SignatureHelp> {
        let name = callee.name.as_str();
        if callee.constructs_types() {
            return self.constructor(name);
        }
        if self.cursor.before.part == CursorPart::Declaration {
            let below = self.at.checked_sub(1).and_then(|at| self.cursor.before.frames.get(at));
            match below.map(|frame| frame.bracket) {
                None => return None,
                Some(Bracket::Descriptors) if name == "mode" => return self.mode(),
                Some(Bracket::Descriptors) => return self.word(vocabulary::descriptor(name)?, '(', ')'),
                _ => {}
            }
        }
        if let Some(function) = builtins::function(name) {
            return Some(self.function(function));
        }
        if let Some(builtin) = builtins::predicate(name) {
            let words = Markup::text;
            return Some(self.only(self.signature(&Callable::builtin(builtin), self.index, words)));
        }
        self.predicates(callee.name)
    }

    /// Returns the predicates with a name. The predicate with the matching arity is active.
    fn predicates(&self, name: Symbol) -> Option<SignatureHelp> {
        let program = self.place.program();
        let within =
            self.place.file.package.map(|package| PredicateKey { name, arity: 0 }.within(package).name);
        let named = std::iter::once(name).chain(within).flat_map(|name| program.named(name));
        let mut found: Vec<&Predicate> = named.filter(|predicate| self.is_known(predicate)).collect();
        found.sort_by_key(|predicate| predicate.key.arity);
        let arity = |predicate: &&Predicate| usize::from(predicate.key.arity);
        let exact = found.iter().position(|predicate| Some(arity(predicate)) == self.arguments);
        let wide = found.iter().position(|predicate| arity(predicate) > self.index);
        let active = exact.or(wide).or_else(|| found.len().checked_sub(1))?;
        let signatures = found.into_iter().map(|predicate| {
            let callable = Callable::predicate(self.place.analysis, predicate);
            self.signature(&callable, self.index, Markup::untrusted)
        });
        Some(SignatureHelp { signatures: signatures.collect(), active })
    }

    /// True if a statement other than the one at the cursor declares or defines the predicate.
    fn is_known(&self, predicate: &Predicate) -> bool {
        let is_elsewhere = |(file, item): (u32, u32)| {
            let files = &self.place.program().files;
            files.get(file as usize).is_some_and(|file| {
                let item = file.items.get(item as usize);
                file.id != self.place.file.id || item.is_some_and(|item| item.start != self.cursor.start)
            })
        };
        predicate.signature.host
            || predicate.declared_at.is_some()
            || predicate.defined_at.is_some_and(is_elsewhere)
    }

    fn function(&self, function: &BuiltinFunction) -> SignatureHelp {
        let last = function.parameters.len().saturating_sub(1);
        let index = match function.arity {
            Arity::Exactly(_) => self.index,
            Arity::AtLeast(_) => self.index.min(last),
            Arity::Pairs => self.index % 2,
        };
        self.only(self.signature(&Callable::function(function), index, Markup::text))
    }

    fn signature(&self, callable: &Callable, active: usize, said: fn(Markup, String) -> Markup) -> Signature {
        let (label, ranges) = callable.label();
        let say = |words: &Option<String>| words.iter().cloned().fold(Markup::default(), said);
        let parameters = ranges.into_iter().zip(&callable.parameters);
        let parameters = parameters
            .map(|(range, parameter)| Parameter { range, documentation: say(&parameter.documentation) });
        Signature {
            label,
            documentation: say(&callable.documentation),
            parameters: parameters.collect(),
            active,
        }
    }

    /// Returns the signature of `mode(A, B)` with one entry per parameter.
    fn mode(&self) -> Option<SignatureHelp> {
        let says = vocabulary::descriptor("mode")?.description;
        self.row("mode(", ")", Markup::default().text(says))
    }

    /// Returns the signature of `bound [A, B]`.
    fn bound(&self) -> Option<SignatureHelp> {
        let says = vocabulary::find_word("bound")?.description;
        self.row("bound [", "]", Markup::default().text(says))
    }

    /// Returns the parameters of the declared atom in brackets.
    fn row(&self, open: &str, close: &str, documentation: Markup) -> Option<SignatureHelp> {
        let scan = &self.cursor.before;
        let head = scan.head?;
        let names = scan
            .variables
            .iter()
            .filter(|occurrence| occurrence.argument.is_some_and(|(of, _)| of.range == head.range));
        let names: Vec<Symbol> = names.map(|occurrence| occurrence.variable).collect();
        let arity = u16::try_from(names.len()).ok()?;
        let declared = self.place.predicate(PredicateKey { name: head.name, arity });
        let callable = declared.map(|predicate| Callable::predicate(self.place.analysis, predicate));
        let mut label = open.to_owned();
        let mut parameters = Vec::new();
        for (index, name) in names.iter().enumerate() {
            label.push_str(if index == 0 { "" } else { ", " });
            let range = TextRange::at(text_len(&label), text_len(name.as_str()));
            label.push_str(name.as_str());
            let parameter = callable.as_ref().and_then(|callable| callable.parameters.get(index));
            let said = parameter.and_then(|parameter| parameter.documentation.clone());
            let documentation = said.into_iter().fold(Markup::default(), Markup::untrusted);
            parameters.push(Parameter { range, documentation });
        }
        label.push_str(close);
        Some(self.only(Signature { label, documentation, parameters, active: self.index }))
    }

    fn constructor(&self, name: &str) -> Option<SignatureHelp> {
        let dotted = name.strip_prefix("fn:").map_or_else(|| name.to_owned(), |name| format!(".{name}"));
        self.word(vocabulary::find_word(&dotted)?, '<', '>')
    }

    /// Returns the signature of a word from its usage text.
    fn word(&self, word: &vocabulary::Word, open: char, close: char) -> Option<SignatureHelp> {
        let ranges = arguments(word.usage, open, close)?;
        let parameters: Vec<_> =
            ranges.into_iter().map(|range| Parameter { range, documentation: Markup::default() }).collect();
        Some(self.only(Signature {
            label: word.usage.to_owned(),
            documentation: Markup::default().text(word.description),
            active: self.index.min(parameters.len().saturating_sub(1)),
            parameters,
        }))
    }

    fn only(&self, signature: Signature) -> SignatureHelp {
        SignatureHelp { signatures: vec![signature], active: 0 }
    }
}

/// Returns the ranges of the arguments between the first `open` and the last `close` of a text.
fn arguments(text: &str, open: char, close: char) -> Option<Vec<TextRange>> {
    let (start, end) = (text.find(open)? + open.len_utf8(), text.rfind(close)?);
    let inner = text.get(start..end)?;
    let mut ranges = Vec::new();
    let (mut depth, mut from) = (0_usize, 0);
    let mut push = |from: usize, to: usize| {
        let part = inner.get(from..to).unwrap_or("");
        let at = start + from + (part.len() - part.trim_start().len());
        if !part.trim().is_empty() {
            ranges.push(TextRange::at(size(at), text_len(part.trim())));
        }
    };
    for (at, char) in inner.char_indices() {
        match char {
            '(' | '[' | '<' => depth += 1,
            ')' | ']' | '>' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                push(from, at);
                from = at + 1;
            }
            _ => {}
        }
    }
    push(from, inner.len());
    Some(ranges)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use super::*;
    use crate::testing::{Fixture, every_place_of_the_examples};
    use mangle_syntax::text::slice;

    #[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
    fn check(fixture: &str, expect: Expect) {
        let fixture = Fixture::new(fixture);
        let Some(help) = signature_help(fixture.place()) else {
            expect.assert_eq("nothing");
            return;
        };
        let mut out = String::new();
        for (index, signature) in help.signatures.iter().enumerate() {
            let active = signature.parameters.get(signature.active);
            let mut label = signature.label.clone();
            if let Some(parameter) = active {
                label.insert(parameter.range.end().into(), '>');
                label.insert(parameter.range.start().into(), '<');
                assert!(!slice(&signature.label, parameter.range).is_empty());
            }
            let mark = if index == help.active { "* " } else { "  " };
            let _ = writeln!(out, "{mark}{label}");
            if let Some(parameter) = active.filter(|parameter| !parameter.documentation.is_empty()) {
                let _ = writeln!(out, "    {}", parameter.documentation.to_plain());
            }
        }
        expect.assert_eq(&out);
    }

    const CREW: &str = "Decl crew(Person, Ship) descr [doc(\"Who sails.\"), arg(Person, \"a name\"), arg(Ship, \"its bell\")] bound [/name, /string].\n\
                        crew(P, S, R) :- crew(P, S), rank(P, R).\n";

    fn crew(rest: &str) -> String {
        format!("{CREW}{rest}")
    }

    #[test]
    fn predicates() {
        check(
            &crew("p(X) :- crew(X, $0)."),
            expect![[r#"
            * crew(Person: /name, <Ship: /string>)
                its bell
              crew(P: /name, <S: /string>, R)
        "#]],
        );
        check(
            &crew("p(X) :- crew($0, X, Y)."),
            expect![[r#"
              crew(<Person: /name>, Ship: /string)
                a name
            * crew(<P: /name>, S: /string, R)
        "#]],
        );
        check(
            &crew("crew(/p/ann, \"I$0da\")."),
            expect![[r#"
            * crew(Person: /name, <Ship: /string>)
                its bell
              crew(P: /name, <S: /string>, R)
        "#]],
        );
        check(
            &crew("crew(1, 2, 3, $0"),
            expect![[r#"
              crew(Person: /name, Ship: /string)
            * crew(P, S, R)
        "#]],
        );
        check(&crew("p(X) :- nobody($0"), expect!["nothing"]);
        check(&crew("crew(1, 2)$0."), expect!["nothing"]);
    }

    #[test]
    fn nested_and_damaged() {
        check(
            &crew("p(X) :- crew(X, fn:string:replace(X, $0"),
            expect![[r#"
            * fn:string:replace(/string, </string>, /string, /number) → /string
        "#]],
        );
        check(
            &crew("p(X) :- crew(X, [1, 2, $0"),
            expect![[r#"
            * crew(Person: /name, <Ship: /string>)
                its bell
              crew(P: /name, <S: /string>, R)
        "#]],
        );
        check(
            &crew("p(X :- crew(X, $0\nq(1)."),
            expect![[r#"
            * crew(Person: /name, <Ship: /string>)
                its bell
              crew(P: /name, <S: /string>, R)
        "#]],
        );
        check(
            &crew("p(\"🦀\") :-\r\n  crew(X,\r\n    $0"),
            expect![[r#"
            * crew(Person: /name, <Ship: /string>)
                its bell
              crew(P: /name, <S: /string>, R)
        "#]],
        );
    }

    #[test]
    fn built_ins() {
        check(
            "p(X) :- q(X), :match_cons(X, $0",
            expect![[r#"
            * :match_cons(+.List<X>, <-X>, -.List<X>)
        "#]],
        );
        check(
            "p(X) :- X = fn:plus(1, 2, $0",
            expect![[r#"
            * fn:plus(</number>, …) → /number
        "#]],
        );
        check(
            "p(X) :- X = fn:map(1, 2, $0",
            expect![[r#"
            * fn:map(<K>, V, …) → .Map<K, V>
        "#]],
        );
        check(
            "p(N) :- q(X) |> do fn:group_by($0), let N = fn:count().",
            expect![[r#"
            * fn:group_by(<X>, …) → /any
        "#]],
        );
        check(
            "p(N) :- q(X) |> do fn:group_by(), let N = fn:sum($0).",
            expect![[r#"
            * fn:sum(</number>) → /number
        "#]],
        );
    }

    #[test]
    fn declarations() {
        check(
            &crew("Decl p(A, B) descr [mode(\"+\", $0"),
            expect![[r#"
            * mode(A, <B>)
        "#]],
        );
        check(
            &crew("Decl p(A, B) descr [arg(A, \"$0"),
            expect![[r#"
            * arg(X, <"…">)
        "#]],
        );
        check(
            &crew("Decl p(A, B) descr [fundep([A], [$0"),
            expect![[r#"
            * fundep([X], <[Y]>)
        "#]],
        );
        check(
            &crew("Decl p(A, B) bound [/name, $0"),
            expect![[r#"
            * bound [A, <B>]
        "#]],
        );
        check(
            &crew("Decl p(A, B) bound [.Map</name, $0"),
            expect![[r#"
            * .Map</name, </string>>
        "#]],
        );
        check(
            &crew("Decl p(A, B) bound [fn:Map(/name, $0"),
            expect![[r#"
            * .Map</name, </string>>
        "#]],
        );
        check(
            &crew("Decl p(A, B) inclusion [crew(A, $0"),
            expect![[r#"
            * crew(Person: /name, <Ship: /string>)
                its bell
              crew(P: /name, <S: /string>, R)
        "#]],
        );
        check(&crew("Decl p($0"), expect!["nothing"]);
    }

    #[test]
    fn anywhere_in_the_examples_whole_and_damaged() {
        let (mut asked, mut answered) = (0, 0);
        every_place_of_the_examples(19, |place| {
            let found = signature_help(place);
            asked += 1;
            answered += usize::from(found.is_some());
            assert!(found.is_none_or(|found| found.active < found.signatures.len()));
        });
        assert!(answered * 10 > asked, "{answered} of {asked}");
    }

    #[test]
    fn columns_of_a_declared_predicate_have_their_words() {
        check(
            "Decl p(A, B) descr [arg(A, \"the a\"), arg(B, \"the b\")] bound [/name, $0].",
            expect![[r#"
            * bound [A, <B>]
                the b
        "#]],
        );
    }
}
