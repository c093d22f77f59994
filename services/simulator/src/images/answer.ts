import type { Outcome } from '../delivery.ts';
import { type Mark, marks } from '../faults/mark.ts';
import { paceOf } from '../mind/pace.ts';
import type { Gallery } from '../pictures/gallery.ts';
import { interrupt } from './error.ts';
import { make } from './make.ts';
import type { ImagesAsked } from './parse.ts';
import { stream } from './stream.ts';
import { usageOf } from './usage.ts';
import { whole } from './whole.ts';

/** Makes the images and says how they are answered; each takes as long as a token. */
export async function answer(asked: ImagesAsked, gallery: Gallery, mark?: Mark): Promise<Outcome> {
  const made = await make(asked);
  const { input_tokens: input, output_tokens: output } = usageOf(asked, made.size, made.images.length);
  const usage = { input, output };
  const pace = paceOf(asked.model);
  // Base64 has no place for a character of its own, but for one that is replaced.
  const before = mark === 'line' ? marks.line : '';
  if (asked.stream) return { kind: 'stream', usage, flow: stream(asked, made, before), pace, interrupt };
  const afterMs = pace.firstMs + made.images.length * pace.intervalMs;
  return { kind: 'whole', usage, body: whole(asked, made, gallery, before), afterMs };
}
