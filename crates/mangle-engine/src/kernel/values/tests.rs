#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use proptest::prelude::*;

use super::{Datum, TooDeep, ValueId, Values};

/// A value that is not interned.
#[derive(Debug, Clone, PartialEq)]
enum Tree {
    Leaf(Datum),
    Pair(Box<(Tree, Tree)>),
    List(Vec<Tree>),
    Map(Vec<(Tree, Tree)>),
    Struct(Vec<(Tree, Tree)>),
}

impl Tree {
    fn intern(&self, values: &mut Values) -> ValueId {
        let mut entries = |entries: &[(Tree, Tree)]| {
            entries.iter().map(|(key, value)| (key.intern(values), value.intern(values))).collect()
        };
        let datum = match self {
            Tree::Leaf(datum) => datum.clone(),
            Tree::Map(list) => Datum::Map(entries(list)),
            Tree::Struct(list) => Datum::Struct(entries(list)),
            Tree::Pair(pair) => Datum::Pair(pair.0.intern(values), pair.1.intern(values)),
            Tree::List(list) => Datum::List(list.iter().map(|part| part.intern(values)).collect()),
        };
        values.intern(datum).unwrap()
    }

    /// True if the engine considers both values equal, computed without interning.
    fn same(&self, other: &Tree) -> bool {
        let unordered = |left: &[(Tree, Tree)], right: &[(Tree, Tree)]| {
            let has = |entries: &[(Tree, Tree)], key: &Tree, value: &Tree| {
                entries.iter().any(|(k, v)| k.same(key) && v.same(value))
            };
            left.len() == right.len() && left.iter().all(|(key, value)| has(right, key, value))
        };
        match (self, other) {
            (Tree::Leaf(Datum::Float(left)), Tree::Leaf(Datum::Float(right))) => {
                left == right || (f64::from_bits(*left).is_nan() && f64::from_bits(*right).is_nan())
            }
            (Tree::Leaf(left), Tree::Leaf(right)) => left == right,
            (Tree::Pair(left), Tree::Pair(right)) => left.0.same(&right.0) && left.1.same(&right.1),
            (Tree::List(left), Tree::List(right)) => {
                left.len() == right.len() && left.iter().zip(right).all(|(left, right)| left.same(right))
            }
            (Tree::Map(left), Tree::Map(right)) | (Tree::Struct(left), Tree::Struct(right)) => {
                unordered(left, right)
            }
            _ => false,
        }
    }

    /// The same value with the entries of every map in reverse order.
    fn reversed(&self) -> Tree {
        let entries = |entries: &[(Tree, Tree)]| {
            entries.iter().rev().map(|(key, value)| (key.reversed(), value.reversed())).collect()
        };
        match self {
            Tree::Leaf(_) => self.clone(),
            Tree::Pair(pair) => Tree::Pair(Box::new((pair.0.reversed(), pair.1.reversed()))),
            Tree::List(list) => Tree::List(list.iter().map(Tree::reversed).collect()),
            Tree::Map(list) => Tree::Map(entries(list)),
            Tree::Struct(list) => Tree::Struct(entries(list)),
        }
    }
}

/// Trees with few different values, so that equal values are frequent. Keys of a map are unique.
fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        (0..3_i64).prop_map(Datum::Number),
        (0..3_i64).prop_map(Datum::Time),
        (0..3_i64).prop_map(Datum::Duration),
        prop_oneof![Just(0.0), Just(-0.0), Just(f64::NAN), Just(-f64::NAN), Just(1.5)].prop_map(Datum::float),
        "[ab]{0,2}".prop_map(|text| Datum::String(text.into())),
        "/[ab]{1,2}".prop_map(|text| Datum::Name(text.into())),
        "[ab]{0,1}".prop_map(|text| Datum::Bytes(text.into_bytes().into())),
    ]
    .prop_map(Tree::Leaf);
    leaf.prop_recursive(3, 24, 4, |part| {
        let entries = prop::collection::vec((part.clone(), part.clone()), 0..4).prop_map(|list| {
            let mut kept: Vec<(Tree, Tree)> = Vec::new();
            for (key, value) in list {
                if !kept.iter().any(|(known, _)| known.same(&key)) {
                    kept.push((key, value));
                }
            }
            kept
        });
        prop_oneof![
            (part.clone(), part.clone()).prop_map(|pair| Tree::Pair(Box::new(pair))),
            prop::collection::vec(part, 0..4).prop_map(Tree::List),
            entries.clone().prop_map(Tree::Map),
            entries.prop_map(Tree::Struct),
        ]
    })
}

