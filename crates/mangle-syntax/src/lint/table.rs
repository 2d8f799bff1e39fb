//! Rules as a table: many of one group, a few lines each.

/// The rules of a group as statics, and all of them as `RULES`, in the order of their codes. A row has the name of the
/// static, code, name, severity and kind of fix, and then summary, rationale, a bad and a good example.
#[macro_export]
macro_rules! rules {
    (group: $group:ident; $($constant:ident = $code:literal $name:literal $severity:ident $fix:ident {
        $summary:literal $rationale:literal $bad:expr, $good:expr
    })*) => {
        $(
            #[doc = $summary]
            pub static $constant: $crate::lint::Rule = $crate::lint::Rule {
                code: $code,
                name: $name,
                group: $crate::lint::Group::$group,
                severity: Some($crate::lint::Severity::$severity),
                summary: $summary,
                rationale: $rationale,
                bad: $bad,
                good: $good,
                fix: $crate::lint::FixKind::$fix,
            };
        )*

        /// All rules of this file, in the order of their codes.
        pub static RULES: &[&$crate::lint::Rule] = &[$(&$constant),*];
    };
}
pub use crate::rules;
