//! The engine's panics, as errors.

use std::any::Any;
use std::cell::Cell;
use std::mem;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::Once;

/// Characters of a panic's message that an error repeats.
const LONGEST: usize = 200;

thread_local! {
    static IN_ENGINE: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`, which calls the engine. If it panics, nothing is printed; returns the first line of the message.
///
/// # Errors
/// The message.
pub(super) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !is_of_engine(panic) {
                others(panic);
            }
        }));
    });
    let outside = IN_ENGINE.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    IN_ENGINE.set(outside);
    done.map_err(|payload| message(payload.as_ref()))
}

/// Flushes `shard` and drops it, which flushes it again; returns false if either panicked, for instance on a full disk. A shard
/// that could not be flushed is not dropped.
pub(super) fn closed<T>(shard: T, flush: impl FnOnce(&T)) -> bool {
    if caught(|| flush(&shard)).is_err() {
        mem::forget(shard);
        return false;
    }
    caught(|| drop(shard)).is_ok()
}

/// Returns true for a panic inside [`caught`], or in a thread that the engine started.
fn is_of_engine(panic: &PanicHookInfo<'_>) -> bool {
    let in_its_source = || {
        let location = panic.location();
        location.is_some_and(|location| location.file().contains("qdrant-edge"))
    };
    IN_ENGINE.get() || in_its_source()
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
    let line = text.unwrap_or("panic").lines().next().unwrap_or_default();
    line.chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shard whose nth flush fails; the second is that of its end.
    struct Shard(u32, Cell<u32>);

    impl Shard {
        fn flush(&self) {
            self.1.set(self.1.get() + 1);
            assert!(self.1.get() != self.0, "No space left on device");
        }
    }

    impl Drop for Shard {
        fn drop(&mut self) {
            self.flush();
        }
    }

    #[test]
    fn a_disk_that_is_full_at_the_last_flush_ends_nothing_but_the_shard() {
        let flushed = |n| closed(Shard(n, Cell::new(0)), Shard::flush);
        assert_eq!([1, 2, 3].map(flushed), [false, false, true]);
    }

    #[test]
    fn a_panic_becomes_one_line() {
        assert_eq!(caught(|| 7), Ok(7));
        let empty: Vec<u8> = Vec::new();
        let error = caught(|| empty[0]).expect_err("a panic");
        let expected = "index out of bounds: the len is 0 but the index is 0";
        assert_eq!(error, expected);
        let error = caught(|| panic!("{}\nmore", "x".repeat(300))).expect_err("a panic");
        assert_eq!(error, "x".repeat(200));
    }
}
