//! What grows with the program: a real program copied many times, under edits, questions and checks, as ratios within one
//! run: `cargo bench --bench scale`, with sizes in files as in `-- 103 1030 6180`.
//!
//! Takes a checkout of codeNERD from `--corpus DIR` or `MANGLE_LS_CORPUS`, else the policies of `examples/guardian`. In each
//! copy every predicate has a name of its own, so that the copies are one program with as many predicates as they have
//! together. `--keep` leaves the folders of the copies where they are and prints their paths, for profilers.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod copies;
mod editor;
mod terminal;

#[path = "../../tests/all/support/mod.rs"]
mod support;

use std::path::PathBuf;
use std::time::Duration;

use copies::Copies;

/// The allocator of the program, so that reading its answers takes no longer than making them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The sizes that are measured unless others are asked for, in files.
const SIZES: [usize; 3] = [103, 1_030, 6_180];

/// What is measured, with the unit of its figure, in the order of the table.
type Figures = Vec<(&'static str, &'static str, f64)>;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let after = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).map(PathBuf::from)
    };
    let texts = copies::texts(after("--corpus").or_else(support::corpus));
    let sizes: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if sizes.is_empty() { SIZES.to_vec() } else { sizes };
    let mut columns: Vec<(usize, Figures)> = Vec::new();
    for size in sizes {
        let copies = Copies::new(&texts, size);
        let mut figures = editor::measure(&copies);
        figures.extend(terminal::measure(&copies));
        columns.push((copies.files, figures));
        if arguments.iter().any(|argument| argument == "--keep") {
            let files = copies.files;
            println!("{files} files: {}", copies.keep().display());
        }
    }
    print(&columns);
}

/// A row for each figure: its value at each size, and how it grows from the first to the last.
fn print(columns: &[(usize, Figures)]) {
    let (Some((_, first)), Some((_, last))) = (columns.first(), columns.last()) else { return };
    let heading: String =
        columns.iter().map(|(files, _)| format!("{:>14}", format!("{files} files"))).collect();
    println!("{:<44}{heading}{:>10}", "", "ratio");
    for (row, (what, unit, least)) in first.iter().enumerate() {
        let values = columns.iter().filter_map(|(_, figures)| figures.get(row));
        let values: String =
            values.map(|(.., value)| format!("{:>14}", format!("{value:.2} {unit}"))).collect();
        let ratio = last.get(row).map_or(f64::NAN, |(.., most)| most / least);
        println!("{what:<44}{values}{ratio:>10.2}");
    }
}

/// The duration in milliseconds at some percent of all, from the shortest.
fn percentile(times: &mut [Duration], percent: usize) -> f64 {
    times.sort_unstable();
    let at = (times.len() * percent / 100).min(times.len().saturating_sub(1));
    times.get(at).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
}
