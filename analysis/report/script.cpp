// The page's script: tables and CSV from the embedded data, what lies under the pointer or the arrow keys, highlighted
// series, heat maps that show another swept value, and the theme.
#include "analysis/report/page.hpp"

namespace lacuna {

const char* const kPageScript = R"js(
"use strict";
(() => {
  const files = JSON.parse(document.getElementById("data").textContent).files;
  const tip = document.getElementById("tip");
  const dataOf = figure => {
    const [file, ...name] = figure.dataset.figure.split("-");
    return files[+file.slice(1)].figures[name.join("-")];
  };
  const cell = (column, row) => column.levels ? column.levels[column.codes[row]] : column.values[row];
  const rowsOf = data => data.columns.length ? (data.columns[0].codes || data.columns[0].values).length : 0;
  const headOf = column => column.name + (column.units && column.units !== "1" ? " [" + column.units + "]" : "");
  const brief = x => typeof x !== "number" ? (x === null ? "-" : x)
    : Number.isInteger(x) && Math.abs(x) < 1e7 ? x.toLocaleString("en") : String(+x.toPrecision(4));

  // tables and CSV
  const shown = 500;
  const fill = (figure, place) => {
    const data = dataOf(figure), rows = rowsOf(data), table = document.createElement("table");
    const head = table.createTHead().insertRow();
    for (const column of data.columns) {
      const th = document.createElement("th");
      th.scope = "col"; th.textContent = headOf(column); head.append(th);
    }
    const body = table.createTBody();
    for (let r = 0; r < Math.min(rows, shown); ++r) {
      const tr = body.insertRow();
      for (const column of data.columns) {
        const td = tr.insertCell(), value = cell(column, r);
        td.textContent = value === null ? "-" : value;
        if (!column.levels) td.className = "n";
      }
    }
    place.replaceChildren(table);
    if (rows > shown) place.append(`The first ${shown} of ${rows} rows; the CSV has all.`);
  };
  const quoted = value => value === null ? "nan" : /[",\n]/.test(value) ? '"' + String(value).replaceAll('"', '""') + '"' : String(value);
  const csv = data => {
    const lines = [data.columns.map(column => quoted(headOf(column))).join(",")];
    for (let r = 0; r < rowsOf(data); ++r) lines.push(data.columns.map(column => quoted(cell(column, r))).join(","));
    return lines.join("\n") + "\n";
  };
  for (const figure of document.querySelectorAll("[data-figure]")) {
    const details = figure.querySelector("details.table");
    if (!details) continue;
    details.addEventListener("toggle", () => {
      const place = details.querySelector(".rows");
      if (details.open && !place.firstChild) fill(figure, place);
    });
    const link = figure.querySelector(".csv");
    link.addEventListener("click", () => {
      if (!link.href.startsWith("blob:")) link.href = URL.createObjectURL(new Blob([csv(dataOf(figure))], {type: "text/csv"}));
    });
  }

  // what a mark shows
  let marked = null;
  const unmark = () => {
    if (marked) marked.removeAttribute("data-at");
    marked = null;
    tip.hidden = true;
  };
  const show = mark => {
    if (mark === marked) return;
    unmark();
    marked = mark;
    mark.setAttribute("data-at", "");
    const data = dataOf(mark.closest("[data-figure]")), row = +mark.dataset.r;
    tip.replaceChildren();
    for (const column of data.columns) {
      const value = cell(column, row);
      if (value === null || value === "" || column.name === "cell") continue;
      const line = document.createElement("div");
      line.textContent = headOf(column) + ": " + brief(value);
      tip.append(line);
    }
    tip.hidden = false;
    const box = mark.getBoundingClientRect(), size = tip.getBoundingClientRect();
    const right = box.right + 12 + size.width < innerWidth;
    tip.style.left = Math.max(4, right ? box.right + 12 : box.left - size.width - 12) + "px";
    tip.style.top = Math.min(Math.max(4, box.top - 8), innerHeight - size.height - 4) + "px";
  };
  for (const svg of document.querySelectorAll(".panel svg")) {
    const marks = () => [...svg.querySelectorAll("[data-r]")].filter(mark => !mark.closest(".chosen [data-s]:not(.on)"));
    svg.addEventListener("pointermove", event => {
      let best = null, least = 26;
      const direct = event.target.closest("[data-r]");
      if (direct && direct.tagName === "rect") best = direct;
      else for (const mark of marks()) {
        const box = mark.getBoundingClientRect();
        const distance = Math.hypot(box.x + box.width / 2 - event.clientX, box.y + box.height / 2 - event.clientY);
        if (mark.tagName !== "rect" && distance < least) { least = distance; best = mark; }
      }
      if (best) show(best); else unmark();
    });
    svg.addEventListener("pointerleave", unmark);
    svg.addEventListener("blur", unmark);
    svg.addEventListener("keydown", event => {
      const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
      if (event.key === "Escape") unmark();
      if (!step) return;
      const all = marks();
      if (!all.length) return;
      event.preventDefault();
      const at = all.indexOf(marked);
      show(all[at < 0 ? (step > 0 ? 0 : all.length - 1) : (at + step + all.length) % all.length]);
    });
  }

  // highlighted series, in every figure of a file at once
  for (const button of document.querySelectorAll(".legend button")) button.addEventListener("click", () => {
    const file = button.closest(".file"), on = button.getAttribute("aria-pressed") !== "true";
    for (const same of file.querySelectorAll(`.legend button[data-s="${button.dataset.s}"]`)) same.setAttribute("aria-pressed", on);
    const chosen = new Set([...file.querySelectorAll('.legend button[aria-pressed="true"]')].map(one => one.dataset.s));
    file.classList.toggle("chosen", chosen.size > 0);
    for (const mark of file.querySelectorAll(".panel [data-s]")) mark.classList.toggle("on", chosen.has(mark.dataset.s));
  });

  // heat maps
  for (const select of document.querySelectorAll("select.cell")) select.addEventListener("change", () => {
    const data = dataOf(select.closest("[data-figure]")), values = data.columns[data.columns.length - 1].values;
    const first = +select.dataset.first + select.selectedIndex * +select.dataset.size;
    for (const svg of select.closest(".panel").querySelectorAll("svg")) {
      let row = first;
      for (const rect of svg.querySelectorAll("rect[data-r]")) {
        const value = values[row];
        rect.dataset.r = row++;
        rect.setAttribute("class", value === null ? "hx" : "h" + data.limits.filter(limit => limit <= value).length);
      }
    }
  });

  // the theme: the system's, or the reader's choice
  const theme = document.getElementById("theme"), choices = ["system", "light", "dark"];
  const set = choice => {
    if (choice === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = choice;
    theme.textContent = "Theme: " + choice;
    theme.dataset.choice = choice;
  };
  let kept = "system";
  try { kept = localStorage.getItem("lacuna-theme") || kept; } catch { /* a file:// page may have no storage */ }
  set(choices.includes(kept) ? kept : "system");
  theme.addEventListener("click", () => {
    set(choices[(choices.indexOf(theme.dataset.choice) + 1) % choices.length]);
    try { localStorage.setItem("lacuna-theme", theme.dataset.choice); } catch { /* as above */ }
  });
})();
)js";

}  // namespace lacuna
