//! The name of a model on the Hugging Face hub, with its revision.

use std::fmt;

use super::error::ModelError;

/// A repository, and a branch, tag or commit of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HubName {
    /// `ORG/NAME`, or `NAME` for the oldest models.
    pub name: String,
    /// `None` for the default branch.
    pub revision: Option<String>,
}

impl HubName {
    /// Parses `ORG/NAME` or `ORG/NAME@REVISION`.
    ///
    /// # Errors
    /// `BadName`: names become paths and addresses.
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        let (name, revision) = match text.split_once('@') {
            Some((name, revision)) => (name, Some(revision)),
            None => (text, None),
        };
        let parts: Vec<&str> = name.split('/').collect();
        let is_valid = parts.len() <= 2
            && parts.iter().all(|part| is_part(part))
            && revision.is_none_or(|revision| revision.split('/').all(is_part));
        if !is_valid {
            return Err(ModelError::BadName { name: text.to_owned() });
        }
        Ok(Self { name: name.to_owned(), revision: revision.map(str::to_owned) })
    }
}

impl fmt::Display for HubName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.revision {
            Some(revision) => write!(f, "{}@{revision}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// Returns true for letters, digits, `-`, `_` and `.` that are no relative path.
fn is_part(part: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    !part.is_empty() && !part.starts_with('.') && !part.contains("..") && part.chars().all(is_plain)
}

/// Returns true for a full commit hash.
pub(super) fn is_commit(revision: &str) -> bool {
    revision.len() == 40 && revision.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_have_a_revision_and_nothing_that_leaves_a_folder() {
        let of = |text| HubName::parse(text).map(|it| (it.name, it.revision));
        assert_eq!(of("BAAI/bge-small-en-v1.5").expect("a name").1, None);
        let pull = of("a/b@refs/pr/1").expect("a name");
        assert_eq!(pull, ("a/b".to_owned(), Some("refs/pr/1".to_owned())));
        for text in [
            "", "a/", "/a", "a/b/c", "../a", "a/..", "a b", "a/b@", "a/b@../c", "a/b@c?d",
            "a/b@c@d",
        ] {
            assert!(matches!(of(text), Err(ModelError::BadName { .. })), "{text}");
        }
    }
}
