"""Events of the keyboard and of presses that a browser under test can't be made to send."""

# A browser on Windows says of a sign with AltGr that Control and Alt are pressed too.
ALT_GR = """(field, key) => field.dispatchEvent(new KeyboardEvent('keydown', {
  key, ctrlKey: true, altKey: true, modifierAltGraph: true, bubbles: true, cancelable: true }))"""

# While an input method composes a text, its keys choose and give up candidates. Safari sends the
# key that ends the composition after it: only the code tells of the input method.
COMPOSING = """(field, key) => {
  for (const state of [{ isComposing: true }, { keyCode: 229 }]) {
    const options = { key, ...state, bubbles: true, cancelable: true };
    field.dispatchEvent(new KeyboardEvent('keydown', options));
  }
}"""

# In Safari, a press on a button takes the focus from all elements and gives it to none.
LIKE_SAFARI = """addEventListener('mousedown', (event) => {
  if (!event.target.closest('button')) return;
  event.preventDefault();
  document.activeElement?.blur();
})"""
