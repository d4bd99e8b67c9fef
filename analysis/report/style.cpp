// The style of the page. Colours are variables with a value for each theme: s0 to s7 the series, in an order in which
// neighbours differ in lightness as well as in hue; k0 to k5 kinds (stages, tensors); h0 to h8 a sequential scale.
#include <fmt/format.h>

#include "analysis/report/page.hpp"

namespace lacuna {

namespace {

constexpr const char* kLight = R"css(
:root {
  color-scheme: light;
  --ground: #fbfaf8; --raised: #ffffff; --ink: #1d2128; --soft: #59606c; --rule: #dcd9d2; --accent: #0b5c8a;
  --alarm: #a3260f; --band: #e7e2d4; --tip: #1d2128; --tip-ink: #ffffff;
  --s0: #0072b2; --s1: #c25e00; --s2: #00805d; --s3: #a83f85; --s4: #5b3fa0; --s5: #8a6d00; --s6: #b3202c; --s7: #3c4a57;
  --k0: #4f7cac; --k1: #d98e32; --k2: #6a9e58; --k3: #9a7fb5; --k4: #b7635c; --k5: #8b9199;
  --h0: #eef3f8; --h1: #d6e4f0; --h2: #b9d2e6; --h3: #95bbd9; --h4: #6da0c8; --h5: #4683b2; --h6: #276598; --h7: #134878; --h8: #082c52;
}
)css";

constexpr const char* kDark = R"css(
  color-scheme: dark;
  --ground: #14171c; --raised: #1b1f26; --ink: #e8e6e1; --soft: #a4abb6; --rule: #343a44; --accent: #7cc0ea;
  --alarm: #ff9a85; --band: #363227; --tip: #e8e6e1; --tip-ink: #14171c;
  --s0: #5eb3ea; --s1: #f0a04b; --s2: #3ec79b; --s3: #e08cc4; --s4: #b39df2; --s5: #d9c04a; --s6: #f47f7f; --s7: #b4bfca;
  --k0: #7ba7d6; --k1: #e5a75a; --k2: #8fc27d; --k3: #bda4d8; --k4: #db8d86; --k5: #a5abb3;
  --h0: #1d2631; --h1: #1d3245; --h2: #1e415c; --h3: #225377; --h4: #2b6893; --h5: #3f81ae; --h6: #639dc4; --h7: #93bdd9; --h8: #cde2f0;
)css";

