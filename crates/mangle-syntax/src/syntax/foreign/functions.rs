//! Functions and aggregations of other languages with their Mangle equivalents.

/// The Mangle function for the name `word` of another language.
pub(super) fn function(word: &str) -> Option<&'static str> {
    FUNCTIONS.iter().find(|(known, _)| *known == word).map(|(_, function)| *function)
}

/// Advice for a call without an equivalent Mangle function with the same arguments.
pub(in crate::syntax) fn value_advice(word: &str) -> &'static str {
    match word.rsplit('.').next().unwrap_or(word) {
        "sprintf" | "format" | "printf" | "format_string" | "print" | "string_format" => {
            "join the parts with `fn:string:concat(…)`"
        }
        "get" => "bind the value with a premise that has the key as an argument",
        "lower" | "upper" | "toLowerCase" | "toUpperCase" | "trim" | "strip" | "split" | "substring" => {
            "add the changed text as a fact; Mangle has no such function"
        }
        _ => "use a function, which begins with `fn:`, or bind a variable with a premise",
    }
}

/// Function names of other languages.
const FUNCTIONS: &[(&str, &str)] = &[
    ("plus", "fn:plus"),
    ("add", "fn:plus"),
    ("minus", "fn:minus"),
    ("subtract", "fn:minus"),
    ("mult", "fn:mult"),
    ("multiply", "fn:mult"),
    ("div", "fn:div"),
    ("mod", "fn:mod"),
    ("sqrt", "fn:sqrt"),
    ("concat", "fn:string:concat"),
    ("string_concat", "fn:string:concat"),
    ("strcat", "fn:string:concat"),
    ("cat", "fn:string:concat"),
    ("replace", "fn:string:replace"),
    ("to_string", "fn:number:to_string"),
    ("group_by", "fn:group_by"),
    ("pair", "fn:pair"),
    ("tuple", "fn:tuple"),
    ("append", "fn:list:append"),
    ("cons", "fn:list:cons"),
    ("len", "fn:list:len"),
    ("length", "fn:list:len"),
    ("now", "fn:time:now"),
];
