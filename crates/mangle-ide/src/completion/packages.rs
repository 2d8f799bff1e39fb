//! Completions of packages after `Use`.

use super::{Completion, CompletionKind, Insertion, Request};

/// Adds the packages of the program that this file does not use yet.
pub(super) fn used(request: &Request<'_>, items: &mut Vec<Completion>) {
    let (program, file) = (request.place.program(), request.place.file);
    let mut packages: Vec<_> = program.files.iter().filter_map(|file| file.package).collect();
    packages.sort_unstable();
    packages.dedup();
    for package in packages.into_iter().filter(|package| Some(*package) != file.package) {
        let used = file.used_packages.iter().any(|(name, item)| {
            let statement = file.items.get(*item as usize);
            *name == package && statement.is_some_and(|item| item.start != request.cursor.start)
        });
        if used {
            continue;
        }
        let insertion = match request.cursor.has_rest {
            true => Insertion::plain(package.as_str()),
            false => Insertion::plain(format!("{package}!")),
        };
        items.push(Completion::new(package.as_str(), CompletionKind::Package, 1.0).inserting(insertion));
    }
}
