import { RevisionConflictError, ShareExceededError, StoreFullError } from '@model-gateway/bus';
import { GatewayError } from '@model-gateway/canonical';
import { lastEvents } from './recorders.ts';
import { Rewriter } from './rewriter.ts';
import type { Store } from './store.ts';
import { isOver } from './turn.ts';

/** Whoever writes events gives a sign of life every 10 s. */
const silentMs = 35_000;
const lostMessage = 'The gateway that answered was lost.';

/**
 * Ends the events of a response whose writer is silent for too long: nobody else will. Where the response is not kept it failed,
 * since what came is not all of it; one that is to be done in the background is given to another, and not ended here.
 * False where there are no events any more, or no end can be written to them.
 */
export async function settleLost(
  store: Store,
  project: string,
  id: string,
  now = Date.now(),
): Promise<boolean> {
  const last = await store.lastEvents(project, id);
  if (!last) return false;
  if (last.end || now - last.time < silentMs) return true;
  const turn = await store.get(project, id);
  if (turn && !isOver(turn)) return true;
  const rewriter = new Rewriter(new Map());
  for (const { bytes } of await store.events(project, id)) rewriter.push(bytes);
  const { text, response } = turn
    ? { text: lastEvents(turn.response, rewriter.next), response: turn.response }
    : rewriter.fail(lostMessage);
  const writer = store.writer(project, id, { after: last.at });
  writer.add(text, true);
  await writer.flush();
  // Another one was faster, or there is no room.
  if (writer.broken !== undefined) return (await store.lastEvents(project, id))?.at !== last.at;
  if (!turn) await keepFailed(store, project, id, response);
  return true;
}

async function keepFailed(store: Store, project: string, id: string, response: string): Promise<void> {
  const meta = { id, at: Date.now(), before: [], stream: true, lost: true as const };
  await store.put(project, { meta, base: '', input: '', response }, 0).catch(error => {
    if (!(error instanceof RevisionConflictError)) throw error;
  });
}

/** When it is worth another look whether there is room. */
const fullMs = 10_000;

/** @throws GatewayError of kind `overloaded` if what is kept cannot be asked for now */
export async function reached<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    throw away(cause);
  }
}

export async function written<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    throw cause instanceof RevisionConflictError ? cause : unkept(cause);
  }
}

/** What a client is told of something that cannot be kept. */
export function unkept(cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause;
  if (cause instanceof ShareExceededError) return usedUp();
  if (!(cause instanceof StoreFullError)) return away(cause);
  const message =
    'There is no room to store more responses at the moment: ask with "store": false, or later.';
  return new GatewayError('overloaded', message, { retryAfterMs: fullMs, code: 'store_full' }, { cause });
}

function usedUp(): GatewayError {
  const message =
    'This project has used its half of the store of responses: delete some, wait until they expire, or ask with "store": false.';
  return new GatewayError('rate-limited', message, { retryAfterMs: fullMs, code: 'project_store_full' });
}

function away(cause?: unknown): GatewayError {
  const message = 'Stored responses cannot be reached at the moment.';
  return new GatewayError('overloaded', message, { retryAfterMs: 2_000 }, { cause });
}
