//! The types of terms and function applications.
//!
//! Arguments of built-in functions and predicates bind the type variables of the signature, which are
//! then substituted in the result.

use smallvec::SmallVec;

use super::state::{TypeProblem, TypeProblemKind, TypeState};
use crate::program::builtins::{self, Arity, BuiltinFunction};
use crate::types::{Base, MAX_DEPTH, StructField, Type};
use mangle_syntax::syntax::ast::{Apply, Term, TermKind};
use mangle_syntax::text::Symbol;

type TypeResult = Result<Type, Box<TypeProblem>>;

/// Returns the type of a term, given the variable types in `state`.
///
/// # Errors
/// The problem, if the engine is certain to stop at the term.
pub(super) fn type_of(term: &Term, state: &TypeState) -> TypeResult {
    Ok(match &term.kind {
        TermKind::Variable(name) => state.get(*name),
        TermKind::Wildcard | TermKind::Broken => Type::Any,
        TermKind::Name(name) => Type::Literal(*name),
        TermKind::Number(_) => Type::number(),
        TermKind::Float(_) => Type::Base(Base::Float),
        TermKind::String => Type::Base(Base::String),
        TermKind::Bytes => Type::Base(Base::Bytes),
        TermKind::Apply(apply) => application(apply, state)?.bounded(MAX_DEPTH),
    })
}

/// The type of a term, or `/any` if it cannot be computed.
pub(super) fn type_or_any(term: &Term, state: &TypeState) -> Type {
    type_of(term, state).unwrap_or(Type::Any)
}

fn application(apply: &Apply, state: &TypeState) -> TypeResult {
    let args = apply.args.iter().map(|arg| type_of(arg, state)).collect::<Result<Vec<_>, _>>()?;
    match apply.function.as_str() {
        "fn:list" => Ok(Type::list(Type::union(args))),
        "fn:map" => Ok(map(&args)),
        "fn:struct" => Ok(structure(&apply.args, &args)),
        "fn:tuple" => Ok(Type::tuple(args.into_iter())),
        "fn:list:get" => list_get(apply, &args, state),
        "fn:struct:get" => struct_get(apply, &args, state),
        name => match builtins::function(name) {
            Some(function) if function.arity.accepts(args.len()) => call(function, apply, &args, state),
            _ => Ok(Type::Any),
        },
    }
}

fn map(args: &[Type]) -> Type {
    let keys = Type::union(args.iter().step_by(2).map(key_kind));
    let values = Type::union(args.iter().skip(1).step_by(2).cloned());
    // The empty map is a map for every key and value type.
    Type::map(if args.is_empty() { Type::Any } else { keys }, values)
}

/// The type of the keys that a map accepts in lookups, for actual keys of type `ty`. A name is
/// widened to all names.
pub(super) fn key_kind(ty: &Type) -> Type {
    if ty.is_name() { Type::name() } else { ty.clone() }
}

fn structure(terms: &[Term], args: &[Type]) -> Type {
    let mut fields = Vec::with_capacity(args.len() / 2);
    for (label, ty) in terms.iter().step_by(2).zip(args.iter().skip(1).step_by(2)) {
        let TermKind::Name(label) = label.kind else { return Type::Any };
        fields.push(StructField { label, optional: false, ty: ty.clone() });
    }
    Type::structure(fields)
}

/// The engine returns the bare element, independent of the signature in the Go code.
fn list_get(apply: &Apply, args: &[Type], state: &TypeState) -> TypeResult {
    let function = builtins::function("fn:list:get");
    match (function, args) {
        (Some(function), [list, _]) => {
            call(function, apply, args, state)?;
            Ok(element(list))
        }
        _ => Ok(Type::Any),
    }
}

fn element(list: &Type) -> Type {
    Type::union(list.members().iter().map(|member| match member {
        Type::List(element) => element.as_ref().clone(),
        _ => Type::Any,
    }))
}

fn struct_get(apply: &Apply, args: &[Type], state: &TypeState) -> TypeResult {
    let ([subject, label], [ty, _]) = (apply.args.as_slice(), args) else { return Ok(Type::Any) };
    let TermKind::Name(name) = label.kind else { return Ok(Type::Any) };
    match field(ty, name) {
        Projection::Type(ty) => Ok(ty),
        Projection::NoStruct => {
            Err(argument_problem(apply.function.symbol, 0, subject, ty, &Type::structure(Vec::new()), state))
        }
        Projection::NoField => Err(field_problem(subject, ty, name, label, state)),
    }
}

/// The type of a struct field.
pub(super) enum Projection {
    /// The type of the field, if the field is present.
    Type(Type),
    /// The value is not a struct.
    NoStruct,
    NoField,
}

/// Looks up the field `label` of the structs in `ty`.
pub(super) fn field(ty: &Type, label: Symbol) -> Projection {
    if ty.is_any() {
        return Projection::Type(Type::Any);
    }
    let mut found = Vec::new();
    let mut structs = false;
    for member in ty.members() {
        if let Type::Struct(fields) = member {
            structs = true;
            found.extend(fields.iter().find(|field| field.label == label).map(|field| field.ty.clone()));
        }
    }
    match (structs, found.is_empty()) {
        (false, _) => Projection::NoStruct,
        (true, true) => Projection::NoField,
        (true, false) => Projection::Type(Type::union(found)),
    }
}

