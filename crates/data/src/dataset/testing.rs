//! Data sets of a few files, for the tests of this crate.

use ragtriage_core::config::{DatasetSettings, Format};

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
