//! Gates as a report, as JUnit for CI servers ([`junit`]) and as annotations for GitHub ([`github`]).

pub mod github;
pub mod junit;
mod report;

#[cfg(test)]
mod tests;

pub use report::report;
