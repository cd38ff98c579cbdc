//! How near two vectors are.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What similarity is; larger is nearer in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Similarity {
    /// The cosine of the angle, -1 to 1. Qdrant normalises the vectors that it stores.
    Cosine,
    /// The dot product, any number.
    Dot,
}

impl Similarity {
    /// Every member, in the order of the documentation.
    pub const ALL: [Self; 2] = [Self::Cosine, Self::Dot];

    /// Its name in settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cosine => "cosine",
            Self::Dot => "dot",
        }
    }
}

impl fmt::Display for Similarity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_written_in_settings_by_its_name() {
        for similarity in Similarity::ALL {
            assert_eq!(
                serde_json::to_value(similarity).expect("serialises"),
                similarity.name()
            );
        }
    }
}
