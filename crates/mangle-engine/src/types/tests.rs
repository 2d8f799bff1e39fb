//! Tests of the lattice with random types, of the notation of types, and of inferred relations.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::sync::Arc;

use expect_test::{Expect, expect};

use super::{Base, MAX_DEPTH, ProgramTypes, StructField, Type, TypeCache};
use crate::program::{FileSummary, Program};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{FileId, Symbol};

/// A deterministic pseudo-random number generator.
struct Random {
    state: u64,
    optional: bool,
}

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.state >> 33).unwrap() % bound
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn name(&mut self) -> Symbol {
        Symbol::new(self.pick(&["/a", "/b", "/a/x", "/a/y", "/a/x/deep", "/ab", "/ab/x"]))
    }

    fn ty(&mut self, depth: usize) -> Type {
        const BASES: [Base; 4] = [Base::Number, Base::Float, Base::String, Base::Name];
        match self.below(if depth == 0 { 6 } else { 13 }) {
            0 | 1 => Type::Base(self.pick(&BASES)),
            2 => Type::Prefix(self.name()),
            3 => Type::Singleton(self.name()),
            4 => Type::Literal(self.name()),
            5 if self.below(3) == 0 => Type::Any,
            5 => Type::Base(Base::Time),
            6 => Type::list(self.ty(depth - 1)),
            7 => Type::pair(self.ty(depth - 1), self.ty(depth - 1)),
            8 => Type::map(self.ty(depth - 1), self.ty(depth - 1)),
            9 | 10 => self.structure(depth - 1),
            11 if self.below(6) == 0 => Type::bottom(),
            _ => {
                let members: Vec<_> = (0..2 + self.below(3)).map(|_| self.ty(depth - 1)).collect();
                Type::union(members)
            }
        }
    }

    fn structure(&mut self, depth: usize) -> Type {
        let fields = (0..self.below(3)).map(|_| StructField {
            label: Symbol::new(self.pick(&["/f", "/g", "/h"])),
            optional: self.optional && self.below(3) == 0,
            ty: self.ty(depth),
        });
        let fields = fields.collect();
        Type::structure(fields)
    }
}

fn triples(count: usize, optional: bool, mut check: impl FnMut(&Type, &Type, &Type)) {
    let mut random = Random { state: 7, optional };
    for _ in 0..count {
        let (a, b, c) = (random.ty(3), random.ty(3), random.ty(3));
        check(&a, &b, &c);
    }
}

/// Excludes optional fields, because a struct type may omit an optional field of its values.
///
/// For example, `{/f : 1}` is in `.Struct<>`, and `.Struct<>` is below `.Struct<opt /f : /string>`.
#[test]
fn order_is_reflexive_and_transitive() {
    let mut chains = 0;
    triples(60_000, false, |a, b, c| {
        assert!(a.is_subtype(a), "{a}");
        assert!(Type::bottom().is_subtype(a) && a.is_subtype(&Type::Any), "{a}");
        // Random triples are rarely ordered. Joins make them so.
        let (b, c) = (&a.join(b), &a.join(b).join(c));
        assert!(a.is_subtype(b) && b.is_subtype(c) && a.is_subtype(c), "{a} and {b} and {c}");
    });
    triples(200_000, false, |a, b, c| {
        if a.is_subtype(b) && b.is_subtype(c) {
            chains += 1;
            assert!(a.is_subtype(c), "{a} ≤ {b} ≤ {c}");
        }
    });
    assert!(chains > 1_000, "only {chains} chains");
}

#[test]
fn meet_is_below_both_and_join_above() {
    let mut proper = 0;
    triples(60_000, true, |a, b, c| {
        let (meet, join) = (a.meet(b), a.join(b));
        assert!(meet.is_subtype(a) && meet.is_subtype(b), "{a} ∧ {b} is {meet}");
        assert!(a.is_subtype(&join) && b.is_subtype(&join), "{a} ∨ {b} is {join}");
        assert_eq!(meet.is_bottom(), b.meet(a).is_bottom(), "{a} ∧ {b}");
        if !meet.is_bottom() && meet != *a && meet != *b {
            proper += 1;
        }
        // Every common upper bound is above the join.
        if a.is_subtype(c) && b.is_subtype(c) {
            assert!(join.is_subtype(c), "{a} ∨ {b} is {join}, and not below {c}");
        }
    });
    assert!(proper > 500, "only {proper} meets were new types");
}

