// Requests to the server of this page, and jobs that are followed until they end.

export class PageError extends Error {
  constructor(told) { super(told.message); this.kind = told.kind; this.fits = told.fits; }
}

const OWN = { "x-morebits": "page" };

async function answer(response) {
  const body = response.status === 204 ? {} : await response.json();
  if (!response.ok) throw new PageError(body.error);
  return body;
}

async function ask(path, options = {}) {
  try {
    return await answer(await fetch(path, { ...options, headers: OWN }));
  } catch (error) {
    if (error instanceof TypeError) {
      throw new PageError({ kind: "Gone", message: "The server of this page does not answer: start it again with `morebits app`." });
    }
    throw error;
  }
}

let limit = Infinity; // bytes of a file

export async function about() {
  const found = await ask("/api/about");
  limit = found.max_bytes;
  return found;
}

export const preview = (id) => `/api/pictures/${id}/preview`;
export const changes = (id) => `/api/pictures/${id}/changes`;
export const detail = (id, box) => `/api/pictures/${id}/detail?${new URLSearchParams(box)}`;
export const download = (id, name) => `/api/files/${id}?${new URLSearchParams({ name })}`;

const running = new Set(); // jobs of this page

// When the page is left: nothing goes on, and nothing is kept.
export function leave(ids) {
  for (const id of running) fetch(`/api/jobs/${id}`, { method: "DELETE", headers: OWN, keepalive: true }).catch(() => {});
  forget(ids);
}

// In one request: a browser that closes may not send a second one.
export function forget(ids) {
  if (ids.length) fetch(`/api/kept/${ids.join(",")}`, { method: "DELETE", headers: OWN, keepalive: true }).catch(() => {});
}

// Sends a file as it is; `news` gets the fraction sent.
export function send(path, file, news, signal) {
  if (file.size > limit) {
    const [size, most] = [file.size, limit].map((each) => each.toLocaleString("en"));
    const fix = "use a smaller file, or raise the limit with --max-megabytes";
    return Promise.reject(new PageError({ message: `${file.name} needs ${size} bytes, the limit is ${most}; ${fix}` }));
  }
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `${path}?${new URLSearchParams({ name: file.name || "pasted.png" })}`);
    request.setRequestHeader("x-morebits", "page");
    request.responseType = "json";
    request.upload.onprogress = (event) => event.lengthComputable && news(event.loaded / event.total);
    request.onload = () => request.status === 200
      ? resolve(request.response)
      : reject(new PageError(request.response?.error ?? { message: `The server answered ${request.status}.` }));
    request.onerror = () => reject(new PageError({ message: "The file could not be sent: it may be too large, or the server is gone." }));
    request.onabort = () => reject(new DOMException("", "AbortError"));
    signal?.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

export const start = (fields) => ask("/api/jobs", { method: "POST", body: JSON.stringify(fields) });

// Follows a job until it ends; its result, or an error. An aborted signal cancels it.
export async function follow(job, news, signal) {
  const cancel = () => fetch(`/api/jobs/${job.job}`, { method: "DELETE", headers: OWN }).catch(() => {});
  signal?.addEventListener("abort", cancel);
  running.add(job.job);
  try {
    if (signal?.aborted) cancel();
    for (;;) {
      if (signal?.aborted || job.state === "cancelled") throw new DOMException("", "AbortError");
      if (job.state === "failed") throw new PageError(job.error);
      if (job.state === "done") return job.result;
      news(job);
      job = await ask(`/api/jobs/${job.job}?after=${job.version}`);
    }
  } finally {
    running.delete(job.job);
    signal?.removeEventListener("abort", cancel);
  }
}
