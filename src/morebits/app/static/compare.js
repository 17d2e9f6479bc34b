// Cover and marked with a seam between them, or their difference, amplified; whole or pixel by pixel.
import * as api from "./api.js";
import { make } from "./dom.js";

export class Compare {
  constructor(element) {
    this.element = element;
    this.build();
  }

  build() {
    this.under = make("img", { alt: "Cover", draggable: "false" });
    this.over = make("img", { alt: "Marked", class: "over", draggable: "false" });
    this.seam = make("div", { class: "seam" });
    this.canvas = make("canvas", { role: "img", "aria-label": "The difference, amplified" });
    this.left = make("span", { class: "tag left" }, "cover");
    this.right = make("span", { class: "tag right" }, "marked");
    this.viewer = make("div", { class: "viewer" }, this.under, this.over, this.canvas, this.seam, this.left, this.right);
    this.split = make("input", { type: "range", min: "0", max: "100", value: "50", "aria-label": "Cover on the left, marked on the right" });
    this.times = make("input", { type: "range", min: "0", max: "6", step: "1", value: "4", "aria-label": "Amplification" });
    this.amount = make("output", {}, "× 16");
    this.mode = this.segments("mode", [["slide", "Slide"], ["difference", "Difference"]]);
    this.zoom = this.segments("zoom", [["whole", "Whole"], ["pixels", "1:1"]]);
    this.place = make("output");
    this.splitDial = make("label", { class: "dial" }, make("span", {}, "Seam"), this.split, this.place);
    this.timesDial = make("label", { class: "dial" }, make("span", {}, "Amplified"), this.times, this.amount);
    this.fine = make("p", { class: "fine" });
    this.element.replaceChildren(make("div", { class: "mat" }, this.viewer), make("div", { class: "compare-bar" },
      make("div", { class: "pair" }, this.mode, this.zoom), this.splitDial, this.timesDial, this.fine));
    this.split.addEventListener("input", () => this.moved());
    this.times.addEventListener("input", () => this.paint());
    for (const each of [this.mode, this.zoom]) each.addEventListener("change", () => this.show());
    this.viewer.addEventListener("pointerdown", (event) => { this.held = true; this.drag(event); });
    this.viewer.addEventListener("pointermove", (event) => this.held && this.drag(event));
    addEventListener("pointerup", () => { this.held = false; });
  }

  segments(name, options) {
    const field = make("fieldset", { class: "segments" }, make("legend", { class: "away" }, name));
    options.forEach(([value, words], index) => field.append(make("label", {},
      make("input", { type: "radio", name: `compare-${name}`, value, checked: index === 0 }), make("span", {}, words))));
    return field;
  }

  value(field) { return field.querySelector("input:checked").value; }

  set(cover, marked) {
    this.cover = cover; this.marked = marked;
    this.centre = [marked.width / 2, marked.height / 2];
    this.viewer.style.setProperty("--shape", marked.width / marked.height); // nothing jumps while pictures load
    return this.show();
  }

  drag(event) {
    const box = this.viewer.getBoundingClientRect();
    const across = (event.clientX - box.left) / box.width, down = (event.clientY - box.top) / box.height;
    if (this.value(this.mode) === "slide") {
      this.split.value = 100 * across;
      this.moved();
    } else if (event.type === "pointerdown") {
      this.jump(across, down);
    }
  }

  // In the difference, a click goes to that place, pixel by pixel.
  jump(across, down) {
    const [left, top, width, height] = this.value(this.zoom) === "whole"
      ? [0, 0, this.marked.width, this.marked.height] : this.box();
    this.centre = [left + across * width, top + down * height];
    this.zoom.querySelector("[value=pixels]").checked = true;
    this.show();
  }

  moved() {
    this.viewer.style.setProperty("--split", `${this.split.value}%`);
    this.place.textContent = `${Math.round(this.split.value)} %`;
  }

  box() {
    const { width, height } = this.marked; // one pixel is one pixel
    const across = Math.min(this.viewer.clientWidth, width), down = Math.min(this.viewer.clientHeight, height);
    const place = (middle, part, all) => Math.round(Math.min(Math.max(0, middle - part / 2), all - part));
    return [place(this.centre[0], across, width), place(this.centre[1], down, height), across, down];
  }

  async show() {
    const pixels = this.value(this.zoom) === "pixels", slides = this.value(this.mode) === "slide";
    const [left, top, width, height] = this.box();
    const part = { left, top, width, height };
    const from = pixels
      ? [api.detail(this.marked.picture, { of: "cover", ...part }), api.detail(this.marked.picture, part)]
      : [api.preview(this.cover), api.preview(this.marked.picture)];
    [this.under.src, this.over.src] = from;
    this.viewer.classList.toggle("pixels", pixels);
    this.viewer.classList.toggle("plain", !slides);
    for (const each of [this.over, this.seam, this.left, this.right, this.splitDial]) each.hidden = !slides;
    this.under.hidden = !slides;
    this.canvas.hidden = slides; this.timesDial.hidden = slides;
    this.fine.textContent = this.words(pixels, slides);
    this.moved();
    if (!slides) await this.measure(pixels, from);
  }

  words(pixels, slides) {
    if (slides) return pixels ? "The middle, pixel by pixel. Drag the seam." : "Drag the seam: left of it is the cover.";
    if (pixels) return "Change of every pixel. Click to look elsewhere.";
    const { block } = this.marked;
    return block > 1 ? `Largest change in each ${block}×${block} pixels. Click to see the pixels there.` : "Change of every pixel. Click to look closer.";
  }

  async measure(pixels, [cover, marked]) {
    if (pixels) {
      const [a, b] = await Promise.all([samples(cover), samples(marked)]);
      this.changes = a;
      for (let i = 0; i < a.data.length; i++) a.data[i] = Math.abs(a.data[i] - b.data[i]);
    } else {
      this.changes = await samples(api.changes(this.marked.picture));
    }
    this.paint();
  }

  paint() {
    const times = 2 ** this.times.value;
    this.amount.textContent = `× ${times}`;
    if (!this.changes) return;
    const { width, height, data } = this.changes;
    const out = new ImageData(width, height);
    for (let i = 0; i < data.length; i += 4) {
      out.data[i] = times * data[i]; out.data[i + 1] = times * data[i + 1]; out.data[i + 2] = times * data[i + 2];
      out.data[i + 3] = 255;
    }
    this.canvas.width = width; this.canvas.height = height;
    this.canvas.getContext("2d").putImageData(out, 0, 0);
  }
}

async function samples(path) {
  const image = new Image();
  image.src = path;
  await image.decode();
  const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  pen.drawImage(image, 0, 0);
  return pen.getImageData(0, 0, canvas.width, canvas.height);
}
