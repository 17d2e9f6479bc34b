// The chart: bytes (log scale) against PSNR, for the photo, its format, an edit, and codecs.
import { bytes, make } from "./dom.js";

const LEFT = 64, RIGHT = 18, TOP = 12, BOTTOM = 42;
const NAMES = {
  exact: "this photo, exactly", band: "any photo of this size", trellis: "what “Holds the most” takes",
  robust: "what “Survives edits” takes",
};

// Round numbers around two amounts: 1, 2, 5, 10 ... or, where that is too many, 1, 10, 100 ...
function ticks(low, high) {
  for (const digits of [[1, 2, 5], [1]]) {
    const found = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
      found.push(...digits.map((digit) => digit * 10 ** power));
    }
    const kept = found.slice(found.findLastIndex((each) => each <= low), found.findIndex((each) => each >= high) + 1);
    if (kept.length <= 8 || digits.length === 1) return kept;
  }
}

export class Chart {
  constructor(element, move) {
    this.element = element;
    this.level = 42;
    this.lines = {}; this.under = null; this.robust = null;
    new ResizeObserver(() => this.element.clientWidth !== this.width && this.draw()).observe(element);
    element.addEventListener("pointerdown", (event) => { this.dragging = true; this.point(event, move); });
    element.addEventListener("pointermove", (event) => this.dragging && this.point(event, move));
    addEventListener("pointerup", () => { this.dragging = false; });
  }

  point(event, move) {
    const svg = this.element.querySelector("svg");
    if (!svg || !svg.contains(event.target)) return;
    const box = svg.getBoundingClientRect();
    const x = event.clientX - box.left;
    move(Math.min(60, Math.max(20, Math.round(20 + 40 * (x - LEFT) / (this.width - LEFT - RIGHT)))));
  }

  at(line) { return line?.find(([psnr]) => psnr === this.level)?.[1]; }

  draw() {
    const { exact, gray, corner, trellis = [] } = this.lines;
    if (!exact || !this.element.clientWidth) return;
    this.width = this.element.clientWidth; // letters keep their size on any screen
    this.height = Math.round(Math.min(340, 0.7 * this.width + 40));
    const values = [...exact, ...gray, ...corner, ...(this.under?.line ?? [])].map(([, bits]) => bits / 8);
    if (this.robust) values.push(this.robust[1] / 8);
    this.ticks = ticks(Math.min(...values.filter((each) => each >= 1)), Math.max(...values));
    this.low = this.ticks[0]; this.high = this.ticks.at(-1);
    const edge = [...gray, ...corner.slice().reverse()];
    const parts = [
      ...this.grid(),
      `<path class="band" d="${this.path(edge)}Z"/>`,
      `<path class="line exact" d="${this.path(exact)}"/>`,
      this.under ? `<path class="line under ${this.under.kind === "heuristic" ? "heuristic" : ""}" d="${this.path(this.under.line)}"/>` : "",
      ...trellis.map((each) => this.dot(each, "trellis")),
      this.robust ? this.dot(this.robust, "robust") : "",
      this.cursor(),
    ];
    const title = "Bytes that fit, against PSNR in decibels";
    const svg = `<svg viewBox="0 0 ${this.width} ${this.height}" role="img" aria-label="${title}">${parts.join("")}</svg>`;
    this.element.innerHTML = svg;
    this.element.append(this.legend());
  }

  x(psnr) { return LEFT + (psnr - 20) / 40 * (this.width - LEFT - RIGHT); }
  y(bits) {
    const amount = Math.max(bits / 8, this.low);
    const part = Math.log(amount / this.low) / Math.log(this.high / this.low);
    return this.height - BOTTOM - part * (this.height - TOP - BOTTOM);
  }
  path(line) {
    const shown = line.filter(([, bits]) => bits / 8 >= this.low);
    return shown.map(([psnr, bits], index) => `${index ? "L" : "M"}${this.x(psnr).toFixed(1)} ${this.y(bits).toFixed(1)}`).join("");
  }
  dot([psnr, bits], kind) { return `<circle class="dot ${kind}" r="6" cx="${this.x(psnr)}" cy="${this.y(bits)}"/>`; }

