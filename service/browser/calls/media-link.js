// The link to a stored medium. It is valid for ten minutes, and is renewed when it is needed after that.

/** @typedef {ReturnType<typeof createMediaLink>} MediaLink */

const PATH = /\/api\/media\/([^/?]+)$/;
const MARGIN = 15; // seconds before the end of its validity in which a link is not used any more

/**
 * @param {string} address @param {import('../shared/api-transport.js').Transport} transport
 * @param {() => number} [now] milliseconds
 */
export function createMediaLink(address, transport, now = Date.now) {
  let url = address;
  const id = new URL(address).pathname.match(PATH)?.[1];
  const expires = () => Number(new URL(url).searchParams.get('expires')) || 0;
  const isFresh = () => !id || expires() - MARGIN > now() / 1000;
  return {
    url: () => url,
    isFresh,
    /** @param {boolean} [renew] whether to renew a link that still seems valid @returns {Promise<string | null>} null if the medium is gone */
    async current(renew = false) {
      if (isFresh() && !renew) return url;
      if (!id) return null;
      try {
        ({ url } = await transport.post(`/api/media/${id}/link`));
        return (url = new URL(url, address).href);
      } catch {
        return null;
      }
    },
  };
}
