//! Text of SMT scripts: the printer with the sorts of texts, and the parser for the S-expressions of
//! a solver.
//!
//! The sorts of strings and names are selected by their use: texts, or numbers if they are only compared
//! for equality. Scripts have declarations, shared subexpressions and assertions.

use std::fmt::Write;
use std::iter::Peekable;
use std::str::Chars;

use mangle_engine::kernel::CompiledProgram;
use mangle_engine::kernel::plan::{Let, RowArgs, Step, StepKind};
use mangle_engine::types::Type;
use rustc_hash::FxHashMap;

use super::expr::{Expr, Exprs, Kind, Node, Op, Sort};
use crate::cone::Cone;
use crate::inputs::InputPredicate;

/// The maximum size of a script in bytes.
const MAX_SCRIPT_BYTES: usize = 16_000_000;

/// Returns the sorts of the contents of a kind.
fn contents(kind: Kind, sorts: TextSorts) -> Vec<Sort> {
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
struct Printer<'e> {
    exprs: &'e Exprs,
    uses: FxHashMap<Expr, u32>,
    defined: FxHashMap<Expr, String>,
    text: String,
}

/// Returns the script that asserts `asserted` and requests the values of `wanted`. `None` if it is
/// too long.
pub(crate) fn print_script(
    exprs: &Exprs,
    sorts: TextSorts,
    asserted: &[Expr],
    wanted: &[Expr],
) -> Option<String> {
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

/// Functions that read or create strings.
const STRINGS: &[&str] =
    &["string:concat", "string:replace", "number:to_string", "float64:to_string", "name:to_string"];

/// Functions that read names.
const NAMES: &[&str] = &["string:concat", "name:to_string", "name:root", "name:tip", "name:list"];

/// Returns the sorts of strings and names: texts if a step of the cone reads their content.
pub(crate) fn text_sorts(compiled: &CompiledProgram, cone: &Cone, inputs: &[InputPredicate]) -> TextSorts {
    let mut uses = Uses::default();
    for stratum in &compiled.strata {
        for plan in stratum.plans.iter().filter(|plan| cone.needs(plan.target)) {
            uses.steps(&plan.steps);
        }
        for aggregate in stratum.aggregates.iter().filter(|aggregate| cone.needs(aggregate.target)) {
            uses.steps(&aggregate.finish);
            for statement in &aggregate.lets {
                let (Let::Compute(steps) | Let::Reduce { args: RowArgs { steps, .. }, .. }) = statement;
                uses.steps(steps);
            }
        }
    }
    for (relation, rules) in &compiled.deferred {
        if cone.needs(*relation) {
            rules.iter().for_each(|rule| uses.steps(&rule.plan.steps));
        }
    }
    let types = inputs.iter().flat_map(|input| &input.rows).flatten();
    uses.names |= types.into_iter().any(has_prefix);
    let sort = |is_text: bool| if is_text { Sort::Text } else { Sort::Int };
    TextSorts { strings: sort(uses.strings), names: sort(uses.names) }
}

#[derive(Default)]
struct Uses {
    strings: bool,
    names: bool,
}

impl Uses {
    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match &step.kind {
                StepKind::Compute { function, .. } => {
                    self.strings |= STRINGS.contains(&function.name());
                    self.names |= NAMES.contains(&function.name());
                }
                StepKind::Solve { name, .. } => {
                    self.strings |= name.as_str().starts_with(":string:");
                    self.names |= name.as_str() == ":match_prefix";
                }
                _ => {}
            }
        }
    }
}

/// True if a type has names below a prefix.
fn has_prefix(ty: &Type) -> bool {
    match ty {
        Type::Prefix(_) => true,
        Type::List(of) | Type::Option(of) => has_prefix(of),
        Type::Pair(parts) | Type::Map(parts) => has_prefix(&parts.0) || has_prefix(&parts.1),
        Type::Struct(fields) => fields.iter().any(|field| has_prefix(&field.ty)),
        Type::Union(members) => members.iter().any(has_prefix),
        _ => false,
    }
}

/// An S-expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sexpr {
    Atom(String),
    Text(String),
    List(Vec<Sexpr>),
}

/// The maximum size of the output in bytes.
const MAX_OUTPUT_BYTES: usize = 4_000_000;

/// The maximum nesting depth of an output.
const MAX_NESTING: usize = 400;

