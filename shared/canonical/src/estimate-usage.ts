import { embeddedMedia } from './media-places.ts';
import type { PromptEstimate } from './units.ts';
import { noUsage, type Usage } from './usage.ts';

/** Average characters per token of ordinary text. */
const charactersPerToken = 4;

/** The places of media in a canonical request. */
export const canonicalMedia: readonly string[] = [
  ...['messages.*.content.*', 'messages.*.content.*.content.*'].flatMap(part =>
    ['source.data', 'source.url'].map(field => `${part}.${field}`),
  ),
  ...embeddedMedia.map(kind => `inputs.*.${kind}`),
];

/** Estimates the usage of an answer that an upstream has not completed. Of `reported`, only the output is replaced if it has the input. */
export function estimateUsage(
  { input, units }: PromptEstimate,
  characters: number,
  reported: Usage | null,
): Usage {
  const output = Math.max(Math.ceil(characters / charactersPerToken), reported?.output ?? 0);
  if (reported && hasInput(reported)) return { ...reported, output };
  return { ...noUsage, input, output, ...(units && { units }) };
}

/** True if a usage says what the request used: some upstreams report zeros until the end. */
export function hasInput({ input, units }: Usage): boolean {
  return input > 0 || units !== undefined;
}

/** The texts of a stream's events in any format. */
const texts =
  /"(?:content|text|delta|thinking|arguments|partial_json|reasoning|reasoning_content|refusal)"\s*:\s*"((?:[^"\\]|\\.)*)"/g;

/** Returns the number of characters that verbatim events of a stream add to the answer. */
export function answerCharacters(events: Uint8Array): number {
  let characters = 0;
  for (const [, text = ''] of Buffer.from(events).toString('latin1').matchAll(texts))
    characters += text.length;
  return characters;
}
