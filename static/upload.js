// Drop files anywhere on the drop zone; without this the file field does the same.
const form = document.querySelector("[data-upload]");
const zone = form.querySelector(".drop"), input = form.querySelector("input[type=file]");

// A refused file is answered on the address that it was sent to: what is shown has one of its own, for a reload.
if (form.action !== location.href) history.replaceState(null, "", form.action);
for (const name of ["dragenter", "dragover"]) zone.addEventListener(name, (event) => {
  event.preventDefault();
  zone.classList.add("is-over");
});
for (const name of ["dragleave", "drop"]) zone.addEventListener(name, () => zone.classList.remove("is-over"));
zone.addEventListener("drop", (event) => {
  event.preventDefault();
  if (!event.dataTransfer.files.length) return;
  input.files = event.dataTransfer.files;
  input.dispatchEvent(new Event("change"));
});
// Chosen files are sent at once: one step less.
input.addEventListener("change", () => {
  if (!input.files.length) return;
  form.setAttribute("aria-busy", "true");
  form.noValidate = true;
  form.requestSubmit();
});
// The name field belongs to systems and links only.
for (const select of form.querySelectorAll(".file-set select")) {
  const field = select.parentElement.querySelector("input");
  const show = () => { field.hidden = !["system", "alignments"].includes(select.value); };
  select.addEventListener("change", show);
  show();
}
