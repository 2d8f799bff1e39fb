//! The rules about what does not parse, `MG0xx`.

use crate::lint::rules;

rules! {
    group: Syntax;

    SYNTAX_ERROR = "MG001" "syntax-error" Error None {
        "Text that cannot be read."
        "The engine refuses the whole program at the first error it meets."
        "p(1) $ q(2).",
        "p(1). q(2)."
    }
    BOM = "MG002" "bom" Error Safe {
        "The file starts with a byte order mark."
        "The engine rejects the first character of the file. Editors hide it."
        "\u{feff}p(1).",
        "p(1)."
    }
    UNTERMINATED_STRING = "MG003" "unterminated-string" Error Unsafe {
        "A string that is never closed."
        "A string may span lines, so the engine swallows everything up to the next quote of this kind."
        "p(\"open).\nq(1).",
        "p(\"closed\").\nq(1)."
    }
    NAME_SWALLOWS_DOT = "MG004" "name-swallows-dot" Error Safe {
        "The full stop behind a name constant is part of the constant."
        "Full stops are name characters: the engine reads `/a.` as one name and runs on into the next statement."
        "q(/b).\np(X) :- q(X), X != /a.",
        "q(/b).\np(X) :- q(X), X != /a ."
    }
    MISSING_DOT = "MG005" "missing-dot" Error Safe {
        "A statement without its full stop."
        "The engine reads on and rejects what follows."
        "p(1)\nq(2).",
        "p(1).\nq(2)."
    }
    MISSING_PARENS = "MG006" "missing-parens" Error Safe {
        "An atom without parentheses."
        "Every atom has parentheses, also one without arguments."
        "ready.",
        "ready()."
    }
    UNDERSCORE_IN_VARIABLE = "MG007" "underscore-in-variable" Error Unsafe {
        "A variable with an underscore."
        "Variables consist of letters and digits; the engine stops at the underscore."
        "q(1).\np(My_Var) :- q(My_Var).",
        "q(1).\np(MyVar) :- q(MyVar)."
    }
    UPPERCASE_PREDICATE = "MG008" "uppercase-predicate" Error Unsafe {
        "A predicate that starts with a capital or an underscore."
        "A capitalised word is a variable to the engine."
        "Ready(1).",
        "ready(1)."
    }
    RESERVED_WORD = "MG009" "reserved-word" Error None {
        "A word of the language as a name."
        "`temporal descr inclusion now opt bound let do` cannot name predicates, `Package Use Decl` cannot be variables."
        "now(1).",
        "current(1)."
    }
    EXPONENT_NEEDS_FRACTION = "MG010" "exponent-needs-fraction" Error Safe {
        "A float with an exponent but without a fraction."
        "The engine reads `1e5` as a number and a word."
        "p(1e5).",
        "p(1.0e5)."
    }
    TEMPORAL_LITERAL_AS_TERM = "MG011" "temporal-literal-as-term" Error Safe {
        "A date or duration outside `@[…]`."
        "Dates and durations have no notation as values; functions build them."
        "p(7d).",
        "p(fn:duration:parse(\"168h\"))."
    }
    NEGATIVE_LIST_HEAD = "MG012" "negative-list-head" Error Safe {
        "A list whose first element has its sign glued to the bracket."
        "`[-` and `[+` are temporal operators to the engine wherever they stand."
        "p([-1, 2]).",
        "p([ -1, 2])."
    }
    LT_MINUS = "MG013" "lt-minus" Error Safe {
        "`<` glued to a sign."
        "`<-` and `<+` are temporal operators to the engine wherever they stand."
        "q(1).\np(X) :- q(X), X <-1.",
        "q(1).\np(X) :- q(X), X < -1."
    }
    TYPE_DOT_GLUED = "MG014" "type-dot-glued" Error Safe {
        "A full stop glued to a capital letter."
        "`.Decl` is a type constructor to the engine, so the statement before it does not end."
        "p(1).Decl q(X).\nq(1).",
        "p(1).\nDecl q(X).\nq(1)."
    }
    COLON_GLUED = "MG015" "colon-glued" Error Safe {
        "A colon glued to a variable or to a lower-case word."
        "Colons are characters of names: `X:2` is one word to the engine."
        "q(1).\np(M) :- q(X), M = [X:2].",
        "q(1).\np(M) :- q(X), M = [X : 2]."
    }
    INFIX_ARITHMETIC = "MG016" "infix-arithmetic" Error Safe {
        "Arithmetic written with operators."
        "Mangle computes with functions only."
        "q(1).\np(Y) :- q(X), Y = X + 1.",
        "q(1).\np(Y) :- q(X), Y = fn:plus(X, 1)."
    }
    CONS_BAR = "MG017" "cons-bar" Error Safe {
        "A list pattern `[H | T]`."
        "Patterns do not exist; built-in predicates take values apart."
        "q([1]).\np(H) :- q([H | T]).",
        "q([1]).\np(H) :- q(L), :match_cons(L, H, T)."
    }
    DISJUNCTION = "MG018" "disjunction" Error Safe {
        "Alternatives with `;`."
        "A rule has one body; alternatives are separate rules."
        "a(1).\nb(2).\np(X) :- a(X) ; b(X).",
        "a(1).\nb(2).\np(X) :- a(X).\np(X) :- b(X)."
    }
    NOT_KEYWORD = "MG019" "not-keyword" Error Safe {
        "Negation with `not`, `\\+` or `~`."
        "Negation is `!`."
        "a(1).\nb(2).\np(X) :- a(X), not b(X).",
        "a(1).\nb(2).\np(X) :- a(X), !b(X)."
    }
    WRONG_COMMENT = "MG020" "wrong-comment" Error Safe {
        "A comment in another language's notation."
        "Comments start with `#`; the engine rejects the rest."
        "// facts\np(1).",
        "# facts\np(1)."
    }
    FUNCTION_AS_PREMISE = "MG021" "function-as-premise" Error Safe {
        "A function as a condition."
        "Functions have values; they neither hold nor fail. Some have a predicate of the same purpose."
        "q(\"ab\").\np(X) :- q(X), fn:string:contains(X, \"a\").",
        "q(\"ab\").\np(X) :- q(X), :string:contains(X, \"a\")."
    }
    FUNCTION_AS_ATOM = "MG022" "function-as-atom" Error None {
        "A function where an atom must stand."
        "Names that start with `fn:` are functions and cannot be defined or declared."
        "fn:f(1).",
        "f(1)."
    }
    NEGATED_COMPARISON = "MG023" "negated-comparison" Error Safe {
        "A negated comparison."
        "Only atoms can be negated; comparisons have opposites."
        "q(1).\np(X) :- q(X), !X = 2.",
        "q(1).\np(X) :- q(X), X != 2."
    }
    NEGATED_TEMPORAL = "MG024" "negated-temporal" Error None {
        "A negated temporal premise."
        "Only plain atoms can be negated."
        "Decl on(P) temporal.\non(/x)@[2024-05-01].\nq(/x).\np(X) :- q(X), !on(X)@[2024-05-01].",
        "Decl on(P) temporal.\non(/x)@[2024-05-01].\nq(/x).\nwas_on(P) :- on(P)@[2024-05-01].\np(X) :- q(X), !was_on(X)."
    }
    LET_NEEDS_FUNCTION = "MG025" "let-needs-function" Error Safe {
        "A `let` or `do` without a function."
        "Transforms apply functions; values are named by `=` in the body."
        "q(1).\np(Y) :- q(X) |> let Y = X.",
        "q(1).\np(Y) :- q(X), Y = X."
    }
    OPERATOR_NEEDS_TWO_BOUNDS = "MG026" "operator-needs-two-bounds" Error Safe {
        "A temporal operator with one bound."
        "The operators take a pair of bounds."
        "Decl on(P) temporal.\non(/x)@[2024-05-01].\np(X) :- <-[30d] on(X).",
        "Decl on(P) temporal.\non(/x)@[2024-05-01].\np(X) :- <-[0d, 30d] on(X)."
    }
    DECL_LOWERCASE_ARG = "MG027" "decl-lowercase-arg" Error Safe {
        "A lower-case word as argument of a `Decl`."
        "The declared atom takes variables; a lower-case word is a predicate without parentheses."
        "Decl p(x).",
        "Decl p(X)."
    }
    DECL_ARG_NOT_VARIABLE = "MG028" "decl-arg-not-variable" Error Unsafe {
        "An argument of a `Decl` that is no variable."
        "The declared atom only names its columns."
        "Decl p(/string).",
        "Decl p(A) bound [/string]."
    }
    DECL_PART_ORDER = "MG029" "decl-part-order" Error Safe {
        "The parts of a `Decl` in another order."
        "The order is fixed: `temporal`, `descr`, `bound`, `inclusion`."
        "Decl p(X) bound [/number] descr [doc(\"d\")].",
        "Decl p(X) descr [doc(\"d\")] bound [/number]."
    }
    LEGACY_TYPED_ARG = "MG030" "legacy-typed-arg" Error Unsafe {
        "A typed argument `A.Type<string>`."
        "It comes from old documents; no released engine reads it."
        "Decl p(A.Type<string>).",
        "Decl p(A) bound [/string]."
    }
    MODE_UNQUOTED = "MG031" "mode-unquoted" Error Safe {
        "A mode without quotes."
        "Modes are strings."
        "Decl p(A) descr [mode(+)].\nq(1).",
        "Decl p(A) descr [mode(\"+\")].\nq(1)."
    }
    PACKAGE_DOT = "MG032" "package-dot" Error Safe {
        "`Package` or `Use` that ends with a full stop."
        "Both end with `!`, everything else with a full stop."
        "Package depot.\np(1).",
        "Package depot!\np(1)."
    }
    MISSING_COMMA = "MG033" "missing-comma" Error Safe {
        "Two premises or arguments without a comma."
        "The engine expects a comma or the end of the clause."
        "a(1).\nb(1).\np(X) :-\n  a(X)\n  b(X).",
        "a(1).\nb(1).\np(X) :-\n  a(X),\n  b(X)."
    }
    DOUBLE_COMMA = "MG034" "double-comma" Error Safe {
        "A comma with nothing before or after it."
        "One comma may end a list; two in a row have an empty place between them."
        "p(1,, 2).",
        "p(1, 2)."
    }
    LONE_COMMA = "MG035" "lone-comma" Error Safe {
        "A list that consists of a comma."
        "An empty list has no comma."
        "p([,]).",
        "p([])."
    }
    EMPTY_BODY = "MG036" "empty-body" Error Unsafe {
        "A rule without a body."
        "An arrow announces premises."
        "p(1) :- .",
        "p(1)."
    }
    MISSING_BRACKET = "MG037" "missing-bracket" Error Safe {
        "A bracket that is never closed."
        "The engine reads on and rejects what follows."
        "p([1, 2).\nq(1).",
        "p([1, 2]).\nq(1)."
    }
    UNMATCHED_PARENTHESIS = "MG038" "unmatched-parenthesis" Error None {
        "A parenthesis that is never opened."
        "The engine rejects the clause."
        "a(1).\np(X) :- aX).",
        "a(1).\np(X) :- a(X)."
    }
    BAD_ESCAPE = "MG039" "bad-escape" Error Unsafe {
        "An unknown escape in a string."
        "The engine knows `\\n \\t \\\" \\' \\`, `\\xhh` and `\\u{hhhh}` with lower-case digits, and rejects all others. No string is raw."
        "p(\"a\\d\").",
        "p(\"a\\\\d\")."
    }
    NUMBER_RANGE = "MG040" "number-range" Error None {
        "A number that does not fit 64 bits."
        "The engine rejects it."
        "p(9223372036854775808).",
        "p(9223372036854775807)."
    }
    TIME_RANGE = "MG041" "time-range" Error None {
        "A date, time or duration that does not exist."
        "The engine rejects it."
        "p(/a)@[2024-13-01].",
        "p(/a)@[2024-12-01]."
    }
    BAD_INTERVAL = "MG042" "bad-interval" Error None {
        "An interval that is not one or two bounds."
        "Bounds are dates, durations, `now`, variables and `_`."
        "p(/a)@[1].",
        "p(/a)@[2024-05-01]."
    }
    ANNOTATION_ON_COMPARISON = "MG043" "annotation-on-comparison" Error Unsafe {
        "An interval on a comparison, or a temporal operator before one."
        "The engine silently ignores it."
        "q(1).\np(X) :- q(X), X@[_, _] = 1.",
        "q(1).\np(X) :- q(X), X = 1."
    }
    STATEMENT_ORDER = "MG044" "statement-order" Error None {
        "`Package` or `Use` behind other statements."
        "`Package` comes first, `Use` second, everything else after them."
        "p(1).\nPackage depot!",
        "Package depot!\np(1)."
    }
    NESTED_TOO_DEEP = "MG045" "nested-too-deep" Error None {
        "Terms nested hundreds deep."
        "This tool stops reading there, so that a hostile file cannot exhaust it."
        "",
        ""
    }
    QUERY_IN_FILE = "MG046" "query-in-file" Error Unsafe {
        "A query in a file."
        "Queries belong to the interpreter's prompt; files hold declarations, facts and rules."
        "p(1).\n?p(X).",
        "p(1)."
    }
    WRONG_ARROW = "MG047" "wrong-arrow" Error Safe {
        "Another arrow than `:-`."
        "`<=` is less-or-equal and `<-` a temporal operator to the engine."
        "q(1).\np(X) <= q(X).",
        "q(1).\np(X) :- q(X)."
    }
    WRONG_OPERATOR = "MG048" "wrong-operator" Error Safe {
        "An operator of another language."
        "The comparisons are `=` `!=` `<` `<=` `>` `>=`."
        "q(1).\np(X) :- q(X), X == 1.",
        "q(1).\np(X) :- q(X), X = 1."
    }
    NOT_A_PREMISE = "MG049" "not-a-premise" Error None {
        "A value as a condition."
        "A premise is an atom or a comparison."
        "q(1).\np(X) :- q(X), X.",
        "q(1).\np(X) :- q(X), X = 1."
    }
    NOT_AN_ATOM = "MG050" "not-an-atom" Error Safe {
        "A value where a descriptor or constraint belongs."
        "`descr` and `inclusion` hold atoms."
        "Decl p(X) descr [\"text\"].\np(1).",
        "Decl p(X) descr [doc(\"text\")].\np(1)."
    }
    NOT_A_TRANSFORM = "MG051" "not-a-transform" Error Safe {
        "Something other than `do` and `let` behind `|>`."
        "A transform is `do fn:group_by(…)` with `let`s, or `let`s alone."
        "q(/a, 1).\np(X, N) :- q(X, _) |> fn:group_by(X), let N = fn:count().",
        "q(/a, 1).\np(X, N) :- q(X, _) |> do fn:group_by(X), let N = fn:count()."
    }
    NOT_A_PAIR = "MG052" "not-a-pair" Error None {
        "An entry without a key among pairs."
        "Maps and structs consist of pairs."
        "p({/a : 1, 2}).",
        "p({/a : 1, /b : 2})."
    }
    DOUBLE_NEGATION = "MG053" "double-negation" Error None {
        "A negated negation."
        "One `!` at most stands before an atom."
        "q(1).\np(X) :- q(X), !!q(X).",
        "q(1).\np(X) :- q(X)."
    }
    TRANSFORM_WITHOUT_BODY = "MG054" "transform-without-body" Error None {
        "A transform without a body."
        "A transform changes the rows of a body."
        "p(X) :- |> let X = fn:plus(1, 2).",
        "q(1).\np(X) :- q(Y) |> let X = fn:plus(Y, 2)."
    }
    LOWERCASE_VARIABLE = "MG055" "lowercase-variable" Error Unsafe {
        "A lower-case word as a value."
        "Variables start with a capital, constants with a slash, text stands in quotes."
        "q(/one).\np(X) :- q(X), X = one.",
        "q(/one).\np(X) :- q(X), X = /one ."
    }
    PREDICATE_AS_VALUE = "MG056" "predicate-as-value" Error None {
        "An atom where a value belongs."
        "Atoms hold or fail; only functions have values."
        "q(1).\np(X) :- q(X), X = q(1).",
        "q(1).\np(X) :- q(X), X = 1."
    }
    UNKNOWN_DECL_PART = "MG057" "unknown-decl-part" Error Safe {
        "An unknown part of a `Decl`."
        "A `Decl` has `temporal`, `descr`, `bound` and `inclusion` parts."
        "Decl p(X) bounds [/number].",
        "Decl p(X) bound [/number]."
    }
    LONE_CR = "MG058" "lone-cr" Error Unsafe {
        "A comment goes on behind a lone carriage return."
        "Only a line feed ends a comment: the engine silently ignores all code up to the next one. Files of old programs are one comment from their first `#` on."
        "p(1). # one\rp(2).\r",
        "p(1). # one\np(2).\n"
    }
    CONJUNCTION_KEYWORD = "MG059" "conjunction-keyword" Error Safe {
        "Premises joined by `and` or `&&`."
        "Premises are separated by commas."
        "a(1).\nb(1).\np(X) :- a(X) and b(X).",
        "a(1).\nb(1).\np(X) :- a(X), b(X)."
    }
    WRONG_KEYWORD = "MG060" "wrong-keyword" Error Safe {
        "A keyword of another language, or in another case."
        "The keywords are `Decl`, `Package` and `Use`, with a capital; a clause has none."
        "decl p(X) bound [/number].\np(1).",
        "Decl p(X) bound [/number].\np(1)."
    }
    FOREIGN_DIRECTIVE = "MG061" "foreign-directive" Error Unsafe {
        "A directive of another Datalog or of Prolog."
        "A file holds declarations, facts and rules. The host of the engine loads facts and asks for results."
        ".input p\np(1).",
        "# .input p\np(1)."
    }
    FOREIGN_AGGREGATION = "MG062" "foreign-aggregation" Error Unsafe {
        "Aggregation in the notation of SQL, Soufflé or Prolog."
        "A body is aggregated by what stands behind it: `|> do fn:group_by(…), let N = fn:count()`."
        "q(1, 2).\np(X, count(Y)) :- q(X, Y).",
        "q(1, 2).\np(X, Count) :- q(X, _) |> do fn:group_by(X), let Count = fn:count()."
    }
    FOREIGN_CONSTANT = "MG063" "foreign-constant" Error Unsafe {
        "`true`, `false` or `null`."
        "Mangle has neither truth values nor null. By convention `/true` and `/false` are names like others; what is unknown is not stated."
        "p(true).",
        "p(/true)."
    }
    FOREIGN_CONTROL = "MG064" "foreign-control" Error Unsafe {
        "A cut, a quantifier or a change of facts."
        "A rule says what follows; it controls nothing. All its variables are existential in the body."
        "a(1).\nb(1, 2).\np(X) :- a(X), exists(b(X, Y)).",
        "a(1).\nb(1, 2).\np(X) :- a(X), b(X, _)."
    }
    VARIABLE_SIGIL = "MG065" "variable-sigil" Error Safe {
        "A variable with `$`, `?` or `@` in front of it."
        "Variables are words that start with a capital; any value is `_`."
        "a(1).\np($X) :- a($X).",
        "a(1).\np(X) :- a(X)."
    }
    UNQUOTED_STRING = "MG066" "unquoted-string" Error Unsafe {
        "Text without quotes."
        "Several words are several terms to the engine, and lower-case words are none."
        "p(hello there).",
        "p(\"hello there\")."
    }
    BAD_NAME = "MG067" "bad-name" Error Unsafe {
        "A name or predicate with a character that it cannot have."
        "Names consist of letters, digits and `._~%-` between slashes; predicates of letters, digits, `_`, `:` and `.`; neither has quotes or spaces."
        "p(/New York).",
        "p(/New_York)."
    }
    MISSING_FN = "MG068" "missing-fn" Error Safe {
        "A function without `fn:`."
        "A word without `fn:` is a predicate, which has no value."
        "q(1).\np(Y) :- q(X), Y = plus(X, 1).",
        "q(1).\np(Y) :- q(X), Y = fn:plus(X, 1)."
    }
    PASTED_MARKUP = "MG069" "pasted-markup" Error Safe {
        "Marks of a document that the program was copied from."
        "Fences, bullets and line numbers are no part of a program."
        "- p(1).",
        "p(1)."
    }
    LOOKALIKE_CHARACTER = "MG070" "lookalike-character" Error Safe {
        "A character that looks like another one."
        "Typographic quotes and unusual spaces come with text from documents; the engine knows only the plain ones."
        "p(\u{201c}a\u{201d}).",
        "p(\"a\")."
    }
    FOREIGN_LITERAL = "MG071" "foreign-literal" Error Safe {
        "A number or string in the notation of another language."
        "Numbers are decimal digits with at most a minus; strings have one quote at each end and no prefix."
        "p(0xff).",
        "p(255)."
    }
    PACKAGE_RENAMED = "MG072" "package-renamed" Warning None {
        "An attribute that renames the package."
        "The engine takes `name(\"…\")` behind `Package` for the name of the package, and forgets the one in front."
        "Package depot [name(\"quay\")]!\np(1).",
        "Package quay!\np(1)."
    }
    DIRECTIVE_OUTSIDE_HYBRID = "MG080" "directive-outside-hybrid" Error None {
        "A directive of codeNERD in a file that is not named as hybrid."
        "Lines that start with `TAXONOMY:`, `INTENT:` or `PROMPT:` are no Mangle. codeNERD's loader takes them out; an engine that gets the file as it is rejects it. Files for that loader are named in `hybrid` of their `[[program]]`; in these the lines are passed over."
        "INTENT: \"make it work\" -> /fix \"all\"\np(1).\n",
        "p(1).\n"
    }
    FOREIGN_WORD = "MG081" "foreign-word" Error Unsafe {
        "A word of another language between values or premises."
        "A body has atoms and comparisons only, with commas in between. A word beside a value makes the engine reject the clause."
        "path(\"src/a.go\").\nours(T) :- path(T), T like \"src/%\".",
        "path(\"src/a.go\").\nours(T) :- path(T), :string:starts_with(T, \"src/\")."
    }
    FOREIGN_RULE = "MG089" "foreign-rule" Error None {
        "A rule of Rego or a query of SQL."
        "The engine rejects the file. A rule of Mangle has a head, `:-`, premises with commas between them, and a full stop."
        "Decl request(User) bound [/string].\ndeny[msg] {\n  request(\"ann\")\n  msg := \"no\"\n}",
        "Decl request(User) bound [/string].\ndeny(\"no\") :- request(\"ann\")."
    }
}

/// What is said of a file that starts with a byte order mark.
pub const MARKED: &str = "This file starts with an invisible byte order mark, which the engine rejects.";
