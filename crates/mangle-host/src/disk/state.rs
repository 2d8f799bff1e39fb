//! State of a file or folder on disk, compared with its state at an earlier time.

use std::fs::{self, Metadata};
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::confinement::check_path;
use super::open::Stamp;

/// The minimum age of a change after which a later change has another timestamp, on a file system
/// with a resolution of one second.
const COARSE: Duration = Duration::from_secs(2);

/// As [`COARSE`], on a file system with finer timestamps: a few ticks of the system clock.
const FINE: Duration = Duration::from_millis(50);

/// Length, times and identity of a file or folder.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileState {
    stamp: Stamp,
    modified: Option<SystemTime>,
    /// The time of the last change of the inode (`ctime`). The modification time is not enough,
    /// because a file that replaces another keeps its own.
    changed: Option<SystemTime>,
    /// False if the file changed so recently that a later change may leave the timestamps
    /// unchanged.
    is_settled: bool,
}

impl FileState {
    /// Reads the state of a file or folder, following links. `now` is the start of the check.
    /// Returns `None` if the state cannot be read.
    pub(crate) fn read(path: &Path, now: SystemTime) -> Option<Self> {
        check_path(path).ok()?;
        let metadata = fs::metadata(path).ok()?;
        let (modified, changed) = (metadata.modified().ok(), changed(&metadata));
        let is_settled = [modified, changed].into_iter().flatten().all(|time| is_settled(time, now));
        Some(Self { stamp: Stamp::from_metadata(&metadata), modified, changed, is_settled })
    }

    /// True if the file may have changed since the `earlier` state.
    pub(crate) fn may_differ_from(&self, earlier: &Self) -> bool {
        !earlier.is_settled || self.stamp != earlier.stamp || self.changed != earlier.changed
    }

    /// True if the file may have changed after `time`.
    pub(crate) fn may_be_newer_than(&self, time: SystemTime) -> bool {
        let is_newer = |one: SystemTime| one + COARSE >= time;
        [self.modified, self.changed].into_iter().flatten().any(is_newer)
    }
}

/// True if a change after `now` has a timestamp other than `time`. A timestamp in the future, for
/// example from an unpacked archive, is treated as settled.
fn is_settled(time: SystemTime, now: SystemTime) -> bool {
    let nanoseconds = time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.subsec_nanos());
    let tick = if nanoseconds.is_multiple_of(1_000_000) { COARSE } else { FINE };
    now.duration_since(time).unwrap_or_else(|future| future.duration()) > tick
}

#[cfg(unix)]
fn changed(metadata: &Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt as _;
    let seconds = Duration::from_secs(u64::try_from(metadata.ctime()).ok()?);
    let nanoseconds = Duration::from_nanos(u64::try_from(metadata.ctime_nsec()).ok()?);
    SystemTime::UNIX_EPOCH.checked_add(seconds + nanoseconds)
}

#[cfg(not(unix))]
fn changed(metadata: &Metadata) -> Option<SystemTime> {
    metadata.created().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_settles_after_a_tick_of_its_disk() {
        let at = |millis: u64| SystemTime::UNIX_EPOCH + Duration::from_millis(1_000_000 + millis);
        let fine = at(0) + Duration::from_nanos(123_456);
        assert!(!is_settled(at(0), at(1_999)) && is_settled(at(0), at(2_001)));
        assert!(!is_settled(fine, at(49)) && is_settled(fine, at(51)));
        // A clock that is slightly ahead, and a date from an archive.
        assert!(!is_settled(at(1_000), at(0)) && is_settled(at(3_600_000), at(0)));
    }
}
