import { Overtaken } from '@model-gateway/bus';
import { Rewriter } from './rewriter.ts';
import type { Store } from './store.ts';

/** Whoever writes events gives a sign of life every 10 s. */
const silentMs = 35_000;
const lostMessage = 'The gateway that answered was lost.';

/**
 * Ends a response whose writer is silent for too long: nobody else will. It failed, since what came is not all of it.
 * One that is done in the background is given to another, and not ended here.
 */
export async function settleLost(store: Store, project: string, id: string): Promise<void> {
  const last = await store.lastEvents(project, id);
  if (!last || last.end || Date.now() - last.time < silentMs) return;
  if (await store.get(project, id)) return;
  const rewriter = new Rewriter(new Map());
  for (const { bytes } of await store.events(project, id)) rewriter.push(bytes);
  const { text, response } = rewriter.fail(lostMessage);
  const writer = store.writer(project, id, { after: last.at });
  writer.add(text, true);
  await writer.flush();
  // Another one was faster.
  if (writer.broken !== undefined) return;
  const meta = { id, at: Date.now(), before: [], stream: true };
  await store.put(project, { meta, base: '', input: '', response }, 0).catch(error => {
    if (!(error instanceof Overtaken)) throw error;
  });
}
