// Highlights code that may still grow. A complete line is read once; only the last one is painted again.

import { grammars } from './code-grammars.js';
import { tokensOf } from './code-tokens.js';
import { element } from './elements.js';

const MOST = 50_000; // characters of one block; what follows is shown as it is
const MOST_IN_LINE = 2000; // of one line, because the last line is read at each change

/** @typedef {ReturnType<typeof createPainter>} Painter */

/** @param {any} code the element that shows it, empty @param {string} language a grammar's name */
export function createPainter(code, language) {
  const grammar = grammars[language];
  let painted = ''; // the complete lines
  let nodes = 0; // that show them
  let open = ''; // the span that goes on behind them
  const rest = document.createTextNode('');
  code.append(rest);

  /** @param {string} line @returns {string} the span that goes on behind it */
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
