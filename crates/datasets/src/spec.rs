//! The split of native questions that a data set's configuration requests.

use crate::error::DatasetError;
use ragtriage_core::config::{DatasetSettings, Format};
use ragtriage_core::types::Split;

/// Returns the requested part of native questions.
///
/// # Errors
/// A split that the format does not have.
pub(super) fn own_split(spec: &DatasetSettings) -> Result<Option<Split>, DatasetError> {
    let Some(split) = spec.split.as_deref() else {
        return Ok(None);
    };
    match (spec.format, split) {
        (Format::Beir, _) => Ok(None), // the name of a qrels file
        (Format::Jsonl | Format::Files, "tune") => Ok(Some(Split::Tune)),
        (Format::Jsonl | Format::Files, "heldout" | "held_out") => Ok(Some(Split::Heldout)),
        (Format::Jsonl | Format::Files, _) => Err(DatasetError::UnknownSplit {
            split: split.into(),
            known: "`tune`, `heldout`".into(),
        }),
        (Format::Hotpotqa | Format::Squad | Format::Smart, _) => {
            Err(DatasetError::NoSplits { format: spec.format, split: split.into() })
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::path::Path;

    /// Writes `files` into a folder and lets `act` load it.
    pub(crate) fn with_files<T>(
        files: &[(&str, &str)],
        format: Format,
        act: impl FnOnce(&mut DatasetSettings) -> T,
    ) -> T {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(path, text).expect("written");
        }
        act(&mut DatasetSettings::new(format, folder.path()))
    }

    /// As above, for a data set of one file.
    pub(crate) fn with_file<T>(
        name: &str,
        text: &str,
        format: Format,
        act: impl FnOnce(&mut DatasetSettings) -> T,
    ) -> T {
        with_files(&[(name, text)], format, |spec| {
            spec.path.push(name);
            act(spec)
        })
    }

    #[test]
    fn every_format_is_written_as_it_prints_and_reads_back() {
        for format in Format::ALL {
            let text = serde_json::to_string(&format).expect("serialises");
            assert_eq!(text, format!("\"{format}\""));
            assert_eq!(serde_json::from_str::<Format>(&text).expect("reads"), format);
        }
    }

    #[test]
    fn a_split_is_refused_where_the_format_has_none_of_that_name() {
        let spec = |format, split: &str| DatasetSettings {
            split: Some(split.into()),
            ..DatasetSettings::new(format, Path::new(""))
        };
        assert_eq!(
            own_split(&spec(Format::Files, "heldout")).expect("known"),
            Some(Split::Heldout)
        );
        assert_eq!(own_split(&spec(Format::Beir, "dev")).expect("a file name"), None);
        assert!(matches!(
            own_split(&spec(Format::Jsonl, "train")),
            Err(DatasetError::UnknownSplit { .. })
        ));
        assert!(matches!(
            own_split(&spec(Format::Squad, "tune")),
            Err(DatasetError::NoSplits { .. })
        ));
    }
}
