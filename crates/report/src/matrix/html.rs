//! The table as a page: one file, no scripts, no network, light and dark by the reader's settings.

use super::Table;
use crate::written;
use raddle_analysis::matrix::{Row, Standing};
use std::fmt::{Display, Formatter, Result, Write};

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1c1e21;--paper:#fff;--line:#d7dade;--faint:#5c636b;--good:#11703a;--bad:#b3261e;--open:#8a5a00}
@media (prefers-color-scheme:dark){:root{--ink:#e6e8ea;--paper:#16181b;--line:#3a3f45;--faint:#9aa2ab;--good:#6fce92;--bad:#ff8a80;--open:#e8b64c}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:2rem auto;max-width:70rem;padding:0 1rem}
h1{font-size:1.3rem;overflow-wrap:anywhere}
h2{font-size:1.05rem;margin-top:2rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.4rem .8rem .4rem 0;border-bottom:1px solid var(--line)}
thead th{color:var(--faint);font-weight:normal}
.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
td:last-child,th:last-child{min-width:16rem;padding-right:0}
.verdict{white-space:nowrap;font-weight:600}
.good{color:var(--good)}.bad{color:var(--bad)}.open{color:var(--open)}
code{font-family:ui-monospace,monospace;font-size:.9em;overflow-wrap:anywhere}
@media (max-width:45rem){
table,tbody,tr{display:block}
thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
tr{display:grid;grid-template-columns:auto 1fr;gap:0 1rem;padding:.5rem 0;border-bottom:1px solid var(--line)}
th,td{border:0;padding:.1rem 0;min-width:0}
tbody th,.verdict{font-size:1.05rem}
td.number,td:last-child{display:grid;grid-template-columns:subgrid;grid-column:1/-1;text-align:left}
td:last-child:empty{display:none}
td[data-head]::before{content:attr(data-head);color:var(--faint)}
}
footer{color:var(--faint);margin-top:2rem}
";

/// Text with the characters that HTML gives a meaning escaped.
struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// The page.
pub fn html(table: &Table<'_>) -> String {
    written(|out| write_page(out, table))
}

fn write_page(out: &mut String, table: &Table<'_>) -> Result {
    let file = crate::printable(table.file);
    let title = format!("{file}: {} models", table.rows.len());
    writeln!(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
    writeln!(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
    writeln!(out, "<title>{}</title>\n<style>\n{STYLE}</style>\n</head>", Escaped(&title))?;
    writeln!(out, "<body>\n<h1><code>{}</code></h1>", Escaped(&file))?;
    for sentence in table.sentences() {
        writeln!(out, "<p>{}</p>", Escaped(&crate::printable(&sentence)))?;
    }
    write_rows(out, table)?;
    write_fences(out, table)?;
    let seconds = table.elapsed.as_secs_f64();
    writeln!(out, "<footer>raddle {}, {seconds:.3} s</footer>", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "</body>\n</html>")
}

fn write_rows(out: &mut String, table: &Table<'_>) -> Result {
    writeln!(out, "<div class=\"wide\"><table role=\"table\">\n<thead><tr role=\"row\">")?;
    write!(
        out,
        "<th role=\"columnheader\" scope=\"col\">model</th><th role=\"columnheader\" scope=\"col\">verdict</th>"
    )?;
    write!(out, "<th role=\"columnheader\" scope=\"col\" class=\"number\">executions</th>")?;
    write!(out, "<th role=\"columnheader\" scope=\"col\" class=\"number\">time</th>")?;
    if table.target.is_some() {
        write!(out, "<th role=\"columnheader\" scope=\"col\" class=\"number\">fences</th>")?;
    }
    writeln!(
        out,
        "<th role=\"columnheader\" scope=\"col\">first error, or why unknown</th></tr></thead>\n<tbody>"
    )?;
    for row in table.rows {
        write_row(out, table, row)?;
    }
    writeln!(out, "</tbody></table></div>")
}

fn write_row(out: &mut String, table: &Table<'_>, row: &Row) -> Result {
    let class = match row.standing {
        Standing::Holds | Standing::HoldsBounded => "good",
        Standing::Fails => "bad",
        Standing::Unknown => "open",
    };
    let (model, word) = (row.model().name(), table.word(row));
    write!(out, "<tr role=\"row\"><th role=\"rowheader\" scope=\"row\"><code>{model}</code></th>")?;
    write!(out, "<td role=\"cell\" class=\"verdict {class}\">{}</td>", Escaped(&word))?;
    let (count, what) = table.effort(row);
    let what = if what == "executions" { "" } else { " states" };
    let number = "<td role=\"cell\" class=\"number\" data-head=";
    write!(out, "{number}\"executions\">{count}{what}</td>")?;
    write!(out, "{number}\"time\">{:.3} s</td>", table.elapsed(row).as_secs_f64())?;
    if let Some(fences) = table.fences(row) {
        write!(out, "{number}\"fences\">{}</td>", Escaped(&fences))?;
    }
    match table.remark(row).map(|found| table.phrase(&found)) {
        None => writeln!(out, "<td role=\"cell\"></td></tr>"),
        Some(found) => {
            let head = if row.standing == Standing::Fails { "error" } else { "why" };
            write!(out, "<td role=\"cell\" data-head=\"{head}\">")?;
            writeln!(out, "<code>{}</code></td></tr>", Escaped(&found))
        }
    }
}

fn write_fences(out: &mut String, table: &Table<'_>) -> Result {
    let Some(aim) = table.aim() else { return Ok(()) };
    let needing = table.fenced();
    if needing.is_empty() {
        return Ok(());
    }
    writeln!(out, "<h2>Fences {aim}, and no fewer</h2>\n<dl>")?;
    for (row, fences) in needing {
        writeln!(out, "<dt><code>{}</code></dt>", row.model().name())?;
        let lines = table.fence_lines(fences);
        for line in &lines {
            writeln!(out, "<dd><code>{}</code></dd>", Escaped(line))?;
        }
        if lines.is_empty() {
            writeln!(out, "<dd>none</dd>")?;
        }
    }
    writeln!(out, "</dl>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_programs_is_escaped() {
        assert_eq!(Escaped("a<b>&\"'").to_string(), "a&lt;b&gt;&amp;&quot;&#39;");
    }
}
