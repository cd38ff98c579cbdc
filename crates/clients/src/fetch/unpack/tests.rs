//! Archives as publishers pack them, and malicious ones.

use std::io::Cursor;

use ::tar::{Builder, Header};
use ::zip::ZipWriter;
use ::zip::write::SimpleFileOptions;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::*;

/// Entries of a tar archive; names are written to the headers unchanged.
fn tar_gz(entries: &[(&str, EntryType, &[u8])]) -> Vec<u8> {
    let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for (name, kind, content) in entries {
        let mut header = Header::new_gnu();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(*kind);
        header.set_size(content.len() as u64);
        header.set_mode(0);
        if matches!(kind, EntryType::Symlink | EntryType::Link) {
            header.set_link_name("CISI.ALL").expect("a link");
        }
        header.set_cksum();
        builder.append(&header, *content).expect("in memory");
    }
    builder.into_inner().and_then(GzEncoder::finish).expect("in memory")
}

fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        writer.start_file(*name, SimpleFileOptions::default()).expect("in memory");
        writer.write_all(content).expect("in memory");
    }
    writer.finish().expect("in memory").into_inner()
}

/// Unpacks an archive in the set's format; returns the files with their bytes.
fn unpacked(set: &str, archive: &[u8]) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let set = KnownSet::of(set).expect("known");
    let folder = tempfile::tempdir().expect("a folder");
    let (file, into) = (folder.path().join("archive"), folder.path().join("into"));
    fs::write(&file, archive).expect("written");
    fs::create_dir(&into).expect("made");
    unpack(set.publisher.as_ref().expect("published").packed, &file, set, &into)?;
    let files = globs::walk(&into, true).expect("read").files;
    Ok(files.into_iter().map(|(name, path)| (name, fs::read(path).expect("read"))).collect())
}

fn refused(set: &str, archive: &[u8]) -> String {
    unpacked(set, archive).expect_err("hostile").to_string()
}

fn names(files: Vec<(String, Vec<u8>)>) -> Vec<String> {
    files.into_iter().map(|(name, _)| name).collect()
}

const ALL: (&str, EntryType, &[u8]) = ("CISI.ALL", EntryType::Regular, b"all");

#[test]
fn the_files_of_a_set_are_taken_from_wherever_they_lie() {
    let tar = tar_gz(&[
        ("./", EntryType::Directory, b""),
        ("./cisi.all", EntryType::Regular, b"all"),
        ("CISI.QRY", EntryType::Regular, b""),
        ("CISI.BLN", EntryType::Regular, b"not wanted"),
    ]);
    assert_eq!(
        unpacked("cisi", &tar).expect("unpacked"),
        [("CISI.QRY".into(), vec![]), ("cisi.all".into(), b"all".to_vec())]
    );
    let zip = zip(&[
        ("scifact/", b""),
        ("scifact/corpus.jsonl", b"{}"),
        ("scifact/qrels/test.tsv", b"q"),
        ("scifact/deep/er/corpus.jsonl", b"not wanted"),
        ("scifact/README.md", b"licence"),
    ]);
    assert_eq!(
        names(unpacked("scifact", &zip).expect("unpacked")),
        ["README.md", "corpus.jsonl", "qrels/test.tsv"]
    );
}

#[test]
fn paths_that_lead_out_are_refused_wanted_or_not() {
    for name in
        ["../CISI.ALL", "a/../../CISI.ALL", "/CISI.ALL", "C:CISI.ALL", "..\\CISI.ALL", "a/.."]
    {
        let expected = format!("entry `{name}` leads out of the folder");
        assert_eq!(refused("cisi", &tar_gz(&[ALL, (name, EntryType::Regular, b"x")])), expected);
        assert_eq!(refused("scifact", &zip(&[("corpus.jsonl", b"{}"), (name, b"x")])), expected);
    }
}

