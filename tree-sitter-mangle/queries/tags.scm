; A declaration is an interface, a clause adds to a definition, every other use is a reference.

((comment)* @doc
  .
  (declaration predicate: (_ name: (identifier) @name)) @definition.interface
  (#strip! @doc "^#\\s*")
  (#select-adjacent! @doc @definition.interface))

(clause head: (_ name: (identifier) @name)) @definition.function

(body (atom name: (identifier) @name) @reference.call)
(negation (atom name: (identifier) @name) @reference.call)
(temporal_premise (atom name: (identifier) @name) @reference.call)

(package name: (identifier) @name) @definition.module
(use name: (identifier) @name) @reference.module
