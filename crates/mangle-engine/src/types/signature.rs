//! The types of built-in functions and predicates applied to arguments: type variables are bound
//! by the arguments and filled into the result.

use smallvec::SmallVec;

use super::value::{Base, Type};
use mangle_syntax::text::Symbol;

/// What the type variables of one signature stand for in one application.
#[derive(Debug, Default)]
pub(super) struct Bindings(SmallVec<[(Symbol, Type); 2]>);

impl Bindings {
    /// Takes `actual` as an argument where `parameter` is wanted, and learns what its variables
    /// stand for. `false` when the argument does not fit.
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

    /// What `ty` is with everything filled in that is known.
    pub(super) fn fill(&self, ty: &Type) -> Type {
        ty.substitute(&|name| self.get(name).cloned().unwrap_or(Type::Any))
    }

    fn get(&self, name: Symbol) -> Option<&Type> {
        self.0.iter().find(|(bound, _)| *bound == name).map(|(_, ty)| ty)
    }

    /// One variable stands for one kind of values: what has nothing in common does not mix.
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

    /// Everything may stand for the variables of `parameter`.
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

/// The parameter of a function with what its evaluation takes beside: integers where floats are
/// wanted. (Reducers take none; `fn:float64:to_string` neither.)
pub(super) fn as_evaluated(function: &str, parameter: Type) -> Type {
    match parameter {
        Type::Base(Base::Float) if function != "fn:float64:to_string" => {
            Type::union([Type::number(), Type::Base(Base::Float)])
        }
        other => other,
    }
}
