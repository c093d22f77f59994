import { hash } from 'node:crypto';
import { dataJson, sseEvent } from '@model-gateway/sse';
import type { ImagesAnswer, ImageUsage } from '@model-gateway/wire';
import type { ApiError } from '../api-error.ts';
import { errorBody } from '../chat/format.ts';
import type { Outcome } from '../delivery.ts';
import { type Mark, marks } from '../faults/stream-faults.ts';
import { paceOf } from '../responder/pace.ts';
import { tokensIn } from '../vectors/vector.ts';
import { defaultSize, isOlder, type ParsedImages, png } from './parse.ts';

/** Tokens of an image of the default size, by quality. */
const outputTokens = { low: 272, medium: 1_056, high: 4_160 };
const inputTokensPerImage = 323;
const partialTokens = 100;

/** Answers with the images. Each takes as long as a token. A mark is put before the first image's data. */
export function answerImages(parsed: ParsedImages, mark?: Mark): Outcome {
  const { input_tokens: input, output_tokens: output } = usageOf(parsed, parsed.n);
  const usage = { input, output };
  const pace = paceOf(parsed.model);
  const before = mark === 'line' ? marks.line : '';
  if (!parsed.stream) {
    const afterMs = pace.firstMs + parsed.n * pace.intervalMs;
    return { kind: 'whole', usage, body: whole(parsed, before), afterMs };
  }
  const events = numbers(parsed.n).flatMap(index => eventsOf(parsed, index, before));
  const flow = { opening: [], ticks: events.slice(0, -1).map(event => [event]), closing: events.slice(-1) };
  return { kind: 'stream', usage, flow, pace, errorEvent };
}

/** The PNG of a name that a URL ends with, such as `1024x1024-a1b2c3.png`; null if it is not such a name. */
export function imageNamed(name: string): Buffer | null {
  const [, width, height, colour] = /^(\d{2,4})x(\d{2,4})-([\da-f]{6})\.png$/.exec(name) ?? [];
  return colour
    ? png({ width: Number(width), height: Number(height) }, [...Buffer.from(colour, 'hex')])
    : null;
}

function whole(parsed: ParsedImages, before: string): ImagesAnswer {
  const { size, urls } = parsed;
  const data = numbers(parsed.n).map(index =>
    urls === null
      ? { b64_json: (index === 0 ? before : '') + base64Image(parsed, index) }
      : { url: `${urls}/${size.width}x${size.height}-${colourOf(parsed, index)}.png` },
  );
  const created = Math.floor(Date.now() / 1_000);
  if (isOlder(parsed.model)) return { created, data };
  return { created, ...settingsOf(parsed), data, usage: usageOf(parsed, parsed.n) };
}

/** The events of one image: its partial images, then the image itself. */
function eventsOf(parsed: ParsedImages, index: number, before: string): string[] {
  const name = `image_${parsed.kind}`;
  const common = { created_at: Math.floor(Date.now() / 1_000), ...settingsOf(parsed) };
  const b64_json = before + base64Image(parsed, index);
  return [
    ...numbers(parsed.partials).map(partial_image_index =>
      event(`${name}.partial_image`, { b64_json, ...common, partial_image_index }),
    ),
    event(`${name}.completed`, { b64_json, ...common, usage: usageOf(parsed, 1) }),
  ];
}

function base64Image(parsed: ParsedImages, index: number): string {
  const colour = [...Buffer.from(colourOf(parsed, index), 'hex')];
  return png(parsed.size, colour, parsed.background === 'opaque').toString('base64');
}

/** A colour in hexadecimal. The same prompt always gets the same; the images of one answer differ. */
export function colourOf({ prompt }: { prompt: string }, index: number): string {
  return hash('sha256', `${index} ${prompt}`).slice(0, 6);
}

function settingsOf({ background, quality, size }: ParsedImages) {
  return { background, output_format: 'png', quality, size: `${size.width}x${size.height}` };
}

/** Counts as the vendor does: by quality and size, plus partial images. */
function usageOf({ prompt, inputs, size, quality, partials }: ParsedImages, images: number): ImageUsage {
  const text = tokensIn(prompt);
  const given = inputs * inputTokensPerImage;
  const share = (size.width * size.height) / (defaultSize.width * defaultSize.height);
  const output = images * (Math.ceil(outputTokens[quality] * share) + partials * partialTokens);
  return {
    input_tokens: text + given,
    input_tokens_details: { text_tokens: text, image_tokens: given },
    output_tokens: output,
    output_tokens_details: { image_tokens: output, text_tokens: 0 },
    total_tokens: text + given + output,
  };
}

function event(type: string, fields: object): string {
  return sseEvent(dataJson({ type, ...fields }), type);
}

function errorEvent(error: ApiError): string {
  return event('error', errorBody(error));
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
