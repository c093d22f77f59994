import type { Answer } from '../chat/conversation.ts';
import { usageText } from '../chat/usage.ts';

/** What an answer used and how long it took: `sim-1 · 12 tokens in, 30 out · first token after 0.12 s · 1.4 s`. */
export function figuresOf({ model, usage, firstTokenMs, totalMs }: Answer): string {
  return [
    model,
    usage && usageText(usage),
    firstTokenMs !== undefined && `first token after ${seconds(firstTokenMs)}`,
    totalMs !== undefined && `${seconds(totalMs)} in all`,
  ]
    .filter(Boolean)
    .join(' · ');
}

/** What a reader should know of how an answer ended well. */
export function noteOf({ state, finishReason, text }: Answer): string | undefined {
  if (state === 'stopped') return 'Stopped.';
  if (state !== 'done') return undefined;
  if (finishReason === 'length') return 'It stopped at the most tokens that an answer may have.';
  if (finishReason === 'content_filter') return 'The provider held the rest of the answer back.';
  return text === '' ? 'The answer is empty.' : undefined;
}

function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1_000).toFixed(2)} s` : `${Math.round(ms / 1_000)} s`;
}
