//! Which type expressions the reference takes, and what is wrong with the others.

use rustc_hash::FxHashSet;

use super::expression::{Constructor, is_optional};
use mangle_syntax::syntax::ast::{Apply, ApplyForm, Term, TermKind};
use mangle_syntax::text::{Symbol, TextRange};

/// Something wrong in a type expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// The element at fault.
    pub range: TextRange,
    /// Which rule of type expressions is broken.
    pub kind: FaultKind,
    /// Whether the reference rejects it. It does not look into optional fields of structs, nor for
    /// fields that are listed twice.
    pub rejected: bool,
}

/// What is wrong with an element of a type expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// A number, float or byte string where a type belongs.
    Constant,
    /// A string where a type belongs.
    String,
    /// A list, map or struct literal where a type belongs.
    Literal(ApplyForm),
    /// A function or an unknown word where a constructor belongs; with its `fn:`.
    NotConstructor(Symbol),
    /// The wrong number of arguments.
    ArgumentCount(Constructor, usize),
    /// A struct field without a type, or a type without a label.
    OddFields,
    /// A struct label that is no name.
    LabelNotName,
    /// A label that the struct already has.
    LabelRepeated(Symbol),
    /// `opt` with something else than a label and a type.
    OptionalShape,
    /// A tagged union with an even number of arguments.
    OddVariants,
    /// A tag field or tag that is no name.
    TagNotName,
    /// A tag that the union already has.
    TagRepeated(Symbol),
    /// A variant that is no struct type.
    VariantNotStruct,
    /// A variant that lists the tag field.
    VariantHasTagField(Symbol),
    /// A variable of a function type's result that its arguments lack.
    ResultVariable(Symbol),
    /// A singleton of something else than a name.
    SingletonNotName,
}

/// What is wrong in a type expression that stands in a `bound`; empty when it is well formed.
/// Type variables are allowed anywhere, `_` included.
#[must_use]
pub fn faults(term: &Term) -> Vec<Fault> {
    let mut checker = Checker { faults: Vec::new(), unchecked: false };
    checker.expression(term);
    checker.faults
}

struct Checker {
    faults: Vec<Fault>,
    /// Inside something that the reference does not look into.
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
        let Some(constructor) = Constructor::of(apply) else {
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
        let structure = variant.apply().filter(|apply| Constructor::of(apply) == Some(Constructor::Struct));
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

/// The labels of a struct type's fields.
fn labels(fields: &[Term]) -> impl Iterator<Item = &Term> {
    let required = fields.iter().filter(|field| !is_optional(field)).step_by(2);
    let optional = fields.iter().filter_map(|field| {
        field.apply().filter(|_| is_optional(field)).and_then(|apply| apply.args.first())
    });
    required.chain(optional)
}
