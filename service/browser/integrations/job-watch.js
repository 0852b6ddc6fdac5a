// Polls a job until it ends.

import { ApiError, NetworkError } from '../shared/errors.js';

const INTERVALS = [1_000, 2_000, 3_000, 5_000]; // ms; the last one repeats
const TRANSIENT = ['rate_limited', 'draining', 'unavailable']; // a job continues after these errors

/** @param {any} data of an answer, which may be a job */
export function isRunning(data) {
  return typeof data?.jobId === 'string' && data.status === 'running';
}

/**
 * @param {any} first state of the job
 * @param {object} options
 * @param {import('../shared/api-transport.js').Transport} options.transport
 * @param {(milliseconds: number) => Promise<void>} options.sleep
 * @param {() => boolean} options.isWanted whether the job is still watched
 * @param {(state: any) => void} options.onState called before each wait
 * @returns {Promise<any>} the last state; the job still runs if it is no longer watched
 */
export async function watchJob(first, { transport, sleep, isWanted, onState }) {
  let state = first;
  for (let round = 0; isRunning(state); round += 1) {
    onState(state);
    await sleep(INTERVALS[Math.min(round, INTERVALS.length - 1)]);
    if (!isWanted()) return state;
    state = await read(transport, String(first.jobId), state);
  }
  return state;
}

/**
 * The state of a job, or its last known state if it can't be read now.
 * @param {import('../shared/api-transport.js').Transport} transport @param {string} job @param {any} last
 */
async function read(transport, job, last) {
  try {
    return (await transport.get(`/api/integrations/jobs/${encodeURIComponent(job)}`)).data;
  } catch (error) {
    const isOver = error instanceof ApiError && !TRANSIENT.includes(error.code);
    if (isOver || !(error instanceof ApiError || error instanceof NetworkError)) throw error;
    return last;
  }
}
