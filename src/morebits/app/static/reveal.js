// The other view: any picture, and what is in it.
import * as api from "./api.js";
import { $, Progress, bytes, dropZone, fetchFile, pairs, say, seconds, stem } from "./dom.js";

const sending = new Progress("reveal-upload-work"), revealing = new Progress("reveal-work");
let picture = null, found = null;

export async function take(file) {
  say("reveal-upload-message");
  forgetAll();
  try {
    picture = await sending.during(`sending ${file.name}`, async (news, signal) => {
      const job = await api.send("/api/pictures", file, (fraction) => news({ fraction }), signal);
      return api.follow(job, news, signal);
    });
  } catch (error) { say("reveal-upload-message", error); return; }
  $("reveal-start").hidden = true; $("step-reveal").hidden = false;
  $("reveal-preview").src = api.preview(picture.picture);
  $("reveal-facts").textContent = `${picture.name} · ${picture.width}×${picture.height}`;
  clear();
  await reveal();
}

function clear() {
  $("reveal-verdict").hidden = true; $("reveal-text").hidden = true; $("reveal-download").hidden = true;
  $("reveal-more").replaceChildren();
  say("reveal-message");
}

async function reveal() {
  clear();
  if (found?.payload) api.forget([found.payload]);
  found = null;
  const fields = { task: "reveal", picture: picture.picture, key: $("reveal-key").value, seconds: Number($("reveal-seconds").value) };
  try {
    found = await revealing.during("looking", async (news, signal) => api.follow(await api.start(fields), news, signal));
    show();
    $("reveal-verdict").scrollIntoView({ block: "nearest" });
  } catch (error) { say("reveal-message", error); }
}

function show() {
  const verdict = $("reveal-verdict"), good = found.status === "found";
  verdict.hidden = false;
  verdict.className = `verdict ${good ? "good" : "bad"}`;
  if (!good) {
    verdict.textContent = found.why;
    pairs($("reveal-more"), [["Looked for", seconds(found.seconds)]]);
    return;
  }
  verdict.textContent = `Found: ${bytes(found.payload_bytes)}${found.text === null ? "" : " of text"}.`;
  $("reveal-text").hidden = found.text === null;
  $("reveal-text").textContent = found.text ?? "";
  $("reveal-download").hidden = false;
  pairs($("reveal-more"), [
    ["Undone", found.edits.length ? found.edits.join(", ") : "nothing had to be"],
    ["Hidden by", found.codec === "robust" ? "robust: survives edits" : `${found.codec}: lost with any edit`],
    ["Chance of an error", chance(found.p_value)],
    ["Took", seconds(found.seconds)],
  ]);
}

function chance(p) {
  const power = Math.floor(-Math.log10(p));
  return Number.isFinite(power) && power > 0
    ? `less than 1 in 10${[...String(power)].map((each) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[each]).join("")}` : `${p}`;
}

function again() {
  sending.cancel(); revealing.cancel();
  forgetAll();
  $("step-reveal").hidden = true; $("reveal-start").hidden = false;
}

function forgetAll() { api.forget(kept()); picture = null; found = null; }

export function set() {
  dropZone($("drop-reveal"), take);
  $("reveal-form").addEventListener("submit", (event) => { event.preventDefault(); reveal(); });
  $("reveal-another").addEventListener("click", again);
  $("reveal-download").addEventListener("click", () => {
    fetchFile(api.download(found.payload, `${stem(picture.name)}-payload${found.text === null ? ".bin" : ".txt"}`));
  });
}

export const kept = () => [picture?.picture, found?.payload].filter(Boolean);