#[test]
fn what_fits_is_more_than_what_is_below() {
    triples(60_000, true, |a, b, _| {
        assert!(!a.is_subtype(b) || a.fits(b), "{a} and {b}");
        assert!(a.is_subtype(&a.generalised()), "{a} generalised is {}", a.generalised());
    });
    let any_list = Type::list(Type::Any);
    assert!(any_list.fits(&Type::list(Type::number())) && !any_list.is_subtype(&Type::list(Type::number())));
}

#[test]
fn types_are_bounded() {
    let mut ty = Type::number();
    for _ in 0..1_000 {
        ty = Type::list(ty).bounded(MAX_DEPTH);
    }
    let text = ty.to_string();
    assert!(text.matches(".List").count() <= MAX_DEPTH && text.contains("/any"), "{text}");
    assert_eq!(Type::list(ty.clone()).bounded(MAX_DEPTH), ty);
    let mut doubled = Type::number();
    for _ in 0..100 {
        doubled = Type::pair(doubled.clone(), doubled).bounded(MAX_DEPTH);
    }
    let text = doubled.to_string();
    assert!(text.matches(".Pair").count() < 256 && text.contains("/any"), "{text}");
    assert_eq!(Type::pair(doubled.clone(), doubled.clone()).bounded(MAX_DEPTH), doubled);
    let names = |count: usize, prefix: &str| {
        Type::union((0..count).map(|at| Type::Literal(Symbol::new(&format!("{prefix}{at}")))))
    };
    assert_eq!(names(40, "/role/n").members().len(), 40);
    assert_eq!(names(400, "/role/n").to_string(), "/role");
    assert_eq!(names(400, "/n").to_string(), "/name");
}

