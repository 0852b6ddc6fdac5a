// The user's time zone, for the assistant: without it, "tomorrow" begins at midnight in UTC.
// @ts-check

const IANA_NAME = /^[A-Za-z][\w+-]*(\/[\w+-]+)*$/;

/**
 * The browser's zone as a name of the IANA database; null where it knows none, because the server
 * refuses other names.
 * @param {() => string | undefined} read
 */
export function timeZone(read = () => Intl.DateTimeFormat().resolvedOptions().timeZone) {
  const name = read() ?? '';
  return IANA_NAME.test(name) && name !== 'Etc/Unknown' ? name : null;
}