impl Sexpr {
    pub(crate) fn atom(&self) -> Option<&str> {
        if let Self::Atom(atom) = self { Some(atom) } else { None }
    }

    pub(crate) fn list(&self) -> Option<&[Self]> {
        if let Self::List(list) = self { Some(list) } else { None }
    }
}

/// Reads the rest of a quoted text. Quotes in the text are doubled.
fn quoted_atom(chars: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut text = String::new();
    loop {
        match chars.next()? {
            '"' if chars.peek() == Some(&'"') => {
                chars.next();
                text.push('"');
            }
            '"' => return Some(text),
            other => text.push(other),
        }
    }
}

/// Reads the rest of an atom between bars.
fn barred(chars: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut atom = String::new();
    loop {
        match chars.next()? {
            '|' => return Some(atom),
            other => atom.push(other),
        }
    }
}

/// Reads an atom up to a blank, a parenthesis or a quote.
fn plain_atom(first: char, chars: &mut Peekable<Chars<'_>>) -> String {
    let mut atom = String::from(first);
    while let Some(next) = chars.next_if(|next| !next.is_whitespace() && !matches!(next, '(' | ')' | '"')) {
        atom.push(next);
    }
    atom
}

/// Parses the expressions of an output. `None` if it is too long, too deep or not closed.
pub(crate) fn read_output(output: &str) -> Option<Vec<Sexpr>> {
    if output.len() > MAX_OUTPUT_BYTES {
        return None;
    }
    let mut open: Vec<Vec<Sexpr>> = vec![Vec::new()];
    let mut chars = output.chars().peekable();
    while let Some(char) = chars.next() {
        let read = match char {
            '(' => {
                if open.len() > MAX_NESTING {
                    return None;
                }
                open.push(Vec::new());
                continue;
            }
            ')' => {
                let list = open.pop()?;
                Sexpr::List(list)
            }
            '"' => Sexpr::Text(unescaped(&quoted_atom(&mut chars)?)?),
            '|' => Sexpr::Atom(barred(&mut chars)?),
            ';' => {
                while chars.peek().is_some_and(|next| *next != '\n') {
                    chars.next();
                }
                continue;
            }
            char if char.is_whitespace() => continue,
            first => Sexpr::Atom(plain_atom(first, &mut chars)),
        };
        open.last_mut()?.push(read);
    }
    let all = open.pop()?;
    open.is_empty().then_some(all)
}

/// Decodes the escapes `\u{…}`, `\ud…` and `\x…`. `None` if an escape is not a valid character.
fn unescaped(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, behind) = rest.split_at(at);
        plain.push_str(before);
        let code = |digits: &str| u32::from_str_radix(digits, 16).ok();
        let escape = if let Some(inner) = behind.strip_prefix("\\u{") {
            inner.split_once('}').and_then(|(digits, behind)| Some((code(digits)?, behind)))
        } else if let Some(inner) = behind.strip_prefix("\\u") {
            inner.get(..4).and_then(|digits| Some((code(digits)?, inner.get(4..)?)))
        } else if let Some(inner) = behind.strip_prefix("\\x") {
            inner.get(..2).and_then(|digits| Some((code(digits)?, inner.get(2..)?)))
        } else {
            None
        };
        match escape {
            Some((code, behind)) => {
                plain.push(char::from_u32(code)?);
                rest = behind;
            }
            None => {
                plain.push('\\');
                rest = behind.get(1..)?;
            }
        }
    }
    plain.push_str(rest);
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_texts_and_escapes_are_read() {
        let read = read_output("sat\n((a (- 5)) (b \"x\"\"\\u{41}\\u0042\"))").unwrap();
        let atom = |text: &str| Sexpr::Atom(text.to_owned());
        let pair = |name: &str, value: Sexpr| Sexpr::List(vec![atom(name), value]);
        let five = Sexpr::List(vec![atom("-"), atom("5")]);
        let values = vec![pair("a", five), pair("b", Sexpr::Text("x\"AB".to_owned()))];
        assert_eq!(read, [atom("sat"), Sexpr::List(values)]);
    }

    #[test]
    fn what_is_not_closed_is_refused() {
        assert_eq!(read_output("(a"), None);
        assert_eq!(read_output("a)"), None);
        assert_eq!(read_output("\"a"), None);
        assert_eq!(read_output(&"(".repeat(1_000)), None);
        assert_eq!(read_output("\"\\u{d800}\""), None);
    }
}
