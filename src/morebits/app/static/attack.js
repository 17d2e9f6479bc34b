// Step 4: edits of the marked picture, done for real after every move, and what survives them.
import * as api from "./api.js";
import { $, Progress, fetchFile, make, say, seconds, stem, whole } from "./dom.js";

const percent = (value) => `${Math.round(100 * value)} %`;
const KNOBS = [
  { word: "crop", name: "Crop", min: 0.3, max: 1, step: 0.01, neutral: 1, show: percent },
  { word: "rotate", name: "Turn", min: -45, max: 45, step: 1, neutral: 0, show: (value) => `${value}°` },
  { word: "resize", name: "Size", min: 0.25, max: 2, step: 0.05, neutral: 1, show: percent },
  { word: "perspective", name: "Tilt", min: 0, max: 0.6, step: 0.05, neutral: 0, show: (value) => `${value}` },
  { word: "brightness", name: "Brightness", min: 0.2, max: 2, step: 0.05, neutral: 1, show: percent },
  { word: "contrast", name: "Contrast", min: 0.2, max: 2, step: 0.05, neutral: 1, show: percent },
  { word: "saturation", name: "Saturation", min: 0, max: 2, step: 0.1, neutral: 1, show: percent },
  { word: "blur", name: "Blur", min: 1, max: 17, step: 2, neutral: 1, show: (value) => value === 1 ? "0 px" : `${value} px` },
  { word: "noise", name: "Noise", min: 0, max: 25, step: 1, neutral: 0, show: (value) => `${value}` },
  { word: "jpeg", name: "JPEG", min: 5, max: 100, step: 5, neutral: 100, show: (value) => value === 100 ? "none" : `${value}` },
];
const TOGGLES = [["hflip", "Mirror"], ["grayscale", "Gray"], ["emoji:0.25", "Smiley"], ["logo:0.2", "Logo"], ["text:0.08", "Text on it"]];
const PRESETS = [["social:1080", "Social network"], ["screenshot:0.8", "Screenshot"], ["crop:0.8|rotate:7|jpeg:70", "Cut, turned, compressed"], ["rotate:90", "On its side"], ["none", "Nothing"]];

const working = new Progress("attack-work"), many = new Progress("suite-work");
let marked = null, edited = null, seed = 0, waiting = null, revealed = [], written = [];

export function begin(found) {
  marked = found; edited = null; seed = 0;
  stop();
  $("step-attack").hidden = false;
  for (const id of ["attack-message", "suite-message"]) say(id);
  $("attack-verdict").hidden = true; $("attack-actions").hidden = true; $("log").hidden = true;
  $("edited-preview").src = api.preview(marked.picture); $("edited-preview").hidden = false;
  $("edited-facts").textContent = "Move a slider: the edit is done for real, and the result is read.";
  $("log-rows").replaceChildren(); $("suite-rows").replaceChildren(); $("suite-tally").textContent = "";
  neutral(); $("edits").value = "";
}

function neutral() {
  for (const knob of KNOBS) { knob.input.value = knob.neutral; shown(knob); }
  for (const each of [...$("toggles").children, ...$("presets").children]) each.setAttribute("aria-pressed", "false");
}

function shown(knob) {
  const value = Number(knob.input.value);
  knob.output.textContent = knob.show(value);
  knob.input.setAttribute("aria-valuetext", knob.show(value));
  knob.label.classList.toggle("on", value !== knob.neutral);
}

// The sliders and switches in the grammar of `morebits attack`; compression comes last.
function words() {
  const parts = KNOBS.filter((knob) => Number(knob.input.value) !== knob.neutral).map((knob) => `${knob.word}:${Number(knob.input.value)}`);
  const on = [...$("toggles").children].filter((each) => each.getAttribute("aria-pressed") === "true").map((each) => each.dataset.edits);
  const jpeg = parts.at(-1)?.startsWith("jpeg") ? [parts.pop()] : [];
  return [...parts, ...on, ...jpeg].join("|") || "none";
}

function moved() {
  for (const each of $("presets").children) each.setAttribute("aria-pressed", "false");
  $("edits").value = words();
  clearTimeout(waiting);
  waiting = setTimeout(() => attempt($("edits").value), 350);
}

async function attempt(edits) {
  clearTimeout(waiting);
  say("attack-message");
  const verdict = $("attack-verdict");
  verdict.classList.add("old");
  try {
    await working.during(`applying ${edits}`, async (news, signal) => {
      const job = await api.start({ task: "attack", picture: marked.picture, edits, seed });
      const before = edited;
      edited = await api.follow(job, news, signal);
      if (before) api.forget([before.picture]);
      $("edited-preview").src = api.preview(edited.picture);
      const facts = [make("b", {}, edited.edits), ` · ${edited.width}×${edited.height}`];
      $("edited-facts").replaceChildren(...facts);
      $("attack-actions").hidden = false;
      const next = await api.start({ task: "reveal", picture: edited.picture, key: marked.key, traces: !marked.fragile });
      const found = await api.follow(next, news, signal);
      tell(found, edited.edits);
    });
  } catch (error) {
    if (error.name !== "AbortError") verdict.hidden = true;
    say("attack-message", error);
  }
}

