//! The fault of a seed.

use std::process::{Command, Stdio};

use ragtriage_core::stats::random::Random;

use crate::damage::{Damage, Place};
use crate::disk::Disk;
use crate::network::Network;
use crate::process::{ClockStep, Kill, Removal};

/// Programs that some faults need.
#[derive(Clone, Copy, Debug)]
pub struct Tools {
    /// Mounting in a user namespace: `unshare -rm`.
    pub mounts: bool,
    /// A library that steps the clock: `faketime`.
    pub clock: bool,
}

impl Tools {
    pub fn find() -> Self {
        let works = |program: &str, args: &[&str]| {
            let mut command = Command::new(program);
            command.args(args).stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        Self {
            mounts: works("unshare", &["-rm", "mount", "-t", "tmpfs", "none", "/tmp"]),
            clock: works("faketime", &["-f", "+1d", "true"]),
        }
    }
}

/// A fault and the moment of it.
#[derive(Clone, Debug)]
pub enum Fault {
    Disk(Disk),
    Removal(Removal),
    Network(Network),
    Kill(Kill),
    Damage(Damage),
    Clock(ClockStep),
    /// Kilobytes of address space.
    Memory(usize),
}

/// One round of kinds; seeds go through it again and again.
const N_KINDS: u64 = 16;

impl Fault {
    /// Returns the fault of `seed`. A kind whose tool is missing is replaced by the next that needs none.
    pub fn of(seed: u64, tools: Tools) -> Self {
        let random = &mut Random::stream(20, seed);
        match seed % N_KINDS {
            0 if tools.mounts => Self::Disk(Disk::full(random)),
            1 if tools.mounts => Self::Disk(Disk::read_only(random)),
            0..=2 => Self::Disk(Disk::limited(random)),
            3 => Self::Removal(Removal::new(random)),
            4 if tools.clock => Self::Clock(ClockStep::new(random)),
            4..=6 => Self::Network(Network::faulty(random)),
            7 | 8 => Self::Kill(Kill::new(random)),
            9 => Self::Damage(Damage::new(Place::Cache, random)),
            10 => Self::Damage(Damage::new(Place::Index, random)),
            11 => Self::Damage(Damage::new(Place::UnfinishedRun, random)),
            12 | 13 => Self::Damage(Damage::new(Place::FinishedRun, random)),
            14 => Self::Damage(Damage::new(Place::DataSet, random)),
            _ => Self::Memory(memory_limit(random)),
        }
    }

    /// Returns its row of the table.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Disk(disk) => disk.kind(),
            Self::Removal(_) => "disk: removed in the middle",
            Self::Network(_) => "network",
            Self::Kill(_) => "kill",
            Self::Damage(damage) => damage.place.kind(),
            Self::Clock(_) => "clock step",
            Self::Memory(_) => "memory limit",
        }
    }

    /// Describes it in a failure.
    pub fn describe(&self) -> String {
        match self {
            Self::Network(network) => network.describe(),
            Self::Memory(kilobytes) => format!("ulimit -v {kilobytes}"),
            other => format!("{other:?}"),
        }
    }
}

/// From what the kernel needs to load the program, 256 MB, to 8 GB, evenly on a logarithmic scale.
fn memory_limit(random: &mut Random) -> usize {
    (262_144.0 * 32_f64.powf(random.unit())) as usize
}
