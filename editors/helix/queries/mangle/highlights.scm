; Generated from tree-sitter-mangle/queries/highlights.scm by `cargo xtask generate`.

; Patterns do not overlap on a node, so it does not matter whether an editor takes the first or the
; last match.

(comment) @comment
(foreign_comment) @comment

; Statements
["Package" "Use"] @keyword.control.import
["Decl" "descr" "bound" "inclusion" "do" "let" "opt"] @keyword
(temporal) @keyword
["!" "not" "\\+" "~"] @keyword.operator

(package name: (identifier) @namespace)
(use name: (identifier) @namespace)

; Predicates: declared and defined, used, built in
(declaration predicate: (_ name: (identifier) @function))
(clause head: (_ name: (identifier) @function))
((body [(atom name: (identifier) @function) (bare_atom name: (identifier) @function)])
  (#not-match? @function "^(fn)?:"))
((negation [(atom name: (identifier) @function) (bare_atom name: (identifier) @function)])
  (#not-match? @function "^(fn)?:"))
((temporal_premise [(atom name: (identifier) @function) (bare_atom name: (identifier) @function)])
  (#not-match? @function "^(fn)?:"))
((atom name: (identifier) @function.builtin)
  (#match? @function.builtin "^(fn)?:"))
(atom_list (atom name: (identifier) @attribute))
(atom_list (bare_atom name: (identifier) @attribute))

; Terms
((variable) @variable
  (#not-eq? @variable "_"))
((variable) @variable.builtin
  (#eq? @variable.builtin "_"))
(bound (constant) @type)
(dot_type (constant) @type)
(dot_type (pair value: (constant) @type))
(optional_field value: (constant) @type)
(dot_type (pair key: (constant) @variable.other.member))
(optional_field key: (constant) @variable.other.member)
(struct (pair key: (constant) @variable.other.member))
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
  (atom (constant) @constant.builtin.boolean)
  (comparison (constant) @constant.builtin.boolean)
  (list (constant) @constant.builtin.boolean)
  (map (pair (constant) @constant.builtin.boolean))
  (struct (pair value: (constant) @constant.builtin.boolean))
] (#any-of? @constant.builtin.boolean "/true" "/false"))
(number) @constant.numeric
(float) @constant.numeric.float
(string) @string
(bytes) @string.special
(timestamp) @string.special
(duration) @constant.numeric
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
