; A statement is the outer function, its body the inner one.

(clause) @function.outer
(clause (body) @function.inner)
(declaration) @class.outer
(atom "(" . (_) @parameter.inner)
(atom (_) @parameter.inner)
(comment) @comment.outer
