"""What the scenario `canvas` does in the browser: the page's side of each measurement.

The host's page is that of the console. The floor is the same page with the same frames and without
a host: an empty box that moves, frames that say hello to nobody, messages that go straight on.
"""

# Runs in every document before its own scripts. `seen` notes when the canvas is there.
WATCH = """([widgets, connections]) => {
  if (self !== top) return;
  const seen = (self.seen = { hellos: 0, greeted: 0, painted: 0 });
  addEventListener('message', ({ data }) => {
    if (data?.type === 'widget-hello' && ++seen.hellos === widgets) seen.greeted = performance.now();
  });
  const count = (selector) => document.querySelectorAll(selector).length;
  const look = () => {
    if (count('article.shape') < widgets || count('.canvas-lines .line') < connections) return requestAnimationFrame(look);
    requestAnimationFrame(() => (seen.painted = performance.now()));
  };
  requestAnimationFrame(look);
}"""  # noqa: E501

SEEN = "() => ({ ...self.seen })"

# As many frames of the same page, without a host; six load at once, as with it.
MOUNT = """async ([url, widgets]) => {
  const began = performance.now();
  Object.assign(self.seen, { hellos: 0, greeted: 0 });
  const surface = document.body.appendChild(document.createElement('div'));
  surface.style.cssText = 'position: fixed; inset: 0; background: white; overflow: hidden';
  const waiting = Array.from({ length: widgets }, (_, at) => {
    const frame = document.createElement('iframe');
    frame.sandbox = 'allow-scripts';
    frame.src = `${url}#wn=${at}`;
    frame.style.cssText = `position: absolute; left: ${(at % 10) * 128}px; top: ${Math.floor(at / 10) * 80}px; width: 100px; height: 60px`;
    frame.onload = next;
    return frame;
  });
  function next() {
    const frame = waiting.shift();
    if (frame) surface.append(frame);
  }
  for (let at = 0; at < 6; at += 1) next();
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  self.seen.painted = performance.now() - began;
  while (!self.seen.greeted) await new Promise((resolve) => setTimeout(resolve, 5));
  self.seen.greeted -= began;
}"""  # noqa: E501

# One move in each frame that the browser draws; returns frames a second. A box without a `grip` is
# moved by itself, which is the floor.
DRAG = """async ([selector, frames]) => {
  const grip = selector ? document.querySelector(selector) : null;
  const box = grip ? null : document.body.appendChild(document.createElement('div'));
  if (box) box.style.cssText = 'position: absolute; left: 0; top: 0; width: 64px; height: 48px; background: red';
  const { left, top } = (grip ?? box).getBoundingClientRect();
  const move = (dx, dy) => {
    if (box) box.style.transform = `translate(${dx}px, ${dy}px)`;
    else grip.dispatchEvent(new PointerEvent('pointermove',
      { pointerId: self.pointer, isPrimary: true, bubbles: true, clientX: left + 3 + dx, clientY: top + 3 + dy }));
  };
  const next = () => new Promise(requestAnimationFrame);
  const began = await next();
  let now = began;
  for (let at = 1; at <= frames; at += 1) {
    move(10 + at, at % 40);
    now = await next();
  }
  box?.remove();
  return (1000 * frames) / (now - began);
}"""  # noqa: E501

NOTE_POINTER = (
    """() => addEventListener('pointerdown', ({ pointerId }) => (self.pointer = pointerId), true)"""
)

# Milliseconds from the first widget's output until the last one's.
CHAIN = """(run) => new Promise((resolve) => {
  let began = 0;
  addEventListener('message', function listen({ data }) {
    if (data?.type !== 'widget-io-output-update' || data.value.run !== run) return;
    began ||= performance.now();
    if (data.value.hops > 0) return;
    removeEventListener('message', listen);
    resolve(performance.now() - began);
  });
})"""

# The same where the page only passes a message to the next frame.
BARE_CHAIN = """(frames) => new Promise((resolve) => {
  const targets = [...document.querySelectorAll('iframe')].slice(0, frames);
  const began = performance.now();
  let at = 0;
  const send = () => targets[at].contentWindow.postMessage({ type: 'bare' }, '*');
  addEventListener('message', function listen({ data }) {
    if (data?.type !== 'bare') return;
    at += 1;
    if (at < frames) return send();
    removeEventListener('message', listen);
    resolve(performance.now() - began);
  });
  send();
})"""

ECHO = """() => addEventListener('message', ({ data }) => data.type === 'bare' && parent.postMessage(data, '*'))"""  # noqa: E501

# The longest time between two drawn frames of the page, until all of a burst has arrived and for a
# second after it, when the effects are over.
GAP = """(count) => new Promise((resolve) => {
  let [longest, last, ends, arrived] = [0, performance.now(), Infinity, 0];
  addEventListener('message', function listen({ data }) {
    if (data?.value?.burst && ++arrived === count) {
      removeEventListener('message', listen);
      ends = performance.now() + 1000;
    }
  });
  const look = () => {
    const now = performance.now();
    [longest, last] = [Math.max(longest, now - last), now];
    if (now < ends) requestAnimationFrame(look);
    else resolve(longest);
  };
  requestAnimationFrame(look);
})"""

BURST = """(count) => {
  for (let at = 0; at < count; at += 1) relay.setOutput('out', { hops: 0, burst: true, at });
}"""

BARE_BURST = """(count) => {
  for (let at = 0; at < count; at += 1) parent.postMessage({ value: { hops: 0, burst: true, at } }, '*');
}"""  # noqa: E501
