//! Line directives of codeNERD that affect prompts: facts of `TAXONOMY:` and `INTENT:`, atoms of
//! `PROMPT:`.

use super::rules::header_rules::HYBRID_DIRECTIVE;
use mangle_syntax::lint::Finding;
use mangle_syntax::syntax::directive_lines;
use mangle_syntax::text::{TextRange, slice};

/// The parsed directives of a file.
#[derive(Debug, Clone, Default)]
pub struct Directives {
    /// The facts of the directives.
    pub facts: Vec<DirectiveFact>,
    /// The prompt atoms of the directives.
    pub atoms: Vec<DirectiveAtom>,
    /// Findings for invalid lines, which the loader skips. Ranges count from the start of the file.
    pub findings: Vec<Finding>,
}

/// A fact that a directive asserts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectiveFact {
    /// The predicate of the fact.
    pub predicate: &'static str,
    /// The arguments. An argument with a leading `/` is a name.
    pub args: Vec<String>,
    /// The range of the line.
    pub range: TextRange,
}

/// A prompt atom that a directive defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectiveAtom {
    /// The id without a leading `/`.
    pub id: String,
    /// The category: the first tag, or empty.
    pub category: String,
    /// All tags of the directive.
    pub tags: Vec<String>,
    /// The text of the atom.
    pub content: String,
    /// The range of the line.
    pub range: TextRange,
}

impl Directives {
    /// Parses the directives of a file, like the loader of codeNERD.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut directives = Self::default();
        for range in directive_lines(text) {
            let line = slice(text, range);
            let (word, rest) = line.split_once(':').unwrap_or((line, ""));
            let read = match word {
                "TAXONOMY" => {
                    directives.facts.extend(taxonomy(rest, range));
                    Some(())
                }
                "INTENT" => intent(rest, range).map(|fact| directives.facts.push(fact)),
                _ => prompt(rest, range).map(|atom| directives.atoms.push(atom)),
            };
            if read.is_none() {
                directives.findings.push(malformed(word, range));
            }
        }
        directives
    }
}

fn malformed(word: &str, range: TextRange) -> Finding {
    let form = match word {
        "INTENT" => "`INTENT: \"words of a person\" -> /verb target`",
        _ => "`PROMPT: /id [category] -> \"text\"`",
    };
    Finding::new(&HYBRID_DIRECTIVE, range, format!("malformed `{word}:` directive"))
        .note("the loader of codeNERD ignores this line; only its log reports that")
        .help(format!("write it as {form}"))
}

/// Parses `a > b > c`: each node is a subclass of the previous node.
fn taxonomy(rest: &str, range: TextRange) -> Vec<DirectiveFact> {
    let nodes: Vec<_> = rest.split('>').map(str::trim).filter(|node| !node.is_empty()).collect();
    let fact = |(parent, child): (&&str, &&str)| DirectiveFact {
        predicate: "subclass_of",
        args: vec![(*child).to_owned(), (*parent).to_owned()],
        range,
    };
    nodes.iter().zip(nodes.iter().skip(1)).map(fact).collect()
}

/// Parses `"phrase" -> /verb target constraint`.
fn intent(rest: &str, range: TextRange) -> Option<DirectiveFact> {
    let (phrase, mapping) = without_comment(rest).split_once("->")?;
    let phrase = unquoted(phrase);
    let mut fields = without_comment(mapping.trim()).split_whitespace();
    let verb = fields.next().filter(|_| !phrase.is_empty())?;
    let target = fields.next().map(unquoted).unwrap_or_default();
    let args = vec![phrase.to_owned(), verb.to_owned(), target.to_owned()];
    Some(DirectiveFact { predicate: "intent_definition", args, range })
}

/// Parses `/id [category] [tag]… -> "text"`.
fn prompt(rest: &str, range: TextRange) -> Option<DirectiveAtom> {
    let (left, right) = without_comment(rest).split_once("->")?;
    let content = unquoted(right);
    let (mut tags, mut words) = (Vec::new(), left.to_owned());
    while let (Some(start), Some(end)) = (words.find('['), words.find(']')) {
        let Some(tag) = words.get(start + 1..end) else { break };
        tags.extend(Some(tag.trim().to_owned()).filter(|tag| !tag.is_empty()));
        words.replace_range(start..=end, " ");
    }
    let id = unquoted(words.split_whitespace().next()?);
    let id = id.strip_prefix('/').unwrap_or(id).to_owned();
    let category = tags.first().cloned().unwrap_or_default();
    let atom = DirectiveAtom { id, category, tags, content: content.to_owned(), range };
    (!atom.id.is_empty() && !atom.content.is_empty()).then_some(atom)
}

/// The text before `#` or `//`, even inside quotes.
fn without_comment(text: &str) -> &str {
    let text = text.split('#').next().unwrap_or_default();
    text.split("//").next().unwrap_or_default().trim()
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    for quote in ['"', '`'] {
        let inner = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        if let Some(inner) = inner {
            return inner;
        }
    }
    text.trim_matches(['"', '`'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_become_facts_and_atoms() {
        let text = "TAXONOMY: animal > dog > puppy\nINTENT: \"fix it\" -> /fix \"all\" now # soon\n\
                    PROMPT: /style/short [methodology] [/coder] -> \"Be brief.\"\nINTENT: nothing\nPROMPT: /x ->\n";
        let read = Directives::read(text);
        let facts: Vec<_> =
            read.facts.iter().map(|fact| format!("{}({})", fact.predicate, fact.args.join(","))).collect();
        assert_eq!(
            facts,
            ["subclass_of(dog,animal)", "subclass_of(puppy,dog)", "intent_definition(fix it,/fix,all)"]
        );
        let [atom] = &read.atoms[..] else { panic!() };
        assert_eq!((&*atom.id, &*atom.category, &*atom.content), ("style/short", "methodology", "Be brief."));
        assert_eq!(atom.tags, ["methodology", "/coder"]);
        let wrong: Vec<_> = read.findings.iter().map(|finding| slice(text, finding.range)).collect();
        assert_eq!(wrong, ["INTENT: nothing", "PROMPT: /x ->"]);
    }
}
