(clause
  (body) @function.inside) @function.around

(declaration) @class.around

(comment)+ @comment.around
