//! The rule `auto`: pairs of answers, gold answers in other forms, groundedness.

mod ground;
mod metamorphic;
mod pairs;
mod polar;
