//! Whatever stands in a file, a pop-up about it has no link, image, HTML, heading or rule in it: checked with a reader of
//! Markdown.

use pulldown_cmark::{Event, Options, Parser, Tag};

use super::markup::{Line, Markup};
use super::testing::Fixture;
use crate::report::sink;

/// Texts that are more than text to a reader of Markdown.
const PAYLOADS: [&str; 34] = [
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
            ("words", Markup::default().words(format!("From {}.", sink::code_span(payload)))),
            ("quoted by hand", Markup::default().words(format!("From `{payload}`."))),
            ("bare words", Markup::default().words(payload)),
            ("foreign", Markup::default().foreign(payload)),
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
