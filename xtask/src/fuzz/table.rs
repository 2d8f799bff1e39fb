//! The targets, as the fuzz program lists them.

use anyhow::{Context, Result};
use serde_json::Value;

/// A target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) name: String,
    pub(super) about: String,
    /// The longest input, in bytes.
    pub(super) max_len: u64,
    /// The name of its dictionary; `None` for a target that reads no words.
    pub(super) dictionary: Option<String>,
}

/// Reads the list.
pub(super) fn read(json: &[u8]) -> Result<Vec<Target>> {
    let all: Vec<Value> = serde_json::from_slice(json).context("the fuzz program lists no targets")?;
    let text = |value: &Value, key: &str| value[key].as_str().map(str::to_owned);
    let target = |value: &Value| {
        Some(Target {
            name: text(value, "name")?,
            about: text(value, "about")?,
            max_len: value["max_len"].as_u64()?,
            dictionary: text(value, "dictionary").filter(|name| name != "none"),
        })
    };
    let read: Option<Vec<_>> = all.iter().map(target).collect();
    read.context("the fuzz program lists something that is no target")
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn a_list_is_read() {
        let json = br#"[{"name":"edit","about":"x","max_len":9,"dictionary":"none"}]"#;
        let all = read(json).unwrap_or_default();
        assert_eq!(all.len(), 1);
        assert_eq!((all[0].name.as_str(), all[0].max_len, &all[0].dictionary), ("edit", 9, &None));
        assert!(read(br#"[{"name":"edit"}]"#).is_err());
    }
}
