// Step 2: what to hide and how; step 3: look at it, take it away.
import * as api from "./api.js";
import { $, Progress, bytes, chosen, dropZone, fetchFile, make, pairs, say, seconds, stem, whole } from "./dom.js";
import { Compare } from "./compare.js";
import * as measure from "./measure.js";

const SUITES = { "paper-compact": "usual edits", quick: "a handful of edits", wild: "whatever people meet", paper: "all of the paper’s edits" };
const hiding = new Progress("hide-work"), saving = new Progress("save-work"), trying = new Progress("room-work");
const compare = new Compare($("compare"));
let page = null, photo = null, file = null, marked = null, written = [], done = () => {};

export function begin(found) {
  photo = found; marked = null; written = [];
  stop();
  for (const id of ["hide-message", "save-message", "room-message"]) say(id);
  changed();
}

function how() {
  const codec = chosen("codec");
  const fixed = codec === "trellis" || chosen("quality") === "psnr";
  const fields = { codec, psnr: fixed ? Number($("psnr").value) : null };
  if (codec === "trellis") return { ...fields, mask: $("mask").checked };
  const survive = $("survive").value;
  const own = $("own").value.split("\n").map((line) => line.trim()).filter(Boolean);
  if (survive === "own") fields.survive = own;
  else if (survive) fields.survive = [survive];
  return fields;
}

// Shows the fields that the choices need.
function changed() {
  const robust = chosen("codec") === "robust", text = chosen("payload") === "text";
  const best = robust && chosen("quality") === "best";
  $("text-field").hidden = !text; $("drop-payload").hidden = text;
  $("quality-kind").hidden = !robust; $("survive-field").hidden = !robust; $("mask-field").hidden = robust;
  $("psnr-dial").hidden = best;
  $("psnr-name").textContent = robust ? "PSNR" : "Lowest PSNR";
  $("psnr-level").textContent = `${$("psnr").value} dB`;
  const none = $("survive").querySelector("option[value='']");
  none.disabled = best;
  if (best && !$("survive").value) $("survive").value = "paper-compact";
  $("own-field").hidden = !robust || $("survive").value !== "own";
  $("key-fine").textContent = $("key").value
    ? "Encrypted: without the key nobody can read it."
    : "Without a key anyone with morebits can read it.";
  const size = text ? new TextEncoder().encode($("text").value).length : file?.bytes;
  $("payload-size").textContent = size === undefined ? "" : bytes(size);
  room(robust);
}

function room(robust) {
  const fine = $("room");
  if (!photo) return;
  if (!robust) { fine.textContent = "The chart above says how many bytes it takes."; return; }
  const button = make("button", { type: "button" }, "Measure how many bytes come back");
  button.addEventListener("click", () => measureRoom());
  const large = photo.width * photo.height > 4e6 ? " (a minute or more for a photo of this size)" : "";
  fine.replaceChildren(button, large);
}

async function measureRoom() {
  say("room-message");
  const fields = how();
  try {
    const found = await trying.during("trying how much comes back", async (news, signal) =>
      api.follow(await api.start({ task: "room", picture: photo.picture, ...fields }), news, signal));
    const level = fields.psnr ?? 45;
    $("room").textContent = `${whole(found.bytes)} bytes come back at ${level} dB.`;
    measure.robust(level, found.bytes);
  } catch (error) { say("room-message", error); }
}

async function take(given) {
  say("hide-message");
  try {
    const before = keptFile();
    file = await api.send("/api/payloads", given, () => {});
    api.forget(before);
    $("payload-name").textContent = file.name;
  } catch (error) { file = null; say("hide-message", error); }
  changed();
}

