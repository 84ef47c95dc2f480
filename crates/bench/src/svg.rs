//! Drawings as SVG text, for the book: shapes with classes, legible on light and on dark pages.
//!
//! A drawing has its own background and follows the reader's colour scheme, so that it does not depend on
//! the page around it. Coordinates are pixels from the upper left corner.

use std::fmt::Write;

/// Colours by class, for light pages and for dark ones. Series are told apart by shape as well.
const STYLE: &str = "\
text{font:14px system-ui,sans-serif;fill:#1f2328}.small{font-size:12px}.code{font-family:ui-monospace,monospace}\
.title{font-size:16px;font-weight:600}.soft{fill:#59636e}.page{fill:#fff;stroke:#d1d9e0}\
.box{fill:#f6f8fa;stroke:#59636e}.queue{fill:#fff8c5;stroke:#9a6700}.memory{fill:#ddf4ff;stroke:#0969da}\
.line{stroke:#59636e;stroke-width:1.5;fill:none}.grid{stroke:#d1d9e0;stroke-width:1}\
.early{stroke:#cf222e;stroke-width:1.5;fill:none;stroke-dasharray:5 3}.head{fill:#59636e}.earlyhead{fill:#cf222e}\
.s0{fill:#0969da}.s1{fill:#cf222e}.s2{fill:#9a6700}.s3{fill:#8250df}.s4{fill:#1a7f37}.s5{fill:#59636e}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.soft{fill:#9198a1}.page{fill:#0d1117;stroke:#3d444d}\
.box{fill:#151b23;stroke:#9198a1}.queue{fill:#332a10;stroke:#d29922}.memory{fill:#0c2d4a;stroke:#4493f8}\
.line{stroke:#9198a1}.grid{stroke:#3d444d}.early{stroke:#ff7b72}.head{fill:#9198a1}.earlyhead{fill:#ff7b72}\
.s0{fill:#4493f8}.s1{fill:#ff7b72}.s2{fill:#d29922}.s3{fill:#ab7df8}.s4{fill:#3fb950}.s5{fill:#9198a1}}";

/// Where a text lies relative to its point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// A drawing that is being made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Svg {
    width: u32,
    height: u32,
    body: String,
}

impl Svg {
    pub fn new(width: u32, height: u32) -> Svg {
        Svg { width, height, body: String::new() }
    }

    pub fn rect(&mut self, class: &str, [x, y]: [f64; 2], [width, height]: [f64; 2]) {
        let _ = writeln!(
            self.body,
            r#"<rect class="{class}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" rx="4"/>"#
        );
    }

    pub fn line(&mut self, class: &str, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) {
        let _ = writeln!(
            self.body,
            r#"<line class="{class}" x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}"/>"#
        );
    }

    /// A line with a head at its end. The class of the head is that of the line with `head` behind it, or `head` for
    /// ordinary lines.
    pub fn arrow(&mut self, class: &str, from: [f64; 2], to: [f64; 2]) {
        let [dx, dy] = [to[0] - from[0], to[1] - from[1]];
        let length = dx.hypot(dy).max(1.0);
        let [ux, uy] = [dx / length, dy / length];
        let back = [to[0] - 9.0 * ux, to[1] - 9.0 * uy];
        self.line(class, from, back);
        let [left, right] = [4.5, -4.5].map(|side| [back[0] - side * uy, back[1] + side * ux]);
        let head = if class == "line" { "head".to_owned() } else { format!("{class}head") };
        self.shape(&head, &[to, left, right]);
    }

    /// A filled polygon.
    pub fn shape(&mut self, class: &str, corners: &[[f64; 2]]) {
        let corners: Vec<String> = corners.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(self.body, r#"<polygon class="{class}" points="{}"/>"#, corners.join(" "));
    }

    pub fn text(&mut self, class: &str, anchor: Anchor, [x, y]: [f64; 2], text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escaped(text);
        let _ = writeln!(
            self.body,
            r#"<text class="{class}" text-anchor="{anchor}" x="{x:.1}" y="{y:.1}">{text}</text>"#
        );
    }

    /// The whole drawing. The description is for readers who cannot see it.
    pub fn finish(self, title: &str, description: &str) -> String {
        let Svg { width, height, body } = self;
        let (title, description) = (escaped(title), escaped(description));
        let [inner_width, inner_height] = [f64::from(width) - 1.0, f64::from(height) - 1.0];
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-labelledby="t d">
<title id="t">{title}</title>
<desc id="d">{description}</desc>
<style>{STYLE}</style>
<rect class="page" x="0.5" y="0.5" width="{inner_width}" height="{inner_height}" rx="8"/>
{body}</svg>
"#
        )
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_written_with_their_classes() {
        let mut svg = Svg::new(100, 50);
        svg.arrow("early", [0.0, 10.0], [50.0, 10.0]);
        svg.text("small", Anchor::End, [1.0, 2.0], "a < b & c");
        let text = svg.finish("Title", "a > b");
        for part in [
            "viewBox=\"0 0 100 50\"",
            "<line class=\"early\" x1=\"0.0\" y1=\"10.0\" x2=\"41.0\" y2=\"10.0\"/>",
            "<polygon class=\"earlyhead\" points=\"50.0,10.0 41.0,14.5 41.0,5.5\"/>",
            ">a &lt; b &amp; c</text>",
            "<desc id=\"d\">a &gt; b</desc>",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
}