pub(super) fn field_problem(
    subject: &Term,
    found: &Type,
    name: Symbol,
    label: &Term,
    state: &TypeState,
) -> Box<TypeProblem> {
    Box::new(TypeProblem {
        kind: TypeProblemKind::Field(name),
        range: label.range,
        variable: subject.variable(),
        found: found.clone(),
        origin: subject.variable().and_then(|variable| state.origin(variable)),
        wanted: Type::Any,
        differs_only_in_names: false,
    })
}

/// Applies the signature of a function. A reducer in a term takes a list.
fn call(function: &BuiltinFunction, apply: &Apply, args: &[Type], state: &TypeState) -> TypeResult {
    let mut bindings = Bindings::default();
    for (at, (term, ty)) in apply.args.iter().zip(args).enumerate() {
        let parameter = parameter(function, at);
        if !bindings.accept(&parameter, ty) {
            return Err(argument_problem(
                apply.function.symbol,
                at,
                term,
                ty,
                &bindings.fill(&parameter),
                state,
            ));
        }
    }
    Ok(bindings.fill(&Type::named(function.result)))
}

/// The type of parameter `at` of a function.
fn parameter(function: &BuiltinFunction, at: usize) -> Type {
    let index = match function.arity {
        Arity::Exactly(_) => at,
        Arity::AtLeast(_) => 0,
        Arity::Pairs => at % 2,
    };
    let Some(text) = function.parameters.get(index) else { return Type::Any };
    let ty = Type::named(text);
    match function.is_reducer() {
        true if function.takes_list() => Type::list(ty),
        true => Type::Any,
        false => as_evaluated(function.name, ty),
    }
}

fn argument_problem(
    function: Symbol,
    at: usize,
    term: &Term,
    found: &Type,
    wanted: &Type,
    state: &TypeState,
) -> Box<TypeProblem> {
    let argument = u32::try_from(at).unwrap_or(u32::MAX);
    Box::new(TypeProblem {
        kind: TypeProblemKind::Argument { function, argument },
        range: term.range,
        variable: term.variable(),
        found: found.clone(),
        origin: term.variable().and_then(|variable| state.origin(variable)),
        wanted: wanted.clone(),
        differs_only_in_names: false,
    })
}

/// The type variables of one signature, bound in one application.
#[derive(Debug, Default)]
pub(super) struct Bindings(SmallVec<[(Symbol, Type); 2]>);

impl Bindings {
    /// Checks the argument type `actual` against `parameter`, and binds the type variables of the
    /// parameter. Returns `false` if the argument does not fit.
    pub(super) fn accept(&mut self, parameter: &Type, actual: &Type) -> bool {
        match (parameter, actual) {
            (Type::Variable(name), _) => self.bind(*name, actual),
            (_, Type::Any | Type::Variable(_)) => {
                self.forget(parameter);
                true
            }
            (Type::Union(_), _) => actual.fits(parameter),
            (_, Type::Union(members)) => members.iter().all(|member| self.accept(parameter, member)),
            (Type::List(wanted), Type::List(found)) => self.accept(wanted, found),
            (Type::Pair(wanted), Type::Pair(found)) => {
                self.accept(&wanted.0, &found.0) && self.accept(&wanted.1, &found.1)
            }
            (Type::Map(wanted), Type::Map(found)) => {
                self.accept(&wanted.0, &found.0) && self.accept(&wanted.1, &found.1)
            }
            _ => actual.fits(parameter),
        }
    }

    /// Substitutes the bound variables in `ty`. Unbound variables become `/any`.
    pub(super) fn fill(&self, ty: &Type) -> Type {
        ty.substitute(&|name| self.get(name).cloned().unwrap_or(Type::Any))
    }

    fn get(&self, name: Symbol) -> Option<&Type> {
        self.0.iter().find(|(bound, _)| *bound == name).map(|(_, ty)| ty)
    }

    /// Binds a variable. Returns `false` if it already has a type of a different kind.
    fn bind(&mut self, name: Symbol, actual: &Type) -> bool {
        match self.0.iter_mut().find(|(bound, _)| *bound == name) {
            None => self.0.push((name, actual.clone())),
            Some((_, bound)) => {
                let apart = !bound.is_bottom()
                    && !actual.is_bottom()
                    && !bound.generalised().overlaps(&actual.generalised());
                if apart {
                    return false;
                }
                *bound = bound.join(actual);
            }
        }
        true
    }

    /// Binds all variables of `parameter` to `/any`.
    fn forget(&mut self, parameter: &Type) {
        match parameter {
            Type::Variable(name) => {
                self.bind(*name, &Type::Any);
            }
            Type::List(element) => self.forget(element),
            Type::Pair(parts) | Type::Map(parts) => {
                self.forget(&parts.0);
                self.forget(&parts.1);
            }
            _ => {}
        }
    }
}

/// The parameter type that the evaluation accepts: float parameters also accept integers, except in
/// `fn:float64:to_string`. Does not apply to reducers.
fn as_evaluated(function: &str, parameter: Type) -> Type {
    match parameter {
        Type::Base(Base::Float) if function != "fn:float64:to_string" => {
            Type::union([Type::number(), Type::Base(Base::Float)])
        }
        other => other,
    }
}
