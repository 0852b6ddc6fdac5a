// The user's time zone, which is sent to the assistant: without it, "tomorrow" would begin at midnight UTC.
// @ts-check

const IANA_NAME = /^[A-Za-z][\w+-]*(\/[\w+-]+)*$/;

/**
 * The browser's time zone as a name of the IANA database. Null if the browser has no such name, because the server
 * refuses all others.
 * @param {() => string | undefined} read
 */
export function timeZone(read = () => Intl.DateTimeFormat().resolvedOptions().timeZone) {
  const name = read() ?? '';
  return IANA_NAME.test(name) && name !== 'Etc/Unknown' ? name : null;
}
