//! Selection of the SMT sorts of strings and names: texts, or numbers if they are only compared for
//! equality.

use mangle_engine::kernel::CompiledProgram;
use mangle_engine::kernel::plan::{Let, RowArgs, Step, StepKind};
use mangle_engine::types::Type;

use super::expr::Sort;
use super::print::TextSorts;
use crate::candidates::InputPredicate;
use crate::cone::Cone;

/// Functions that read or create strings.
const STRINGS: &[&str] =
    &["string:concat", "string:replace", "number:to_string", "float64:to_string", "name:to_string"];

/// Functions that read names.
const NAMES: &[&str] = &["string:concat", "name:to_string", "name:root", "name:tip", "name:list"];

/// Returns the sorts of strings and names: texts if a step of the cone reads their content.
pub(crate) fn text_sorts(compiled: &CompiledProgram, cone: &Cone, inputs: &[InputPredicate]) -> TextSorts {
    let mut uses = Uses::default();
    for stratum in &compiled.strata {
        for plan in stratum.plans.iter().filter(|plan| cone.needs(plan.target)) {
            uses.steps(&plan.steps);
        }
        for aggregate in stratum.aggregates.iter().filter(|aggregate| cone.needs(aggregate.target)) {
            uses.steps(&aggregate.finish);
            for statement in &aggregate.lets {
                let (Let::Compute(steps) | Let::Reduce { args: RowArgs { steps, .. }, .. }) = statement;
                uses.steps(steps);
            }
        }
    }
    for (relation, rules) in &compiled.deferred {
        if cone.needs(*relation) {
            rules.iter().for_each(|rule| uses.steps(&rule.plan.steps));
        }
    }
    let types = inputs.iter().flat_map(|input| &input.rows).flatten();
    uses.names |= types.into_iter().any(has_prefix);
    let sort = |is_text: bool| if is_text { Sort::Text } else { Sort::Int };
    TextSorts { strings: sort(uses.strings), names: sort(uses.names) }
}

#[derive(Default)]
struct Uses {
    strings: bool,
    names: bool,
}

impl Uses {
    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match &step.kind {
                StepKind::Compute { function, .. } => {
                    self.strings |= STRINGS.contains(&function.name());
                    self.names |= NAMES.contains(&function.name());
                }
                StepKind::Solve { name, .. } => {
                    self.strings |= name.as_str().starts_with(":string:");
                    self.names |= name.as_str() == ":match_prefix";
                }
                _ => {}
            }
        }
    }
}

/// True if a type has names below a prefix.
fn has_prefix(ty: &Type) -> bool {
    match ty {
        Type::Prefix(_) => true,
        Type::List(of) | Type::Option(of) => has_prefix(of),
        Type::Pair(parts) | Type::Map(parts) => has_prefix(&parts.0) || has_prefix(&parts.1),
        Type::Struct(fields) => fields.iter().any(|field| has_prefix(&field.ty)),
        Type::Union(members) => members.iter().any(has_prefix),
        _ => false,
    }
}