#[test]
fn links_devices_and_holes_are_refused() {
    for kind in [
        EntryType::Symlink,
        EntryType::Link,
        EntryType::Char,
        EntryType::Block,
        EntryType::Fifo,
        EntryType::GNUSparse,
    ] {
        let text = refused("cisi", &tar_gz(&[ALL, ("CISI.QRY", kind, b"")]));
        assert!(
            text == "entry `CISI.QRY` is neither a file nor a folder" || text.contains("damaged"),
            "{kind:?}: {text}"
        );
    }
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer
        .add_symlink("corpus.jsonl", "/etc/passwd", SimpleFileOptions::default())
        .expect("in memory");
    let archive = writer.finish().expect("in memory").into_inner();
    assert_eq!(refused("scifact", &archive), "entry `corpus.jsonl` is neither a file nor a folder");
}

#[test]
fn a_name_may_stand_once() {
    let again = ("cisi.all", EntryType::Regular, b"other".as_slice());
    assert_eq!(refused("cisi", &tar_gz(&[ALL, again])), "duplicate entry `cisi.all`");
    assert_eq!(
        refused("cisi", &tar_gz(&[ALL, ("a/CISI.ALL", EntryType::Regular, b"x")])),
        "duplicate entry `CISI.ALL`"
    );
    // The writer rejects this, so the second name is changed to the first one afterwards.
    let mut archive = zip(&[("corpus.jsonl", b"{}"), ("corpuX.jsonl", b"[]")]);
    while let Some(at) = archive.windows(6).position(|bytes| bytes == b"corpuX") {
        archive[at + 5] = b's';
    }
    assert_eq!(refused("scifact", &archive), "duplicate entry `corpus.jsonl`");
}

#[test]
fn a_directory_that_says_less_than_it_lists_is_refused() {
    // The end of the directory holds the number of entries twice, 8 and 10 bytes after `PK\x05\x06`.
    let mut archive = zip(&[("corpus.jsonl", b"{}"), ("queries.jsonl", b"{}")]);
    let at = archive.windows(4).position(|bytes| bytes == b"PK\x05\x06").expect("an end");
    assert_eq!((archive[at + 8], archive[at + 10]), (2, 2));
    (archive[at + 8], archive[at + 10]) = (1, 1);
    assert_eq!(refused("scifact", &archive), "the directory lists 2 entries, but 1 can be read");
}

#[test]
fn what_grows_beyond_measure_is_refused_by_what_it_says_and_by_what_it_holds() {
    // 8 MiB of zeros compress to about 8 KiB, so 1 MiB may be extracted from them.
    let zeros = vec![0; 8 << 20];
    assert_eq!(
        refused("scifact", &zip(&[("corpus.jsonl", &zeros)])),
        "it grows to more than 1 MiB"
    );
    assert_eq!(
        refused("cisi", &tar_gz(&[("CISI.ALL", EntryType::Regular, &zeros)])),
        "it grows to more than 1 MiB"
    );
    // Unwanted entries are skipped, which decompresses them.
    let text = refused("cisi", &tar_gz(&[("junk", EntryType::Regular, &zeros), ALL]));
    assert_eq!(text, "not an archive, or damaged: it grows to more than 1 MiB");
    assert!(
        unpacked("scifact", &zip(&[("junk", &zeros), ("corpus.jsonl", b"{}")])).is_ok(),
        "a zip's is not unpacked"
    );
    // A central directory that declares 5 bytes of 8: the size is 24 bytes after `PK\x01\x02`.
    let mut archive = zip(&[("corpus.jsonl", b"12345678")]);
    let at = archive.windows(4).position(|bytes| bytes == b"PK\x01\x02").expect("listed");
    archive[at + 24] = 5;
    assert_eq!(
        refused("scifact", &archive),
        "not an archive, or damaged: File is larger than its declared uncompressed size"
    );
}

#[test]
fn what_is_no_archive_or_half_of_one_is_refused() {
    for set in ["cisi", "scifact"] {
        for bytes in [&b""[..], b"<html>not found</html>"] {
            assert!(refused(set, bytes).starts_with("not an archive, or damaged: "));
        }
    }
    let whole = tar_gz(&[("CISI.ALL", EntryType::Regular, &b"abcdefgh".repeat(5000)), ALL]);
    assert!(refused("cisi", &whole[..whole.len() / 2]).starts_with("not an archive, or damaged: "));
    let whole = zip(&[("corpus.jsonl", b"{}")]);
    assert!(
        refused("scifact", &whole[..whole.len() - 30]).starts_with("not an archive, or damaged: ")
    );
}
