import type { ServerResponse } from 'node:http';
import type { Flow } from './format.ts';
import type { Pace } from './mind/pace.ts';
import { turn, Waits } from './waits.ts';

/**
 * Writes a streamed answer at its pace and stops where the client leaves. Each piece is a write and a turn of the event
 * loop of its own, so that its reader gets many reads, as from a model far away.
 */
export async function pour(response: ServerResponse, flow: Flow, pace: Pace): Promise<void> {
  const waits = new Waits(response);
  let due = performance.now() + pace.firstMs;
  await waits.until(due);
  if (waits.left) return;
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
  await write(response, flow.opening, waits);
  for (const beat of flow.beats) {
    due += pace.intervalMs;
    if (pace.intervalMs > 0) await waits.until(due);
    if (waits.left) return;
    await write(response, beat, waits);
  }
  await write(response, flow.closing, waits);
  if (!waits.left) response.end();
}

async function write(response: ServerResponse, pieces: string[], waits: Waits): Promise<void> {
  for (const piece of pieces) {
    if (waits.left) return;
    await (response.write(piece) ? turn() : waits.drained());
  }
}
