//! `textDocument/semanticTokens/full`, `…/full/delta` and `…/range`

use tower_lsp::ls_types::{
    ClientCapabilities, SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens,
    SemanticTokensClientCapabilities, SemanticTokensDelta, SemanticTokensDeltaParams, SemanticTokensEdit,
    SemanticTokensFullDeltaResult, SemanticTokensFullOptions, SemanticTokensLegend, SemanticTokensOptions,
    SemanticTokensParams, SemanticTokensRangeParams, SemanticTokensRangeResult, SemanticTokensResult,
};

use crate::lsp::from_proto;
use crate::lsp::view::View;
use mangle_host::workspace::SnapshotFile;
use mangle_ide::semantic_tokens::{Modifiers, SemanticTokenKind};
use mangle_ide::{semantic_tokens as ide, transcripts};
use mangle_syntax::text::{Encoding, TextRange, TextSize, slice};

/// The token types of each kind, in order of preference. The first type that the client supports
/// is used.
#[rustfmt::skip] // One row per kind.
const TYPES: &[(SemanticTokenKind, &[SemanticTokenType])] = &[
    (SemanticTokenKind::Comment, &[SemanticTokenType::COMMENT]),
    (SemanticTokenKind::Keyword, &[SemanticTokenType::KEYWORD]),
    (SemanticTokenKind::Operator, &[SemanticTokenType::OPERATOR]),
    (SemanticTokenKind::String, &[SemanticTokenType::STRING]),
    (SemanticTokenKind::Number, &[SemanticTokenType::NUMBER]),
    (SemanticTokenKind::Predicate, &[SemanticTokenType::FUNCTION]),
    (SemanticTokenKind::Function, &[SemanticTokenType::METHOD, SemanticTokenType::FUNCTION]),
    (SemanticTokenKind::Variable, &[SemanticTokenType::VARIABLE]),
    (SemanticTokenKind::Parameter, &[SemanticTokenType::PARAMETER, SemanticTokenType::VARIABLE]),
    (SemanticTokenKind::Name, &[SemanticTokenType::ENUM_MEMBER, SemanticTokenType::PROPERTY, SemanticTokenType::STRING]),
    (SemanticTokenKind::Type, &[SemanticTokenType::TYPE]),
    (SemanticTokenKind::Package, &[SemanticTokenType::NAMESPACE]),
    (SemanticTokenKind::Descriptor, &[SemanticTokenType::DECORATOR, SemanticTokenType::PROPERTY]),
];

/// True if a token has the modifier.
type IsSet = fn(Modifiers) -> bool;

/// The modifiers, in the order of their bits.
const MODIFIERS: &[(IsSet, SemanticTokenModifier)] = &[
    (|modifiers| modifiers.declaration, SemanticTokenModifier::DECLARATION),
    (|modifiers| modifiers.definition, SemanticTokenModifier::DEFINITION),
    (|modifiers| modifiers.built_in, SemanticTokenModifier::DEFAULT_LIBRARY),
    (|modifiers| modifiers.negated, SemanticTokenModifier::new("negated")),
];

/// The token types and modifiers of one session.
struct Legend {
    types: Vec<SemanticTokenType>,
    modifiers: Vec<SemanticTokenModifier>,
}

impl Legend {
    fn new(client: &SemanticTokensClientCapabilities) -> Self {
        let mut types: Vec<SemanticTokenType> = Vec::new();
        for (_, candidates) in TYPES {
            let known = candidates.iter().find(|ty| client.token_types.contains(ty)).cloned();
            types.extend(known.filter(|ty| !types.contains(ty)));
        }
        let known = MODIFIERS.iter().map(|(_, modifier)| modifier);
        let modifiers = known.filter(|modifier| client.token_modifiers.contains(modifier)).cloned().collect();
        Self { types, modifiers }
    }

    fn number(&self, kind: SemanticTokenKind) -> Option<u32> {
        let (_, candidates) = TYPES.iter().find(|(known, _)| *known == kind)?;
        let at = candidates.iter().find_map(|ty| self.types.iter().position(|known| known == ty))?;
        u32::try_from(at).ok()
    }

    fn bits(&self, modifiers: Modifiers) -> u32 {
        let set = MODIFIERS.iter().filter(|(is, _)| is(modifiers)).map(|(_, modifier)| modifier);
        let at = set.filter_map(|modifier| self.modifiers.iter().position(|known| known == modifier));
        at.fold(0, |bits, at| bits | 1 << at)
    }
}

fn client(client: &ClientCapabilities) -> Option<&SemanticTokensClientCapabilities> {
    client.text_document.as_ref()?.semantic_tokens.as_ref()
}

/// Returns `None` if the client does not support semantic tokens.
pub(in crate::lsp) fn options(of: &ClientCapabilities) -> Option<SemanticTokensOptions> {
    let Legend { types, modifiers } = Legend::new(client(of)?);
    Some(SemanticTokensOptions {
        legend: SemanticTokensLegend { token_types: types, token_modifiers: modifiers },
        range: Some(true),
        full: Some(SemanticTokensFullOptions::Delta { delta: Some(true) }),
        ..SemanticTokensOptions::default()
    })
}

