//! Renderers: one per format. They lay a [`Report`](crate::document::Report) out and decide nothing about what it says.

mod flow;
pub mod html;
pub mod markdown;
pub mod terminal;

#[cfg(test)]
mod tests;
