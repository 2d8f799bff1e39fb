//! Functions are short: what does not fit a screen has several tasks.

use super::layering::product;

/// How many lines the longest function may have, signature included.
const LONGEST: usize = 75;

/// How many lines nine of ten functions, and 99 of a hundred, have at most.
const MOST: [(usize, usize); 2] = [(90, 24), (99, 42)];

#[test]
fn functions_stay_short() {
    let sources = product();
    let mut functions: Vec<_> = sources
        .iter()
        .flat_map(|source| lengths(&source.code).map(|(length, name)| (length, name, &source.name)))
        .collect();
    functions.sort();
    assert!(functions.len() > 5_000, "the functions were not found");
    let too_long: Vec<_> = functions.iter().filter(|(length, ..)| *length > LONGEST).collect();
    assert!(too_long.is_empty(), "{too_long:#?}");
    for (percent, most) in MOST {
        let (length, ..) = functions[functions.len() * percent / 100];
        assert!(length <= most, "{percent} of 100 functions have up to {length} lines, more than {most}");
    }
}

/// The functions of a formatted text with their numbers of lines: a function ends with the brace that stands below its first
/// word.
fn lengths(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines: Vec<&str> = code.lines().collect();
    let starts: Vec<usize> = (0..lines.len()).filter(|at| is_function(lines[*at])).collect();
    starts.into_iter().filter_map(move |start| {
        let line = lines[start];
        let indent = &line[..line.len() - line.trim_start().len()];
        let ends = |line: &&str| {
            line.strip_prefix(indent)
                .is_some_and(|rest| rest == "}" || rest.ends_with(";") && !rest.starts_with(' '))
        };
        let end = lines[start..].iter().position(ends)?;
        (lines[start + end].trim() == "}").then_some((end + 1, line.trim()))
    })
}

fn is_function(line: &str) -> bool {
    let words = line.trim_start().split(' ').take_while(|word| !word.contains('{'));
    let mut words =
        words.skip_while(|word| word.starts_with("pub") || ["const", "async", "unsafe"].contains(word));
    words.next() == Some("fn")
}
