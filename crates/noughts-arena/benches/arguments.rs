//! Parses the arguments of the benches, such as `--games 20 7x7k4 multi`.

use noughts_rules::{Quoted, Variant};

/// Removes an option and its number from the arguments. Returns the number; `None` if the option is missing.
pub(crate) fn number(words: &mut Vec<String>, option: &str) -> Result<Option<u32>, String> {
    let Some(at) = words.iter().position(|word| word == option) else {
        return Ok(None);
    };
    let text = match at + 1 < words.len() {
        true => words.remove(at + 1),
        false => String::new(),
    };
    words.remove(at);
    match text.parse() {
        Ok(number) if number > 0 => Ok(Some(number)),
        Ok(_) | Err(_) => Err(format!(
            "{option} takes a number of 1 or more, such as {option} 20, not {}",
            Quoted::from(text.as_str())
        )),
    }
}

/// Parses the remaining arguments as variants. Without arguments, returns the variants `usual`.
pub(crate) fn variants(
    words: &[String],
    usual: &[&str],
    options: &str,
) -> Result<Vec<Variant>, String> {
    let named: Vec<&str> = match words {
        [] => usual.to_vec(),
        words => words.iter().map(String::as_str).collect(),
    };
    named
        .into_iter()
        .map(|word| {
            if word.starts_with('-') {
                let word = Quoted::from(word);
                return Err(format!("there is no option {word}: there is {options}"));
            }
            let variant: Variant = word
                .parse()
                .map_err(|error| format!("{error}; the options are {options}"))?;
            match variant.sides() {
                2 => Ok(variant),
                _ => Err(format!(
                    "{variant} is for more than two sides, and Elo is between two"
                )),
            }
        })
        .collect()
}
