//! A fault over a run: the run is disturbed, then the fault is removed and the run resumed.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::bench::{Bench, NAME, run_args};
use crate::damage::{Damage, Place};
use crate::disk::Disk;
use crate::fault::Fault;
use crate::network::Network;
use crate::process::{ClockStep, Kill, Removal};
use crate::project::copy_folder;
use crate::verdict::{Ended, Ending, Known};

/// Longer than any of these runs takes on a busy machine: what runs longer hangs.
const FOREVER: Duration = Duration::from_mins(5);

/// How the programs of one fault ended, the disturbed one first.
pub type Endings = Result<Vec<Ending>, String>;

/// Runs one fault.
///
/// # Errors
/// What the program did that no fault excuses, with the fault.
pub fn endure(fault: &Fault, known: &Known) -> Endings {
    let network = match fault {
        Fault::Network(network) => network.clone(),
        _ => Network::sound(),
    };
    let scene = Scene { bench: Bench::new(network), known };
    match fault {
        Fault::Disk(disk) => scene.disk(disk),
        Fault::Removal(removal) => scene.removal(removal),
        Fault::Network(_) => scene.network(),
        Fault::Kill(kill) => scene.kill(kill),
        Fault::Damage(damage) => scene.damage(damage),
        Fault::Clock(step) => scene.clock(step),
        Fault::Memory(kilobytes) => scene.memory(*kilobytes),
    }
}

struct Scene<'a> {
    bench: Bench,
    known: &'a Known,
}

impl Scene<'_> {
    fn path(&self, name: &str) -> std::path::PathBuf {
        self.bench.project.path(name)
    }

    /// The program in the project, output into files, so that no pipe holds it up.
    fn command(&self, program: &str, args: &[String]) -> Command {
        let mut command = Command::new(program);
        command
            .args(args)
            .env_clear()
            .envs(self.bench.project.environment())
            .current_dir(self.path("."));
        let file = |name| fs::File::create(self.path(name)).expect("a file");
        command.stdin(Stdio::null()).stdout(file("stdout")).stderr(file("stderr"));
        command
    }

    fn start(&self, args: &[String]) -> Child {
        self.command(program(), args).spawn().expect("starts")
    }

    /// Waits for the end.
    fn end(&self, child: &mut Child) -> Result<Ended, String> {
        let began = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().expect("a child") {
                break status;
            }
            if began.elapsed() > FOREVER {
                child.kill().expect("killed");
                child.wait().expect("ended");
                return Err(format!("hangs: no end after {FOREVER:?}"));
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let code =
            status.code().unwrap_or_else(|| 128 + status.signal().expect("a code or a signal"));
        Ok(self.ended(code, ""))
    }

    /// Reads the output files with `suffix`.
    fn ended(&self, code: i32, suffix: &str) -> Ended {
        let text = |name: &str| {
            let bytes = fs::read(self.path(&format!("{name}{suffix}"))).expect("written");
            let folder = self.path("");
            String::from_utf8_lossy(&bytes).replace(&*folder.to_string_lossy(), "")
        };
        Ended { code, stdout: text("stdout"), stderr: text("stderr") }
    }

    fn judge(&self, ended: &Ended) -> Result<Ending, String> {
        let outcomes = self.path(&format!("runs/{NAME}/outcomes.jsonl"));
        self.known.judge(ended, fs::read_to_string(outcomes).ok().as_deref())
    }

    fn call(&self, args: &[String]) -> Result<Ending, String> {
        let mut child = self.start(args);
        self.judge(&self.end(&mut child)?)
    }

    /// Resumes the run, or begins it where nothing is there.
    fn resume(&self) -> Result<Ending, String> {
        self.call(&self.next())
    }

    fn next(&self) -> Vec<String> {
        let flag = if self.path(&format!("runs/{NAME}")).exists() { "--resume" } else { "--name" };
        run_args(flag, NAME)
    }

    /// Starts the run and strikes at its `moment`-th call, if it has as many.
    fn struck(
        &self,
        args: &[String],
        moment: usize,
        strike: impl FnOnce(&mut Child),
    ) -> Result<Ended, String> {
        let mut child = self.start(args);
        let has_ended = || child.try_wait().expect("a child").is_some();
        self.bench.server.wait_for(moment, FOREVER, has_ended);
        strike(&mut child);
        self.end(&mut child)
    }
}

fn program() -> &'static str {
    env!("CARGO_BIN_EXE_ragtriage")
}

/// Requires that the last program of a fault that is gone ended well.
fn healed(endings: Vec<Ending>) -> Endings {
    match endings.last() {
        Some(Ending::Correct) => Ok(endings),
        other => Err(format!("the fault is gone, and still: {other:?}")),
    }
}

