// Keeps the progress bar of a running job up to date; without it the page reloads itself.
const panel = document.querySelector("[data-job]");
const bar = panel.querySelector("progress"), message = panel.querySelector("[data-message]");
const count = panel.querySelector("[data-count]");

async function look() {
  try {
    const response = await fetch(panel.dataset.job, { headers: { Accept: "application/json" } });
    // Signed out, or the job is gone: the page itself says so better than a bar that stands still.
    if (response.redirected || (response.status >= 400 && response.status < 500)) return location.reload();
    const job = await response.json();
    if (!["waiting", "running"].includes(job.state)) return location.reload();
    bar.max = job.total || 1;
    bar.value = job.done;
    if (job.message) message.textContent = job.message;
    count.textContent = job.total ? `${job.done} / ${job.total}` : "";
  } catch { /* a lost connection: look again */ }
  setTimeout(look, 1000);
}
look();
