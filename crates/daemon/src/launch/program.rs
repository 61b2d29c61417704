//! Whether the program that is asked for can be run.

use std::path::{Path, PathBuf};

use qd_core::{Code, Kind, Problem};

/// Whether the program is there. One that is named by a path beneath a worktree which is still to
/// be made is looked for in the folder that the worktree is made from.
pub(super) fn check(program: &str, path: &str, folder: &Path, kind: Kind) -> Result<(), Problem> {
    if !program.contains('/') {
        if qd_agents::find(program, path).is_some() {
            return Ok(());
        }
        return Err(Problem::new(
            Code::ProgramMissing,
            format!("There is no program {program} on the PATH."),
            "Give its path, or install it; for shell syntax use `sh -c '...'` as the command.",
        )
        .on("command"));
    }
    let at = if Path::new(program).is_absolute() {
        PathBuf::from(program)
    } else if kind == Kind::Worktree {
        // It may be in the branch and not here: the start will tell.
        return Ok(());
    } else {
        folder.join(program)
    };
    match std::fs::metadata(&at) {
        Err(_) => Err(Problem::new(
            Code::ProgramMissing,
            format!("There is no program {}.", at.display()),
            "Check the path.",
        )
        .on("command")),
        Ok(about) if about.is_dir() => {
            Err(not_executable(&at, "it is a folder", "Name a program."))
        }
        Ok(about) => {
            use std::os::unix::fs::PermissionsExt as _;
            if about.permissions().mode() & 0o111 == 0 {
                Err(not_executable(
                    &at,
                    "it has no permission to be executed",
                    "Allow it with `chmod +x`, or name the program that is to read it.",
                ))
            } else {
                Ok(())
            }
        }
    }
}

fn not_executable(program: &Path, why: &str, hint: &str) -> Problem {
    Problem::new(
        Code::ProgramNotExecutable,
        format!("{} cannot be executed: {why}.", program.display()),
        hint,
    )
    .on("command")
}