proptest! {
    #[test]
    fn equal_exactly_when_the_number_is(left in tree(), right in tree()) {
        let mut values = Values::new();
        let (first, second) = (left.intern(&mut values), right.intern(&mut values));
        prop_assert_eq!(first == second, left.same(&right));
        prop_assert_eq!(left.reversed().intern(&mut values), first);
        prop_assert_eq!(values.find(values.get(second)), Some(second));
    }

    #[test]
    fn sizes_are_those_of_the_text(tree in tree()) {
        let mut values = Values::new();
        let id = tree.intern(&mut values);
        let text = values.display_within(id, usize::MAX).to_string();
        let instants = text.matches("fn:time:").count() + text.matches("fn:duration:").count();
        let size = usize::try_from(values.printed_bytes(id)).unwrap();
        // The size of an instant is an upper bound.
        prop_assert!((text.len()..=text.len() + 30 * instants).contains(&size), "{} for {}", size, text);
    }

    #[test]
    fn texts_are_cut_in_their_middle(tree in tree(), bytes in 70..200_usize) {
        let mut values = Values::new();
        let id = tree.intern(&mut values);
        let whole = values.display_within(id, usize::MAX).to_string();
        let cut = values.display_within(id, bytes).to_string();
        prop_assert!(cut.len() <= bytes.max(whole.len()));
        match cut.split_once("…(") {
            None => prop_assert_eq!(cut, whole),
            Some((head, rest)) => {
                let tail = rest.split_once(")…").unwrap().1;
                prop_assert!(cut.len() <= bytes, "{} of {}", cut, bytes);
                prop_assert!(whole.starts_with(head) && whole.ends_with(tail), "{}: {}", cut, whole);
            }
        }
    }

    #[test]
    fn what_is_hidden_is_told_apart(left in tree(), right in tree()) {
        let mut values = Values::new();
        let (first, second) = (left.intern(&mut values), right.intern(&mut values));
        let mut other = Values::new();
        prop_assert_eq!(values.digest(first), { let id = left.intern(&mut other); other.digest(id) });
        if first != second {
            prop_assert_ne!(values.digest(first), values.digest(second));
        }
    }

    #[test]
    fn forks_continue(shared in prop::collection::vec(tree(), 0..4), own in prop::collection::vec(tree(), 0..4)) {
        let mut base = Values::new();
        let before: Vec<_> = shared.iter().map(|tree| tree.intern(&mut base)).collect();
        let printed: Vec<_> = before.iter().map(|id| base.display(*id).to_string()).collect();
        let base = Arc::new(base);
        let mut fork = Values::fork(Arc::new(Values::fork(Arc::clone(&base))));
        let mut alone = Values::new();
        for tree in shared.iter().chain(&own) {
            prop_assert_eq!(tree.intern(&mut fork), tree.intern(&mut alone));
        }
        prop_assert_eq!(fork.len(), alone.len());
        for (id, text) in before.iter().zip(printed) {
            prop_assert_eq!(fork.display(*id).to_string(), text);
        }
    }
}

#[track_caller]
fn check(build: impl FnOnce(&mut Values) -> ValueId, engine: &str, people: &str) {
    let mut values = Values::new();
    let id = build(&mut values);
    assert_eq!(values.display(id).to_string(), engine);
    assert_eq!(values.short(id, 60), people);
}

