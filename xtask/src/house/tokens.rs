//! Rust source as words, texts and marks, without its comments.
//!
//! Enough to tell the word `mod` in code from the one in a string; no more of a lexer than that.

/// One piece of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'s> {
    /// A name, a keyword or a number.
    Word(&'s str),
    /// What stands between the quotes of a string, escapes as they are written.
    Text(&'s str),
    /// Any other sign.
    Mark(char),
}

/// The pieces of a source in order. Text that is not Rust gives some pieces or others, never a
/// panic.
pub fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut pieces = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let (piece, length) = next(rest, first);
        pieces.extend(piece);
        rest = &rest[length..];
    }
    pieces
}

/// The first piece, if it is one, and how many bytes it takes.
fn next(rest: &str, first: char) -> (Option<Token<'_>>, usize) {
    if rest.starts_with("//") {
        (None, rest.find('\n').unwrap_or(rest.len()))
    } else if rest.starts_with("/*") {
        (None, block_comment(rest))
    } else if first == '"' {
        quoted(rest)
    } else if first == '\'' {
        letter_or_lifetime(rest)
    } else if is_word(first) {
        let word = &rest[..rest.find(|sign| !is_word(sign)).unwrap_or(rest.len())];
        raw(rest, word).unwrap_or((Some(Token::Word(word)), word.len()))
    } else if first.is_whitespace() {
        (None, first.len_utf8())
    } else {
        (Some(Token::Mark(first)), first.len_utf8())
    }
}

fn is_word(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

/// The length of a comment, which may hold others.
fn block_comment(rest: &str) -> usize {
    let (mut at, mut depth) = (0, 0);
    while at < rest.len() {
        let step = if rest[at..].starts_with("/*") {
            depth += 1;
            2
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            2
        } else {
            rest[at..].chars().next().map_or(1, char::len_utf8)
        };
        at += step;
        if depth == 0 {
            break;
        }
    }
    at
}

/// A string that begins with its quote.
fn quoted(rest: &str) -> (Option<Token<'_>>, usize) {
    let mut signs = rest.char_indices().skip(1);
    while let Some((at, sign)) = signs.next() {
        match sign {
            '"' => return (Some(Token::Text(&rest[1..at])), at + 1),
            '\\' => drop(signs.next()),
            _ => {}
        }
    }
    (Some(Token::Text(&rest[1..])), rest.len())
}

/// A raw string, when the word before it says so: `r"…"`, `br#"…"#`.
fn raw<'s>(rest: &'s str, word: &str) -> Option<(Option<Token<'s>>, usize)> {
    if !matches!(word, "r" | "br" | "cr") {
        return None;
    }
    let after = &rest[word.len()..];
    let hashes = after.len() - after.trim_start_matches('#').len();
    let text = after[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = text.find(&end).unwrap_or(text.len());
    let taken = word.len() + hashes + 1 + length + end.len();
    Some((Some(Token::Text(&text[..length])), taken.min(rest.len())))
}

/// `'x'` and `'\n'` are skipped; of `'life` only the mark is taken.
fn letter_or_lifetime(rest: &str) -> (Option<Token<'_>>, usize) {
    let mut signs = rest.char_indices().skip(1);
    let escaped = signs.next().is_some_and(|(_, sign)| sign == '\\');
    if escaped {
        // The sign after the backslash may itself be the quote.
        signs.next();
        let end = signs
            .find(|&(_, sign)| sign == '\'')
            .map_or(rest.len(), |(at, _)| at + 1);
        return (None, end);
    }
    match signs.next() {
        Some((at, '\'')) => (None, at + 1),
        _ => (Some(Token::Mark('\'')), 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words as they are, texts in angle brackets.
    fn shown(source: &str) -> String {
        let show = |token: Token<'_>| match token {
            Token::Word(word) => word.to_owned(),
            Token::Text(text) => format!("<{text}>"),
            Token::Mark(mark) => mark.to_string(),
        };
        tokens(source)
            .into_iter()
            .map(show)
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn code_is_told_from_comments_and_strings() {
        for (source, expected) in [
            ("mod a; // mod b;\nmod c;", "mod a ; mod c ;"),
            ("a /* b /* c */ d */ e", "a e"),
            (r#"let s = "mod \" x"; y"#, r#"let s = <mod \" x> ; y"#),
            (r##"r#"a "b" c"# d"##, r#"<a "b" c> d"#),
            (r#"br"\" x"#, r"<\> x"),
            ("'a' '\"' '\\'' '\\u{1F}' x", "x"),
            ("fn f<'a>(x: &'a str)", "fn f < ' a > ( x : & ' a str )"),
            ("é → 'é' \"é", "é → <é>"),
        ] {
            assert_eq!(shown(source), expected, "{source}");
        }
    }

    #[test]
    fn what_never_ends_ends_with_the_file() {
        for source in ["/* a", "\"a", "r#\"a", "r#\"é\"", "'\\", "'", "\"\\", "/*/"] {
            assert!(tokens(source).len() <= 2, "{source}");
        }
    }
}
