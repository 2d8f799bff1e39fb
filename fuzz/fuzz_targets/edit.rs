//! An edited file has the statements of the same text parsed anew.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mangle_ls::syntax::SourceFile;
use mangle_ls::text::{TextEdit, TextRange, TextSize};

fuzz_target!(|input: (&str, u16, u8, &str)| {
    let (text, at, removed, inserted) = input;
    let boundary = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = boundary(usize::from(at));
    let end = boundary(start + usize::from(removed)).max(start);
    let edited = [&text[..start], inserted, &text[end..]].concat();
    let size = |bytes: usize| TextSize::new(u32::try_from(bytes).unwrap_or(u32::MAX));
    let edit = TextEdit { range: TextRange::new(size(start), size(end)), new_len: size(inserted.len()) };
    let file = SourceFile::parse(text.into()).edit(edited.as_str().into(), &[edit]);
    let describe = |file: &SourceFile| {
        let items = file.items().iter();
        items.map(|item| format!("{:?} {:?}", item.start, item.statement.kind)).collect::<Vec<_>>()
    };
    assert_eq!(describe(&file), describe(&SourceFile::parse(edited.as_str().into())));
});
