//! The engine's panics, as errors.

use std::any::Any;
use std::cell::Cell;
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
