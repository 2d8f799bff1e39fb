//! The engine version that the `go.mod` of a Go module requires.

use mangle_settings::EngineVersion;
use mangle_settings::versions::{ENGINE_MODULES, ENGINES, EngineReference, RELEASES};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Requirement {
    /// The required engine version, or the nearest known one.
    pub(super) engine: EngineVersion,
    /// The module and version as written.
    pub(super) text: String,
    /// The difference between the required and the known version, as a sentence without a full
    /// stop.
    pub(super) note: Option<String>,
}

/// Parses a `go.mod`. Returns `None` if it does not require an engine module.
pub(super) fn requirement(text: &str) -> Option<Requirement> {
    let directives: Vec<Directive<'_>> = directives(text).collect();
    let required = directives.iter().find_map(|directive| match directive.words.as_slice() {
        [module, version] if directive.verb == "require" && ENGINE_MODULES.contains(module) => {
            Some((*module, *version))
        }
        _ => None,
    })?;
    let (module, version) = required;
    let replaced = directives.iter().filter(|directive| directive.verb == "replace").find_map(|directive| {
        let arrow = directive.words.iter().position(|word| *word == "=>")?;
        let (old, new) = (directive.words.get(..arrow)?, directive.words.get(arrow + 1..)?);
        let is_meant = old == [module] || old == [module, version];
        is_meant.then_some(new)
    });
    let written = format!("{module} {version}");
    Some(match replaced {
        None => of_version(version, written),
        Some([other, version]) if ENGINE_MODULES.contains(other) => {
            of_version(version, format!("{other} {version}"))
        }
        Some(fork) => {
            let version = fork.get(1).copied().unwrap_or(version);
            let known = of_version(version, written);
            let fork = fork.join(" ");
            let note = format!(
                "`{module}` is replaced by `{fork}`, whose changes are not known; it is treated as {}",
                known.engine.name
            );
            Requirement { note: Some(note), ..known }
        }
    })
}

/// Returns the known engine version for a module version.
fn of_version(version: &str, text: String) -> Requirement {
    let plain = version.split('+').next().unwrap_or_default();
    if let Some((day, revision)) = pseudo_version(plain) {
        if let Some(reference) = of_revision(revision) {
            return Requirement { engine: reference.into(), text, note: None };
        }
        let engine = EngineVersion::parse(&day).unwrap_or_default();
        let behavior = engine.reference.published.name;
        let is_older = engine.reference.published.day > day.as_str();
        let note = match is_older {
            true => {
                format!(
                    "the required revision of {day} is older than all modeled engines; the oldest is {behavior}"
                )
            }
            false => {
                format!("the required revision of {day} is not modeled; the one before it is {behavior}")
            }
        };
        return Requirement { engine, text, note: Some(note) };
    }
    match EngineVersion::parse(plain) {
        Some(engine) => Requirement { engine, text, note: None },
        None => {
            let engine = nearest_release(plain);
            let note = format!(
                "the required release {plain} is not known; the nearest known one is {}",
                engine.name
            );
            Requirement { engine, text, note: Some(note) }
        }
    }
}

/// Returns the newest known release that is not newer than `version`, or the newest release if
/// `version` cannot be parsed.
fn nearest_release(version: &str) -> EngineVersion {
    let wanted = numbers(version);
    let not_newer = RELEASES
        .iter()
        .rev()
        .find(|(release, _)| wanted.is_none() || numbers(release).is_some_and(|known| Some(known) <= wanted));
    let release = not_newer.or(RELEASES.first()).map(|(release, _)| *release);
    release.and_then(EngineVersion::parse).unwrap_or_default()
}

/// Parses the three numbers of a release, with an optional `v` prefix and suffix.
fn numbers(version: &str) -> Option<[u32; 3]> {
    let plain = version.strip_prefix('v').unwrap_or(version).split('-').next()?;
    let mut parts = plain.split('.').map(|part| part.parse().ok());
    Some([parts.next()??, parts.next()??, parts.next()??])
}

/// Returns the modeled engine version for a revision. At least 7 digits must be known on both
/// sides.
fn of_revision(revision: &str) -> Option<&'static EngineReference> {
    ENGINES.iter().find(|reference| {
        let known = reference.published.revision;
        known.starts_with(revision) || revision.starts_with(known)
    })
}

