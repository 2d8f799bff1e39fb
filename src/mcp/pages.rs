//! Pagination of long results, with a cursor for the next page.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

use serde_json::{Map, Value, json};

/// The maximum number of items of a page.
const MAX_ITEMS: usize = 50;

/// In bytes: the approximate size of a page. A page has at least one item.
const MAX_BYTES: usize = 8 << 10;

/// In bytes: the maximum size of a result. The result is sent as structured content and as text
/// with escaped quotes; both together are at most 64 kB.
const MAX_ANSWER: usize = 24 << 10;

/// Limits for strings and lists of an oversized result, from the largest. The first sufficient
/// pair is used.
const CUTS: [(usize, usize); 5] = [(4_000, 2_000), (2_000, 500), (500, 100), (200, 20), (60, 5)];

/// A cursor: the index of the first item of the page, and the digest of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cursor {
    first: usize,
    digest: u64,
}

impl Cursor {
    fn parse(text: &str) -> Option<Self> {
        let (first, digest) = text.split_once('.')?;
        Some(Self { first: first.parse().ok()?, digest: u64::from_str_radix(digest, 16).ok()? })
    }
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:x}", self.first, self.digest)
    }
}

/// Cuts the list at `place` to one page: the first page, or the page of a cursor. If more items
/// follow, `next_cursor` is set.
///
/// `place` is a path of member names, with `*` for all items of a list: `suites/*/cases`. Parallel
/// lists are separated by `|`: `facts|proofs`. Groups without items on the page are removed,
/// except empty groups on the first page.
///
/// # Errors
///
/// If the cursor does not match the current list.
pub(super) fn cut(answer: &mut Value, place: &str, cursor: Option<&str>) -> Result<(), String> {
    let path: Vec<&str> = place.split('/').collect();
    let mut sizes = Vec::new();
    let mut hasher = DefaultHasher::new();
    each(answer, &path, &mut |item| {
        sizes.push(item.to_string().len());
        steady(item).hash(&mut hasher);
    });
    let digest = hasher.finish();
    let first = match cursor {
        None => 0,
        Some(text) => match Cursor::parse(text) {
            Some(cursor) if cursor.digest == digest && cursor.first <= sizes.len() => cursor.first,
            _ => {
                return Err("the cursor is invalid: the answer has changed; omit `cursor`".into());
            }
        },
    };
    let end = end_of_page(&sizes, first);
    if first > 0 || end < sizes.len() {
        keep(answer, &path, &mut 0, first..end);
    }
    if let (Value::Object(members), true) = (answer, end < sizes.len()) {
        members.insert("total".into(), sizes.len().into());
        members.insert("next_cursor".into(), Cursor { first: end, digest }.to_string().into());
    }
    Ok(())
}

fn end_of_page(sizes: &[usize], first: usize) -> usize {
    let mut bytes = 0;
    let fits = sizes.iter().skip(first).take(MAX_ITEMS).take_while(|size| {
        bytes += **size;
        bytes <= MAX_BYTES
    });
    (first + fits.count().max(1)).min(sizes.len())
}

/// Visits the items of the list at a path, each with the items of its parallel lists.
fn each(value: &Value, path: &[&str], visit: &mut dyn FnMut(&Value)) {
    match (path, value) {
        (["*", rest @ ..], Value::Array(items)) => items.iter().for_each(|item| each(item, rest, visit)),
        ([names], Value::Object(members)) => {
            let list = |name| members.get(name).and_then(Value::as_array);
            let lists: Vec<_> = names.split('|').filter_map(list).collect();
            for at in 0..lists.first().map_or(0, |list| list.len()) {
                let row: Vec<_> = lists.iter().filter_map(|list| list.get(at).cloned()).collect();
                visit(&Value::Array(row));
            }
        }
        ([name, rest @ ..], Value::Object(members)) => {
            if let Some(member) = members.get(*name) {
                each(member, rest, visit);
            }
        }
        _ => {}
    }
}

