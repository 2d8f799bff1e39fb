//! Type expressions: the type constructors, and the faults that the Go implementation rejects, with a
//! few more.

use rustc_hash::FxHashSet;

use mangle_syntax::syntax::ast::{Apply, ApplyForm, Term, TermKind};
use mangle_syntax::text::{Symbol, TextRange};

/// A fault in a type expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// The element at fault.
    pub range: TextRange,
    /// The violated rule.
    pub kind: FaultKind,
    /// True if the Go implementation rejects the expression. The Go implementation ignores faults
    /// in optional struct fields, and repeated fields.
    pub rejected: bool,
}

/// The kind of a fault in a type expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// A number, float or byte string in place of a type.
    Constant,
    /// A string in place of a type.
    String,
    /// A list, map or struct literal in place of a type.
    Literal(ApplyForm),
    /// A function or unknown word in place of a constructor. The name includes `fn:`.
    NotConstructor(Symbol),
    /// The wrong number of arguments.
    ArgumentCount(Constructor, usize),
    /// A struct field without a type, or a type without a label.
    OddFields,
    /// A struct label that is not a name.
    LabelNotName,
    /// A repeated struct label.
    LabelRepeated(Symbol),
    /// An `opt` whose arguments are not a label and a type.
    OptionalShape,
    /// A tagged union with an even number of arguments.
    OddVariants,
    /// A tag field or tag that is not a name.
    TagNotName,
    /// A repeated tag of a tagged union.
    TagRepeated(Symbol),
    /// A variant that is not a struct type.
    VariantNotStruct,
    /// A variant that lists the tag field.
    VariantHasTagField(Symbol),
    /// A variable in the result of a function type that is missing in its arguments.
    ResultVariable(Symbol),
    /// A singleton of a value that is not a name.
    SingletonNotName,
}

/// Returns the faults of a type expression in a `bound`. Empty if the expression is well formed.
/// Type variables are allowed anywhere, including `_`.
#[must_use]
pub fn faults(term: &Term) -> Vec<Fault> {
    let mut checker = Checker { faults: Vec::new(), unchecked: false };
    checker.expression(term);
    checker.faults
}

struct Checker {
    faults: Vec<Fault>,
    /// True inside parts that the Go implementation does not check.
    unchecked: bool,
}

impl Checker {
    fn add(&mut self, range: TextRange, kind: FaultKind) {
        self.faults.push(Fault { range, kind, rejected: !self.unchecked });
    }

    fn expression(&mut self, term: &Term) {
        match &term.kind {
            TermKind::Variable(_) | TermKind::Wildcard | TermKind::Name(_) | TermKind::Broken => {}
            TermKind::Number(_) | TermKind::Float(_) | TermKind::Bytes => {
                self.add(term.range, FaultKind::Constant);
            }
            TermKind::String => self.add(term.range, FaultKind::String),
            TermKind::Apply(apply) => self.application(term, apply),
        }
    }

    fn application(&mut self, term: &Term, apply: &Apply) {
        if matches!(apply.form, ApplyForm::List | ApplyForm::Map | ApplyForm::Struct) {
            self.add(term.range, FaultKind::Literal(apply.form));
            return;
        }
        let Some(constructor) = Constructor::from_apply(apply) else {
            self.add(apply.function.range, FaultKind::NotConstructor(apply.function.symbol));
            return;
        };
        let (fewest, most) = constructor.arity();
        if apply.args.len() < fewest || most.is_some_and(|most| apply.args.len() > most) {
            self.add(term.range, FaultKind::ArgumentCount(constructor, apply.args.len()));
            return;
        }
        match constructor {
            Constructor::Struct => self.structure(term, &apply.args),
            Constructor::TaggedUnion => self.tagged_union(term, &apply.args),
            Constructor::Singleton => self.singleton(&apply.args),
            Constructor::Fun => self.function(&apply.args),
            _ => self.expressions(&apply.args),
        }
    }

