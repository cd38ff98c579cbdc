//! Faults of the disk: a full one, one without write permission, a limit of file sizes.

use ragtriage_core::stats::random::Random;

/// A folder of the project, and what is wrong with the disk below it.
#[derive(Clone, Debug)]
pub struct Disk {
    folder: &'static str,
    trouble: Trouble,
}

#[derive(Clone, Debug)]
enum Trouble {
    /// Kilobytes of a file system in memory.
    Full(usize),
    ReadOnly,
    /// Blocks of 512 bytes per file, in every folder.
    Limited(usize),
}

fn folder(random: &mut Random) -> &'static str {
    ["runs", "cache"][random.below(2)]
}

impl Disk {
    pub fn full(random: &mut Random) -> Self {
        let (folder, pages) = (folder(random), 1 + random.below(120));
        Self { folder, trouble: Trouble::Full(4 * pages) }
    }

    pub fn read_only(random: &mut Random) -> Self {
        Self { folder: folder(random), trouble: Trouble::ReadOnly }
    }

    pub fn limited(random: &mut Random) -> Self {
        Self { folder: "", trouble: Trouble::Limited(random.below(600)) }
    }

    pub fn kind(&self) -> &'static str {
        match self.trouble {
            Trouble::Full(_) => "disk: full",
            Trouble::ReadOnly => "disk: read-only",
            Trouble::Limited(_) => "disk: file size limit",
        }
    }

    /// Returns a shell script that calls function `disturbed` on the faulty disk and `healed` on a sound one.
    pub fn script(&self) -> String {
        let folder = self.folder;
        match self.trouble {
            Trouble::Full(kilobytes) => format!(
                "mkdir -p {folder}; mount -t tmpfs -o size={kilobytes}k none {folder}; disturbed; \
                 mount -o remount,size=1g {folder}; healed"
            ),
            Trouble::ReadOnly => format!(
                "mkdir -p {folder}; mount --bind {folder} {folder}; mount -o remount,bind,ro {folder}; disturbed; \
                 mount -o remount,bind,rw {folder}; healed"
            ),
            Trouble::Limited(blocks) => format!("(ulimit -f {blocks}; disturbed); healed"),
        }
    }

    pub fn mounts(&self) -> bool {
        !matches!(self.trouble, Trouble::Limited(_))
    }
}