/// Keeps the items with these indexes. Returns true if the value is still relevant for the page.
fn keep(value: &mut Value, path: &[&str], next: &mut usize, page: Range<usize>) -> bool {
    let is_first = page.start == 0;
    match (path, value) {
        (["*", rest @ ..], Value::Array(items)) => {
            items.retain_mut(|item| keep(item, rest, next, page.clone()));
            !items.is_empty()
        }
        ([names], Value::Object(members)) => keep_rows(members, names, next, &page).unwrap_or(is_first),
        ([name, rest @ ..], Value::Object(members)) => {
            members.get_mut(*name).map_or(is_first, |member| keep(member, rest, next, page))
        }
        _ => is_first,
    }
}

/// Keeps the rows with these indexes in parallel lists. Returns true if a row is left, or `None`
/// for an empty list.
fn keep_rows(
    members: &mut Map<String, Value>,
    names: &str,
    next: &mut usize,
    page: &Range<usize>,
) -> Option<bool> {
    let first = names.split('|').next()?;
    let len = members.get(first)?.as_array()?.len();
    let from = page.start.saturating_sub(*next).min(len);
    let to = page.end.saturating_sub(*next).min(len);
    *next += len;
    for name in names.split('|') {
        // A shorter list is not parallel, for example proofs that were not requested.
        if let Some(Value::Array(items)) = members.get_mut(name)
            && items.len() == len
        {
            items.truncate(to);
            items.drain(..from);
        }
    }
    (len > 0).then_some(from < to)
}

