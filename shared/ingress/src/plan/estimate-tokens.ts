import { setImmediate } from 'node:timers/promises';
import type { GenerateEvent, Message, Part, Tool } from '@model-gateway/canonical';
import type { CountRenderer, ParsedCount } from '@model-gateway/formats/client';
import type { Endpoint } from '../answer/endpoint.ts';
import type { ResponseSink } from '../answer/response-sink.ts';
import type { ClientBody } from '../form/received.ts';
import { canonicalRequest } from '../read/canonical-body.ts';

/** Tokens of an image of any size: the most that Anthropic counts for one. */
const imageTokens = 1_600;
/** Tokens of a document of unknown length: about one page, as text and as image. */
const documentTokens = 3_000;
/** Tokens that delimit a message or a tool in a prompt. */
const frameTokens = 4;

/** Characters tokenized at once. Tokenizing is quadratic in a word's length; each cut costs about one token. */
const pieceLength = 512;
/** Characters tokenized per event-loop turn. */
const turnLength = 32 * pieceLength;
/** Characters that are tokenized at all; a longer text is extrapolated. */
const countedLength = 512 * 1024;

/** Estimates the tokens of a prompt: texts by o200k, media at a flat cost. */
export async function estimateTokens(messages: readonly Message[], tools: readonly Tool[]): Promise<number> {
  const parts = messages.flatMap<Part>(({ content }) => content);
  const texts = [...parts.flatMap(partTexts), ...tools.map(toolText)];
  const flat = parts.reduce((sum, part) => sum + flatTokens(part), 0);
  return (await countTexts(texts)) + flat + frameTokens * (messages.length + tools.length);
}

async function countTexts(texts: readonly string[]): Promise<number> {
  // Loaded on first use: it takes 0.25 s and tens of megabytes.
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

/** Returns a function that estimates the tokens of a request, and renders the body of the response. */
export function countOf(endpoint: Endpoint, request: ParsedCount, body: ClientBody): () => Promise<Buffer> {
  return async () => {
    const { messages, tools = [] } = await canonicalRequest(request, body);
    const renderer = endpoint.render(request.rendering) as CountRenderer;
    return Buffer.from(JSON.stringify(renderer.count(await estimateTokens(messages, tools))));
  };
}

/** Returns the events of an estimated count, which the response marks by `x-gateway-estimate`. */
export async function estimated(
  count: () => Promise<Buffer>,
  response: ResponseSink,
): Promise<GenerateEvent[]> {
  const bytes = await count();
  response.setHeader('x-gateway-estimate', 'true');
  const whole = { status: 200, mediaType: 'application/json', length: bytes.length };
  return [
    { type: 'verbatim', bytes, whole },
    { type: 'finish', reason: 'stop', raw: null, usage: null },
  ];
}
