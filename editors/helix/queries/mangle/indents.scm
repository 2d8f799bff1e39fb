; Generated from tree-sitter-mangle/queries/indents.scm by `cargo xtask generate`.

; `indent.*` is for Neovim, `indent` and `outdent` are for Helix.

[
  (clause)
  (declaration)
  (query)
  (atom)
  (list)
  (map)
  (struct)
  (atom_list)
] @indent.begin @indent

[")" "]" "}"] @indent.branch @outdent

(clause "." @indent.end)
(declaration "." @indent.end)

(comment) @indent.ignore
(string) @indent.auto
