//! Draws curves: one quantity or several over another.

use super::{HtmlPage, escape_html};
use std::fmt::Write;

/// Dashes that distinguish strokes without colour.
const DASHES: [&str; 4] = ["none", "8 4", "2 3", "10 3 2 3"];
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 240.0;

impl HtmlPage {
    /// Adds a chart of curves over one axis, each with its name and its finite points by x.
    pub fn lines(&mut self, caption: &str, across: &str, curves: &[(&str, Vec<(f64, f64)>)]) {
        let points = || curves.iter().flat_map(|c| &c.1).filter(|p| p.0.is_finite() && p.1.is_finite());
        let range = |of: fn(&(f64, f64)) -> f64| {
            points()
                .map(of)
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
        };
        let ((left, right), (low, high)) = (range(|p| p.0), range(|p| p.1));
        if points().next().is_none() {
            return;
        }
        let place = |v: f64, low: f64, high: f64| if high > low { (v - low) / (high - low) } else { 0.5 };
        let mut drawn = String::new();
        for ((_, points), dash) in curves.iter().zip(DASHES.iter().cycle()) {
            let at = |p: &(f64, f64)| {
                format!(
                    "{:.1},{:.1}",
                    WIDTH * place(p.0, left, right),
                    HEIGHT * (1.0 - place(p.1, low, high))
                )
            };
            let path: Vec<String> =
                points.iter().filter(|p| p.0.is_finite() && p.1.is_finite()).map(at).collect();
            // Writing into a string does not fail.
            let _ = write!(
                drawn,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" \
                 stroke-dasharray=\"{dash}\" \
                 vector-effect=\"non-scaling-stroke\"/>",
                path.join(" ")
            );
        }
        let legend = curves.iter().zip(DASHES.iter().cycle()).map(|((name, points), dash)| {
            let stroke = match *dash {
                "none" => "solid",
                "8 4" => "dashed",
                "2 3" => "dotted",
                _ => "dash and dot",
            };
            let last =
                points.last().map_or_else(String::new, |p| format!(", {} at the end", format_figure(p.1)));
            format!("{} ({stroke}){last}", escape_html(name))
        });
        let legend: Vec<String> = legend.collect();
        let _ = writeln!(
            self.body,
            "<figure><figcaption>{}</figcaption><svg viewBox=\"-4 -4 {} {}\" preserveAspectRatio=\"none\" \
             style=\"width:100%;height:15rem\" \
             role=\"img\" aria-label=\"{}\">{drawn}</svg><p>{} to {} upwards; {} {} to {} across. \
             {}.</p></figure>",
            escape_html(caption),
            WIDTH + 8.0,
            HEIGHT + 8.0,
            escape_html(caption),
            format_figure(low),
            format_figure(high),
            escape_html(across),
            format_figure(left),
            format_figure(right),
            legend.join("; "),
        );
    }
}

/// Formats a number with as many digits as are useful.
fn format_figure(v: f64) -> String {
    if v.abs() >= 100.0 || v == v.round() { format!("{v:.0}") } else { format!("{v:.3}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_runs_from_corner_to_corner_and_what_is_no_number_is_left_out() {
        let mut page = HtmlPage::new("x");
        page.lines("Loss", "step", &[("a<b", vec![(0.0, 2.0), (5.0, f64::NAN), (10.0, 1.0)])]);
        let page = page.finish();
        assert!(page.contains("points=\"0.0,0.0 1000.0,240.0\""));
        assert!(page.contains("a&lt;b (solid), 1 at the end"));
    }
}
