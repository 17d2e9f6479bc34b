// Small helpers: elements, numbers as people read them, and progress that can be cancelled.

export const $ = (id) => document.getElementById(id);

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

export const whole = (number) => Math.floor(number).toLocaleString("en");

export function bytes(amount) {
  if (amount < 1024) return amount === 1 ? "1 byte" : `${whole(amount)} bytes`;
  for (const unit of ["KiB", "MiB", "GiB"]) {
    amount /= 1024;
    if (amount < 1024 || unit === "GiB") return `${amount.toFixed(amount < 100 ? 1 : 0)} ${unit}`;
  }
}

export const seconds = (amount) => amount < 10 ? `${amount.toFixed(1)} s` : `${Math.round(amount)} s`;

export function pairs(list, rows) {
  list.replaceChildren(...rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}

export function say(id, error) {
  if (error?.name === "AbortError") return;
  $(id).textContent = error ? error.message : "";
}

// Shows that something runs, for how long, and a button that stops it. One at a time: a new one
// takes the place of the one before, which is cancelled.
export class Progress {
  constructor(id) { this.element = $(id); this.running = null; }

  async during(words, task) {
    this.cancel();
    const controller = new AbortController();
    this.running = controller;
    const stage = make("span", { class: "stage" }, words), time = make("span", { class: "seconds" });
    const stop = make("button", { type: "button", class: "quiet" }, "Cancel");
    const fill = make("i"), bar = make("div", { class: "bar", role: "progressbar", "aria-label": words }, fill);
    stop.addEventListener("click", () => controller.abort());
    this.element.replaceChildren(stage, make("span", {}, time, " ", stop), bar);
    const began = performance.now();
    const tick = () => { time.textContent = seconds((performance.now() - began) / 1000); };
    const clock = setInterval(tick, 100);
    const late = setTimeout(() => this.element.classList.add("busy"), 120);
    tick();
    const news = ({ fraction = null, stage: now = "" }) => {
      if (now) stage.textContent = now;
      bar.classList.toggle("known", fraction !== null);
      if (fraction === null) { fill.style.removeProperty("width"); bar.removeAttribute("aria-valuenow"); return; }
      fill.style.setProperty("width", `${100 * fraction}%`);
      bar.setAttribute("aria-valuenow", Math.round(100 * fraction));
    };
    try {
      return await task(news, controller.signal);
    } finally {
      clearInterval(clock);
      clearTimeout(late);
      if (this.running === controller) {
        this.running = null;
        this.element.classList.remove("busy");
        this.element.replaceChildren();
      }
    }
  }

  cancel() { this.running?.abort(); this.running = null; }
}

// A place to drop, choose or paste a file.
export function dropZone(label, take) {
  const input = label.querySelector("input");
  input.addEventListener("change", () => { if (input.files[0]) take(input.files[0]); input.value = ""; });
  for (const kind of ["dragover", "dragenter"]) label.addEventListener(kind, (event) => { event.preventDefault(); label.classList.add("over"); });
  for (const kind of ["dragleave", "drop"]) label.addEventListener(kind, () => label.classList.remove("over"));
  label.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
  });
}

export function fetchFile(path) {
  const link = make("a", { href: path, download: "" });
  document.body.append(link);
  link.click();
  link.remove();
}

export const stem = (name) => name.replace(/\.[^.]+$/, "") || "picture";
export const chosen = (name) => document.querySelector(`input[name="${name}"]:checked`).value;
