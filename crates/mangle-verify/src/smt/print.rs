//! The printer of SMT-LIB scripts: declarations, shared subexpressions and assertions.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use super::expr::{Expr, Exprs, Kind, Node, Op, Sort};

/// The maximum size of a script in bytes.
pub(crate) const MAX_SCRIPT_BYTES: usize = 16_000_000;

/// Returns the sorts of the contents of a kind.
pub(crate) fn contents(kind: Kind, sorts: TextSorts) -> Vec<Sort> {
    match kind {
        Kind::Number | Kind::Time | Kind::Duration | Kind::Bytes => vec![Sort::Int],
        Kind::String => vec![sorts.strings],
        Kind::Name => vec![sorts.names],
        Kind::Float => vec![Sort::Float],
        Kind::Pair => vec![Sort::Value, Sort::Value],
        Kind::List | Kind::Map | Kind::Struct => vec![Sort::Items],
    }
}

/// The sorts of strings and names: texts, or numbers if they are only compared for equality.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextSorts {
    pub(crate) strings: Sort,
    pub(crate) names: Sort,
}

/// A script under construction.
pub(crate) struct Printer<'e> {
    exprs: &'e Exprs,
    uses: FxHashMap<Expr, u32>,
    defined: FxHashMap<Expr, String>,
    text: String,
}

/// Returns the script that asserts `asserted` and requests the values of `wanted`. `None` if it is
/// too long.
pub(crate) fn script(exprs: &Exprs, sorts: TextSorts, asserted: &[Expr], wanted: &[Expr]) -> Option<String> {
    let mut printer =
        Printer { exprs, uses: FxHashMap::default(), defined: FxHashMap::default(), text: String::new() };
    asserted.iter().chain(wanted).for_each(|expr| printer.count(*expr));
    printer.head(sorts);
    for expr in asserted {
        let shown = printer.shown(*expr)?;
        let _ = writeln!(printer.text, "(assert {shown})");
    }
    let mut values = Vec::with_capacity(wanted.len());
    for expr in wanted {
        values.push(printer.shown(*expr)?);
    }
    printer.text.push_str("(check-sat)\n");
    if !values.is_empty() {
        let _ = writeln!(printer.text, "(get-value ({}))", values.join(" "));
    }
    (printer.text.len() <= MAX_SCRIPT_BYTES).then_some(printer.text)
}

impl Printer<'_> {
    /// Counts the uses of each expression.
    fn count(&mut self, root: Expr) {
        let mut pending = vec![root];
        while let Some(expr) = pending.pop() {
            let uses = self.uses.entry(expr).or_insert(0);
            *uses += 1;
            if *uses == 1
                && let Node::Apply(_, args) | Node::Call(_, args) = self.exprs.node(expr)
            {
                pending.extend(args.iter().copied());
            }
        }
    }

    fn head(&mut self, sorts: TextSorts) {
        let used: Vec<Expr> = self.uses.keys().copied().collect();
        let has_values = used.iter().any(|expr| {
            matches!(self.exprs.sort(*expr), Sort::Value | Sort::Items)
                || matches!(self.exprs.node(*expr), Node::Call(..))
        }) || !self.exprs.unknowns.is_empty();
        self.text.push_str("(set-option :produce-models true)\n(set-logic ALL)\n");
        if has_values {
            let constructor = |kind: &Kind| {
                let name = kind.constructor();
                let parts: Vec<String> = contents(*kind, sorts)
                    .iter()
                    .enumerate()
                    .map(|(part, sort)| format!("({name}.{part} {})", sort.name()))
                    .collect();
                format!("({name} {})", parts.join(" "))
            };
            let all: Vec<String> = Kind::ALL.iter().map(constructor).collect();
            let _ = writeln!(
                self.text,
                "(declare-datatypes ((Value 0) (Items 0)) (({}) ((nil) (cons (head Value) (tail Items)))))",
                all.join(" ")
            );
        }
        for variable in &self.exprs.variables {
            let _ = writeln!(self.text, "(declare-const {} {})", variable.name, variable.sort.name());
        }
        for unknown in &self.exprs.unknowns {
            let args: Vec<&str> = unknown.args.iter().map(|sort| sort.name()).collect();
            let _ = writeln!(
                self.text,
                "(declare-fun {} ({}) {})",
                unknown.name,
                args.join(" "),
                unknown.result.name()
            );
        }
    }

    /// Returns the text of an expression, after the definitions of its shared parts.
    fn shown(&mut self, root: Expr) -> Option<String> {
        // Iterative, because expressions can be as deep as rules.
        let mut done: FxHashMap<Expr, String> = FxHashMap::default();
        let mut pending = vec![(root, false)];
        while let Some((expr, is_ready)) = pending.pop() {
            if self.defined.contains_key(&expr) || done.contains_key(&expr) {
                continue;
            }
            let args: &[Expr] = match self.exprs.node(expr) {
                Node::Apply(_, args) | Node::Call(_, args) => args,
                _ => &[],
            };
            if !is_ready && !args.is_empty() {
                pending.push((expr, true));
                pending.extend(args.iter().map(|arg| (*arg, false)));
                continue;
            }
            let parts: Vec<&str> = args
                .iter()
                .map(|arg| self.defined.get(arg).or_else(|| done.get(arg)).map_or("", String::as_str))
                .collect();
            let text = shown_node(self.exprs, expr, &parts);
            if text.len() + self.text.len() > MAX_SCRIPT_BYTES {
                return None;
            }
            let is_shared = !args.is_empty() && self.uses.get(&expr).is_some_and(|uses| *uses > 1);
            if is_shared || text.len() > 2_000 {
                let name = format!("e{}", self.defined.len());
                let _ = writeln!(self.text, "(define-fun {name} () {} {text})", self.exprs.sort(expr).name());
                self.defined.insert(expr, name);
            } else {
                done.insert(expr, text);
            }
        }
        self.defined.get(&root).cloned().or_else(|| done.remove(&root))
    }
}

