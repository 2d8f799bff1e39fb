; A variable belongs to its clause.

(clause) @local.scope
(declaration) @local.scope

(clause head: (atom (variable) @local.definition))
(declaration predicate: (atom (variable) @local.definition))
(let variable: (variable) @local.definition)

(variable) @local.reference