    fn expressions(&mut self, terms: &[Term]) {
        for term in terms {
            self.expression(term);
        }
    }

    fn singleton(&mut self, args: &[Term]) {
        for arg in args {
            match arg.kind {
                TermKind::Name(_) | TermKind::Broken => {}
                _ if arg.is_constant() => self.add(arg.range, FaultKind::SingletonNotName),
                _ => self.expression(arg),
            }
        }
    }

    fn structure(&mut self, term: &Term, fields: &[Term]) {
        let mut labels = FxHashSet::default();
        let mut required = fields.iter().filter(|field| !is_optional(field));
        while let Some(label) = required.next() {
            self.label(label, &mut labels);
            match required.next() {
                Some(tpe) => self.expression(tpe),
                None => self.add(term.range, FaultKind::OddFields),
            }
        }
        let outside = std::mem::replace(&mut self.unchecked, true);
        for field in fields.iter().filter(|field| is_optional(field)) {
            match field.apply().map(|apply| apply.args.as_slice()) {
                Some([label, tpe]) => {
                    self.label(label, &mut labels);
                    self.expression(tpe);
                }
                _ => self.add(field.range, FaultKind::OptionalShape),
            }
        }
        self.unchecked = outside;
    }

    fn label(&mut self, label: &Term, seen: &mut FxHashSet<Symbol>) {
        match label.kind {
            TermKind::Name(name) if !seen.insert(name) => {
                let kind = FaultKind::LabelRepeated(name);
                self.faults.push(Fault { range: label.range, kind, rejected: false });
            }
            TermKind::Name(_) | TermKind::Broken => {}
            _ => self.add(label.range, FaultKind::LabelNotName),
        }
    }

    fn tagged_union(&mut self, term: &Term, args: &[Term]) {
        let Some((field, variants)) = args.split_first() else { return };
        if variants.len() % 2 != 0 {
            self.add(term.range, FaultKind::OddVariants);
            return;
        }
        let field = self.tag(field);
        let mut tags = FxHashSet::default();
        for pair in variants.chunks_exact(2) {
            let [tag, variant] = pair else { continue };
            if let Some(name) = self.tag(tag)
                && !tags.insert(name)
            {
                self.add(tag.range, FaultKind::TagRepeated(name));
            }
            self.variant(variant, field);
        }
    }

    fn tag(&mut self, term: &Term) -> Option<Symbol> {
        match term.kind {
            TermKind::Name(name) => Some(name),
            TermKind::Broken => None,
            _ => {
                self.add(term.range, FaultKind::TagNotName);
                None
            }
        }
    }

    fn variant(&mut self, variant: &Term, tag_field: Option<Symbol>) {
        let structure =
            variant.apply().filter(|apply| Constructor::from_apply(apply) == Some(Constructor::Struct));
        let Some(structure) = structure else {
            if !matches!(variant.kind, TermKind::Broken) {
                self.add(variant.range, FaultKind::VariantNotStruct);
            }
            return;
        };
        self.application(variant, structure);
        for label in labels(&structure.args) {
            if let (TermKind::Name(name), Some(field)) = (&label.kind, tag_field)
                && *name == field
            {
                self.add(label.range, FaultKind::VariantHasTagField(field));
            }
        }
    }

    fn function(&mut self, args: &[Term]) {
        let Some((result, domain)) = args.split_first() else { return };
        let mut known = FxHashSet::default();
        for arg in domain {
            arg.variables(&mut |name, _| {
                known.insert(name);
            });
        }
        result.variables(&mut |name, range| {
            if !known.contains(&name) {
                self.add(range, FaultKind::ResultVariable(name));
            }
        });
        self.expressions(args);
    }
}

fn labels(fields: &[Term]) -> impl Iterator<Item = &Term> {
    let required = fields.iter().filter(|field| !is_optional(field)).step_by(2);
    let optional = fields.iter().filter_map(|field| {
        field.apply().filter(|_| is_optional(field)).and_then(|apply| apply.args.first())
    });
    required.chain(optional)
}

