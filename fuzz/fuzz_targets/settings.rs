//! Settings in TOML, and one `--set` on its own.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ragtriage_core::hint::Hint;
use ragtriage_pipeline::settings::Resolved;

fuzz_target!(|bytes: &[u8]| {
    let folder = ragtriage_fuzz::files(bytes, &["settings.toml", "set"]);
    let file = folder.join("settings.toml");
    let sets: Vec<String> = std::fs::read_to_string(folder.join("set"))
        .into_iter()
        .filter(|set| !set.is_empty())
        .collect();
    match Resolved::new(Some(&file), &sets) {
        // What is shown is a settings file again, with the same values.
        Ok(resolved) => {
            std::fs::write(&file, resolved.show()).expect("a file");
            let again =
                Resolved::new(Some(&file), &[]).expect("what `config show` prints reads back");
            assert_eq!(format!("{:?}", resolved.settings), format!("{:?}", again.settings));
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            let _ = error.hint();
        }
    }
});