/// Returns an item without members that differ in each run.
fn steady(item: &Value) -> String {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(members) => {
                members.retain(|name, _| !name.ends_with("elapsed_ms"));
                members.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut item = item.clone();
    strip(&mut item);
    item.to_string()
}

/// Returns a long text as the member `name`: the whole text, or the part of a cursor.
///
/// # Errors
///
/// If the cursor does not match this text.
pub(super) fn text_part(name: &str, text: &str, cursor: Option<&str>) -> Result<Value, String> {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let digest = hasher.finish();
    let first = match cursor.map(Cursor::parse) {
        None => 0,
        Some(Some(cursor)) if cursor.digest == digest && text.is_char_boundary(cursor.first) => cursor.first,
        Some(_) => {
            return Err("the cursor is invalid: the text has changed; omit `cursor`".into());
        }
    };
    let end = boundary(text, first.saturating_add(MAX_BYTES));
    let mut members = Map::new();
    members.insert(name.into(), text.get(first..end).unwrap_or_default().into());
    if end < text.len() {
        members.insert("total_bytes".into(), text.len().into());
        members.insert("next_cursor".into(), Cursor { first: end, digest }.to_string().into());
    }
    Ok(Value::Object(members))
}

/// Returns the last character boundary at or before `at`.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Cuts strings and lists of an oversized result, and reports this in the member `cut`.
pub(super) fn fit(answer: Value) -> Value {
    if answer.to_string().len() <= MAX_ANSWER {
        return answer;
    }
    for (longest, most) in CUTS {
        let mut shorter = answer.clone();
        shorten(&mut shorter, longest, most);
        if let Value::Object(members) = &mut shorter {
            let note =
                format!("strings longer than {longest} bytes and lists of more than {most} items are cut");
            members.insert("cut".into(), note.into());
        }
        if shorter.to_string().len() <= MAX_ANSWER {
            return shorter;
        }
    }
    json!({ "cut": "the answer is too long: limit the request" })
}

fn shorten(value: &mut Value, longest: usize, most: usize) {
    match value {
        Value::String(text) if text.len() > longest => {
            let end = boundary(text, longest);
            let left = text.len() - end;
            text.truncate(end);
            text.push_str(&format!("… ({left} bytes more)"));
        }
        Value::Array(items) => {
            items.truncate(most);
            items.iter_mut().for_each(|item| shorten(item, longest, most));
        }
        Value::Object(members) => members.values_mut().for_each(|member| shorten(member, longest, most)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(answer: &Value, place: &str) -> Vec<Value> {
        let (mut all, mut cursor) = (Vec::new(), None);
        loop {
            let mut page = answer.clone();
            cut(&mut page, place, cursor.as_deref()).unwrap();
            cursor = page["next_cursor"].as_str().map(str::to_owned);
            all.push(page);
            if cursor.is_none() {
                return all;
            }
        }
    }

    #[test]
    fn pages_have_each_item_once() {
        let items: Vec<_> = (0..123).collect();
        let pages = pages(&json!({"items": items, "summary": 1}), "items");
        let lengths: Vec<_> = pages.iter().map(|page| page["items"].as_array().unwrap().len()).collect();
        assert_eq!(lengths, [50, 50, 23]);
        let all: Vec<_> = pages.iter().flat_map(|page| page["items"].as_array().unwrap().clone()).collect();
        assert_eq!(json!(all), json!(items));
        assert!(pages.iter().all(|page| page["summary"] == 1));
    }

    #[test]
    fn groups_are_cut_inside() {
        let cases: Vec<_> = (0..40).collect();
        let answer = json!({"suites": [
            {"file": "a", "cases": cases}, {"file": "b", "cases": []}, {"file": "c", "cases": cases},
        ]});
        let pages = pages(&answer, "suites/*/cases");
        let shape = |page: &Value| {
            let suites = page["suites"].as_array().unwrap().iter();
            let shape = suites.map(|suite| {
                (suite["file"].as_str().unwrap().to_owned(), suite["cases"].as_array().unwrap().len())
            });
            shape.collect::<Vec<_>>()
        };
        let owned =
            |pairs: &[(&str, usize)]| pairs.iter().map(|(a, b)| (a.to_string(), *b)).collect::<Vec<_>>();
        assert_eq!(shape(&pages[0]), owned(&[("a", 40), ("b", 0), ("c", 10)]));
        assert_eq!(shape(&pages[1]), owned(&[("c", 30)]));
    }

    #[test]
    fn lists_beside_each_other_stay_together() {
        let (facts, proofs): (Vec<_>, Vec<_>) = (0..60).map(|n| (n, format!("proof of {n}"))).unzip();
        let answer = json!({"answers": [{"facts": facts, "proofs": proofs, "others": []}]});
        let pages = pages(&answer, "answers/*/facts|proofs|others");
        let last = &pages[1]["answers"][0];
        assert_eq!((&last["facts"][0], &last["proofs"][0]), (&json!(50), &json!("proof of 50")));
        assert_eq!(last["others"], json!([]));
    }

    #[test]
    fn long_items_fill_a_page_alone() {
        let answer = json!({"items": ["x".repeat(9_000), "y", "z"]});
        assert_eq!(pages(&answer, "items").len(), 2);
    }

    #[test]
    fn cursors_of_other_lists_are_refused() {
        let mut answer = json!({"items": (0..99).collect::<Vec<_>>()});
        cut(&mut answer, "items", None).unwrap();
        let cursor = answer["next_cursor"].as_str().unwrap().to_owned();
        let mut other = json!({"items": (1..99).collect::<Vec<_>>()});
        assert!(cut(&mut other, "items", Some(&cursor)).is_err());
        assert!(cut(&mut other, "items", Some("x")).is_err());
    }

    #[test]
    fn long_texts_come_in_parts() {
        let text = "é".repeat(10_000);
        let (mut cursor, mut read) = (None, String::new());
        loop {
            let part = text_part("text", &text, cursor.as_deref()).unwrap();
            read.push_str(part["text"].as_str().unwrap());
            cursor = part["next_cursor"].as_str().map(str::to_owned);
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(read, text);
    }

    #[test]
    fn answers_fit() {
        let long = json!({"a": vec!["x".repeat(900); 900], "b": "y".repeat(100_000)});
        let short = fit(long);
        assert!(short.to_string().len() <= MAX_ANSWER);
        assert!(short["cut"].is_string());
    }
}
