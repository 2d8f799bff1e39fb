; Generated from tree-sitter-mangle/queries/textobjects.scm by `cargo xtask generate`.

; A clause is a function with its body inside; a declaration is a class; arguments are parameters.

(clause) @function.around
(body) @function.inside

(declaration) @class.around
(declaration [(descriptors) (bound) (inclusion)] @class.inside)

(atom) @call.outer

(atom "," @_comma . (_) @parameter.inside
  (#make-range! "parameter.outer" @_comma @parameter.inside))
(atom "(" . (_) @parameter.inside . ","? @_comma
  (#make-range! "parameter.outer" @parameter.inside @_comma))

[(atom) (comparison) (negation) (temporal_premise)] @statement.outer

(comment) @comment.inside
(comment)+ @comment.around
