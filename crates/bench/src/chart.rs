//! Plots of measurements: points on two logarithmic axes, and groups of bars on one.

use crate::svg::Anchor::{End, Middle, Start};
use crate::svg::Svg;

/// Named points, drawn in one colour and shape.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    pub name: String,
    /// For [`scatter`]: where the points are. For [`bars`]: the first coordinate is the number of the group.
    pub points: Vec<[f64; 2]>,
}

/// What is written around a plot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Labels<'a> {
    pub title: &'a str,
    pub across: &'a str,
    pub upwards: &'a str,
}

const SIZE: [u32; 2] = [720, 440];
const LEFT: f64 = 84.0;
const RIGHT: f64 = 700.0;
const TOP: f64 = 84.0;
const BOTTOM: f64 = 376.0;
/// There are so many colours.
const COLOURS: usize = 6;

/// A logarithmic axis from one power of ten to another, and the pixels that it is drawn on.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Axis {
    powers: [i32; 2],
    pixels: [f64; 2],
}

impl Axis {
    /// The axis for these values; those that are not positive have no logarithm, and lie at its beginning.
    fn new(values: impl Iterator<Item = f64> + Clone, pixels: [f64; 2]) -> Axis {
        let positive = values.filter(|value| *value > 0.0 && value.is_finite());
        let low = positive.clone().fold(f64::INFINITY, f64::min);
        let high = positive.fold(0.0, f64::max);
        if high <= 0.0 {
            return Axis { powers: [0, 1], pixels };
        }
        let first = low.log10().floor() as i32;
        Axis { powers: [first, (high.log10().ceil() as i32).max(first + 1)], pixels }
    }

    fn at(self, value: f64) -> f64 {
        let [first, last] = self.powers.map(f64::from);
        let power = if value > 0.0 { value.log10().clamp(first, last) } else { first };
        self.pixels[0] + (power - first) / (last - first) * (self.pixels[1] - self.pixels[0])
    }

    /// The powers of ten along the axis.
    fn ticks(self) -> impl Iterator<Item = i32> {
        self.powers[0]..=self.powers[1]
    }
}

/// A power of ten as a reader expects it: `0.01`, `100`, `10 k`, `1 M`.
fn power(exponent: i32) -> String {
    let digits = |zeros: i32| format!("1{}", "0".repeat(zeros as usize));
    match exponent {
        ..0 => format!("0.{}1", "0".repeat((-exponent - 1) as usize)),
        0..=3 => digits(exponent),
        4..=5 => format!("{} k", digits(exponent - 3)),
        6..=8 => format!("{} M", digits(exponent - 6)),
        _ => format!("{} G", digits(exponent - 9)),
    }
}

fn begin(labels: Labels<'_>, series: &[Series]) -> Svg {
    let mut svg = Svg::new(SIZE[0], SIZE[1]);
    svg.text("title", Start, [24.0, 30.0], labels.title);
    let mut x = 24.0;
    for (number, one) in series.iter().enumerate() {
        mark(&mut svg, number, [x + 6.0, 53.0]);
        svg.text("small", Start, [x + 18.0, 57.0], &one.name);
        x += 36.0 + 7.0 * one.name.chars().count() as f64;
    }
    svg.text("small soft", Start, [24.0, TOP - 6.0], labels.upwards);
    svg.text("small soft", End, [RIGHT, 428.0], labels.across);
    svg
}

/// The mark of a series, in a shape and a colour of its own.
fn mark(svg: &mut Svg, series: usize, [x, y]: [f64; 2]) {
    let class = format!("s{}", series % COLOURS);
    let corners: &[[f64; 2]] = match series % 4 {
        0 => &[[-4.0, -4.0], [4.0, -4.0], [4.0, 4.0], [-4.0, 4.0]],
        1 => &[[0.0, -5.0], [5.0, 4.0], [-5.0, 4.0]],
        2 => &[[0.0, -5.5], [5.5, 0.0], [0.0, 5.5], [-5.5, 0.0]],
        _ => &[[0.0, 5.0], [5.0, -4.0], [-5.0, -4.0]],
    };
    let corners: Vec<[f64; 2]> = corners.iter().map(|[dx, dy]| [x + dx, y + dy]).collect();
    svg.shape(&class, &corners);
}

fn upward_grid(svg: &mut Svg, axis: Axis) {
    for tick in axis.ticks() {
        let y = axis.at(10f64.powi(tick));
        svg.line("grid", [LEFT, y], [RIGHT, y]);
        svg.text("small", End, [LEFT - 8.0, y + 4.0], &power(tick));
    }
}