async function hide(event) {
  event.preventDefault();
  say("hide-message");
  const fields = { task: "hide", picture: photo.picture, key: $("key").value, ...how() };
  if (chosen("payload") === "text") fields.text = $("text").value;
  else fields.payload = file?.payload;
  if (!fields.text && !fields.payload) {
    say("hide-message", new Error("Nothing to hide yet: write a text or choose a file."));
    return;
  }
  $("hide-button").disabled = true;
  try {
    const made = await hiding.during("hiding", async (news, signal) => api.follow(await api.start(fields), news, signal));
    api.forget(kept()); // the one before
    marked = made; written = [];
    marked.key = fields.key;
    show();
    done(marked);
  } catch (error) { say("hide-message", error); }
  $("hide-button").disabled = false;
}

function show() {
  $("step-look").hidden = false;
  const level = marked.psnr === null ? "no sample had to change" : `${marked.psnr.toFixed(2)} dB`;
  const share = 100 * marked.message_bits / marked.bound_bits;
  $("hidden-words").textContent = `${whole(marked.payload_bytes)} ${marked.payload_bytes === 1 ? "byte is" : "bytes are"} in there.`;
  pairs($("hidden-facts"), [
    ["PSNR", level],
    ["Samples changed", `${(100 * marked.changed).toFixed(1)} %`],
    ["Full", `${share < 0.1 ? share.toPrecision(1) : share.toFixed(1)} % of what is possible at ${marked.bound_psnr.toFixed(1)} dB`],
    ["Survives", survives()],
    ["Who can read it", marked.encrypted ? "whoever has the key" : "anyone with morebits"],
    ["Took", seconds(marked.seconds)],
  ]);
  $("save-suffix").replaceChildren(...page.files.filter((each) => each.lossless || !marked.fragile)
    .map(({ suffix, lossless }) => make("option", { value: suffix }, `${suffix.slice(1).toUpperCase()}${lossless ? " (every pixel)" : ""}`)));
  if (!marked.fragile) $("save-suffix").value = ".jpg";
  saveChanged();
  compare.set(photo.picture, marked);
  $("step-look").scrollIntoView();
}

function survives() {
  if (marked.fragile) return "no edit at all: send it as a file";
  const tried = marked.survives;
  if (!tried.length) return "no edit was tried yet: do that below";
  return tried.length > 3 ? `${tried.slice(0, 3).join(", ")} and ${tried.length - 3} more, each tried` : `${tried.join(", ")}, tried`;
}

function saveChanged() {
  const lossy = !page.files.find((each) => each.suffix === $("save-suffix").value)?.lossless;
  $("save-quality-field").hidden = !lossy;
}

async function save(event) {
  event.preventDefault();
  say("save-message");
  const suffix = $("save-suffix").value;
  const quality = $("save-quality-field").hidden ? null : Number($("save-quality").value);
  try {
    const made = await saving.during("writing", async (news, signal) =>
      api.follow(await api.start({ task: "save", picture: marked.picture, suffix, quality }), news, signal));
    written.push(made.file);
    fetchFile(api.download(made.file, `${stem(photo.name)}-marked${suffix}`));
  } catch (error) { say("save-message", error); }
}

export function set(about, whenDone) {
  page = about; done = whenDone;
  $("survive").append(make("option", { value: "" }, "no edit is tried (quick)"));
  for (const [name, words] of Object.entries(SUITES)) {
    $("survive").append(make("option", { value: name }, `${words} (${about.suites[name]})`));
  }
  $("survive").append(make("option", { value: "own" }, "my own edits …"));
  $("hide-form").addEventListener("change", (event) => {
    say("hide-message"); // it was about other choices
    if (event.target.name === "codec") $("psnr").value = event.target.value === "robust" ? 45 : 42;
    changed();
  });
  for (const id of ["psnr", "text", "key"]) $(id).addEventListener("input", changed);
  $("hide-form").addEventListener("submit", hide);
  $("save-form").addEventListener("submit", save);
  $("save-suffix").addEventListener("change", saveChanged);
  dropZone($("drop-payload"), take);
}

export function stop() { for (const each of [hiding, saving, trying]) each.cancel(); }

// The file to hide stays for the next photo.
export const kept = () => [marked?.picture, ...written].filter(Boolean);
export const keptFile = () => [file?.payload].filter(Boolean);
