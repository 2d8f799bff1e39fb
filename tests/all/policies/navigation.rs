//! Going about in the examples, the programs of the language suites and those of the rules, whole and damaged: at every place there is an answer or none, and what it names is there.

use crate::support;
use crate::support::world;

use std::sync::Arc;

use mangle_ide::Place;
use mangle_ide::call_hierarchy::{incoming, outgoing, prepare};
use mangle_ide::definition::{declaration, definition, implementation, type_definition};
use mangle_ide::linked_editing::linked;
use mangle_ide::links::links;
use mangle_ide::references::{highlights, references};
use mangle_ide::rename;
use mangle_ide::symbols::{DocumentSymbol, document_symbols};
use mangle_syntax::text::{FileId, TextRange, size};
use support::Random;
use support::programs::programs;
use world::World;

/// The text without some stretches of it.
fn damaged(text: &str, random: &mut Random) -> Arc<str> {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..6 {
        let from = random.below(chars.len());
        let until = (from + 1 + random.below(12)).min(chars.len());
        chars.drain(from..until);
    }
    chars.into_iter().collect::<String>().into()
}

impl World {
    /// Whether a range is in a file, at characters.
    fn has(&self, file: FileId, range: TextRange) {
        let text = self.sources[file.0 as usize].text();
        assert!(
            text.get(usize::from(range.start())..usize::from(range.end())).is_some(),
            "{file:?} {range:?}"
        );
    }

    fn ask(&self, place: Place<'_>) {
        for feature in [definition, declaration, type_definition, implementation] {
            if let Some(found) = feature(place) {
                assert!(found.origin.contains_inclusive(place.offset), "{place:?}");
                for target in found.targets {
                    self.has(target.file, target.whole);
                    assert!(target.whole.contains_range(target.name), "{place:?} {target:?}");
                }
            }
        }
        highlights(place).into_iter().for_each(|(range, _)| self.has(place.file.id, range));
        let linked = linked(place);
        assert!(linked.is_empty() || linked.iter().any(|range| range.contains_inclusive(place.offset)));
        if let Ok(Some(found)) = rename::prepare(place) {
            self.has(place.file.id, found.range);
        }
        if let Some(item) = prepare(place) {
            assert!(item.whole.contains_range(item.name));
            for call in outgoing(&self.program, item.key, item.file) {
                call.ranges.iter().for_each(|range| self.has(item.file, *range));
            }
        }
    }

    /// What looks at the whole program: asked less often.
    fn ask_widely(&self, place: Place<'_>) {
        let found = references(place, true);
        found.iter().for_each(|found| self.has(found.file, found.range));
        if let Some(item) = prepare(place) {
            for call in incoming(&self.program, item.key) {
                call.ranges.iter().for_each(|range| self.has(call.item.file, *range));
            }
        }
        let own = |found: &mangle_ide::subject::Occurrence| {
            found.file == place.file.id && found.range.contains_inclusive(place.offset)
        };
        assert!(found.is_empty() || found.iter().any(own), "{place:?}");
    }

    fn outline(&self, file: FileId) {
        fn check(symbol: &DocumentSymbol, world: &World, file: FileId) {
            world.has(file, symbol.range);
            assert!(symbol.range.contains_range(symbol.selection) && !symbol.name.is_empty(), "{symbol:?}");
            for child in &symbol.children {
                assert!(symbol.range.contains_range(child.range), "{symbol:?}");
                check(child, world, file);
            }
        }
        let summary = self.program.file(file).unwrap();
        document_symbols(summary).iter().for_each(|symbol| check(symbol, self, file));
        links(&self.sources[file.0 as usize]).iter().for_each(|link| self.has(file, link.range));
    }

    /// Asks at every `step`th character, and now and then widely.
    fn walk(&self, file: FileId, step: usize) {
        self.outline(file);
        let text = Arc::clone(self.sources[file.0 as usize].text());
        for (index, (at, _)) in text.char_indices().enumerate().filter(|(index, _)| index % step == 0) {
            let place = Place::new(self, file, size(at)).unwrap();
            self.ask(place);
            if index % (16 * step) == 0 {
                self.ask_widely(place);
            }
        }
    }
}

#[test]
fn in_every_program_whole_and_damaged() {
    let mut random = Random(11);
    for (_, texts) in programs() {
        let texts: Vec<Arc<str>> = texts.iter().map(|text| text.as_str().into()).collect();
        let world = World::new(&texts);
        for file in (0..).map(FileId).take(texts.len()) {
            world.walk(file, 1);
            let mut texts = texts.clone();
            let text = &mut texts[file.0 as usize];
            *text = damaged(text, &mut random);
            World::new(&texts).walk(file, 2);
        }
    }
}

#[test]
fn at_every_place_of_everything_that_there_is() {
    let text = "# === 🦀 ===\r\nPackage a.b!\r\nUse c!\r\nDecl p(X, Y) temporal descr [doc(\"d\"), arg(X, \"é\"), fundep([X], [Y]), merge([Y], \"a.b.m\")]\r\n  bound [/role, .List<.Struct</k : /string, opt /l : T>>] inclusion [q(X), a.b.p(X, Y)].\r\np(/role/x, [{/k : \"🦀\"}])@[2024-01-01, _].\r\nq(X) :- c.r(X, _), !s(X), <-[0d, 7d] p(X, Y), p(X, Z)@[A, B], X != /role/y, [X, 1] = [Y : fn:plus(Z, -1)] |> do fn:group_by(X), let N = fn:count().\r\nq(X ,) :- p(X, $ é. c.r(\"";
    let texts = [Arc::from(text)];
    let world = World::new(&texts);
    world.walk(FileId(0), 1);
    for (at, _) in text.char_indices() {
        let place = Place::new(&world, FileId(0), size(at)).unwrap();
        world.ask_widely(place);
        // A name for everything: of the right kind for one of them at least.
        for new in ["fresh", "Fresh", "/fresh", "_", "q", "X", "/role/x"] {
            if let Ok(edits) = rename::rename(place, &[], new) {
                edits.iter().for_each(|edit| world.has(edit.file, edit.range));
            }
        }
    }
    // Cut off anywhere.
    for (at, _) in text.char_indices().step_by(5) {
        World::new(&[text[..at].into()]).walk(FileId(0), 7);
    }
}
