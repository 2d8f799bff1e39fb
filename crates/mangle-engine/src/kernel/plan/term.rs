//! Compiles terms to value sources, and applications to steps that compute them.

use super::body::Body;
use super::{StepKind, ValueSource};
use crate::kernel::{Function, ValueId, evaluate};
use mangle_syntax::syntax::ast::{Apply, ApplyForm, Term, TermKind};

impl Body<'_> {
    /// The source of the value of a term. `Some(None)` for an unbound variable or `_`. `None` if
    /// the evaluation cannot continue after this term.
    pub(super) fn value(&mut self, term: &Term) -> Option<Option<ValueSource>> {
        match &term.kind {
            TermKind::Variable(name) => Some(self.lookup(*name)),
            TermKind::Wildcard => Some(None),
            TermKind::Apply(apply) => self.application(apply).map(Some),
            _ => self.constant(term).map(|value| Some(ValueSource::Value(value))),
        }
    }

    fn constant(&mut self, term: &Term) -> Option<ValueId> {
        let value = evaluate(term, self.text, self.values, None).ok().flatten();
        if value.is_none() {
            self.fail("this term cannot be read");
        }
        value
    }

    /// Adds the steps that compute an application. Lowering limits the depth of terms.
    fn application(&mut self, apply: &Apply) -> Option<ValueSource> {
        let name = apply.function.as_str();
        let is_type = matches!(apply.form, ApplyForm::DotType | ApplyForm::Optional);
        let Some(function) = Function::from_name(name).filter(|_| !is_type) else {
            self.fail(format!("`{name}` is no function"));
            return None;
        };
        let mut args = Vec::with_capacity(apply.args.len());
        for arg in &apply.args {
            let Some(source) = self.value(arg)? else {
                self.fail(match arg.variable() {
                    Some(name) => format!("`{name}` is unbound"),
                    None => "`_` is unbound".to_owned(),
                });
                return None;
            };
            args.push(source);
        }
        let slot = self.slot();
        self.push(StepKind::Compute { slot, function, args: args.into() });
        Some(ValueSource::Slot(slot))
    }
}