/// A type constructor of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Constructor {
    /// `.List<T>`
    List,
    /// `.Pair<A, B>`
    Pair,
    /// `.Tuple<A, B, C, …>`
    Tuple,
    /// `.Map<K, V>`
    Map,
    /// `.Struct</label : T, opt /label : T>`
    Struct,
    /// `.Union<A, …>`
    Union,
    /// `.Singleton</name>`
    Singleton,
    /// `.Option<T>`
    Option,
    /// `.TaggedUnion</field, /tag : .Struct<…>, …>`
    TaggedUnion,
    /// `fn:Fun(Result, Argument, …)`. Internal to the Go implementation, but accepted.
    Fun,
    /// `fn:Rel(A, …)`. Internal to the Go implementation, but accepted.
    Rel,
}

/// All type constructors of the language.
pub const CONSTRUCTORS: [Constructor; 11] = [
    Constructor::List,
    Constructor::Pair,
    Constructor::Tuple,
    Constructor::Map,
    Constructor::Struct,
    Constructor::Union,
    Constructor::Singleton,
    Constructor::Option,
    Constructor::TaggedUnion,
    Constructor::Fun,
    Constructor::Rel,
];

impl Constructor {
    /// The constructor of an application, in dot or `fn:` notation.
    #[must_use]
    pub fn from_apply(apply: &Apply) -> Option<Self> {
        let name = apply.function.as_str().strip_prefix("fn:")?;
        CONSTRUCTORS.into_iter().find(|constructor| constructor.as_str() == name)
    }

    /// The name, without the dot or `fn:`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::List => "List",
            Self::Pair => "Pair",
            Self::Tuple => "Tuple",
            Self::Map => "Map",
            Self::Struct => "Struct",
            Self::Union => "Union",
            Self::Singleton => "Singleton",
            Self::Option => "Option",
            Self::TaggedUnion => "TaggedUnion",
            Self::Fun => "Fun",
            Self::Rel => "Rel",
        }
    }

    /// The minimum and maximum number of arguments. A maximum of `None` means unlimited. Conditions
    /// other than the count, such as pairs of arguments, are not included.
    #[must_use]
    pub fn arity(self) -> (usize, Option<usize>) {
        match self {
            Self::List | Self::Singleton | Self::Option => (1, Some(1)),
            Self::Pair | Self::Map => (2, Some(2)),
            Self::Tuple => (3, None),
            Self::Union | Self::Fun => (1, None),
            Self::TaggedUnion => (3, None),
            Self::Struct | Self::Rel => (0, None),
        }
    }
}

/// True if a term is `opt /label : type`.
pub(super) fn is_optional(term: &Term) -> bool {
    term.apply().is_some_and(|apply| apply.function.as_str() == "fn:opt")
}

/// Calls `visit` for every term inside `term` in the position of a type, outermost first. Labels,
/// tags and the constant of a singleton are skipped.
pub fn visit_types<'a>(term: &'a Term, visit: &mut impl FnMut(&'a Term)) {
    visit(term);
    let Some(apply) = term.apply() else { return };
    match Constructor::from_apply(apply) {
        Some(Constructor::Singleton) => {}
        Some(Constructor::Struct) => visit_fields(&apply.args, visit),
        Some(Constructor::TaggedUnion) => {
            for variant in apply.args.iter().skip(2).step_by(2) {
                visit_types(variant, visit);
            }
        }
        _ => {
            for arg in &apply.args {
                visit_types(arg, visit);
            }
        }
    }
}

fn visit_fields<'a>(fields: &'a [Term], visit: &mut impl FnMut(&'a Term)) {
    for optional in fields.iter().filter(|field| is_optional(field)) {
        for tpe in optional.apply().into_iter().flat_map(|apply| apply.args.get(1)) {
            visit_types(tpe, visit);
        }
    }
    for tpe in fields.iter().filter(|field| !is_optional(field)).skip(1).step_by(2) {
        visit_types(tpe, visit);
    }
}
