//! Injection tests: text from a file never creates links, images, HTML, headings or rules in a
//! pop-up. Verified with a Markdown parser.

use pulldown_cmark::{Event, Options, Parser, Tag};

use super::markup::{Line, Markup};
use super::testing::Fixture;
use mangle_report::sink;

/// Texts with Markdown markup.
const PAYLOADS: [&str; 42] = [
    "a``![i](http://e/x)``b",
    "`![i](http://e/x)`",
    "```\n![i](http://e/x)\n```",
    "a` ![i](http://e/x) `b",
    "![i][r]\n\n[r]: http://e/x",
    "[a](javascript:alert(1))",
    "[a](http://e \"t\")",
    "<http://e/x>",
    "<img src=http://e/x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "<!-- c -->",
    "<details><summary>x</summary>",
    "# heading",
    "x\n===",
    "x\n---",
    "\n\n# heading\n\n",
    "- item",
    "1. item",
    "> quote",
    "| a | b |\n|---|---|\n| c | d |",
    "&lt;img src=x&gt; &#60;b&#62;",
    "\\`![i](http://e/x)\\`",
    "\\",
    "`",
    "``",
    "```",
    "a`b``c```d````e",
    "~~~\nx\n~~~",
    "*b* _i_ **s** __s__ ~~d~~",
    "\r![i](http://e/x)\r# h",
    "[^1]: note [^1]",
    "$`x`$ $$y$$",
    "``` ![i](http://e/x)",
    "`` ` ``![i](http://e/x)` `` `",
    "www.e.example/x and WWW.e.example",
    "write to me@e.example, mailto:me@e.example, or https://e.example/x",
    "@team :smile: #12 GH-12 0123456789abcdef e/x#1",
    "a\\|b \\\\| c | d",
    "`a``b` `c` `d`e`f`",
    "<!--\n\n# heading\n\n-->",
    "1) item",
    "2. item",
];

#[track_caller]
fn check(markdown: &str, what: &str) {
    for event in Parser::new_ext(markdown, Options::all()) {
        let is_markup = match &event {
            Event::Html(_) | Event::InlineHtml(_) | Event::Rule => true,
            Event::Start(tag) => matches!(
                tag,
                Tag::Image { .. }
                    | Tag::Link { .. }
                    | Tag::Heading { .. }
                    | Tag::HtmlBlock
                    | Tag::Table(_)
                    | Tag::BlockQuote(_)
            ),
            _ => false,
        };
        assert!(!is_markup, "{what}: {event:?} in {markdown:?}");
    }
}

#[test]
fn nothing_foreign_is_markup_in_a_pop_up() {
    for payload in PAYLOADS {
        let line = Line { depth: 0, text: payload.into(), note: payload.into(), link: None };
        let all = [
            ("words", Markup::default().text(format!("From {}.", sink::code_span(payload)))),
            ("quoted by hand", Markup::default().text(format!("From `{payload}`."))),
            ("bare words", Markup::default().text(payload)),
            ("foreign", Markup::default().untrusted(payload)),
            ("code", Markup::default().code(payload)),
            ("excerpt", Markup::default().excerpt(payload)),
            ("list", Markup::default().list(vec![line])),
        ];
        for (what, markup) in all {
            check(&sink::lines(&markup.to_markdown()), what);
        }
    }
}

#[test]
fn nothing_foreign_is_markup_in_a_report() {
    for payload in PAYLOADS {
        check(&sink::code_span(payload), "code span");
        check(&format!("- {}: x", sink::markdown(payload)), "words");
        check(&sink::markdown(payload), "first words");
        check(&sink::markdown_fence(payload), "fence");
    }
}

/// After unescaping, addresses, mentions and issue numbers occur only in code spans.
#[test]
fn words_have_no_address_mention_or_number_outside_of_code() {
    for payload in PAYLOADS {
        let markdown = sink::markdown(payload);
        for event in Parser::new_ext(&markdown, Options::all()) {
            let Event::Text(text) = event else { continue };
            let has_inner = |sign: char| {
                text.split(' ')
                    .any(|word| word.trim_matches(|char: char| !char.is_alphanumeric()).contains(sign))
            };
            let acts = ['@', '/', '#', '$', '&', '<', '_', '*', '|'].iter().any(|sign| text.contains(*sign));
            assert!(!acts && !has_inner('.') && !has_inner(':'), "{text:?} in {markdown:?}");
        }
    }
}

#[test]
fn cells_stay_cells() {
    for payload in PAYLOADS {
        for cell in [sink::markdown_cell(payload), sink::markdown_code(payload)] {
            let table = format!("| a | b |\n|---|---|\n| {cell} | {cell} |\n");
            let cells = Parser::new_ext(&table, Options::all())
                .filter(|event| matches!(event, Event::Start(Tag::TableCell)));
            assert_eq!(cells.count(), 4, "{table}");
            let events: Vec<_> = Parser::new_ext(&table, Options::all()).collect();
            let ends =
                events.iter().rposition(|event| matches!(event, Event::End(pulldown_cmark::TagEnd::Table)));
            assert_eq!(ends, events.len().checked_sub(1), "{table}");
        }
    }
}

#[test]
fn words_read_as_before() {
    let check = |text: &str, expected: &str| assert_eq!(sink::markdown(text), expected);
    check(
        "permitted by the policy (rule 3), see below: 1.5 of 2",
        "permitted by the policy (rule 3), see below: 1.5 of 2",
    );
    check("`p/1` is not declared in policy.mg", "`p/1` is not declared in `policy.mg`");
    check("`a` `b` and `c``d`", "`a` `b` and ```c``d```");
    check("- x - y", "`-` x - y");
    check("a.b c@d e", "`a.b c@d` e");
    check("", "");
}

#[test]
fn code_says_what_it_quotes() {
    for payload in PAYLOADS {
        let line = sink::line(payload);
        let span = sink::code_span(payload);
        let parsed: Vec<_> = Parser::new(&span).collect();
        let code = parsed.iter().find_map(|event| match event {
            Event::Code(code) => Some(code.to_string()),
            _ => None,
        });
        assert_eq!(code.as_deref(), Some(line.as_str()));
    }
}

#[test]
fn hovers_over_hostile_values_have_no_markup() {
    for payload in PAYLOADS {
        let literal =
            payload.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\r', "\\r");
        let line = payload.replace(['\n', '\r'], " ");
        let texts = [
            format!("# {line}\nDecl p(X) bound [/string].\n$0p(\"{literal}\").\n"),
            format!("q(\"a\").\nr($0X) :- q(Y), X = \"{literal}\".\n"),
            format!("q(\"a\").\nr(X) :- q(X), !q(\"{literal}\"), X$0 != \"{literal}\".\n"),
            format!("Decl p(X)\n  descr [doc(\"{literal}\"), arg(X, \"{literal}\")].\nr(X) :- $0p(X).\n"),
        ];
        for text in texts {
            let fixture = Fixture::new(&text);
            let found = super::hover::hover(fixture.place());
            let markdown = found.map(|found| found.markup.to_markdown()).unwrap_or_default();
            check(&sink::lines(&markdown), &text);
        }
    }
}
