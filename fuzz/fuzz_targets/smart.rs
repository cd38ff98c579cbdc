//! CISI and Cranfield in SMART's form; the first byte chooses.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ragtriage_core::config::Format;

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, rest)) = bytes.split_first() else { return };
    let (name, files) = match choice {
        b'c' => ("cisi", ["cisi/CISI.ALL", "cisi/CISI.QRY", "cisi/CISI.REL"]),
        _ => ("cranfield", ["cranfield/cran.all.1400", "cranfield/cran.qry", "cranfield/cranqrel"]),
    };
    let folder = ragtriage_fuzz::files(rest, &files);
    ragtriage_fuzz::load(Format::Smart, folder.join(name));
});
