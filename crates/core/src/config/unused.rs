//! Settings that have no effect because of the value of another one.

use super::settings::Settings;
use crate::chunk::Strategy;

impl Settings {
    /// Resets the settings that have no effect to their defaults, and returns their keys: configurations that differ in them alone
    /// are one.
    pub fn reset_unused(&mut self) -> Vec<&'static str> {
        let mut unused = Vec::new();
        if self.chunking.strategy != Strategy::File {
            self.chunking.file = None;
            unused.push("chunking.file");
        }
        unused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_chunks_belongs_to_its_strategy() {
        let read = |text: &str| toml::from_str::<Settings>(text).expect("settings");
        let mut settings = read("chunking.file = \"c.jsonl\"");
        assert_eq!(
            settings.validate().map_err(|error| error.to_string()),
            Err("`chunking.file` is set, but only `chunking.strategy = \"file\"` uses it"
                .to_owned())
        );
        // A sweep over strategies has both.
        assert!(settings.reset_unused().contains(&"chunking.file"));
        assert_eq!(settings.chunking.file, None);
        let mut settings = read("chunking.file = \"c.jsonl\"\nchunking.strategy = \"file\"");
        assert_eq!(settings.validate(), Ok(()));
        assert!(!settings.reset_unused().contains(&"chunking.file"));
        assert!(settings.chunking.file.is_some());
    }
}
