// Distinguishes key presses that type text from key presses that give a command.
// Source: https://www.w3.org/TR/uievents/#keys-modifiers: the modifier "AltGraph" is on while AltGr is held.

export const IS_APPLE = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? '');
export const CONTROL = IS_APPLE ? '⌘' : 'Ctrl'; // the name of the key for commands

/**
 * Whether the key types a character. With AltGr, browsers may report Control and Alt too, and on Apple's systems
 * Option types characters.
 * @param {KeyboardEvent} event
 */
export function typesText(event) {
  const { key, ctrlKey, metaKey, altKey } = event;
  if ([...key].length !== 1 || metaKey) return false;
  return event.getModifierState('AltGraph') || (!ctrlKey && (!altKey || IS_APPLE));
}

/**
 * Whether the key belongs to an input method. Safari sends the key that ends a composition after the composition, and only
 * its code shows that the input method has used it: https://bugs.webkit.org/show_bug.cgi?id=165004
 * @param {KeyboardEvent} event
 */
export function isComposing(event) {
  return event.isComposing || event.keyCode === 229;
}

/** Whether the key is pressed with Control (Command on Apple's systems) and no other modifier. @param {KeyboardEvent} event @param {string} letter */
export function isCommand({ key, ctrlKey, metaKey, altKey, shiftKey }, letter) {
  return key.toLowerCase() === letter && ctrlKey !== metaKey && !altKey && !shiftKey;
}
