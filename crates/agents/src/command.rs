use qd_core::{Code, Problem};

/// The name of any other program.
pub const COMMAND: &str = "command";

/// Whether a program can be started by these words.
///
/// # Errors
/// The command is empty, or has a NUL.
pub(crate) fn check(argv: &[String]) -> Result<(), Problem> {
    if argv.first().is_none_or(String::is_empty) {
        return Err(Problem::new(
            Code::FieldInvalid,
            "The command is empty.",
            "Name a program and its arguments, or leave the command out for a shell.",
        )
        .on("command"));
    }
    if argv.iter().any(|word| word.contains('\0')) {
        return Err(Problem::new(
            Code::FieldInvalid,
            "The command has a NUL character.",
            "No program can be given one as an argument.",
        )
        .on("command"));
    }
    Ok(())
}