constexpr const char* kRules = R"css(
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, "Liberation Sans", "DejaVu Sans", sans-serif; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -999px; } .skip:focus { left: 8px; top: 8px; background: var(--raised); padding: 4px 8px; z-index: 3; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
header.page { display: flex; align-items: baseline; gap: 12px; padding: 14px 24px; border-bottom: 1px solid var(--rule); }
header.page h1 { font-size: 20px; margin: 0; letter-spacing: .02em; } header.page p { margin: 0; color: var(--soft); flex: 1; min-width: 0; overflow-wrap: anywhere; }
button, select { font: inherit; font-size: 14px; color: var(--ink); background: var(--raised); border: 1px solid var(--rule); border-radius: 6px; padding: 3px 9px; cursor: pointer; max-width: 100%; }
.columns { display: grid; grid-template-columns: 210px minmax(0, 1120px); gap: 32px; padding: 0 24px 64px; justify-content: center; }
nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow: auto; padding: 22px 0; font-size: 14px; }
nav h2 { font-size: 13px; color: var(--soft); margin: 0 0 6px; font-weight: 600; } nav ol { list-style: none; margin: 0; padding: 0; } nav ol ol { padding-left: 12px; margin-bottom: 8px; } nav li { margin: 5px 0; overflow-wrap: anywhere; }
nav a { text-decoration: none; } nav a:hover { text-decoration: underline; }
.file > header { padding: 22px 0 4px; } .file h2 { font-size: 24px; line-height: 1.3; margin: 0 0 10px; font-weight: 600; text-wrap: balance; overflow-wrap: anywhere; }
.file .name { color: var(--soft); margin: 0 0 4px; font-size: 14px; overflow-wrap: anywhere; }
.verdict { border-left: 3px solid var(--accent); padding: 2px 0 2px 12px; margin: 0 0 8px; max-width: 78ch; } .verdict.alarming { border-color: var(--alarm); color: var(--alarm); font-weight: 600; }
.figure { margin: 22px 0 0; padding: 18px 20px 14px; background: var(--raised); border: 1px solid var(--rule); border-radius: 10px; }
.figure h3 { margin: 0 0 4px; font-size: 18px; } .say { margin: 0 0 10px; max-width: 86ch; } .note { margin: 8px 0 6px; font-size: 13.5px; color: var(--soft); max-width: 96ch; }
.figure h4 { margin: 0 0 4px; font-size: 14px; font-weight: 600; }
.panels { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 18px 22px; } .panels.single { grid-template-columns: minmax(0, 860px); }
.panel svg { display: block; width: 100%; height: auto; } svg.narrow { display: none !important; }
.legend { display: flex; flex-wrap: wrap; gap: 6px; margin: 4px 0 12px; } .legend button { display: inline-flex; align-items: center; gap: 6px; padding: 2px 9px 2px 6px; font-size: 13px; }
.legend svg { width: 22px; height: 15px; } .legend button[aria-pressed="true"] { border-color: var(--ink); box-shadow: inset 0 0 0 1px var(--ink); }
.kinds, .scale { display: flex; flex-wrap: wrap; gap: 4px 14px; font-size: 13px; color: var(--soft); margin: 8px 0 0; align-items: center; } .scale { gap: 3px 5px; }
.kinds i, .scale i { display: inline-block; width: 15px; height: 12px; border-radius: 2px; margin-right: 6px; background: var(--c); } .scale i { margin: 0; width: 18px; }
.scale i.hx { background: repeating-linear-gradient(45deg, var(--raised) 0 2px, var(--rule) 2px 4px); margin-left: 10px; } .kinds span { display: inline-flex; align-items: center; }
details.table { display: inline-block; max-width: 100%; font-size: 14px; vertical-align: baseline; } details.table[open] { display: block; } summary { cursor: pointer; color: var(--accent); }
.csv { font-size: 14px; margin-left: 14px; } details[open] + .csv { margin-left: 0; }
.rows { overflow: auto; max-height: 420px; margin: 6px 0; border: 1px solid var(--rule); } table { border-collapse: collapse; font-size: 13px; } th, td { padding: 3px 9px; text-align: left; border-bottom: 1px solid var(--rule); white-space: nowrap; } td.n { text-align: right; font-variant-numeric: tabular-nums; }
thead th { position: sticky; top: 0; background: var(--raised); } .provenance td { white-space: normal; overflow-wrap: anywhere; } .provenance table { width: 100%; margin: 4px 0 12px; } .provenance th { vertical-align: top; font-weight: 600; width: 190px; }
pre { overflow: auto; max-height: 420px; font-size: 12.5px; line-height: 1.45; background: var(--ground); border: 1px solid var(--rule); padding: 10px; }
.definitions { position: absolute; }
.s0 { --c: var(--s0); } .s1 { --c: var(--s1); } .s2 { --c: var(--s2); } .s3 { --c: var(--s3); } .s4 { --c: var(--s4); } .s5 { --c: var(--s5); } .s6 { --c: var(--s6); } .s7 { --c: var(--s7); }
.k0 { --c: var(--k0); } .k1 { --c: var(--k1); } .k2 { --c: var(--k2); } .k3 { --c: var(--k3); } .k4 { --c: var(--k4); } .k5 { --c: var(--k5); }
.h0 { --c: var(--h0); } .h1 { --c: var(--h1); } .h2 { --c: var(--h2); } .h3 { --c: var(--h3); } .h4 { --c: var(--h4); } .h5 { --c: var(--h5); } .h6 { --c: var(--h6); } .h7 { --c: var(--h7); } .h8 { --c: var(--h8); }
svg text { font-family: "Liberation Sans", Arial, Helvetica, sans-serif; fill: var(--ink); } .tl { font-size: 11.5px; fill: var(--soft) !important; } .at { font-size: 12px; fill: var(--soft) !important; } .bl { font-size: 12px; } .dl { font-size: 12px; fill: var(--c) !important; font-weight: 600; }
.grid { stroke: var(--rule); stroke-width: 1; fill: none; } .grid.zero { stroke-dasharray: 2 3; stroke: var(--soft); } .tick { stroke: var(--soft); } .axis { stroke: var(--soft); fill: none; }
.line { stroke: var(--c); stroke-width: 1.8; fill: none; stroke-linejoin: round; } .line.oracle, .oracle .line { stroke-dasharray: 5 3; } .interval, .whisker { stroke: var(--c, var(--ink)); stroke-width: 1.4; fill: none; opacity: .6; } .whisker { stroke: var(--ink); opacity: 1; }
.skipped { fill: var(--rule); opacity: .55; } .summaries { stroke: var(--k4); stroke-width: 2.5; stroke-dasharray: 2 1.5; }
.range { stroke: var(--c); fill: none; stroke-linecap: butt; }
use { fill: var(--c); stroke: var(--raised); stroke-width: .8; } .oracle use { fill: var(--raised); stroke: var(--c); stroke-width: 1.6; } .small use { opacity: .7; stroke: none; } .small.oracle use { fill: none; stroke: var(--c); stroke-width: .9; }
.frontier { stroke: var(--band); stroke-width: 13; fill: none; stroke-linejoin: round; stroke-linecap: round; } .diagonal { stroke: var(--ink); stroke-width: 1.2; }
rect { fill: var(--c); } rect.hx { fill: url(#hatch); } .hatch-ground { fill: var(--raised); } .hatch-line { stroke: var(--rule); stroke-width: 2; }
.range + use { stroke-width: 2.2; }
.focus use[data-at], use[data-at] { stroke: var(--ink) !important; stroke-width: 2.4 !important; opacity: 1 !important; } rect[data-at] { stroke: var(--ink); stroke-width: 2; }
.chosen [data-s]:not(.on):not(button) { opacity: .12; }
#tip { position: fixed; z-index: 4; max-width: 300px; background: var(--tip); color: var(--tip-ink); border-radius: 6px; padding: 6px 10px; font-size: 13px; line-height: 1.4; pointer-events: none; overflow-wrap: anywhere; }
#tip[hidden] { display: none; }
@media (max-width: 1060px) { .columns { grid-template-columns: minmax(0, 1120px); gap: 0; } nav { position: static; max-height: none; padding: 14px 0 0; } nav li { display: inline-block; margin: 3px 14px 3px 0; } }
@media (max-width: 700px) {
  body { font-size: 15px; } .columns { padding: 0 10px 40px; } header.page { padding: 10px; flex-wrap: wrap; } .file h2 { font-size: 19px; } .figure { padding: 12px 10px 10px; border-radius: 8px; margin-top: 14px; }
  .panels, .panels.single { grid-template-columns: minmax(0, 1fr); } svg.wide { display: none !important; } .panel svg.narrow { display: block !important; } .provenance th { width: 110px; }
}
@media print { nav, #theme, .legend, .csv { display: none; } .figure { break-inside: avoid; } }
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } [data-s] { transition: opacity .12s; } }
)css";

}  // namespace

std::string page_style() {
  return fmt::format(
      "{0}@media (prefers-color-scheme: dark) {{ :root:not([data-theme=\"light\"]) {{{1}}} }}\n"
      ":root[data-theme=\"dark\"] {{{1}}}{2}",
      kLight, kDark, kRules);
}

}  // namespace lacuna
