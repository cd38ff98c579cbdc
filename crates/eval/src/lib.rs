//! Floor 5, evaluation: a saved run to its [`summary::Summary`]. Calls nothing, so a finished run can be scored again.
//!
//! [`score`] gives every question its measures, [`diagnose`] its outcome and the run its waterfall, 2 x 2, loss budget and
//! verdict; [`modes`], [`positions`] and [`cuts`] are what lies under it; [`summary`] puts them together. [`compare`] sets runs
//! against a baseline question by question, [`gate`] says whether a run is good enough. [`curves`] and [`distribution`] are drawn
//! and nothing else. [`audit`] says how far a person agrees with the attribution. [`tuning`] reads many settings of a sweep side
//! by side. [`files`] scores runs and predictions of other systems, which are no saved runs.

pub mod arms;
pub mod audit;
pub mod compare;
pub mod curves;
pub mod cuts;
pub mod diagnose;
pub mod distribution;
pub mod files;
pub mod gate;
mod measure_summary;
pub mod modes;
pub mod outcomes;
pub mod positions;
pub mod score;
pub mod shown;
pub mod summary;
pub mod tuning;
pub mod verdict;

#[cfg(test)]
mod tests;
