//! What grows with the program: a real program copied many times, under edits, questions and checks, as ratios within one
//! run: `cargo bench --bench scale`, with sizes in files as in `-- 103 1030 6180`.
//!
//! Takes a checkout of codeNERD from `--corpus DIR` or `MANGLE_LS_CORPUS`, else the policies of `examples/guardian`. In each
//! copy every predicate has a name of its own, so that the copies are one program with as many predicates as they have
//! together. Each figure is the median of some rounds, other programs in between: `--against PROGRAM` measures another
//! build of `mangle-ls` in the same rounds, and prints the ratio of our figure to its. `--keep` leaves the folders of the
//! copies where they are and prints their paths, for profilers.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod copies;
mod editor;
mod terminal;

#[path = "../../tests/all/support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};
use std::time::Duration;

use copies::Copies;

/// The allocator of the program, so that reading its answers takes no longer than making them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The sizes that are measured unless others are asked for, in files.
const SIZES: [usize; 3] = [103, 1_030, 6_180];

/// How often everything is measured.
const ROUNDS: usize = 5;

/// What is measured, with the unit of its figure, in the order of the table.
type Figures = Vec<(&'static str, &'static str, f64)>;

/// The figures at one size.
struct Column {
    files: usize,
    ours: Figures,
    /// Those of the program that ours is compared with.
    theirs: Option<Figures>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let after = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).map(PathBuf::from)
    };
    let texts = copies::texts(after("--corpus").or_else(support::corpus));
    let sizes: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if sizes.is_empty() { SIZES.to_vec() } else { sizes };
    let mut programs = vec![PathBuf::from(env!("CARGO_BIN_EXE_mangle-ls"))];
    programs.extend(after("--against"));
    let mut columns = Vec::new();
    for size in sizes {
        let copies = Copies::new(&texts, size);
        println!("{} files: the declaration that is edited has {} users", copies.files, copies.users);
        let mut figures = medians(&programs, &copies).into_iter();
        let ours = figures.next().unwrap_or_default();
        columns.push(Column { files: copies.files, ours, theirs: figures.next() });
        if arguments.iter().any(|argument| argument == "--keep") {
            let files = copies.files;
            println!("{files} files: {}", copies.keep().display());
        }
    }
    print(&columns);
}

/// The median of each figure over the rounds, for each program. They take turns, so that a busy machine is busy for all.
fn medians(programs: &[PathBuf], copies: &Copies) -> Vec<Figures> {
    let mut rounds: Vec<Vec<Figures>> = vec![Vec::new(); programs.len()];
    for _ in 0..ROUNDS {
        for (program, figures) in programs.iter().zip(&mut rounds) {
            figures.push(measure(program, copies));
        }
    }
    rounds.iter().map(|rounds| median(rounds)).collect()
}

fn measure(program: &Path, copies: &Copies) -> Figures {
    let mut figures = editor::measure(program, copies);
    figures.extend(terminal::measure(program, copies));
    figures
}

fn median(rounds: &[Figures]) -> Figures {
    let first = rounds.first().into_iter().flatten();
    let middle = |row: usize| {
        let mut values: Vec<f64> = rounds.iter().map(|figures| figures[row].2).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    first.enumerate().map(|(row, (what, unit, _))| (*what, *unit, middle(row))).collect()
}

/// A row for each figure: its value at each size, and how it grows from the first to the last.
fn print(columns: &[Column]) {
    let (Some(first), Some(last)) = (columns.first(), columns.last()) else { return };
    let heading: String =
        columns.iter().map(|column| format!("{:>20}", format!("{} files", column.files))).collect();
    println!("{:<44}{heading}{:>10}", "", "growth");
    for (row, (what, unit, least)) in first.ours.iter().enumerate() {
        let cells: String = columns.iter().map(|column| format!("{:>20}", cell(column, row, unit))).collect();
        let growth = last.ours.get(row).map_or(f64::NAN, |(.., most)| most / least);
        println!("{what:<44}{cells}{growth:>10.2}");
    }
}

/// A figure, and how many times that of the other program it is.
fn cell(column: &Column, row: usize, unit: &str) -> String {
    let value = |figures: &Figures| figures.get(row).map_or(f64::NAN, |(.., value)| *value);
    let ours = value(&column.ours);
    let ratio = column.theirs.as_ref().map(|theirs| format!(" {:.2}×", ours / value(theirs)));
    format!("{ours:.2} {unit}{}", ratio.unwrap_or_default())
}

/// The duration in milliseconds at some percent of all, from the shortest.
fn percentile(times: &mut [Duration], percent: usize) -> f64 {
    times.sort_unstable();
    let at = (times.len() * percent / 100).min(times.len().saturating_sub(1));
    times.get(at).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
}
