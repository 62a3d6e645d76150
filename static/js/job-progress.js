// Keeps the progress bar of a running job up to date; without scripts the page reloads itself. Where the panel says
// what to show when the job is over (data-ready), the page stays as it is, because a form on it may have been changed.
import { get } from "./dom.js";

const INTERVAL = 1000; // milliseconds
const panel = get("[data-job]"), message = get("[data-message]", panel), count = get("[data-count]", panel);
const bar = /** @type {HTMLProgressElement} */ (get("progress", panel));

async function update() {
  try {
    const response = await fetch(panel.dataset.job ?? "", { headers: { Accept: "application/json" } });
    // Signed out, or the job no longer exists: the page itself explains that.
    if (response.redirected || (response.status >= 400 && response.status < 500)) return location.reload();
    const job = await response.json();
    const isOver = !["waiting", "running"].includes(job.state);
    if (isOver && !panel.dataset.ready) return location.reload();
    bar.max = job.total || 1;
    bar.value = job.done;
    if (isOver) {
      message.textContent = job.state === "done" ? panel.dataset.ready ?? "" : job.message;
      return;
    }
    if (job.message) message.textContent = job.message;
    count.textContent = job.total ? `${job.done} / ${job.total}` : "";
  } catch { /* the connection is lost: try again */ }
  setTimeout(update, INTERVAL);
}
update();
