//! The results of a tournament as an SVG picture: ratings with error bars, and the score over time.

use std::fmt::Write;

use crate::standings::{Standing, Standings};
use crate::statistics::write_elo;
use crate::tournament::Tournament;

const WIDTH: f64 = 760.0;
const LEFT: f64 = 190.0;
const RIGHT: f64 = 730.0;
const ROW: f64 = 26.0;
const TOP: f64 = 48.0;
const HISTORY: f64 = 200.0;

/// Maximum number of points in a curve.
const MAX_POINTS: usize = 400;

/// Colours that also differ in lightness, based on the palette of Okabe and Ito.
const COLOURS: [&str; 8] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#999999",
];

/// Dash patterns, for readers who cannot tell the colours apart.
const DASHES: [&str; 5] = ["", "8 4", "2 3", "12 4 2 4", "5 2"];

/// Maximum number of characters of a displayed name.
const MAX_LETTERS: usize = 22;

/// Returns the picture as one SVG document. The document does not refer to other files.
pub fn plot(tournament: &Tournament, standings: &Standings) -> String {
    let rows = standings.standings.len() as f64;
    let history_top = TOP + rows * ROW + 76.0;
    let height = history_top + HISTORY + 48.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <title>{}: {} games</title>\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n",
        escape(&tournament.variant().to_string()),
        standings.games
    );
    bars(tournament, standings, &mut svg);
    history(tournament, standings, history_top, &mut svg);
    svg.push_str("</svg>\n");
    svg
}

/// Returns the value that the picture shows for a participant, and the lower and upper end of the error bar.
/// The value is the Elo rating or, without a rating, the mean score in percent.
fn span(one: &Standing) -> (f64, f64, f64) {
    match &one.rating {
        Some((elo, bar)) => (*elo, bar.low, bar.high),
        None => {
            let bar = one.scores.interval();
            (100.0 * one.scores.mean(), 100.0 * bar.low, 100.0 * bar.high)
        }
    }
}

fn bars(tournament: &Tournament, standings: &Standings, svg: &mut String) {
    let is_elo = tournament.seats() == 2;
    let what = if is_elo { "Elo" } else { "points %" };
    let spans: Vec<(f64, f64, f64)> = standings.standings.iter().map(span).collect();
    let finite = spans
        .iter()
        .flat_map(|(a, b, c)| [*a, *b, *c])
        .filter(|value| value.is_finite());
    let (mut low, mut high) = finite.fold((0.0f64, 0.0f64), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    let room = ((high - low) * 0.06).max(5.0);
    (low, high) = (low - room, high + room);
    let x = |value: f64| LEFT + (value.clamp(low, high) - low) / (high - low) * (RIGHT - LEFT);
    let bottom = TOP + spans.len() as f64 * ROW;
    let _ = writeln!(
        svg,
        "<text x=\"{LEFT}\" y=\"24\" font-weight=\"bold\">{} · {what}, with 95 % error bars</text>",
        escape(&tournament.variant().to_string())
    );
    for value in ticks(low, high) {
        let at = x(value);
        let _ = writeln!(
            svg,
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{}\" y2=\"{bottom}\" stroke=\"#ddd\"/>\
             <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\" fill=\"#555\">{value:.0}</text>",
            TOP - 8.0,
            bottom + 16.0
        );
    }
    for (number, (one, (middle, from, to))) in standings.standings.iter().zip(&spans).enumerate() {
        let y = TOP + number as f64 * ROW + ROW / 2.0;
        let value = match is_elo {
            true => write_elo(*middle),
            false => format!("{middle:.1}"),
        };
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{} {value}</text>\
             <line x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{y}\" y2=\"{y}\" stroke-width=\"3\"{}/>\
             <circle cx=\"{:.1}\" cy=\"{y}\" r=\"5\" fill=\"{}\"/>",
            LEFT - 10.0,
            y + 4.5,
            escape(&shortened(
                &tournament.participants()[one.participant].label
            )),
            x(*from),
            x(*to),
            stroke(one.participant),
            x(*middle),
            colour(one.participant)
        );
    }
}

