use std::error::Error;

/// What a bench ends with when it cannot measure.
pub type Fault = Box<dyn Error + Send + Sync>;

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Fault>;

/// A fault in words.
pub fn fault<T>(words: impl Into<String>) -> Result<T> {
    Err(words.into().into())
}