/// Parses each type and prints it again.
fn check_read(types: &[&'static str], expect: Expect) {
    let mut out = String::new();
    for text in types {
        writeln!(out, "{text}  is  {}", Type::named(text)).unwrap();
    }
    expect.assert_eq(&out);
}

#[test]
fn both_notations_are_one_type() {
    check_read(
        &[
            "/role/admin",
            "fn:List(/number)",
            ".List</number>",
            ".Tuple</name, /string, /number>",
            ".Pair</name, .Pair</string, /number>>",
            ".Union</name, /role, .Union</number>>",
            ".Union</bot>",
            ".Struct</b : /name, opt /a : /number>",
            ".TaggedUnion</kind, /walk : .Struct</m : /number>, /stay : .Struct<>>",
            ".Option<.Map</string, T>>",
            "fn:list(/number)",
            "\"even\"",
        ],
        expect![[r#"
            /role/admin  is  /role/admin
            fn:List(/number)  is  .List</number>
            .List</number>  is  .List</number>
            .Tuple</name, /string, /number>  is  .Tuple</name, /string, /number>
            .Pair</name, .Pair</string, /number>>  is  .Tuple</name, /string, /number>
            .Union</name, /role, .Union</number>>  is  .Union</number, /name>
            .Union</bot>  is  /bot
            .Struct</b : /name, opt /a : /number>  is  .Struct<opt /a : /number, /b : /name>
            .TaggedUnion</kind, /walk : .Struct</m : /number>, /stay : .Struct<>>  is  .TaggedUnion</kind, /stay : .Struct<>, /walk : .Struct</m : /number>>
            .Option<.Map</string, T>>  is  .Option<.Map</string, T>>
            fn:list(/number)  is  /any
            "even"  is  /any
        "#]],
    );
    assert_eq!(Type::named("fn:Map(/name, fn:List(/any))"), Type::named(".Map</name, .List</any>>"));
}

#[test]
fn names_are_compared_by_segment() {
    let below = |name: &str, prefix: &str| {
        Type::Literal(Symbol::new(name)).is_subtype(&Type::Prefix(Symbol::new(prefix)))
    };
    assert!(below("/a/b", "/a") && below("/a/b/c", "/a"));
    assert!(!below("/a", "/a") && !below("/ab", "/a") && !below("/ab/c", "/a"));
}

/// Prints the inferred types of every relation of a program.
fn check_relations(text: &str, expect: Expect) {
    let file = Arc::new(FileSummary::new(FileId(0), &SourceFile::parse(text.into())));
    let program = Program::new(vec![file]);
    let mut cache = TypeCache::default();
    let types = ProgramTypes::new(&program, &mut cache);
    let again = ProgramTypes::new(&program, &mut cache);
    assert_eq!(types.environment(), again.environment(), "what is kept differs from what is inferred");
    let mut out = String::new();
    for predicate in program.predicates.iter() {
        write!(out, "{}:", predicate.key).unwrap();
        let rows = types.rows(program.id(predicate.key).unwrap());
        for (at, row) in rows.alternatives.iter().enumerate() {
            let row: Vec<_> = row.iter().map(ToString::to_string).collect();
            write!(out, "{}({})", if at > 0 { " | " } else { " " }, row.join(", ")).unwrap();
        }
        out.push('\n');
    }
    expect.assert_eq(&out);
}

#[test]
fn facts_are_joined_by_shape() {
    check_relations(
        "at(/home, 1).\nat(/work, 2).\nat(\"x\", 1.5).\nl([1, \"a\"]).\nl([]).\nm({/a : 1, /b : [/x]}).\nn(fn:pair(1, b\"x\"), [\"k\" : 1]).\n",
        expect![[r#"
            at/2: (/string, /float64) | (.Union</home, /work>, /number)
            l/1: (.List<.Union</number, /string>>)
            m/1: (.Struct</a : /number, /b : .List</x>>)
            n/2: (.Pair</number, /bytes>, .Map</string, /number>)
        "#]],
    );
}

#[test]
fn recursion_is_followed_from_the_facts() {
    check_relations(
        "edge(/a, /b).\nedge(/b, /c).\nreach(X, Y) :- edge(X, Y).\nreach(X, Z) :- reach(X, Y), edge(Y, Z).\n\
         count(0).\ncount(M) :- count(N), N < 9, M = fn:plus(N, 1).\n\
         deep([]).\ndeep(M) :- deep(L), M = [L].\n\
         even(0).\neven(N) :- odd(M), N = fn:plus(M, 1).\nodd(N) :- even(M), N = fn:plus(M, 1).\n\
         lone(X) :- lone(X).\nuser(X) :- lone(X).\n",
        expect![[r#"
            edge/2: (.Union</a, /b>, .Union</b, /c>)
            reach/2: (.Union</a, /b>, .Union</b, /c>)
            count/1: (/number)
            deep/1: (/any)
            even/1: (/number)
            odd/1: (/number)
            lone/1:
            user/1:
        "#]],
    );
}

#[test]
fn rules_give_what_their_bodies_leave() {
    check_relations(
        "Decl seat(A, B) bound [/name, /number] bound [/string, /float64].\n\
         both(A, B) :- seat(A, B).\n\
         named(B) :- seat(A, B), :match_prefix(A, /vip).\n\
         counted(A, N) :- seat(A, _) |> do fn:group_by(A), let N = fn:count().\n\
         all(L) :- seat(A, B) |> do fn:group_by(), let L = fn:collect(A, B).\n\
         text(T) :- seat(_, B), T = fn:string:concat(B, \"!\").\n\
         parts(H, T) :- all(L), :match_cons(L, H, T).\n\
         same(B) :- seat(A, B), A = C, C = \"x\".\n",
        expect![[r#"
            seat/2: (/name, /number) | (/string, /float64)
            both/2: (/string, /float64) | (/name, /number)
            named/1: (/number)
            counted/2: (/string, /number) | (/name, /number)
            all/1: (.List<.Pair</string, /float64>>) | (.List<.Pair</name, /number>>)
            text/1: (/string)
            parts/2: (.Pair</string, /float64>, .List<.Pair</string, /float64>>) | (.Pair</name, /number>, .List<.Pair</name, /number>>)
            same/1: (/float64)
        "#]],
    );
}
