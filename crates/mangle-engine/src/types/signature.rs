//! Applies the signatures of built-in functions and predicates: arguments bind the type variables,
//! which are then substituted in the result.

use smallvec::SmallVec;

use super::value::{Base, Type};
use mangle_syntax::text::Symbol;

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
pub(super) fn as_evaluated(function: &str, parameter: Type) -> Type {
    match parameter {
        Type::Base(Base::Float) if function != "fn:float64:to_string" => {
            Type::union([Type::number(), Type::Base(Base::Float)])
        }
        other => other,
    }
}
