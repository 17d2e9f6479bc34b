// Step 1: the photo, its curve, and what an edit leaves.
import * as api from "./api.js";
import { $, Progress, bytes, make, pairs, say, whole } from "./dom.js";
import { Chart } from "./chart.js";

const COMMON = [["crop:0.5", "Crop to half"], ["resize:0.5", "Half the size"], ["linjpeg:10", "JPEG"],
  ["rotate:10", "Turn 10°"], ["grayscale", "Gray"], ["brightness:0.5", "Half as bright"]];

const slider = $("chart-psnr");
const chart = new Chart($("chart"), (level) => { slider.value = level; move(); });
const measuring = new Progress("capacity-work"), underWork = new Progress("under-work");
let photo = null;

function move() {
  chart.level = Number(slider.value);
  chart.draw();
  tell();
}

function tell() {
  $("chart-level").textContent = `${chart.level} dB`;
  if (!chart.lines.exact) return;
  const { exact, rows } = chart.told();
  $("chart-bytes").textContent = bytes(exact / 8);
  $("chart-bits").textContent = `fit at ${chart.level} dB: ${whole(exact)} bits, ${(exact / chart.lines.samples).toFixed(2)} a sample, counted exactly`;
  if (chart.robust) rows.unshift([`“Survives edits” takes, at ${chart.robust[0]} dB`, bytes(chart.robust[1] / 8)]);
  pairs($("chart-more"), rows);
}

export async function begin(found) {
  stop();
  photo = found;
  chart.lines = {}; chart.under = null; chart.robust = null;
  $("chart").replaceChildren(); $("chart-more").replaceChildren();
  $("chart-bytes").textContent = "…"; $("chart-bits").textContent = "";
  say("under-message"); say("capacity-message");
  try {
    const lines = await measuring.during("counting", async (news, signal) => {
      const job = await api.start({ task: "capacity", picture: photo.picture });
      return api.follow(job, (now) => { news(now); if (now.partial) show(now.partial); }, signal);
    });
    show(lines);
  } catch (error) { say("capacity-message", error); }
}

function show(lines) { chart.lines = lines; move(); }

export function stop() { measuring.cancel(); underWork.cancel(); }

export function robust(psnr, amount) { chart.robust = [psnr, 8 * amount]; chart.draw(); tell(); }

async function under(edit) {
  say("under-message");
  $("under").value = edit;
  for (const chip of $("under-chips").children) chip.setAttribute("aria-pressed", chip.dataset.edit === edit);
  try {
    chart.under = await underWork.during(`measuring under ${edit}`, async (news, signal) => {
      const job = await api.start({ task: "under", picture: photo.picture, edit, certified: $("certified").checked });
      return api.follow(job, news, signal);
    });
    chart.draw(); tell();
  } catch (error) { say("under-message", error); }
}

export function set() {
  slider.addEventListener("input", move);
  $("under-form").addEventListener("submit", (event) => { event.preventDefault(); under($("under").value.trim()); });
  for (const [edit, words] of COMMON) {
    const chip = make("button", { type: "button", "data-edit": edit, "aria-pressed": "false" }, words);
    chip.addEventListener("click", () => under(edit));
    $("under-chips").append(chip);
  }
}
