import type { ServerResponse } from 'node:http';
import type { Flow, Piece } from './format.ts';
import type { Pace } from './mind/pace.ts';
import { reset } from './reset.ts';
import { turn, Waits } from './waits.ts';

const silenceMs = 3_600_000;
/** Long enough for a client to read what came before a reset, which may discard it. */
const beforeResetMs = 20;

export const eventStream = 'text/event-stream; charset=utf-8';

/**
 * Writes an answer at its pace and stops where the client leaves. Each piece is a write of its own to the network, as from
 * a server that flushes each token. The head leaves with the first piece.
 */
export async function pour(
  response: ServerResponse,
  flow: Flow,
  pace: Pick<Pace, 'firstMs' | 'intervalMs'>,
  type = eventStream,
): Promise<void> {
  const waits = new Waits(response);
  let due = performance.now() + pace.firstMs;
  await waits.until(due);
  if (waits.left) return;
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' });
  await write(response, flow.opening, waits);
  for (const beat of flow.beats) {
    due += pace.intervalMs;
    if (pace.intervalMs > 0) await waits.until(due);
    if (waits.left) return;
    await write(response, beat, waits);
  }
  await write(response, flow.closing, waits);
  await end(response, flow.end ?? 'close', waits);
}

async function write(response: ServerResponse, pieces: Piece[], waits: Waits): Promise<void> {
  for (const piece of pieces) {
    if (waits.left) return;
    const roomy = response.write(piece);
    // Node would join the writes of a turn.
    response.socket?.uncork();
    if (!roomy) await waits.drained();
    // A single byte is meant to be read alone.
    else if (piece.length === 1 || waits.isTurn()) await turn();
  }
}

async function end(response: ServerResponse, how: NonNullable<Flow['end']>, waits: Waits): Promise<void> {
  if (waits.left) return;
  if (how === 'close') return void response.end();
  await waits.until(performance.now() + (how === 'silence' ? silenceMs : beforeResetMs));
  reset(response);
}
