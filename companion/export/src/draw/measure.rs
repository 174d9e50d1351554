//! Estimates the width of a text without a font, by the width of each kind of letter in usual fonts.

/// Returns the width of a text in units of the font's size.
pub(super) fn measure_text(text: &str) -> f32 {
    text.chars().map(measure_letter).sum()
}

fn measure_letter(c: char) -> f32 {
    match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 0.34,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | ' ' | '-' => 0.42,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '—' => 0.98,
        c if c.is_ascii_uppercase() => 0.76,
        c if c.is_ascii() => 0.62,
        c if c.is_alphabetic() && (c as u32) < 0x2000 => 0.7,
        _ => 1.1,
    }
}

/// Cuts a text to the width `most`, with an ellipsis if it is longer.
pub(super) fn fit_text(text: &str, most: f32) -> String {
    if measure_text(text) <= most {
        return text.to_owned();
    }
    let mut width = measure_letter('…');
    let mut out = String::new();
    for c in text.chars() {
        width += measure_letter(c);
        if width > most {
            break;
        }
        out.push(c);
    }
    format!("{}…", out.trim_end())
}

/// Breaks a text at spaces into at most `lines` lines of the width `most`.
pub(super) fn wrap_text(text: &str, most: f32, lines: usize) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match out.last_mut() {
            Some(line) if measure_text(line) + measure_text(" ") + measure_text(word) <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => out.push(word.to_owned()),
        }
    }
    if out.len() > lines {
        let rest = out.split_off(lines.saturating_sub(1)).join(" ");
        out.push(rest);
    }
    out.iter().map(|l| fit_text(l, most)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_and_wrapped_to_their_width() {
        for text in
            ["short", "a longer text that does not fit", "東京都千代田区", "W".repeat(200).as_str(), ""]
        {
            assert!(measure_text(&fit_text(text, 8.0)) <= 8.0, "{text}");
            let lines = wrap_text(text, 8.0, 3);
            assert!(lines.len() <= 3 && lines.iter().all(|l| measure_text(l) <= 8.0), "{lines:?}");
        }
        assert_eq!(wrap_text("how are loops bounded", 8.0, 3), ["how are loops", "bounded"]);
    }
}
