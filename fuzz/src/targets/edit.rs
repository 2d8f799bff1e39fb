//! An edited file has the statements of the same text parsed anew.

use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{TextEdit, TextRange, TextSize, size};

use crate::generate::{border, mangle};

pub(crate) fn run(bytes: &[u8]) {
    let [place, place_low, removed, inserted, rest @ ..] = bytes else { return };
    let (inserted, rest) = rest.split_at(rest.len().min(usize::from(*inserted) % 32));
    let (text, inserted) = (mangle(rest), crate::generate::text(inserted));
    let at = usize::from(u16::from_be_bytes([*place, *place_low]));
    let start = border(&text, at % (text.len() + 1));
    let end = border(&text, start + usize::from(*removed)).max(start);
    let edited = [&text[..start], inserted.as_str(), &text[end..]].concat();
    let edit =
        TextEdit { range: TextRange::new(size(start), size(end)), new_len: TextSize::of(inserted.as_str()) };
    let file = SourceFile::parse(text.as_str().into()).edit(edited.as_str().into(), &[edit]);
    assert_eq!(statements(&file), statements(&SourceFile::parse(edited.as_str().into())));
}

fn statements(file: &SourceFile) -> Vec<String> {
    file.items().iter().map(|item| format!("{:?} {:?}", item.start, item.statement.kind)).collect()
}