/// Compares with the output of the engine.
#[test]
fn printed_as_the_engine_does() {
    check(|values| values.name("/a/b"), "/a/b", "/a/b");
    check(|values| values.number(i64::MIN), "-9223372036854775808", "-9223372036854775808");
    check(|values| values.float(1.0), "1", "1.0");
    check(|values| values.float(-0.0), "-0", "-0.0");
    check(|values| values.float(1e21), "1000000000000000000000", "1e21");
    check(|values| values.float(f64::NEG_INFINITY), "-Inf", "-Inf");
    check(|values| values.float(-f64::NAN), "NaN", "NaN");
    let text = "it's \"é\"\n\t\\\u{7}😀";
    check(
        |values| values.string(text),
        "\"it\\'s \\\"\\u{0000e9}\\\"\\n\\t\\\\\u{7}\\u{01f600}\"",
        "\"it's \\\"é\\\"\\n\\t\\\\\\u{7}😀\"",
    );
    let bytes = Datum::Bytes(b"a'\"\n\t\\\xff\x07"[..].into());
    let shown = "b\"a\\x27\\x22\\x0a\\x09\\x5c\\xff\u{7}\"";
    check(|values| values.intern(bytes).unwrap(), shown, shown);
    check(
        |values| values.time(1_709_208_000_500_000_000),
        "fn:time:parse_rfc3339(\"2024-02-29T12:00:00.5Z\")",
        "2024-02-29T12:00:00.5Z",
    );
    check(
        |values| values.time(i64::MIN),
        "fn:time:parse_rfc3339(\"1677-09-21T00:12:43.145224192Z\")",
        "1677-09-21T00:12:43.145224192Z",
    );
    check(|values| values.duration(5_400_000_000_000), "fn:duration:parse(\"1h30m0s\")", "1h30m0s");
    check(|values| values.duration(-1_500), "fn:duration:parse(\"-1.5µs\")", "-1.5µs");
    check(
        |values| values.duration(i64::MIN),
        "fn:duration:parse(\"-2562047h47m16.854775808s\")",
        "-2562047h47m16.854775808s",
    );
}

#[test]
fn collections_in_the_engines_order() {
    let entries = |values: &mut Values, pairs: &[(i64, i64)]| {
        pairs.iter().map(|(key, value)| (values.number(*key), values.number(*value))).collect::<Box<[_]>>()
    };
    let map = |pairs: &'static [(i64, i64)]| {
        move |values: &mut Values| {
            let entries = entries(values, pairs);
            values.intern(Datum::Map(entries)).unwrap()
        }
    };
    let sorted = "[-1 : 7, 3 : 4, 2 : 5, 1 : 2]";
    check(map(&[(1, 2), (3, 4), (2, 5), (-1, 7)]), sorted, sorted);
    check(map(&[]), "fn:map()", "fn:map()");
    check(map(&[(1, 2), (1, 3)]), "[1 : 2, 1 : 3]", "[1 : 2, 1 : 3]");
    let fields = "{/c : 3, /b : 2, /a : 1}";
    let build = |values: &mut Values| {
        let field = |(name, number)| (values.name(name), values.number(number));
        let fields = [("/a", 1), ("/b", 2), ("/c", 3)].map(field);
        values.intern(Datum::Struct(fields.into())).unwrap()
    };
    check(build, fields, fields);
    check(|values| values.intern(Datum::Struct([].into())).unwrap(), "{}", "{}");
    let nested = "[[], fn:pair(1, [1])]";
    let build = |values: &mut Values| {
        let (one, empty) = (values.number(1), values.list(&[]).unwrap());
        let list = values.list(&[one]).unwrap();
        let pair = values.pair(one, list).unwrap();
        values.list(&[empty, pair]).unwrap()
    };
    check(build, nested, nested);
}

/// The engine loses one of two facts with equal hashes.
#[test]
fn values_with_equal_hashes() {
    let mut values = Values::new();
    let empty = values.list(&[]).unwrap();
    for id in [values.number(0), values.float(0.0), values.time(0), empty] {
        assert_eq!(values.engine_hash(id), 0);
    }
    let text = values.string("a");
    assert_eq!(values.engine_hash(text), 0xaf63_bd4c_8601_b7be);
}

