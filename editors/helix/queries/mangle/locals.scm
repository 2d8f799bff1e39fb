; Generated from tree-sitter-mangle/queries/locals.scm by `cargo xtask generate`.

; A variable lives in its clause, declaration or query.

(clause) @local.scope
(declaration) @local.scope
(query) @local.scope

(clause head: (atom (variable) @local.definition))
(declaration predicate: (atom (variable) @local.definition))
(let variable: (variable) @local.definition)

((variable) @local.reference
  (#not-eq? @local.reference "_"))
