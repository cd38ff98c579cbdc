//! Faults in the middle of a run: SIGKILL, a removed file, a clock step.

use std::path::PathBuf;

use ragtriage_core::stats::random::Random;

/// When a running program is disturbed: at a call of it to the server, so that the moment does not depend on the machine.
pub type Moment = usize;

fn moment(random: &mut Random) -> Moment {
    1 + random.below(80)
}

/// Kills of a run and of the resumes that follow.
#[derive(Clone, Debug)]
pub struct Kill {
    pub moments: Vec<Moment>,
    /// Milliseconds from that call to the kill.
    pub delay: u64,
}

impl Kill {
    pub fn new(random: &mut Random) -> Self {
        let n_kills = 1 + random.below(3);
        Self {
            moments: (0..n_kills).map(|_| moment(random)).collect(),
            delay: random.below(200) as u64,
        }
    }
}

/// A file or folder that disappears.
#[derive(Clone, Debug)]
pub struct Removal {
    pub moment: Moment,
    folder: &'static str,
    choice: usize,
}

impl Removal {
    pub fn new(random: &mut Random) -> Self {
        Self {
            moment: moment(random),
            folder: ["runs/r", "cache", "data"][random.below(3)],
            choice: random.below(1 << 20),
        }
    }

    /// Removes one of the entries that are there at this moment, or the folder itself.
    pub fn strike(&self, project: &std::path::Path) {
        let folder = project.join(self.folder);
        let mut entries: Vec<PathBuf> = walkdir::WalkDir::new(&folder)
            .into_iter()
            .filter_map(Result::ok)
            .map(walkdir::DirEntry::into_path)
            .collect();
        entries.sort();
        if entries.is_empty() {
            return;
        }
        let path = &entries[self.choice % entries.len()];
        let _ =
            if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }; // the program may remove it at the same moment
    }

    /// Returns true if the data set was hit: restoring it is the user's part.
    pub fn hits_data(&self) -> bool {
        self.folder == "data"
    }
}

/// A step of the wall clock.
#[derive(Clone, Debug)]
pub struct ClockStep {
    pub moment: Moment,
    /// Seconds forward or back.
    pub step: i64,
}

impl ClockStep {
    pub fn new(random: &mut Random) -> Self {
        let size = [1, 3600, 86_400 * 400, 86_400 * 20_000][random.below(4)];
        Self { moment: moment(random), step: if random.below(2) == 0 { size } else { -size } }
    }
}
