; Later patterns win over earlier ones.

(comment) @comment
(foreign_comment) @comment

(variable) @variable
((variable) @variable.builtin (#eq? @variable.builtin "_"))
(constant) @constant
(number) @number
(float) @number.float
(string) @string
(bytes) @string
(timestamp) @string.special
(duration) @number
(now) @constant.builtin

; Predicates and functions share the node `atom`.
(atom name: (identifier) @function)
(bare_atom name: (identifier) @function)
(unopened_atom name: (identifier) @function)
((atom name: (identifier) @function.builtin) (#match? @function.builtin "^:"))
((atom name: (identifier) @function.call) (#match? @function.call "^fn:"))
(clause head: (atom name: (identifier) @function))
(declaration predicate: (atom name: (identifier) @function))
(descriptors (atom_list (atom name: (identifier) @attribute)))
(declaration predicate: (atom (variable) @variable.parameter))

(type_name) @type
(bound (constant) @type)
(dot_type (constant) @type)
(pair value: (constant) @constant)

(package name: (identifier) @module)
(use name: (identifier) @module)

["Package" "Use"] @keyword.import
["Decl" "descr" "bound" "inclusion" "do" "let" "opt"] @keyword
(temporal) @keyword
["!" "not" "\\+" "~"] @keyword.operator

["=" "!=" "<" "<=" ">" ">=" ":-" "⟸" "|>" "@"] @operator
(temporal_operator ["<-" "[-" "<+" "[+"] @operator)
(wrong_arrow) @operator
(arithmetic operator: _ @operator)

["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," "." ":"] @punctuation.delimiter
