//! Tests of findings about packages.

#![allow(clippy::unwrap_used)]

use expect_test::expect;

use crate::testing::{check, check_fix, program};
use mangle_engine::program::PredicateKey;
use mangle_syntax::text::Symbol;

#[test]
fn missing_uses() {
    check(
        "#- a.mg\nPackage a.b!\nvan(1).\nbus(2).\n#- c.mg\nPackage c!\nx(X) :- a.b.van(X), !a.b.bus(X).\n\
         y(X) :- a.b.bus(X).\n",
        expect![[r#"
            c.mg:2:9-12 error use-missing: missing `Use` of package `a.b`
              note: the engine rejects the program
              fix: insert `Use a.b!`
        "#]],
    );
    check_fix(
        "use-missing",
        "#- a.mg\nPackage a!\nvan(1).\n#- c.mg\n# header\nPackage c!\nUse d!\n\nx(X) :- a.van(X).\n",
        expect![[r#"
            #- a.mg
            Package a!
            van(1).
            #- c.mg
            # header
            Package c!
            Use d!
            Use a!

            x(X) :- a.van(X).
        "#]],
    );
    check_fix(
        "use-missing",
        "#- a.mg\nPackage a!\nvan(1).\n#- c.mg\n# header\n\nx(X) :- a.van(X).\n",
        expect![[r#"
        #- a.mg
        Package a!
        van(1).
        #- c.mg
        # header

        Use a!

        x(X) :- a.van(X).
    "#]],
    );
}

#[test]
fn uses_are_shared_by_the_files_of_a_package() {
    check(
        "#- a.mg\nPackage a!\nUse c!\np(1).\n#- b.mg\nPackage a!\nk(X) :- c.z(X).\n#- c.mg\nPackage c!\nz(1).\n",
        expect![[""]],
    );
}

#[test]
fn dotted_names_of_the_root() {
    check("a.van(1).\nx(X) :- a.van(X).\n", expect![[""]]);
    // Definitions of other packages are ignored.
    check(
        "#- a.mg\nPackage a!\nvan(1).\n#- root.mg\nx(X) :- a.van(X).\n",
        expect![[r#"
            root.mg:1:9-10 error use-missing: missing `Use` of package `a`
              note: the engine rejects the program
              fix: insert `Use a!`
        "#]],
    );
    check("Package a!\nvan(1).\nx(X) :- a.van(X).\n", expect![[""]]);
}

#[test]
fn uses() {
    check(
        "Package a!\nUse a!\np(1).\n",
        expect![[r#"
            2:5-6 error use-self: package `a` uses itself
              note: the engine rejects such a `Use`
              fix: remove this line
        "#]],
    );
    check(
        "#- a.mg\nPackage a!\nvan(1).\n#- b.mg\nUse a!\nUse a!\nUse z!\np(1).\n",
        expect![[r#"
            b.mg:1:5-6 hint use-unused: unused package `a`
              note: no premise here queries a predicate of the package
              fix: remove this line
            b.mg:2:5-6 hint use-unused: duplicate `Use` of package `a`
              note: an earlier `Use` of the package suffices
              fix: remove this line
            b.mg:3:5-6 warning use-unknown: unknown package `z`
              note: the engine silently accepts this `Use`
              fix: write `a`
        "#]],
    );
    check_fix(
        "use-unused",
        "#- a.mg\nPackage a!\nvan(1).\n#- b.mg\nUse a!\np(1).\n",
        expect![[r#"
        #- a.mg
        Package a!
        van(1).
        #- b.mg
        p(1).
    "#]],
    );
    // The root package can define names that look qualified.
    check("Use a!\nDecl a.van(X).\nx(X) :- a.van(X).\n", expect![[""]]);
}

#[test]
fn package_names() {
    check(
        "Package Depot!\nvan(1).\n",
        expect![[r#"
            1:9-14 error package-not-lowercase: package name `Depot` is not lower-case
              note: the engine rejects the file
              fix: write `depot`
        "#]],
    );
    check_fix(
        "package-not-lowercase",
        "Package depot.North!\nvan(1).\n",
        expect![[r#"
        Package depot.north!
        van(1).
    "#]],
    );
    check(
        "#- a.mg\nPackage aB!\nvan(1).\n#- b.mg\nUse aB!\nx(X) :- aB.van(X).\n",
        expect![[r#"
            a.mg:1:9-11 error package-not-lowercase: package name `aB` is not lower-case
              note: the engine rejects the file
              help: write `ab` in all files that name the package
        "#]],
    );
}

#[test]
fn private_predicates() {
    check(
        "#- a.mg\nPackage a!\nDecl van(X) descr [private()].\nvan(1).\nown(X) :- van(X), a.van(X).\n#- root.mg\nUse a!\n\
         asked(1).\nx(X) :- asked(X), !a.van(X).\na.y(X) :- a.van(X).\n",
        expect![[r#"
            root.mg:3:20-25 error private-access: `a.van` is private to the package `a`
              a.mg:2:6-9 declared private here
              note: this rule belongs to the root package: the engine rejects the program
        "#]],
    );
    check(
        "Decl p(X) descr [private()].\np(1).\na.q(X) :- p(X).\n",
        expect![[r#"
            3:11-12 error private-access: `p` is private to the root package
              1:6-7 declared private here
              note: this rule belongs to the package `a`: the engine rejects the program
        "#]],
    );
}

#[test]
fn time_in_packages() {
    check(
        "#- a.mg\nPackage a!\non(1)@[2024-05-01, _].\nx(X) :- <-[0d, 1d] on(X).\ny(X) :- off(X)@[S, _].\n\
         z(X) :- a.on(X)@[S, _].\n#- root.mg\noff(1)@[2024-05-01, _].\n",
        expect![[r#"
            a.mg:3:20-22 warning temporal-in-package: temporal premise requires the full name `a.on`
              note: the engine queries `on` of the root package instead of `a`, so the premise never holds
              fix: write `a.on`
        "#]],
    );
    check_fix(
        "temporal-in-package",
        "Package a!\non(1)@[2024-05-01, _].\nx(X) :- on(X)@[S, _].\n",
        expect![[r#"
        Package a!
        on(1)@[2024-05-01, _].
        x(X) :- a.on(X)@[S, _].
    "#]],
    );
}

#[test]
fn what_a_file_has_to_use() {
    let program = program("#- a.mg\nPackage a!\nUse b!\nvan(1).\n#- root.mg\nc.bus(1).\n");
    let missing = |file: usize, name: &str| {
        let key = PredicateKey { name: Symbol::new(name), arity: 1 };
        program.missing_use(&program.files[file], key).map(Symbol::as_str)
    };
    assert_eq!(missing(0, "van"), None);
    assert_eq!(missing(0, "a.van"), None);
    assert_eq!(missing(0, "b.x"), None);
    assert_eq!(missing(0, "b.c.x"), Some("b.c"));
    assert_eq!(missing(0, "c.bus"), Some("c"));
    assert_eq!(missing(1, "c.bus"), None);
    assert_eq!(missing(1, "a.van"), Some("a"));
}
