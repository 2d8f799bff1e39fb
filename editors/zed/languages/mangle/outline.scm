(declaration
  "Decl" @context
  predicate: (_ name: (identifier) @name)) @item

(clause
  head: (_ name: (identifier) @name)) @item
