// The page: views, the first photo, and leaving nothing behind.
import * as api from "./api.js";
import * as attack from "./attack.js";
import * as hide from "./hide.js";
import * as measure from "./measure.js";
import * as reveal from "./reveal.js";
import { $, Progress, dropZone, say, whole } from "./dom.js";

const sending = new Progress("upload-work");
let photo = null, view = "hide";

function look(wanted) {
  view = wanted;
  for (const button of document.querySelectorAll("[data-view]")) {
    if (button.dataset.view === wanted) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
  }
  for (const each of ["hide", "reveal"]) $(`view-${each}`).hidden = each !== wanted;
}

async function take(file) {
  say("upload-message");
  again();
  try {
    photo = await sending.during(`sending ${file.name}`, async (news, signal) => {
      const job = await api.send("/api/pictures", file, (fraction) => news({ fraction }), signal);
      return api.follow(job, news, signal);
    });
  } catch (error) { say("upload-message", error); return; }
  $("start").hidden = true;
  $("step-photo").hidden = false; $("step-hide").hidden = false;
  $("cover-preview").src = api.preview(photo.picture);
  const size = `${photo.width}×${photo.height} · ${(photo.width * photo.height / 1e6).toFixed(1)} megapixels`;
  const notes = photo.notes.length ? ` · ${photo.notes.join(", ")}` : "";
  $("cover-facts").textContent = `${photo.name} · ${size}${photo.depth > 8 ? ` · ${photo.depth} bits` : ""}${notes}`;
  hide.begin(photo);
  measure.begin(photo);
}

function again() {
  sending.cancel();
  for (const each of [measure, hide, attack]) each.stop();
  api.forget(kept());
  photo = null;
  $("start").hidden = false;
  for (const id of ["step-photo", "step-hide", "step-look", "step-attack"]) $(id).hidden = true;
}

const kept = () => [photo?.picture, ...hide.kept(), ...attack.kept()].filter(Boolean);

function pasted(event) {
  const file = [...event.clipboardData.files][0];
  if (!file) return;
  event.preventDefault();
  if (view === "reveal") reveal.take(file);
  else if ($("start").hidden === false) take(file);
}

function showKeys() {
  for (const button of document.querySelectorAll("[data-show]")) {
    button.addEventListener("click", () => {
      const field = $(button.dataset.show), hidden = field.type === "password";
      field.type = hidden ? "text" : "password";
      button.textContent = hidden ? "Hide" : "Show";
      button.setAttribute("aria-pressed", hidden);
    });
  }
}

async function begin() {
  const about = await api.about();
  $("limits").textContent = `Up to ${whole(about.max_bytes / 1e6)} MB and ${whole(about.max_pixels / 1e6)} megapixels. JPEG, PNG, WebP, TIFF, AVIF, 8 or 16 bits.`;
  if (!about.local) { $("local").textContent = "Open to others who reach this address"; $("local").classList.add("open"); }
  $("about").textContent = `morebits ${about.version} · Pictures lie in a private temporary folder of this machine; they go when you close this page or end the server, and after ${about.keep_minutes} minutes without use.`;
  measure.set();
  hide.set(about, attack.begin);
  attack.set(about);
  reveal.set();
  showKeys();
  for (const button of document.querySelectorAll("[data-view]")) button.addEventListener("click", () => look(button.dataset.view));
  dropZone($("drop-cover"), take);
  $("another").addEventListener("click", again);
  addEventListener("paste", pasted);
  for (const kind of ["dragover", "drop"]) addEventListener(kind, (event) => event.preventDefault());
  addEventListener("pagehide", (event) => { if (!event.persisted) api.leave([...kept(), ...hide.keptFile(), ...reveal.kept()]); });
  document.body.dataset.ready = "yes";
}

begin().catch((error) => say("upload-message", error));
