// Tells keys that type from keys that command.
// Source: https://www.w3.org/TR/uievents/#keys-modifiers: "AltGraph" is on where AltGr is held.

export const IS_APPLE = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? '');
export const CONTROL = IS_APPLE ? '⌘' : 'Ctrl'; // the key that commands, as it is called

/**
 * Whether the key types a letter or a sign. With AltGr browsers may report Control and Alt too, and on Apple's systems
 * Option types signs.
 * @param {KeyboardEvent} event
 */
export function typesText(event) {
  const { key, ctrlKey, metaKey, altKey } = event;
  if ([...key].length !== 1 || metaKey) return false;
  return event.getModifierState('AltGraph') || (!ctrlKey && (!altKey || IS_APPLE));
}

/** Whether the key is held with Control, or Command, and nothing else. @param {KeyboardEvent} event @param {string} letter */
export function isCommand({ key, ctrlKey, metaKey, altKey, shiftKey }, letter) {
  return key.toLowerCase() === letter && ctrlKey !== metaKey && !altKey && !shiftKey;
}
