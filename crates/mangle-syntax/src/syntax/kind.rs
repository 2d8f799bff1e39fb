//! Kinds of tree-sitter nodes as an enum, so that the lowering compares integers instead of
//! strings.

use std::sync::LazyLock;

use tree_sitter::Node;

macro_rules! kinds {
    ($($variant:ident = $name:literal),* $(,)?) => {
        /// The kind of a tree node. Nodes without a use in the lowering (mostly punctuation) are
        /// [`SyntaxKind::Token`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum SyntaxKind {
            $(#[doc = $name] $variant,)*
            /// Any other node.
            Token,
            /// An `ERROR` node of tree-sitter.
            Error,
        }

        const NAMES: &[(&str, SyntaxKind)] = &[$(($name, SyntaxKind::$variant),)*];
    };
}

kinds! {
    Package = "package", Use = "use", Declaration = "declaration", Clause = "clause", Query = "query",
    Temporal = "temporal", Descriptors = "descriptors", Bound = "bound", Inclusion = "inclusion",
    UnknownPart = "unknown_part", AtomList = "atom_list",
    Body = "body", Negation = "negation", TemporalPremise = "temporal_premise",
    TemporalOperator = "temporal_operator", Annotation = "annotation", Comparison = "comparison",
    Disjunction = "disjunction", BareTerm = "bare_term", WrongArrow = "wrong_arrow",
    Transform = "transform", Do = "do", Let = "let",
    Atom = "atom", BareAtom = "bare_atom", UnopenedAtom = "unopened_atom", BareName = "bare_name",
    BareMode = "bare_mode", TypedArgument = "typed_argument", Arithmetic = "arithmetic",
    List = "list", Map = "map", Struct = "struct", Pair = "pair", DotType = "dot_type",
    OptionalField = "optional_field",
    Identifier = "identifier", Variable = "variable", TypeName = "type_name", Constant = "constant",
    Number = "number", Float = "float", String = "string", Bytes = "bytes", Timestamp = "timestamp",
    Duration = "duration", Now = "now", Comment = "comment", ForeignComment = "foreign_comment",
    MissingDot = "missing_dot", MissingComma = "missing_comma", MissingParen = "missing_rparen",
    MissingBracket = "missing_rbracket", MissingBrace = "missing_rbrace",
    MissingAngle = "missing_rangle", DoubleComma = "double_comma",
    MissingQuote = "missing_quote", StrayParen = "stray_rparen",
    Comma = ",", Dot = ".", Bar = "|", Arrow = ":-", LongArrow = "⟸", Bang = "!",
}

static TABLE: LazyLock<Vec<SyntaxKind>> = LazyLock::new(|| {
    let language = super::grammar();
    let kinds = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
    let kind_of = |id| {
        let name = language.node_kind_for_id(id).unwrap_or("");
        // `do` is both a node and the keyword in it. Only the node has a kind.
        let is_word = name.starts_with(|c: char| c.is_ascii_alphabetic());
        if is_word && !language.node_kind_is_named(id) {
            return SyntaxKind::Token;
        }
        NAMES.iter().find(|(known, _)| *known == name).map_or(SyntaxKind::Token, |(_, kind)| *kind)
    };
    (0..kinds).map(kind_of).collect()
});

pub(super) fn kind_of(node: Node<'_>) -> SyntaxKind {
    match node.kind_id() {
        u16::MAX => SyntaxKind::Error,
        id => TABLE.get(usize::from(id)).copied().unwrap_or(SyntaxKind::Token),
    }
}
