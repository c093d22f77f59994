import { type LogPiece, RevisionConflictError } from '@model-gateway/store';
import { lastEvents, Rewriter } from './rewriter.ts';
import type { Store } from './store.ts';
import { isOver } from './turn.ts';

/**
 * The time without a heartbeat after which the writer of events counts as lost, in milliseconds. Writers send
 * a heartbeat every 10 s.
 */
const silentMs = 35_000;
const lostMessage = 'The gateway process that wrote this response was lost.';

/**
 * Ends the events of a response whose writer was lost. If the response is not stored, it failed, since its
 * events are incomplete. A background response is not ended here: another process takes it over.
 * Returns false if there are no events, or if their end cannot be written.
 */
export async function settleLost(store: Store, project: string, id: string): Promise<boolean> {
  const last = await store.lastEvents(project, id);
  if (!last) return false;
  if (last.end || store.clock.now() - last.time < silentMs) return true;
  const turn = await store.get(project, id);
  if (turn && !isOver(turn)) return true;
  const { rewriter } = await readEvents(store, project, id);
  const { text, response } = turn
    ? { text: lastEvents(turn.response, rewriter.next), response: turn.response }
    : rewriter.fail(lostMessage);
  const writer = store.writer(project, id, { after: last });
  writer.add(text, true);
  await writer.flush();
  // Another process wrote the end first, or the store is full.
  if (writer.broken !== undefined) return (await store.lastEvents(project, id))?.at !== last.at;
  if (!turn) await storeFailed(store, project, id, response);
  return true;
}

/** Reads the stored events of a response, one piece after another: the last one, and the rewriter that continues them. */
export async function readEvents(
  store: Store,
  project: string,
  id: string,
): Promise<{ last: LogPiece | undefined; rewriter: Rewriter }> {
  const rewriter = new Rewriter(new Map());
  let last: LogPiece | undefined;
  for await (const piece of store.events(project, id)) {
    rewriter.push(piece.bytes);
    last = piece;
  }
  return { last, rewriter };
}

async function storeFailed(store: Store, project: string, id: string, response: string): Promise<void> {
  const meta = { id, at: store.clock.now(), before: [], stream: true, lost: true as const };
  await store.put(project, { meta, base: '', input: '', response }, 0).catch(error => {
    if (!(error instanceof RevisionConflictError)) throw error;
  });
}
