// Highlights code that may still grow. A complete line is highlighted once; only the last line is highlighted again.

import { grammars } from './code-grammars.js';
import { tokensOf } from './code-tokens.js';
import { element } from './elements.js';

const MOST = 50_000; // characters of one block; the rest is shown without highlighting
const MOST_IN_LINE = 2000; // characters of one line, because the last line is read again at each change

/** @typedef {ReturnType<typeof createPainter>} Painter */

/** @param {any} code the element that shows it, empty @param {string} language a grammar's name */
export function createPainter(code, language) {
  const grammar = grammars[language];
  let painted = ''; // the complete lines
  let nodes = 0; // how many nodes show the complete lines
  let open = ''; // the kind of span that is still open after the complete lines
  const rest = document.createTextNode('');
  code.append(rest);

  /** @param {string} line @returns {string} the span that is still open after the line */
  function paintLine(line) {
    if (painted.length > MOST || line.length > MOST_IN_LINE) {
      rest.before(document.createTextNode(line));
      return open;
    }
    const read = tokensOf(grammar, line, open);
    rest.before(...read.tokens.map(nodeOf));
    return read.open;
  }

  return {
    /** @param {string} text */
    paint(text) {
      const kept = text.startsWith(painted);
      if (!kept) {
        painted = open = '';
        nodes = 0;
      }
      while (code.childNodes.length > nodes + 1) code.childNodes[nodes].remove();
      for (let end; (end = text.indexOf('\n', painted.length) + 1); ) {
        open = paintLine(text.slice(painted.length, end));
        painted = text.slice(0, end);
        nodes = code.childNodes.length - 1;
      }
      paintLine(text.slice(painted.length));
    },
  };
}

/** @param {import('./code-tokens.js').Token} token */
function nodeOf({ kind, text }) {
  return kind ? element('span', { class: `token-${kind}` }, text) : document.createTextNode(text);
}