#[test]
fn deep_values_end_somewhere() {
    let mut values = Values::new();
    let mut id = values.number(1);
    for depth in 0..1_000 {
        assert_eq!(values.depth(id), depth);
        id = values.pair(id, id).unwrap();
    }
    assert_eq!(values.pair(id, id), Err(TooDeep { limit: 1_000 }));
    assert_eq!(values.len(), 1_001);
    // The printed value would have more parts than the universe has atoms.
    assert_eq!(values.short(id, 12), "fn:pair(fn:…");
    assert_eq!(values.short(id, 0), "");
    values.engine_hash(id);
    values.set_depth_limit(1_001);
    assert!(values.pair(id, id).is_ok());
}

/// A value that doubles in size with every level.
fn doubling(values: &mut Values, levels: u32, double: impl Fn(&mut Values, ValueId) -> Datum) -> ValueId {
    let mut id = values.string("a long enough text of a leaf");
    for _ in 0..levels {
        let datum = double(values, id);
        id = values.intern(datum).unwrap();
    }
    id
}

#[test]
fn values_that_double_are_printed_in_bounded_steps() {
    let kinds: [fn(&mut Values, ValueId) -> Datum; 4] = [
        |_, id| Datum::Pair(id, id),
        |_, id| Datum::List([id; 9].into()),
        |values, id| Datum::Map([(values.number(1), id), (id, id)].into()),
        |values, id| Datum::Struct([(values.name("/a"), id), (values.name("/b"), id)].into()),
    ];
    for kind in kinds {
        let mut values = Values::new();
        let id = doubling(&mut values, 900, kind);
        assert_eq!(values.printed_bytes(id), super::MAX_PRINTED);
        let ((text, json), steps) = crate::kernel::work::max_between_checks(|| {
            (values.display(id).to_string(), values.json_within(id, 4096).to_string())
        });
        assert!((2_000..=super::PRINTED_BYTES).contains(&text.len()), "{}", text.len());
        assert!(text.contains("…(more than 2814") && text.contains(" bytes, hash "), "{text}");
        // Each level has its own placeholders in JSON.
        assert!((500..200_000).contains(&json.len()), "{}", json.len());
        assert!(json.contains("…("), "{json}");
        assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok(), "{json}");
        assert!(steps < 50_000, "{steps} values looked at");
    }
}

#[test]
fn long_texts_are_cut_between_characters() {
    let mut values = Values::new();
    let id = values.string(&"é".repeat(10_000));
    let shown = values.display_within(id, 200).to_string();
    assert!(shown.starts_with("\"\\u{0000e9}") && shown.ends_with("\\u{0000e9}\""), "{shown}");
    assert!(shown.contains("bytes, hash") && shown.len() <= 200, "{shown}");
    let cell = values.cell_within(id, 200);
    assert!(cell.starts_with("éé") && cell.ends_with('é') && cell.len() <= 200, "{cell}");
}

#[test]
fn arguments_share_the_room() {
    let share = |sizes: &[u64]| super::shares(sizes.iter().copied(), 1_000);
    assert_eq!(share(&[10, 20]), usize::MAX);
    assert_eq!(share(&[100, 5_000]), 900);
    assert_eq!(share(&[5_000, 5_000, u64::MAX]), 333);
    assert_eq!(share(&[600; 100]), 128);
}

#[test]
fn memory_grows_with_what_is_kept() {
    let mut values = Values::new();
    assert_eq!((values.bytes(), values.is_empty()), (0, true));
    values.string(&"a".repeat(1_000));
    let once = values.bytes();
    values.string(&"a".repeat(1_000));
    assert_eq!(values.bytes(), once);
    assert!(once >= 1_000);
    let fork = Values::fork(Arc::new(values));
    assert_eq!((fork.bytes(), fork.len()), (0, 1));
}

#[test]
fn numbers_and_floats_have_different_digests() {
    let mut values = Values::new();
    for number in -100..=100_i32 {
        let (whole, float) = (values.number(number.into()), values.float(number.into()));
        assert_ne!(values.digest(whole), values.digest(float), "{number}");
    }
}