  grid() {
    const found = [];
    for (const amount of this.ticks) {
      const y = this.y(8 * amount), name = amount < 1e3 ? `${amount} B` : amount < 1e6 ? `${amount / 1e3} kB` : `${amount / 1e6} MB`;
      found.push(`<line class="grid" x1="${LEFT}" x2="${this.width - RIGHT}" y1="${y}" y2="${y}"/><text x="${LEFT - 10}" y="${y + 4}" text-anchor="end">${name}</text>`);
    }
    for (let psnr = 20; psnr <= 60; psnr += 10) {
      found.push(`<text x="${this.x(psnr)}" y="${this.height - BOTTOM + 20}" text-anchor="middle">${psnr} dB</text>`);
    }
    found.push(`<text x="${LEFT}" y="${this.height - 4}">seen at once</text><text x="${this.width - RIGHT}" y="${this.height - 4}" text-anchor="end">never seen</text>`);
    return found;
  }

  cursor() {
    const x = this.x(this.level), y = this.y(this.at(this.lines.exact));
    return `<line class="cursor" x1="${x}" x2="${x}" y1="${TOP}" y2="${this.height - BOTTOM}"/><circle class="knob" cx="${x}" cy="${y}" r="5"/>`;
  }

  legend() {
    const known = [["exact", `<line class="line exact" x1="0" x2="22" y1="5" y2="5"/>`, `${NAMES.exact} (bound ${this.lines.bounds.exact})`],
      ["band", `<rect class="band" width="22" height="10"/>`, NAMES.band]];
    if (this.lines.trellis?.length) known.push(["trellis", `<circle class="dot trellis" cx="11" cy="5" r="5"/>`, NAMES.trellis]);
    if (this.robust) known.push(["robust", `<circle class="dot robust" cx="11" cy="5" r="5"/>`, NAMES.robust]);
    const list = make("ul", { class: "legend" });
    for (const [, drawing, name] of known) list.append(this.entry(drawing, name));
    if (this.under) {
      const dashed = this.under.kind === "heuristic" ? "heuristic" : "";
      const how = this.under.kind === "heuristic" ? `bound ${this.under.bound}, a heuristic` : "proved";
      list.append(this.entry(`<line class="line under ${dashed}" x1="0" x2="22" y1="5" y2="5"/>`, `left after ${this.under.edit} (${how})`));
    }
    return list;
  }

  entry(drawing, name) {
    const item = make("li");
    item.innerHTML = `<svg viewBox="0 0 22 10" aria-hidden="true">${drawing}</svg>`;
    item.append(name);
    return item;
  }

  told() {
    const exact = this.at(this.lines.exact);
    const rows = [];
    if (this.under) {
      const left = this.at(this.under.line);
      const scaled = this.under.measured_at ? ` · measured at ${this.under.measured_at} and scaled` : "";
      rows.push([`After ${this.under.edit}`, `${bytes(left / 8)} (${(100 * left / exact).toFixed(left / exact < 0.1 ? 1 : 0)} %)${scaled}`]);
    }
    const taken = this.at(this.lines.trellis);
    if (taken) rows.push(["“Holds the most” takes", `${bytes(taken / 8)} (${(100 * taken / exact).toFixed(1)} %)`]);
    const { gray, corner, bounds } = this.lines;
    rows.push(["Best cover of this size", `${bytes(this.at(gray) / 8)} (plain gray, bound ${bounds.gray})`]);
    rows.push(["Worst cover", `${bytes(this.at(corner) / 8)} (all black, bound ${bounds.corner})`]);
    return { exact, rows };
  }
}
