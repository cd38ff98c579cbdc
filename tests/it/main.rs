//! The built program, driven as a user drives it: exit status, stdout, stderr and the files it leaves.
//!
//! Every test works in a folder of its own ([`project`]), with a cache of its own, without network and without weights
//! but the seeded tiny BERT under `tests/data`. Endpoints are servers on loopback ([`endpoint`]).

mod accepted;
mod allowance;
mod ask;
mod audit;
mod bad_data;
mod bad_services;
mod bad_settings;
mod caches;
mod check;
mod commands;
mod compare;
mod connections;
mod convert;
mod cross;
mod dense;
mod dry_run;
mod endpoint;
mod export;
mod external;
mod fetch;
mod formats;
mod generator;
mod hostile_files;
mod import;
mod init;
mod judge;
mod kill;
mod label;
mod lint;
mod output;
mod own_files;
mod parity;
mod planted;
mod project;
mod published;
mod reanchor;
mod reply_cache;
mod report;
mod resume;
mod retrievers;
mod rightness;
mod run_files;
mod runbooks;
mod runbooks_data;
mod score;
mod score_parity;
mod socket;
mod sparse_parity;
mod tidy;
mod tls;
mod tune;
mod verdict;
mod wire;
