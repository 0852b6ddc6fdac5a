"""Events of the keyboard that a browser under test can't be made to send."""

# A browser on Windows says of a sign with AltGr that Control and Alt are pressed too.
ALT_GR = """(field, key) => field.dispatchEvent(new KeyboardEvent('keydown', {
  key, ctrlKey: true, altKey: true, modifierAltGraph: true, bubbles: true, cancelable: true }))"""

# While an input method composes a text, its keys choose and give up candidates.
COMPOSING = """(field, key) => field.dispatchEvent(new KeyboardEvent('keydown', {
  key, isComposing: true, bubbles: true, cancelable: true }))"""
