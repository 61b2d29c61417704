use crate::expand::Arg;

/// The arguments of a program, parted into options and the rest.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Options with their values, as they were written: long ones may be short for others.
    pub flags: Vec<(String, Option<Arg>)>,
    /// What is no option.
    pub rest: Vec<Arg>,
    /// How many of the rest stood before `--`.
    pub before_dashes: usize,
}

impl Options {
    /// Reads arguments. `takes` names the options that have a value, parted by blanks; `single`
    /// says that long options begin with one dash.
    pub fn read(args: &[Arg], takes: &str, single: bool) -> Self {
        let mut read = Self::default();
        let mut args = args.iter();
        let mut dashes = None;
        while let Some(arg) = args.next() {
            let text = arg.text.as_str();
            if dashes.is_some() || !arg.is_option() {
                read.rest.push(arg.clone());
            } else if text == "--" {
                dashes = Some(read.rest.len());
            } else if text.starts_with("--") || single {
                let (name, value) = match text.split_once('=') {
                    Some((name, value)) => (name, Some(arg.part(value))),
                    None => (text, None),
                };
                let wants = value.is_none()
                    && takes.split(' ').any(|long| long == name || is_short_for(name, long));
                let value = if wants { args.next().cloned() } else { value };
                read.flags.push((name.to_owned(), value));
            } else {
                let chars = text.char_indices().skip(1);
                for (at, c) in chars {
                    let name = format!("-{c}");
                    if !takes.split(' ').any(|short| short == name) {
                        read.flags.push((name, None));
                        continue;
                    }
                    let rest = &text[at + c.len_utf8()..];
                    let value =
                        if rest.is_empty() { args.next().cloned() } else { Some(arg.part(rest)) };
                    read.flags.push((name, value));
                    break;
                }
            }
        }
        read.before_dashes = dashes.unwrap_or(read.rest.len());
        read
    }

    /// Whether one of these options, parted by blanks, is there.
    pub fn has(&self, names: &str) -> bool {
        self.all(names).next().is_some()
    }

    /// The value of the first of these options.
    pub fn value(&self, names: &str) -> Option<&Arg> {
        let named = |flag: &str| is_one_of(flag, names);
        self.flags.iter().filter(|(flag, _)| named(flag)).find_map(|(_, value)| value.as_ref())
    }

    /// Every use of one of these options.
    pub fn all<'s>(&'s self, names: &'s str) -> impl Iterator<Item = &'s Option<Arg>> {
        self.flags.iter().filter(move |(flag, _)| is_one_of(flag, names)).map(|(_, value)| value)
    }

    /// The text of a word of the rest, where it is known.
    pub fn word(&self, at: usize) -> &str {
        self.rest.get(at).and_then(|arg| arg.fixed()).unwrap_or_default()
    }
}

fn is_one_of(flag: &str, names: &str) -> bool {
    names.split_whitespace().any(|name| name == flag || is_short_for(flag, name))
}

/// Long options may be cut short.
fn is_short_for(flag: &str, long: &str) -> bool {
    flag.len() > 3 && flag.starts_with("--") && long.starts_with(flag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &str) -> Options {
        let args: Vec<Arg> = words.split(' ').map(Arg::known).collect();
        Options::read(&args, "-o --output", false)
    }

    #[test]
    fn values_are_found_however_they_are_written() {
        for words in ["-o x a", "-ox a", "-vo x a", "--output x a", "--output=x a", "--outp x a"] {
            let options = read(words);
            let value = options.value("-o --output").map(|arg| arg.text.as_str());
            assert_eq!(value, Some("x"), "{words}");
            assert_eq!(options.rest.len(), 1, "{words}");
        }
        assert_eq!(read("-- -o x").rest.len(), 2);
        assert_eq!(read("a -- -o x").before_dashes, 1);
    }
}
