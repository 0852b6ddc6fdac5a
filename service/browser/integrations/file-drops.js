// Receives files that are dropped or pasted.

const hasFiles = (/** @type {DragEvent} */ { dataTransfer }) => dataTransfer?.types.includes('Files') ?? false;

/** Takes files that are dropped on a node or pasted into it. @param {HTMLElement} node @param {(files: File[]) => void} take */
export function receiveFiles(node, take) {
  /** @param {DragEvent} event */
  function over(event) {
    if (!hasFiles(event)) return;
    event.preventDefault();
    event.stopPropagation();
    node.classList.add('is-target');
  }

  /** @param {DragEvent} event */
  function leave({ relatedTarget }) {
    if (!(relatedTarget instanceof Node && node.contains(relatedTarget))) node.classList.remove('is-target');
  }

  /** @param {DragEvent} event */
  function drop(event) {
    node.classList.remove('is-target');
    if (!hasFiles(event)) return;
    event.preventDefault();
    take([...(event.dataTransfer?.files ?? [])]);
  }

  /** @param {ClipboardEvent} event */
  function paste(event) {
    const files = [...(event.clipboardData?.files ?? [])];
    if (!files.length) return;
    event.preventDefault();
    take(files);
  }

  node.addEventListener('dragover', over);
  node.addEventListener('dragleave', leave);
  node.addEventListener('drop', drop);
  node.addEventListener('paste', paste);
}

/** Refuses files that are dropped beside the fields: the browser would leave the page and open the file. @param {HTMLElement} node */
export function refuseFiles(node) {
  node.addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = 'none';
  });
}
