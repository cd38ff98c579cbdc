//! Reading a file of a checkpoint.

use super::error::CheckpointError;

/// Reads a file's bytes.
pub(super) fn read(path: &std::path::Path) -> Result<Vec<u8>, CheckpointError> {
    std::fs::read(path).map_err(|source| CheckpointError::unreadable(path, source))
}
