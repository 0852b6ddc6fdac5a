// Answers the chat in place of the server, with three words per millisecond, and records the heights of the messages in
// `grown`, in pixels.

window.answerWith = (text) => {
  const real = window.fetch;
  const line = (chunk) => `data: ${JSON.stringify(chunk)}\n\n`;
  const words = text.split(/(?<= )/).map((delta) => line({ type: 'text-delta', id: 't', delta }));
  const lines = [
    line({ type: 'start', messageId: 'm' }),
    line({ type: 'text-start', id: 't' }),
    ...words,
  ];
  const bytes = new TextEncoder();
  /** @type {() => void} */
  let finish;
  // Searching for the last word from outside would take the page more time than the reply itself.
  window.replied = new Promise((resolve) => (finish = resolve));

  /** A source of the reply's bytes. */
  const source = {
    async pull(stream) {
      await new Promise((resolve) => setTimeout(resolve, 4));
      for (const each of lines.splice(0, 12)) stream.enqueue(bytes.encode(each));
      if (!lines.length) await new Promise(() => setTimeout(finish, 200)); // the reply goes on
    },
  };

  const watch = () => {
    const list = document.querySelector('.messages');
    if (!list) return void setTimeout(watch, 1);
    new ResizeObserver(([{ contentRect }]) => window.grown.add(contentRect.height)).observe(list);
  };

  window.grown = new Set();
  window.fetch = (address, options) => {
    if (!`${address}`.endsWith('/api/ai/chat')) return real(address, options);
    watch();
    return Promise.resolve(new Response(new ReadableStream(source), { headers: { 'Content-Type': 'text/event-stream' } }));
  };
};
