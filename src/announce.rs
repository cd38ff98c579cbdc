//! The data that leaves this machine.

use crate::output;
use ragtriage_core::types::Recipient;

/// Reports on stderr what goes to other machines, each once.
pub fn announce(all: impl IntoIterator<Item = Recipient>) {
    let mut lines: Vec<String> = Vec::new();
    // What is no address at all is refused a moment later.
    for Recipient { address, role, what, .. } in
        all.into_iter().filter(|it| !it.is_here && it.address.contains("://"))
    {
        let line = format!("{what} go to {address} ({role})");
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if !lines.is_empty() {
        output::talk(&format!("leaves this machine: {}; `--dry-run` counts it", lines.join("; ")));
    }
}
