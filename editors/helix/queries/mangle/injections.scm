; Generated from tree-sitter-mangle/queries/injections.scm by `cargo xtask generate`.

((comment) @injection.content
  (#set! injection.language "comment"))

; Documentation in a declaration is Markdown; the quotes are no part of it.
((atom_list (atom name: (identifier) @_name (string) @injection.content))
  (#eq? @_name "doc")
  (#offset! @injection.content 0 1 0 -1)
  (#set! injection.language "markdown"))
