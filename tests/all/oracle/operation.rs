//! What happens to a workspace: in the editor, on disk, in the settings. An operation that does not fit the state does
//! nothing, so that any of them can be left out of a history.

use crate::oracle::model::{Model, Name};
use crate::oracle::text::Dice;
use crate::oracle::texts::{PATHS, SETTINGS, texts};

/// What happens. Paths, texts and settings are indices into their tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Operation {
    /// A document is opened, with its text on disk as editors show it.
    Open(Name),
    /// A document is edited in one to three places.
    Edit { name: Name, seed: u64 },
    /// A document gets another text as a whole.
    Replace { name: Name, text: usize },
    /// A document is written to disk.
    Save(Name),
    /// A document is closed; what was not saved is lost.
    Close(Name),
    /// Something else writes a file.
    Write { path: usize, text: usize },
    /// Something else removes a file.
    Remove(usize),
    /// The link to a file comes or goes.
    Link,
    /// The editor's settings change.
    Configure(usize),
    /// The client waits until the server has done all that is due: what follows meets a state that is whole.
    Settle,
    /// A request whose response is ignored.
    Ask { name: Name, method: usize },
}

impl Operation {
    /// One that does something to this state, most often an edit.
    pub(crate) fn random(model: &Model, dice: &mut Dice) -> Self {
        let open = model.names();
        let path = dice.below(PATHS.len());
        let text = dice.below(texts(PATHS[path]).len());
        let (kind, seed) = (dice.below(100), dice.below(1 << 40) as u64);
        if open.is_empty() || open.len() < 7 && kind < 6 {
            return Self::Open(Name { path, spelling: dice.below(5) / 4 });
        }
        let name = open[dice.below(open.len())];
        let text_of_open = dice.below(texts(PATHS[name.path]).len());
        match kind {
            ..70 => Self::Edit { name, seed },
            70..77 => Self::Replace { name, text: text_of_open },
            77..82 => Self::Save(name),
            82..86 => Self::Close(name),
            86..91 => Self::Write { path, text },
            91..93 => Self::Remove(path),
            93..94 => Self::Link,
            94..95 => Self::Configure(dice.below(SETTINGS.len())),
            95..97 => Self::Settle,
            _ => Self::Ask { name, method: dice.below(64) },
        }
    }
}