fn history(tournament: &Tournament, standings: &Standings, top: f64, svg: &mut String) {
    let bottom = top + HISTORY;
    let _ = writeln!(
        svg,
        "<text x=\"{LEFT}\" y=\"{}\" font-weight=\"bold\">points % over time</text>",
        top - 14.0
    );
    for percent in [0, 25, 50, 75, 100] {
        let y = bottom - HISTORY * f64::from(percent) / 100.0;
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{y}\" y2=\"{y}\" stroke=\"#ddd\"/>\
             <text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"#555\">{percent}</text>",
            LEFT - 10.0,
            y + 4.5
        );
    }
    let count = standings.history.len();
    let shown = shown_points(count);
    for (participant, _) in tournament.participants().iter().enumerate() {
        let mut points = String::new();
        for at in &shown {
            let shares = &standings.history[*at];
            let x = LEFT + (RIGHT - LEFT) * (at + 1) as f64 / count as f64;
            let _ = write!(
                points,
                "{x:.1},{:.1} ",
                bottom - HISTORY * shares[participant]
            );
        }
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke-width=\"2\"{}/>",
            points.trim_end(),
            stroke(participant)
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{LEFT}\" y=\"{y}\" fill=\"#555\">0</text>\
         <text x=\"{:.1}\" y=\"{y}\" text-anchor=\"middle\" fill=\"#555\">openings, each played from all seats</text>\
         <text x=\"{RIGHT}\" y=\"{y}\" text-anchor=\"end\" fill=\"#555\">{count}</text>",
        (LEFT + RIGHT) / 2.0,
        y = bottom + 16.0
    );
}

/// Returns the indices of the points that a curve with `count` points shows: at most [`MAX_POINTS`] indices
/// at equal distances. Only the last distance may be shorter, because the last point is always shown.
fn shown_points(count: usize) -> Vec<usize> {
    let step = count.saturating_sub(1).div_ceil(MAX_POINTS - 1).max(1);
    let is_shown = |at: &usize| at.is_multiple_of(step) || at + 1 == count;
    (0..count).filter(is_shown).collect()
}

fn colour(participant: usize) -> &'static str {
    COLOURS[participant % COLOURS.len()]
}

/// Returns the SVG attributes of a participant's curve and error bar.
fn stroke(participant: usize) -> String {
    let colour = colour(participant);
    match DASHES[participant % DASHES.len()] {
        "" => format!(" stroke=\"{colour}\""),
        dashes => format!(" stroke=\"{colour}\" stroke-dasharray=\"{dashes}\""),
    }
}

/// Shortens a name so that it fits beside the bars.
fn shortened(name: &str) -> String {
    if name.chars().count() <= MAX_LETTERS {
        return name.to_owned();
    }
    let begin: String = name.chars().take(MAX_LETTERS - 1).collect();
    begin + "…"
}

/// Returns the values between `low` and `high` that label the axis: multiples of a step such as 1, 2, 5, 10
/// or 20.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 6.0;
    let power = 10f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0];
    let step = steps
        .iter()
        .map(|step| step * power)
        .find(|step| *step >= rough);
    let step = step.unwrap_or(rough).max(1.0);
    let first = (low / step).ceil() as i64;
    let last = (high / step).floor() as i64;
    (first..=last).map(|number| number as f64 * step).collect()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curve_has_at_most_the_maximum_number_of_points() {
        for count in 0..5 * MAX_POINTS {
            let shown = shown_points(count);
            assert_eq!(shown.len() == count, count <= MAX_POINTS, "{count}");
            assert!(shown.len() <= MAX_POINTS, "{count}");
            assert_eq!(shown.last().copied(), count.checked_sub(1));
        }
    }
}
