import { embeddedMedia } from './media-places.ts';
import type { PromptEstimate } from './units.ts';
import { noUsage, type Usage } from './usage.ts';
import type { WireFormat } from './wire-format.ts';

/** Average characters per token of ordinary text. */
const charactersPerToken = 4;
/** Tokens that a model writes in a millisecond, on average and at most. */
const usualPerMs = 0.1;
const mostPerMs = 1;
/** Silence of a stream that is taken for reasoning, in milliseconds: longer than it may wait for a worker or for its first token. */
const longSilenceMs = 15_000;

/** The places of media in a canonical request. */
export const canonicalMedia: readonly string[] = [
  ...['messages.*.content.*', 'messages.*.content.*.content.*'].flatMap(part =>
    ['source.data', 'source.url'].map(field => `${part}.${field}`),
  ),
  ...embeddedMedia.map(kind => `inputs.*.${kind}`),
];

/**
 * Estimates the usage of an answer that an upstream has not completed. Of `reported`, only the output is replaced if it has the input.
 * `silentMs`: the time of a stream without text, in which it may have had hidden output that the upstream has not reported.
 */
export function estimateUsage(
  { input, units, hidden }: PromptEstimate,
  characters: number,
  reported: Usage | null,
  silentMs?: number,
): Usage {
  const isSeen = silentMs === undefined || (reported !== null && reported.reasoning > 0);
  const unseen = isSeen ? 0 : hiddenOutput(hidden, silentMs, characters > 0);
  const output = Math.max(Math.ceil(characters / charactersPerToken) + unseen, reported?.output ?? 0);
  if (reported && hasInput(reported)) return { ...reported, output };
  return { ...noUsage, input, output, ...(units && { units }) };
}

/**
 * Estimates the output tokens of a stream that are not shown, such as reasoning. `usual`: the most that nearly all answers of the model
 * hide; undefined if that is not known. `begun`: true once some of its text has arrived.
 */
export function hiddenOutput(usual: number | undefined, silentMs: number, begun: boolean): number {
  if (usual === 0) return 0;
  const byTime = silentMs < longSilenceMs ? 0 : outputIn(silentMs);
  if (usual === undefined) return byTime;
  return Math.max(byTime, begun ? usual : Math.min(usual, Math.ceil(silentMs * mostPerMs)));
}

/** Returns the output tokens that a model writes in a time, on average. */
export function outputIn(ms: number): number {
  return Math.ceil(ms * usualPerMs);
}

/** Returns the output tokens of a complete stream that were not shown. */
export function hiddenIn({ output, reasoning }: Usage, characters: number): number {
  return Math.min(reasoning, Math.max(0, output - Math.ceil(characters / charactersPerToken)));
}

/** True if a usage says what the request used: some upstreams report zeros until the end. */
export function hasInput({ input, units }: Usage): boolean {
  return input > 0 || units !== undefined;
}

/** The texts of a stream's events in any format. */
const texts =
  /"(?:content|text|delta|thinking|arguments|partial_json|reasoning|reasoning_content|refusal)"\s*:\s*"((?:[^"\\]|\\.)*)"/g;

/** Later events of `responses` repeat the texts of its deltas. */
const deltas = /"delta"\s*:\s*"((?:[^"\\]|\\.)*)"/g;

/** Returns the number of characters that verbatim events of a stream add to the answer. */
export function answerCharacters(events: Uint8Array, format?: WireFormat): number {
  const found = Buffer.from(events)
    .toString('latin1')
    .matchAll(format === 'responses' ? deltas : texts);
  let characters = 0;
  for (const [, text = ''] of found) characters += text.length;
  return characters;
}
