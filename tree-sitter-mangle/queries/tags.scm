; What defines and what uses a predicate.

(declaration predicate: (atom name: (identifier) @name)) @definition.interface
(clause head: (atom name: (identifier) @name)) @definition.function
(package name: (identifier) @name) @definition.module

(body (atom name: (identifier) @name) @reference.call)
(negation (atom name: (identifier) @name) @reference.call)
(temporal_premise (atom name: (identifier) @name) @reference.call)
(use name: (identifier) @name) @reference.module
