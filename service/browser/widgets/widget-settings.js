// @ts-check
// The settings of a widget, from the template's declaration and the stored values. Pure functions.

import { mergeKeys } from './canvas-merge.js';

/**
 * @typedef {{type: 'string' | 'number' | 'integer' | 'boolean', title: string, default: any, enum?: any[],
 *   minimum?: number, maximum?: number, maxLength?: number}} Setting
 * @typedef {{properties?: Record<string, Setting>} & Record<string, any>} SettingsSchema of a template
 * @typedef {Record<string, any>} Settings
 */

const LONGEST = 2000; // characters, for a text without `maxLength`
const NONE = 'There is no such setting.';

/** @param {SettingsSchema} [schema] @returns {boolean} */
export function hasSettings(schema) {
  return Object.keys(schema?.properties ?? {}).length > 0;
}

/**
 * The settings that a widget gets: each declared setting, with its default if no valid value is stored.
 * @param {SettingsSchema} [schema] @param {Settings} [stored]
 * @returns {Settings}
 */
export function settingsOf(schema, stored = {}) {
  return Object.fromEntries(
    Object.entries(schema?.properties ?? {}).map(([name, setting]) => {
      const isRight = Object.hasOwn(stored, name) && !faultOf(setting, stored[name]);
      return [name, isRight ? stored[name] : setting.default];
    }),
  );
}

/**
 * The settings to store: the current ones, with the values that the user has changed in a dialog.
 * @param {Settings} now @param {Settings} seen the values when the dialog was opened @param {Settings} entered
 * @returns {Settings | undefined} undefined for none
 */
export function storedSettings(now, seen, entered) {
  const all = mergeKeys(entered, now, seen);
  return Object.keys(all).length ? all : undefined;
}

/** @param {SettingsSchema} schema @param {Settings} entered @returns {Record<string, string[]>} reasons by name */
export function faultsOf({ properties = {} }, entered) {
  const isDeclared = (/** @type {string} */ name) => Object.hasOwn(properties, name);
  const faults = Object.entries(entered).map(([name, value]) => [name, isDeclared(name) ? faultOf(properties[name], value) : NONE]);
  return Object.fromEntries(faults.filter(([, text]) => text).map(([name, text]) => [name, [text]]));
}

/** @param {Setting} setting @param {any} value @returns {string} why the value is not valid; '' if it is */
function faultOf({ type, enum: choices, minimum = -Infinity, maximum = Infinity, maxLength = LONGEST }, value) {
  if (type === 'integer' && !Number.isInteger(value)) return 'Must be a whole number.';
  if (typeof value !== (type === 'integer' ? 'number' : type)) return `Must be of type ${type}.`;
  if (choices && !choices.includes(value)) return `Must be one of: ${choices.join(', ')}.`;
  if (value < minimum) return `Must be at least ${minimum}.`;
  if (value > maximum) return `Must be at most ${maximum}.`;
  return type === 'string' && value.length > maxLength ? `Must have at most ${maxLength} characters.` : '';
}
