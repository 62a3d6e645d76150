// Files can be dropped on the drop zone; without scripts the file field does the same.
import { findAll, get } from "./dom.js";

const form = /** @type {HTMLFormElement} */ (get("[data-upload]")), zone = get(".drop", form);
const input = /** @type {HTMLInputElement} */ (get("input[type=file]", form));

// A refused file is answered at the URL it was posted to. The upload has a URL of its own, which survives a reload.
if (form.action !== location.href) history.replaceState(null, "", form.action);

for (const name of ["dragenter", "dragover"]) {
  zone.addEventListener(name, (event) => {
    event.preventDefault();
    zone.classList.add("is-over");
  });
}
for (const name of ["dragleave", "drop"]) zone.addEventListener(name, () => zone.classList.remove("is-over"));
zone.addEventListener("drop", (event) => {
  event.preventDefault();
  const files = event.dataTransfer?.files;
  if (!files?.length) return;
  input.files = files;
  input.dispatchEvent(new Event("change"));
});
// Chosen files are sent at once: one step less.
input.addEventListener("change", () => {
  if (!input.files?.length) return;
  form.setAttribute("aria-busy", "true");
  form.noValidate = true;
  form.requestSubmit();
});
// Only systems and alignments have a name.
for (const element of findAll(".file-set select", form)) {
  const select = /** @type {HTMLSelectElement} */ (element);
  const field = get("input", /** @type {HTMLElement} */ (select.parentElement));
  const showField = () => { field.hidden = !["system", "alignments"].includes(select.value); };
  select.addEventListener("change", showField);
  showField();
}
