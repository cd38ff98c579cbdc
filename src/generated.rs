//! `ragtriage completions` and `ragtriage man`: what is generated from the arguments of all commands.

use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::failure::Failure;
use crate::output;

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Shell to write the script for.
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// Folder to write one page per command to [default: print ragtriage(1)].
    dir: Option<PathBuf>,
}

/// Prints the completion script of a shell for `program`.
pub fn completions(args: &CompletionsArgs, mut program: Command) -> Result<(), Failure> {
    let name = program.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, name, &mut script);
    output::data(&String::from_utf8_lossy(&script))
}

/// Prints the man page of `program`, or writes one for each of its commands.
pub fn man(args: &ManArgs, program: Command) -> Result<(), Failure> {
    let Some(folder) = &args.dir else {
        let mut page = Vec::new();
        Man::new(program)
            .render(&mut page)
            .map_err(|error| Failure::bare(format!("cannot write the man page: {error}")))?;
        return output::data(&String::from_utf8_lossy(&page));
    };
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(program, folder))
        .map_err(|error| {
            Failure::new(
                format!("cannot write man pages into `{}`: {error}", folder.display()),
                "name a folder that can be written",
            )
        })
}
