; Generated from tree-sitter-mangle/queries/highlights.scm by `cargo xtask generate`.

; Patterns do not overlap on a node, so it does not matter whether an editor takes the first or the
; last match.

(comment) @comment
(foreign_comment) @comment

; Statements
["Package" "Use"] @keyword.import
["Decl" "descr" "bound" "inclusion" "do" "let" "opt"] @keyword
(temporal) @keyword
["!" "not" "\\+" "~"] @keyword.operator

(package name: (identifier) @namespace)
(use name: (identifier) @namespace)

; Predicates: declared and defined, used, built in
(declaration predicate: (_ name: (identifier) @function))
(clause head: (_ name: (identifier) @function))
((body [(atom name: (identifier) @function.call) (bare_atom name: (identifier) @function.call)])
  (#not-match? @function.call "^(fn)?:"))
((negation [(atom name: (identifier) @function.call) (bare_atom name: (identifier) @function.call)])
  (#not-match? @function.call "^(fn)?:"))
((temporal_premise [(atom name: (identifier) @function.call) (bare_atom name: (identifier) @function.call)])
  (#not-match? @function.call "^(fn)?:"))
((atom name: (identifier) @function.builtin)
  (#match? @function.builtin "^(fn)?:"))
(atom_list (atom name: (identifier) @attribute))
(atom_list (bare_atom name: (identifier) @attribute))

; Terms
((variable) @variable
  (#not-eq? @variable "_"))
((variable) @variable.special
  (#eq? @variable.special "_"))
(bound (constant) @type)
(dot_type (constant) @type)
(dot_type (pair value: (constant) @type))
(optional_field value: (constant) @type)
(dot_type (pair key: (constant) @property))
(optional_field key: (constant) @property)
(struct (pair key: (constant) @property))
([
  (atom (constant) @constant)
  (unopened_atom (constant) @constant)
  (bare_term (constant) @constant)
  (comparison (constant) @constant)
  (arithmetic (constant) @constant)
  (let (constant) @constant)
  (list (constant) @constant)
  (map (constant) @constant)
  (map (pair (constant) @constant))
  (struct (constant) @constant)
  (struct (pair value: (constant) @constant))
] (#not-any-of? @constant "/true" "/false"))
([
  (atom (constant) @boolean)
  (comparison (constant) @boolean)
  (list (constant) @boolean)
  (map (pair (constant) @boolean))
  (struct (pair value: (constant) @boolean))
] (#any-of? @boolean "/true" "/false"))
(number) @number
(float) @number.float
(string) @string
(bytes) @string.special
(timestamp) @string.special
(duration) @number
(now) @constant.builtin
(type_name) @type

; Operators and punctuation
[":-" "⟸" "|>" "?" "?-" "=" "!=" "<=" ">=" "<-" "<+" "[-" "[+" "←" "=>" "->"] @operator
(comparison operator: ["<" ">"] @operator)
(arithmetic operator: _ @operator)
"@" @punctuation.special
["." "," ":"] @punctuation.delimiter
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
(dot_type ["<" ">"] @punctuation.bracket)
(typed_argument ["<" ">"] @punctuation.bracket)
