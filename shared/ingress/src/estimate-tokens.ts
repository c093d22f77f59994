import { setImmediate } from 'node:timers/promises';
import type { Message, Part, Tool } from '@model-gateway/canonical';

/** What an image costs, of whatever size: the most that Anthropic counts for one. */
const imageTokens = 1_600;
/** What a document of unknown length costs: about one page, its text and its picture. */
const documentTokens = 3_000;
/** What marks the bounds of a message, or of a tool, in a prompt. */
const frameTokens = 4;

/** A tokenizer's time is quadratic in a word's length: longer texts are cut, at the cost of a token each. */
const pieceLength = 512;
/** Characters that are counted before other requests get their turn. */
const turnLength = 32 * pieceLength;
/** Characters that are counted at all; those of a longer text are taken to be like these. */
const countedLength = 512 * 1024;

/** About how many tokens a prompt is, as o200k counts its texts; media have a flat cost. */
export async function estimateTokens(messages: readonly Message[], tools: readonly Tool[]): Promise<number> {
  const parts = messages.flatMap<Part>(({ content }) => content);
  const texts = [...parts.flatMap(partTexts), ...tools.map(toolText)];
  const flat = parts.reduce((sum, part) => sum + flatTokens(part), 0);
  return (await countTexts(texts)) + flat + frameTokens * (messages.length + tools.length);
}

async function countTexts(texts: readonly string[]): Promise<number> {
  // Loaded with its first use, since it takes a quarter of a second and tens of megabytes.
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  const options = { disallowedSpecial: new Set<string>() };
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  let tokens = 0;
  let counted = 0;
  for (const piece of pieces(texts)) {
    if (counted >= countedLength) break;
    tokens += countTokens(piece, options);
    if (Math.floor((counted + piece.length) / turnLength) > Math.floor(counted / turnLength))
      await setImmediate();
    counted += piece.length;
  }
  return counted < total ? Math.round((tokens * total) / counted) : tokens;
}

function* pieces(texts: readonly string[]): Generator<string> {
  for (const text of texts) {
    for (let at = 0; at < text.length; at += pieceLength) yield text.slice(at, at + pieceLength);
  }
}

function partTexts(part: Part): string[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
    case 'reasoning':
      return [part.text];
    case 'tool-call':
      return [part.name, part.arguments];
    case 'tool-result':
      return part.content.flatMap(partTexts);
    case 'media':
      return part.source.type === 'text' ? [part.source.text] : [];
    case 'opaque':
      return [JSON.stringify(part.value)];
  }
}

function flatTokens(part: Part): number {
  if (part.type === 'tool-result') return part.content.reduce((sum, inner) => sum + flatTokens(inner), 0);
  if (part.type !== 'media' || part.source.type === 'text') return 0;
  return part.kind === 'image' ? imageTokens : documentTokens;
}

function toolText(tool: Tool): string {
  if (tool.type === 'opaque') return JSON.stringify(tool.value);
  const { type: _, ...rest } = tool;
  return JSON.stringify(rest);
}
