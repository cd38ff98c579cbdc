//! The built program from outside: status, stdout, stderr, files.

mod parity;
mod tidy;
