/** Fits the height of a text area to its text, in browsers without `field-sizing`. @param {HTMLTextAreaElement} box */
export function fitHeight(box) {
  if (CSS.supports('field-sizing', 'content')) return;
  box.style.height = 'auto';
  box.style.height = `${box.scrollHeight + 2}px`;
}