pub(in crate::lsp) fn full(view: &View, params: &SemanticTokensParams) -> Option<SemanticTokensResult> {
    let file = view.file(&params.text_document.uri)?;
    let data = tokens(view, file, whole(file))?;
    let result_id = Some(view.tokens.remember(&view.snapshot, file.id, &data));
    Some(SemanticTokensResult::Tokens(SemanticTokens { result_id, data }))
}

pub(in crate::lsp) fn delta(
    view: &View,
    params: &SemanticTokensDeltaParams,
) -> Option<SemanticTokensFullDeltaResult> {
    let file = view.file(&params.text_document.uri)?;
    let data = tokens(view, file, whole(file))?;
    let old = view.tokens.recall(file.id, &params.previous_result_id);
    let result_id = Some(view.tokens.remember(&view.snapshot, file.id, &data));
    Some(match old {
        Some(old) => {
            let edits = difference(&old, data);
            SemanticTokensFullDeltaResult::TokensDelta(SemanticTokensDelta { result_id, edits })
        }
        None => SemanticTokensFullDeltaResult::Tokens(SemanticTokens { result_id, data }),
    })
}

pub(in crate::lsp) fn range(
    view: &View,
    params: &SemanticTokensRangeParams,
) -> Option<SemanticTokensRangeResult> {
    let file = view.file(&params.text_document.uri)?;
    let range = from_proto::text_range(file.text(), file.lines(), params.range, view.session.encoding);
    let data = tokens(view, file, range)?;
    Some(SemanticTokensRangeResult::Tokens(SemanticTokens { result_id: None, data }))
}

/// Returns the edit between two token lists: one replacement between the common prefix and suffix.
fn difference(old: &[SemanticToken], new: Vec<SemanticToken>) -> Vec<SemanticTokensEdit> {
    let start = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let rests = old.iter().skip(start).rev().zip(new.iter().skip(start).rev());
    let end = rests.take_while(|(old, new)| old == new).count();
    let (gone, come) = (old.len() - start - end, new.len() - start - end);
    if gone + come == 0 {
        return Vec::new();
    }
    // Each token consists of five numbers.
    let number = |tokens: usize| u32::try_from(tokens * 5).unwrap_or(u32::MAX);
    let data: Vec<_> = new.into_iter().skip(start).take(come).collect();
    let data = (!data.is_empty()).then_some(data);
    vec![SemanticTokensEdit { start: number(start), delete_count: number(gone), data }]
}

fn whole(file: &SnapshotFile) -> TextRange {
    TextRange::up_to(mangle_syntax::text::text_len(file.text()))
}

fn tokens(view: &View, file: &SnapshotFile, range: TextRange) -> Option<Vec<SemanticToken>> {
    let client = client(&view.session.client)?;
    let legend = Legend::new(client);
    let multiline = client.multiline_token_support == Some(true);
    let mut writer = Writer::new(file, view.session.encoding);
    let found = match view.snapshot.transcript(file.id) {
        Some(transcript) => transcripts::symbols::tokens(transcript.opened(), range),
        None => ide::semantic_tokens(file.source(), file.summary(), range),
    };
    for token in found {
        let Some(number) = legend.number(token.kind) else { continue };
        let bits = legend.bits(token.modifiers);
        let source = file.map().to_source(token.range);
        if multiline {
            writer.push(source, number, bits);
        } else {
            lines(file.text(), source).for_each(|line| writer.push(line, number, bits));
        }
    }
    Some(writer.tokens)
}

/// Splits a range into its lines, without line ends.
fn lines(text: &str, range: TextRange) -> impl Iterator<Item = TextRange> {
    let mut at = range.start();
    slice(text, range).split_inclusive('\n').filter_map(move |line| {
        let part = TextRange::at(at, mangle_syntax::text::text_len(line.trim_end_matches(['\n', '\r'])));
        at += mangle_syntax::text::text_len(line);
        (!part.is_empty()).then_some(part)
    })
}

/// Encodes tokens in the relative format of the protocol, in one pass over the text.
struct Writer<'f> {
    file: &'f SnapshotFile,
    encoding: Encoding,
    tokens: Vec<SemanticToken>,
    line: u32,
    column: u32,
    /// The offset of `line` and `column`.
    offset: TextSize,
}

impl<'f> Writer<'f> {
    fn new(file: &'f SnapshotFile, encoding: Encoding) -> Self {
        let offset = TextSize::new(0);
        Self { file, encoding, tokens: Vec::new(), line: 0, column: 0, offset }
    }

    fn push(&mut self, range: TextRange, token_type: u32, token_modifiers_bitset: u32) {
        let text = self.file.text();
        let between = slice(text, TextRange::new(self.offset, range.start()));
        let (line, column) = if between.contains(['\n', '\r']) {
            let at = self.file.lines().line_col(text, range.start(), self.encoding);
            (at.line, at.col)
        } else {
            (self.line, self.column + self.encoding.len(between))
        };
        let delta_line = line - self.line;
        self.tokens.push(SemanticToken {
            delta_line,
            delta_start: if delta_line == 0 { column - self.column } else { column },
            length: self.encoding.len(slice(text, range)),
            token_type,
            token_modifiers_bitset,
        });
        (self.line, self.column, self.offset) = (line, column, range.start());
    }
}