impl Scene<'_> {
    fn network(&self) -> Endings {
        let first = self.call(&run_args("--name", NAME))?;
        self.bench.server.heal();
        healed(vec![first, self.resume()?])
    }

    fn kill(&self, kill: &Kill) -> Endings {
        for moment in &kill.moments {
            let _ = self.struck(&self.next(), *moment, |child| {
                std::thread::sleep(Duration::from_millis(kill.delay));
                let _ = child.kill(); // it may have ended
            })?;
        }
        healed(vec![Ending::Killed, self.resume()?])
    }

    fn removal(&self, removal: &Removal) -> Endings {
        copy_folder(&self.path("data"), &self.path("data.copy"));
        let ended = self.struck(&run_args("--name", NAME), removal.moment, |_| {
            removal.strike(&self.path("."));
        })?;
        let first = self.judge(&ended)?;
        if removal.hits_data() {
            let _ = fs::remove_dir_all(self.path("data")); // it may be what was removed
            copy_folder(&self.path("data.copy"), &self.path("data"));
        }
        let second = self.resume()?;
        // Of a run that lost a file, an error may be all that can be reported; a new run must work.
        let third = self.call(&run_args("--name", "again"))?;
        healed(vec![first, second, third])
    }

    fn clock(&self, step: &ClockStep) -> Endings {
        let set =
            |offset: i64| fs::write(self.path("clock"), format!("{offset:+}")).expect("written");
        set(0);
        let library = "/usr/$LIB/faketime/libfaketime.so.1";
        let mut command = self.command(program(), &run_args("--name", NAME));
        command.envs([
            ("LD_PRELOAD", library),
            ("FAKETIME_NO_CACHE", "1"),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
        ]);
        command.env("FAKETIME_TIMESTAMP_FILE", self.path("clock"));
        let mut child = command.spawn().expect("starts");
        let has_ended = || child.try_wait().expect("a child").is_some();
        self.bench.server.wait_for(step.moment, FOREVER, has_ended);
        set(step.step);
        let first = self.judge(&self.end(&mut child)?)?;
        healed(vec![first, self.resume()?])
    }

    fn memory(&self, kilobytes: usize) -> Endings {
        let script = format!("ulimit -v {kilobytes}; exec \"$0\" \"$@\"");
        let mut args = vec!["-c".to_owned(), script, program().to_owned()];
        args.extend(run_args("--name", NAME));
        let mut child = self.command("sh", &args).spawn().expect("starts");
        let first = self.judge(&self.end(&mut child)?)?;
        healed(vec![first, self.resume()?])
    }

    /// Both programs run in one shell, because a mount ends with it.
    fn disk(&self, disk: &Disk) -> Endings {
        let quoted = |flag| run_args(flag, NAME).join(" ");
        let script = format!(
            "disturbed() {{ '{program}' {begin} >stdout.1 2>stderr.1; echo $? >code.1; }}\n\
             healed() {{ if [ -d runs/{NAME} ]; then set -- {resume}; else set -- {begin}; fi\n\
             '{program}' \"$@\" >stdout.2 2>stderr.2; echo $? >code.2; }}\n{}",
            disk.script(),
            program = program(),
            begin = quoted("--name"),
            resume = quoted("--resume"),
        );
        let shell = if disk.mounts() { "unshare" } else { "sh" };
        let args = ["-rm", "sh", "-c", &script].map(str::to_owned);
        let args = if disk.mounts() { &args[..] } else { &args[2..] };
        let mut child = self.command(shell, args).spawn().expect("starts");
        let whole = self.end(&mut child)?;
        let ending = |n: u8| {
            let code = fs::read_to_string(self.path(&format!("code.{n}")))
                .map_err(|_| format!("the script failed: {}", whole.stderr))?;
            self.judge(&self.ended(code.trim().parse().expect("a number"), &format!(".{n}")))
        };
        healed(vec![ending(1)?, ending(2)?])
    }
}

impl Scene<'_> {
    fn damage(&self, damage: &Damage) -> Endings {
        match damage.place {
            Place::Cache | Place::Index => self.damaged_cache(damage),
            Place::FinishedRun => self.damaged_finished(damage),
            Place::UnfinishedRun | Place::DataSet => self.damaged_before_resume(damage),
        }
    }

    fn damaged_cache(&self, damage: &Damage) -> Endings {
        self.call(&run_args("--name", "before"))?;
        let struck = damage.strike(&self.path("."));
        let told = |error| format!("{error}\ndamaged: {struck:?}");
        let first = self.call(&run_args("--name", NAME)).map_err(told)?;
        let second = self.call(&run_args("--name", "again")).map_err(told)?;
        Ok(vec![first, second])
    }

    fn damaged_finished(&self, damage: &Damage) -> Endings {
        self.call(&run_args("--name", NAME))?;
        let struck = damage.strike(&self.path("."));
        let told = |error| format!("{error}\ndamaged: {struck:?}");
        let report = ["report", &format!("runs/{NAME}"), "--format", "json"].map(str::to_owned);
        let first = self.call(&report).map_err(told)?;
        let second = self.resume().map_err(told)?;
        Ok(vec![first, second])
    }

    /// The run is killed, then damaged; a data set is restored after the first attempt to resume.
    fn damaged_before_resume(&self, damage: &Damage) -> Endings {
        copy_folder(&self.path("data"), &self.path("data.copy"));
        let _ = self.struck(&run_args("--name", NAME), damage.moment, |child| {
            let _ = child.kill(); // it may have ended
        })?;
        let struck = damage.strike(&self.path("."));
        let told = |error| format!("{error}\ndamaged: {struck:?}");
        let first = self.resume().map_err(told)?;
        copy_folder(&self.path("data.copy"), &self.path("data"));
        let second = self.resume().map_err(told)?;
        if damage.place == Place::DataSet {
            return healed(vec![first, second]);
        }
        Ok(vec![first, second])
    }
}
