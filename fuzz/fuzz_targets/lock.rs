//! `models.lock`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ragtriage_core::hint::Hint;
use ragtriage_fetch::model::ModelLock;

fuzz_target!(|bytes: &[u8]| {
    let folder = ragtriage_fuzz::files(bytes, &["models.lock"]);
    if let Err(error) = ModelLock::read(&folder.join("models.lock")) {
        assert!(!error.to_string().is_empty() && error.hint().is_some());
    }
});