/// Returns the date and the revision of a pseudo-version: `v0.5.1-0.20260413190942-4dcaa582c6d3`.
fn pseudo_version(version: &str) -> Option<(String, &str)> {
    let (before, revision) = version.rsplit_once('-')?;
    let time = before.rsplit(['-', '.']).next()?;
    let is_time = time.len() == 14 && time.bytes().all(|byte| byte.is_ascii_digit());
    let is_revision = revision.len() == 12 && revision.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !(is_time && is_revision) {
        return None;
    }
    let (year, rest) = time.split_at_checked(4)?;
    let (month, rest) = rest.split_at_checked(2)?;
    let day = rest.get(..2)?;
    Some((format!("{year}-{month}-{day}"), revision))
}

/// A one-line directive, or a line of a block.
struct Directive<'t> {
    verb: &'t str,
    words: Vec<&'t str>,
}

fn directives(text: &str) -> impl Iterator<Item = Directive<'_>> {
    let mut block = None;
    text.lines().filter_map(move |line| {
        let code = line.split("//").next().unwrap_or_default();
        let mut words = code.split_whitespace().map(|word| word.trim_matches('"'));
        match block {
            Some(verb) => {
                let words: Vec<_> = words.collect();
                if words.first() == Some(&")") {
                    block = None;
                    return None;
                }
                Some(Directive { verb, words })
            }
            None => {
                let verb = words.next()?;
                let words: Vec<_> = words.collect();
                if words.first() == Some(&"(") {
                    block = Some(verb);
                    return None;
                }
                Some(Directive { verb, words })
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(&str, &str, Option<&str>)>) {
        let found = requirement(text);
        let found = found.as_ref().map(|found| {
            (found.engine.name.as_str(), found.engine.reference.published.name, found.note.as_deref())
        });
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn releases_are_read_in_lines_and_blocks() {
        check("module a\nrequire codeberg.org/TauCeti/mangle-go v0.6.0\n", Some(("0.6.0", "2026-09", None)));
        let block = "module a\n\nrequire (\n\tgithub.com/x/y v1.0.0\n\tgithub.com/google/mangle v0.4.0 // indirect\n)\n";
        check(block, Some(("0.4.0", "2026-04", None)));
        check("module a\nrequire github.com/x/y v1.0.0\n// require github.com/google/mangle v0.4.0\n", None);
        check("", None);
        check("require (\n", None);
    }

    #[test]
    fn pseudo_versions_are_known_by_revision_or_day() {
        check(
            "require codeberg.org/TauCeti/mangle-go v0.5.1-0.20260413190942-4dcaa582c6d3",
            Some(("2026-04", "2026-04", None)),
        );
        check(
            "require github.com/google/mangle v0.4.1-0.20260211131615-299701686e7a",
            Some((
                "2026-02-11",
                "2026-04",
                Some(
                    "the required revision of 2026-02-11 is older than all modeled engines; the oldest is 2026-04",
                ),
            )),
        );
        check(
            "require codeberg.org/TauCeti/mangle-go v0.5.1-0.20260801000000-0123456789ab",
            Some((
                "2026-08-01",
                "2026-06",
                Some("the required revision of 2026-08-01 is not modeled; the one before it is 2026-06"),
            )),
        );
    }

    #[test]
    fn unknown_releases_are_the_nearest_known_ones() {
        check(
            "require codeberg.org/TauCeti/mangle-go v0.9.1",
            Some((
                "0.6.0",
                "2026-09",
                Some("the required release v0.9.1 is not known; the nearest known one is 0.6.0"),
            )),
        );
        check(
            "require github.com/google/mangle v0.3.7",
            Some((
                "0.3.0",
                "2026-04",
                Some("the required release v0.3.7 is not known; the nearest known one is 0.3.0"),
            )),
        );
        check(
            "require github.com/google/mangle master",
            Some((
                "0.6.0",
                "2026-09",
                Some("the required release master is not known; the nearest known one is 0.6.0"),
            )),
        );
    }

    #[test]
    fn forks_are_named() {
        let required = "require github.com/google/mangle v0.4.0\n";
        check(
            &format!("{required}replace github.com/google/mangle => ../mangle\n"),
            Some((
                "0.4.0",
                "2026-04",
                Some(
                    "`github.com/google/mangle` is replaced by `../mangle`, whose changes are not known; it is treated as 0.4.0",
                ),
            )),
        );
        check(
            &format!(
                "{required}replace (\n github.com/google/mangle v0.4.0 => codeberg.org/TauCeti/mangle-go v0.6.0\n)\n"
            ),
            Some(("0.6.0", "2026-09", None)),
        );
        check(
            &format!("{required}replace github.com/google/mangle v0.3.0 => ../mangle\n"),
            Some(("0.4.0", "2026-04", None)),
        );
    }
}
