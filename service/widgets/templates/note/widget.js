// @ts-check
// A note: its text is an output, and an input replaces it. The messages are those of the contract,
// sent without a library.

const main = /** @type {HTMLElement} */ (document.getElementById("widget"));
const area = document.createElement("textarea");
area.className = "note";
area.setAttribute("aria-label", "Note");
main.append(area);

function announce() {
  const update = { type: "widget-io-output-update", slotId: "text", value: { value: area.value } };
  window.parent.postMessage(update, "*"); // an opaque origin can't be named, and a note is no secret
}

/** @param {unknown} value The object of an input: a scalar is under `value`. */
function textOf(value) {
  const inner = value && typeof value === "object" && "value" in value ? value.value : value;
  return typeof inner === "string" ? inner : JSON.stringify(inner, null, 2);
}

area.addEventListener("input", announce);
window.addEventListener("message", (event) => {
  if (event.source !== window.parent || event.data?.type !== "widget-io-input-update") return;
  if (event.data.slotId !== "fill") return;
  area.value = textOf(event.data.value);
  announce();
});