function tell(found, edits) {
  const verdict = $("attack-verdict"), survived = found.status === "found";
  verdict.hidden = false;
  verdict.className = `verdict ${survived ? "good" : "bad"}`;
  if (found.payload) { api.forget(revealed); revealed = [found.payload]; }
  const parts = survived
    ? ["Survived: ", found.text === null ? `${whole(found.payload_bytes)} bytes` : make("q", {}, clipped(found.text))]
    : [found.status === "altered" ? "Lost: a mark is there, but the picture was changed." : "Lost."];
  verdict.replaceChildren(...parts, make("small", {}, details(found, survived)));
  const row = make("button", { type: "button" }, make("span", { class: survived ? "yes" : "no" }, survived ? "✓" : "✗"), make("span", {}, edits), make("span", {}, seconds(found.seconds)));
  row.addEventListener("click", () => typed(edits));
  $("log-rows").prepend(make("li", {}, row));
  $("log").hidden = false;
}

const clipped = (text) => text.length > 80 ? `${text.slice(0, 79)}…` : text;

function details(found, survived) {
  const time = `read in ${seconds(found.seconds)}`;
  if (survived) return found.edits.length ? `undone: ${found.edits.join(", ")} · ${time}` : `nothing had to be undone · ${time}`;
  if (found.trace) return `The mark is still there (${found.trace}), but too little of it to read · looked ${seconds(found.seconds)}`;
  if (marked.fragile) return "What “Holds the most” hides is lost with any edit.";
  return `Nothing of it can be read any more · looked ${seconds(found.seconds)}`;
}

// What is written moves the sliders, as far as there is one for each word.
function typed(edits) {
  neutral();
  $("edits").value = edits;
  for (const word of edits.split("|").map((each) => each.trim())) {
    const [name, value] = word.split(":"), knob = KNOBS.find((each) => each.word === name);
    if (knob && value >= knob.min && value <= knob.max) { knob.input.value = value; shown(knob); }
    for (const each of $("toggles").children) if (each.dataset.edits === word) each.setAttribute("aria-pressed", "true");
  }
  attempt(edits);
}

async function suite(event) {
  event.preventDefault();
  say("suite-message");
  const list = $("suite-rows");
  const rows = (found, end) => {
    list.replaceChildren(...found.map((each) => make("li", { class: each.survived ? "" : "lost", title: `${each.edits}, ${seconds(each.seconds)}` },
      make("span", { class: each.survived ? "yes" : "no" }, each.survived ? "✓" : "✗"), each.label)));
    const count = found.filter((each) => each.survived).length;
    $("suite-tally").textContent = found.length ? `${count} of ${found.length} survived${end ? "" : " so far"}` : "";
  };
  try {
    rows(await many.during("trying", async (news, signal) => {
      const job = await api.start({ task: "trials", picture: marked.picture, suite: $("suite").value });
      return api.follow(job, (now) => { news(now); if (now.partial) rows(now.partial, false); }, signal);
    }), true);
  } catch (error) { say("suite-message", error); }
}

async function keep() {
  say("attack-message");
  try {
    const made = await working.during("writing", async (news, signal) =>
      api.follow(await api.start({ task: "save", picture: edited.picture }), news, signal));
    written.push(made.file);
    fetchFile(api.download(made.file, `${stem(marked.name)}-edited${made.name.slice(made.name.lastIndexOf("."))}`));
  } catch (error) { say("attack-message", error); }
}

export function set(about) {
  for (const knob of KNOBS) {
    const { min, max, step, name } = knob;
    knob.input = make("input", { type: "range", min: `${min}`, max: `${max}`, step: `${step}` });
    knob.output = make("output");
    knob.label = make("label", { class: "dial" }, make("span", {}, name), knob.input, knob.output);
    knob.input.addEventListener("input", () => { shown(knob); moved(); });
    $("knobs").append(knob.label);
  }
  for (const [edits, name] of TOGGLES) {
    const button = make("button", { type: "button", "aria-pressed": "false", "data-edits": edits }, name);
    button.addEventListener("click", () => { button.setAttribute("aria-pressed", button.getAttribute("aria-pressed") !== "true"); moved(); });
    $("toggles").append(button);
  }
  for (const [edits, name] of PRESETS) {
    const button = make("button", { type: "button", "aria-pressed": "false" }, name);
    button.addEventListener("click", () => { typed(edits); button.setAttribute("aria-pressed", "true"); });
    $("presets").append(button);
  }
  for (const [name, count] of Object.entries(about.suites)) $("suite").append(make("option", { value: name }, `${name}: ${count} edits`));
  $("suite").value = "quick";
  $("edits-form").addEventListener("submit", (event) => { event.preventDefault(); typed($("edits").value.trim() || "none"); });
  $("suite-form").addEventListener("submit", suite);
  $("attack-download").addEventListener("click", keep);
  $("shuffle").addEventListener("click", () => { seed += 1; attempt($("edits").value || "none"); });
  neutral();
}

export function stop() { clearTimeout(waiting); working.cancel(); many.cancel(); }

export const kept = () => [edited?.picture, ...revealed, ...written].filter(Boolean);
