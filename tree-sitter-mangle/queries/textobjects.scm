; A clause is a function with its body inside; a declaration is a class; arguments are parameters.

(clause) @function.outer
(body) @function.inner

(declaration) @class.outer
(declaration [(descriptors) (bound) (inclusion)] @class.inner)

(atom) @call.outer

(atom "," @_comma . (_) @parameter.inner
  (#make-range! "parameter.outer" @_comma @parameter.inner))
(atom "(" . (_) @parameter.inner . ","? @_comma
  (#make-range! "parameter.outer" @parameter.inner @_comma))

[(atom) (comparison) (negation) (temporal_premise)] @statement.outer

(comment) @comment.inner
(comment)+ @comment.outer
