//! A closed set of names as an enum: its members in order, each with the one name that files, configurations and reports use.

/// Defines such an enum, with `ALL`, `name` and `Display`. Serde writes the same names.
#[macro_export]
macro_rules! closed_set {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash,
            serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $text)] $variant,)* }

        #[allow(dead_code, reason = "not every set is listed or parsed")]
        impl $name {
            /// Every member, in report order.
            pub const ALL: [Self; [$($text),*].len()] = [$(Self::$variant),*];

            /// Returns the name used in files, configurations and reports.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// Returns the member of that name.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|member| member.name() == name)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
pub(crate) use closed_set;

/// Lets serde write types by `Display` and read them by `FromStr`, as `#[serde(try_from = "String", into = "String")]` asks for.
macro_rules! by_name {
    ($($name:ty)*) => {$(
        impl TryFrom<String> for $name {
            type Error = $crate::error::Error;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.to_string()
            }
        }
    )*};
}
pub(crate) use by_name;
