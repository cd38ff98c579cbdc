//! Settings that have no effect because of the value of another one.

use super::packing::{Expand, PackingSettings};
use super::settings::Settings;

impl Settings {
    /// Resets the settings that have no effect to their defaults, and returns their keys: configurations that differ in them alone
    /// are one.
    pub fn reset_unused(&mut self) -> Vec<&'static str> {
        let mut unused = Vec::new();
        let default = PackingSettings::default();
        let packing = &mut self.packing;
        if packing.expand != Expand::Neighbours {
            packing.neighbours = default.neighbours;
            unused.push("packing.neighbours");
        }
        if packing.expand != Expand::Parent {
            packing.parent_tokens = default.parent_tokens;
            unused.push("packing.parent_tokens");
        }
        unused
    }
}
