import type { ImagesAnswer, ImageUsage } from '@model-gateway/formats';
import { dataJson, sseEvent } from '@model-gateway/sse';
import { errorBody, openai } from '../chat/format.ts';
import type { Outcome } from '../common/delivery.ts';
import type { Form } from '../common/form.ts';
import type { Api } from '../common/routes.ts';
import { type Mark, marks } from '../common/stream-faults.ts';
import { paceOf } from '../responder/pace.ts';
import { tokensIn } from '../vectors/vector.ts';
import { defaultSize, isOlder, type ParsedImages, parseEdit, parseForm, parseGeneration } from './parse.ts';
import { colourOf, png } from './png.ts';

export const imageGenerations: Api<ParsedImages> = { format: openai, parse: parseGeneration, answer };
export const imageEdits: Api<ParsedImages> = { format: openai, parse: parseEdit, answer };
export const imageForms: Api<ParsedImages, Form> = { format: openai, parse: parseForm, answer };

/** Tokens of an image of the default size, by quality. */
const outputTokens = { low: 272, medium: 1_056, high: 4_160 };
const inputTokensPerImage = 323;
const partialTokens = 100;

/** Each image takes as long as a token. A mark is put before the data of the first image. */
function answer(parsed: ParsedImages, mark?: Mark): Outcome {
  const { input_tokens: input, output_tokens: output } = usageOf(parsed, parsed.n);
  const common = { usage: { input, output }, pace: paceOf(parsed.model) };
  const before = mark === 'line' ? marks.line : '';
  if (!parsed.stream) return { kind: 'whole', ...common, body: whole(parsed, before), tokens: parsed.n };
  const events = numbers(parsed.n).flatMap(index => eventsOf(parsed, index, before));
  const flow = { opening: [], ticks: events.slice(0, -1).map(event => [event]), closing: events.slice(-1) };
  return { kind: 'stream', ...common, flow, errorEvent: error => event('error', errorBody(error)) };
}

/** The PNG at the end of a URL, such as `1024x1024-a1b2c3.png`; null for any other name. */
export function imageNamed(name: string): Buffer | null {
  const [, width, height, colour] = /^(\d{2,4})x(\d{2,4})-([\da-f]{6})\.png$/.exec(name) ?? [];
  return colour ? png({ width: Number(width), height: Number(height) }, colour) : null;
}

function whole(parsed: ParsedImages, before: string): ImagesAnswer {
  const { size, urls, prompt } = parsed;
  const data = numbers(parsed.n).map(index =>
    urls === null
      ? { b64_json: (index === 0 ? before : '') + base64Image(parsed, index) }
      : { url: `${urls}/${size.width}x${size.height}-${colourOf(prompt, index)}.png` },
  );
  const created = Math.floor(Date.now() / 1_000);
  if (isOlder(parsed.model)) return { created, data };
  return { created, ...settingsOf(parsed), data, usage: usageOf(parsed, parsed.n) };
}

/** The events of one image: its partial images, then the image itself. */
function eventsOf(parsed: ParsedImages, index: number, before: string): string[] {
  const name = `image_${parsed.kind}`;
  const b64_json = before + base64Image(parsed, index);
  const common = { b64_json, created_at: Math.floor(Date.now() / 1_000), ...settingsOf(parsed) };
  return [
    ...numbers(parsed.partials).map(partial_image_index =>
      event(`${name}.partial_image`, { ...common, partial_image_index }),
    ),
    event(`${name}.completed`, { ...common, usage: usageOf(parsed, 1) }),
  ];
}

function base64Image({ prompt, size, background }: ParsedImages, index: number): string {
  return png(size, colourOf(prompt, index), background === 'opaque').toString('base64');
}

function settingsOf({ background, quality, size }: ParsedImages) {
  return { background, output_format: 'png', quality, size: `${size.width}x${size.height}` };
}

/** Counts as OpenAI does: by quality and size, plus partial images. */
function usageOf({ prompt, inputs, size, quality, partials }: ParsedImages, images: number): ImageUsage {
  const text = tokensIn(prompt);
  const inputImages = inputs * inputTokensPerImage;
  const share = (size.width * size.height) / (defaultSize.width * defaultSize.height);
  const output = images * (Math.ceil(outputTokens[quality] * share) + partials * partialTokens);
  return {
    input_tokens: text + inputImages,
    input_tokens_details: { text_tokens: text, image_tokens: inputImages },
    output_tokens: output,
    output_tokens_details: { image_tokens: output, text_tokens: 0 },
    total_tokens: text + inputImages + output,
  };
}

function event(type: string, fields: object): string {
  return sseEvent(dataJson({ type, ...fields }), type);
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
