//! Steps of a release after the archives of all platforms were built.

use std::path::PathBuf;

use anyhow::Result;

use super::project::Project;
use super::{archive, checksums, extension, manifests, notes, npm, targets};

#[derive(clap::Subcommand)]
pub(super) enum Task {
    /// Write the manifests of package managers for a folder of archives
    Manifests { archives: PathBuf, out: PathBuf },
    /// Write the npm packages for a folder of archives
    Npm { archives: PathBuf, out: PathBuf },
    /// Package the extension for VS Code with the program of each archive
    Extensions { archives: PathBuf, out: PathBuf },
    /// Write SHA256SUMS for the files of a folder
    Checksums { folder: PathBuf },
    /// Print the crates in the order of their publication
    Crates,
    /// Print the changes of a version; fail if the tag is not the version of Cargo.toml
    Notes { tag: String },
}

pub(super) fn run(task: &Task) -> Result<()> {
    let project = match task {
        Task::Manifests { .. } | Task::Npm { .. } => Project::read()?,
        _ => Project::for_trial()?,
    };
    match task {
        Task::Manifests { archives, out } => {
            for path in manifests::write(&project, archives, out)? {
                println!("{}", path.display());
            }
        }
        Task::Npm { archives, out } => {
            let targets = targets::complete(archives, &project.version)?;
            npm::write(&project, archives, &targets, out)?;
        }
        Task::Extensions { archives, out } => extension::package_all(&project, archives, out)?,
        Task::Checksums { folder } => drop(checksums::write(&archive::files(folder)?, folder)?),
        Task::Crates => project.crates.iter().for_each(|package| println!("{}", package.name)),
        Task::Notes { tag } => print!("{}", notes::release_notes(&project, tag)?),
    }
    Ok(())
}