fn shown_op(op: Op, parts: &str) -> String {
    let applied = |name: &str| format!("({name} {parts})");
    match op {
        Op::And => applied("and"),
        Op::Or => applied("or"),
        Op::Not => applied("not"),
        Op::Ite => applied("ite"),
        Op::Equal => applied("="),
        Op::Add => applied("+"),
        Op::Sub => applied("-"),
        Op::Mul => applied("*"),
        Op::Div => applied("div"),
        Op::Mod => applied("mod"),
        Op::LessEqual => applied("<="),
        Op::Less => applied("<"),
        Op::Concat => applied("str.++"),
        Op::PrefixOf => applied("str.prefixof"),
        Op::SuffixOf => applied("str.suffixof"),
        Op::Contains => applied("str.contains"),
        Op::FromInt => applied("str.from_int"),
        Op::ReplaceFirst => applied("str.replace"),
        Op::ReplaceAll => applied("str.replace_all"),
        Op::IsName => format!("(str.in_re {parts} (re.+ (re.++ (str.to_re \"/\") {NAME_PART})))"),
        Op::IsSegment => format!("(str.in_re {parts} (re.++ (str.to_re \"/\") {NAME_PART}))"),
        Op::FloatAdd => applied("fp.add RNE"),
        Op::FloatMul => applied("fp.mul RNE"),
        Op::FloatDiv => applied("fp.div RNE"),
        Op::FloatSqrt => applied("fp.sqrt RNE"),
        Op::FloatIsNan => applied("fp.isNaN"),
        Op::FloatIsInfinite => applied("fp.isInfinite"),
        Op::FloatIsNegative => applied("fp.isNegative"),
        Op::FloatIsZero => applied("fp.isZero"),
        Op::FloatLess => applied("fp.lt"),
        Op::FloatLessEqual => applied("fp.leq"),
        Op::Nil => "nil".to_owned(),
        Op::Cons => applied("cons"),
        Op::IsCons => applied("(_ is cons)"),
        Op::Head => applied("head"),
        Op::Tail => applied("tail"),
        Op::Make(kind) => applied(kind.constructor()),
        Op::Is(kind) => applied(&format!("(_ is {})", kind.constructor())),
        Op::Content(kind, part) => applied(&format!("{}.{part}", kind.constructor())),
    }
}

fn shown_node(exprs: &Exprs, expr: Expr, parts: &[&str]) -> String {
    let applied = |name: &str| format!("({name} {})", parts.join(" "));
    match exprs.node(expr) {
        Node::Bool(value) => value.to_string(),
        Node::Int(number) if *number < 0 => format!("(- {})", number.unsigned_abs()),
        Node::Int(number) => number.to_string(),
        Node::Text(text) => quoted(text),
        Node::Float(bits) => format!(
            "(fp #b{:01b} #b{:011b} #b{:052b})",
            bits >> 63,
            (bits >> 52) & 0x7ff,
            bits & ((1 << 52) - 1)
        ),
        Node::Variable(at) => {
            exprs.variables.get(*at as usize).map_or_else(String::new, |variable| variable.name.clone())
        }
        Node::Call(at, _) => {
            let name = exprs.unknowns.get(*at as usize).map_or("", |unknown| &unknown.name);
            if parts.is_empty() { name.to_owned() } else { applied(name) }
        }
        Node::Apply(op, _) => shown_op(*op, &parts.join(" ")),
    }
}

/// The regular expression of a name part.
const NAME_PART: &str = "(re.+ (re.union (re.range \"a\" \"z\") (re.range \"A\" \"Z\") (re.range \"0\" \"9\") \
    (str.to_re \".\") (str.to_re \"_\") (str.to_re \"~\") (str.to_re \"%\") (str.to_re \"-\")))";

/// Formats a text as an SMT-LIB literal.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for char in text.chars() {
        match char {
            '"' => quoted.push_str("\"\""),
            '\\' => quoted.push_str("\\u{5c}"),
            ' '..='~' => quoted.push(char),
            other => {
                let _ = write!(quoted, "\\u{{{:x}}}", u32::from(other));
            }
        }
    }
    quoted.push('"');
    quoted
}