/// Points on two logarithmic axes.
pub fn scatter(labels: Labels<'_>, series: &[Series]) -> String {
    let values = |axis: usize| series.iter().flat_map(|s| &s.points).map(move |point| point[axis]);
    let across = Axis::new(values(0), [LEFT, RIGHT]);
    let upwards = Axis::new(values(1), [BOTTOM, TOP]);
    let mut svg = begin(labels, series);
    upward_grid(&mut svg, upwards);
    for tick in across.ticks() {
        let x = across.at(10f64.powi(tick));
        svg.line("grid", [x, TOP], [x, BOTTOM]);
        svg.text("small", Middle, [x, BOTTOM + 20.0], &power(tick));
    }
    for (number, one) in series.iter().enumerate() {
        for [x, y] in &one.points {
            mark(&mut svg, number, [across.at(*x), upwards.at(*y)]);
        }
    }
    svg.finish(labels.title, &told(labels, series, &[]))
}

/// A bar for each point, grouped by the names of groups; from the bottom, on a logarithmic axis.
pub fn bars(labels: Labels<'_>, groups: &[String], series: &[Series]) -> String {
    let upwards = Axis::new(series.iter().flat_map(|s| &s.points).map(|p| p[1]), [BOTTOM, TOP]);
    let mut svg = begin(labels, series);
    upward_grid(&mut svg, upwards);
    let width = (RIGHT - LEFT) / groups.len().max(1) as f64;
    let bar = width * 0.8 / series.len().max(1) as f64;
    for (at, group) in groups.iter().enumerate() {
        // Names of neighbours are on two lines.
        let y = BOTTOM + 18.0 + if at % 2 == 1 { 16.0 } else { 0.0 };
        svg.text("small", Middle, [LEFT + (at as f64 + 0.5) * width, y], group);
    }
    for (number, one) in series.iter().enumerate() {
        for [group, value] in &one.points {
            let x = LEFT + (group + 0.1) * width + number as f64 * bar;
            let y = upwards.at(*value);
            let class = format!("s{}", number % COLOURS);
            svg.rect(&class, [x, y], [bar - 2.0, BOTTOM - y]);
        }
    }
    svg.finish(labels.title, &told(labels, series, groups))
}

/// The data in words, for readers who cannot see the plot.
fn told(labels: Labels<'_>, series: &[Series], groups: &[String]) -> String {
    let mut told = format!("{}, by {}.", labels.upwards, labels.across);
    for one in series {
        let points = one.points.iter().map(|[x, y]| match groups.get(*x as usize) {
            Some(group) => format!("{group} {}", short(*y)),
            None => format!("{} {}", short(*x), short(*y)),
        });
        told += &format!(" {}: {}.", one.name, points.collect::<Vec<_>>().join(", "));
    }
    told
}

/// Three digits are all that a reader needs.
fn short(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.3}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABELS: Labels<'_> = Labels { title: "Time", across: "executions", upwards: "seconds" };

    fn series(points: &[[f64; 2]]) -> Series {
        Series { name: "tso".to_owned(), points: points.to_vec() }
    }

    #[test]
    fn points_lie_between_powers_of_ten() {
        let axis = Axis::new([20.0, 0.0, 30_000.0].into_iter(), [0.0, 400.0]);
        assert_eq!(axis.powers, [1, 5]);
        assert_eq!([10.0, 1000.0, 100_000.0, 0.0].map(|v| axis.at(v)), [0.0, 200.0, 400.0, 0.0]);
        let words = [-2, -1, 0, 3, 5, 6, 9].map(power);
        assert_eq!(words, ["0.01", "0.1", "1", "1000", "100 k", "1 M", "1 G"]);
    }

    #[test]
    fn every_point_is_drawn_and_told() {
        let text = scatter(LABELS, &[series(&[[10.0, 0.1], [1000.0, 10.0]])]);
        // One mark is in the legend.
        assert_eq!(text.matches("class=\"s0\"").count(), 3);
        assert!(text.contains("seconds, by executions. tso: 10.000 0.100, 1000 10.000."), "{text}");
        let groups = ["one".to_owned(), "two".to_owned()];
        let text = bars(LABELS, &groups, &[series(&[[0.0, 5.0], [1.0, 50.0]])]);
        assert_eq!(text.matches("<rect class=\"s0\"").count(), 2);
        assert!(text.contains("tso: one 5.000, two 50.000."), "{text}");
    }

    #[test]
    fn nothing_to_plot_is_an_empty_plot() {
        assert!(scatter(LABELS, &[]).contains("</svg>"));
        assert!(bars(LABELS, &[], &[series(&[])]).contains("</svg>"));
    }
}
