import { paceOf } from '../mind/pace.ts';
import { tokensOf } from '../mind/tokens.ts';
import type { Item } from './conversation.ts';
import { transcriptionUsage } from './hearing.ts';
import type { Line } from './line.ts';

/** Tells what is said in an item's audio, at the pace of the model that listens; one of a fault fails. */
export async function transcribe(item: Item, model: string, line: Line): Promise<void> {
  const [part] = item.content ?? [];
  const { heard = '', audioMs = 0 } = part ?? {};
  const place = { item_id: item.id, content_index: 0 };
  const tell = (what: string, fields: object) =>
    line.event(`conversation.item.input_audio_transcription.${what}`, { ...place, ...fields });
  if (model.startsWith('fault-')) {
    const message = `Input transcription failed for item '${item.id}'.`;
    return tell('failed', { error: { type: 'server_error', code: 'server_error', message, param: null } });
  }
  const { firstMs, intervalMs } = model.startsWith('sim-') ? paceOf(model) : { firstMs: 0, intervalMs: 0 };
  const words = tokensOf(heard);
  if (firstMs > 0) await pause(firstMs);
  for (const delta of words) {
    if (intervalMs > 0) await pause(intervalMs);
    if (!line.open) return;
    tell('delta', { delta });
  }
  if (part) part.transcript = heard;
  tell('completed', { transcript: heard, usage: transcriptionUsage(model, audioMs, words.length) });
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms));
}
