// As much of a document as rendering Markdown, cards and forms needs, and its nodes as text.

class Node {
  parentNode = null;
  get parentElement() {
    return this.parentNode;
  }
  remove() {
    if (!this.parentNode) return;
    const { childNodes } = this.parentNode;
    childNodes.splice(childNodes.indexOf(this), 1);
    this.parentNode = null;
  }
  before(...nodes) {
    const { parentNode } = this;
    for (const node of nodes) {
      node.parentNode?.childNodes.splice(node.parentNode.childNodes.indexOf(node), 1);
      node.parentNode = parentNode;
      parentNode.childNodes.splice(parentNode.childNodes.indexOf(this), 0, node);
    }
  }
  replaceWith(node) {
    this.before(node);
    this.remove();
  }
}

class Text extends Node {
  constructor(data) {
    super();
    this.data = data;
  }
  appendData(more) {
    this.data += more;
  }
}

class Element extends Node {
  childNodes = [];
  attributes = {};
  dataset = {};
  listeners = {};
  validity = { badInput: false };
  classList = { add() {}, remove() {}, toggle() {} };
  constructor(tag) {
    super();
    this.tag = tag;
  }
  setAttribute(name, value) {
    this.attributes[name] = value;
  }
  getAttribute(name) {
    return this.attributes[name] ?? null;
  }
  removeAttribute(name) {
    delete this.attributes[name];
  }
  append(...nodes) {
    for (const node of nodes) {
      const child = typeof node === 'string' ? new Text(node) : node;
      child.parentNode = this;
      this.childNodes.push(child);
    }
  }
  insertBefore(node, before) {
    if (before) before.before(node);
    else this.append(node);
  }
  replaceChildren(...nodes) {
    this.childNodes = [];
    this.append(...nodes);
  }
  get lastChild() {
    return this.childNodes.at(-1) ?? null;
  }
  set textContent(text) {
    this.replaceChildren(...(text ? [text] : []));
  }
  get textContent() {
    return this.childNodes.map((node) => node.data ?? node.textContent).join('');
  }
  get childElementCount() {
    return this.childNodes.filter((node) => node.tag).length;
  }
  addEventListener(type, listener) {
    const before = this.listeners[type];
    this.listeners[type] = (event) => (before?.(event), listener(event));
  }
  removeEventListener() {}
  showModal() {}
  close(value) {
    this.returnValue = value;
    this.listeners.close({ target: this });
  }
  toggleAttribute(name, on) {
    if (on) this.setAttribute(name, '');
    else this.removeAttribute(name);
  }
  contains(node) {
    return node === this || this.childNodes.some((each) => each.contains?.(node));
  }
  focus() {}
  scrollIntoView() {}
  checkVisibility() {
    return !this.hidden;
  }
  querySelector() {
    return null;
  }
}

globalThis.HTMLIFrameElement = class {}; // there are no frames
globalThis.CSS = { escape: (text) => text, supports: () => true };
globalThis.addEventListener = globalThis.removeEventListener = () => {};
globalThis.document = {
  createElement: (tag) => new Element(tag),
  createElementNS: (_space, tag) => new Element(tag),
  createTextNode: (data) => new Text(data),
  body: new Element('body'),
  addEventListener() {},
  removeEventListener() {},
  hasFocus: () => true,
};

/** A node as text. Two texts side by side stay apart. */
export function shown(node) {
  if (!node.tag) return `"${node.data}"`;
  const attributes = Object.entries(node.attributes).map(([name, value]) => ` ${name}=${value}`).join('');
  return `<${node.tag}${attributes}>${node.childNodes.map(shown).join('')}</>`;
}
