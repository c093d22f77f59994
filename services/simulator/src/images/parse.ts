import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import { complaint, wrong } from '../openai-complaint.ts';
import type { ImageType } from '../pictures/codecs.ts';
import { type Family, familyOf } from './family.ts';
import { type Inputs, inputsOf } from './inputs.ts';
import { editRequest, formRequest, generationRequest, type Settings } from './request.ts';
import { readSize, type Size } from './size.ts';

export interface ImagesAsked {
  kind: 'generation' | 'edit';
  model: string;
  prompt: string;
  n: number;
  /** null is one that suits what is given. */
  size: Size | null;
  quality: 'low' | 'medium' | 'high';
  background: 'transparent' | 'opaque';
  type: ImageType;
  /** From 0 to 100. */
  compression: number;
  /** Where URLs of images begin; null is an answer that holds them. */
  gallery: string | null;
  stream: boolean;
  partials: number;
  /** Whether tokens are counted. */
  counts: boolean;
  inputs: Inputs;
}

const usualGenerator = 'dall-e-2';
const usualEditor = 'gpt-image-1.5';
const nothing: Inputs = { images: [], mask: null };

/** @throws Refusal as the vendor would */
export function parseGeneration(body: unknown, headers: IncomingHttpHeaders): ImagesAsked {
  const settings = checked(generationRequest, body);
  return read('generation', settings, settings.model ?? usualGenerator, nothing, headers);
}

/** Reads an edit that came as JSON. @throws Refusal as the vendor would */
export function parseEdit(body: unknown, headers: IncomingHttpHeaders): ImagesAsked {
  const { images, mask, ...settings } = checked(editRequest, body);
  return read('edit', settings, settings.model ?? usualEditor, inputsOf(images, mask ?? null), headers);
}

/** Reads an edit that came as a form. @throws Refusal as the vendor would */
export function parseForm(fields: unknown, inputs: Inputs, headers: IncomingHttpHeaders): ImagesAsked {
  const settings = checked(formRequest, fields);
  return read('edit', settings, settings.model ?? usualEditor, inputs, headers);
}

function checked<T>(schema: z.ZodType<T>, body: unknown): T {
  const { success, data, error } = schema.safeParse(body);
  if (!success) throw complaint(body, error);
  return data;
}

function read(
  kind: ImagesAsked['kind'],
  settings: Settings,
  model: string,
  inputs: Inputs,
  headers: IncomingHttpHeaders,
): ImagesAsked {
  const family = familyOf(model);
  checkBounds(settings, family);
  checkTogether(settings, family);
  const { quality, response_format: format } = settings;
  const asUrl = format ? format === 'url' : family.urls === 'always';
  return {
    kind,
    model,
    prompt: settings.prompt,
    n: settings.n ?? 1,
    size: readSize(settings.size, family),
    quality: quality === 'low' || quality === 'high' ? quality : 'medium',
    background: settings.background === 'transparent' ? 'transparent' : 'opaque',
    type: settings.output_format ?? 'png',
    compression: settings.output_compression ?? 100,
    gallery: asUrl ? `http://${headers.host ?? 'localhost'}/v1/images/files` : null,
    stream: settings.stream ?? false,
    partials: settings.partial_images ?? 0,
    counts: family.recent,
    inputs,
  };
}

function checkBounds({ prompt, n }: Settings, { mostPrompt, mostImages }: Family): void {
  if (prompt.length > mostPrompt)
    throw wrong(
      `Invalid 'prompt': string too long. Expected a string with maximum length ${mostPrompt}, but got one with length ${prompt.length} instead.`,
      'string_above_max_length',
      'prompt',
    );
  if (n && n > mostImages)
    throw wrong(
      `Invalid 'n': integer above maximum value. Expected a value <= ${mostImages}, but got ${n} instead.`,
      'integer_above_max_value',
      'n',
    );
}

/** What does not go with the model or with one another. @throws Refusal */
function checkTogether(settings: Settings, { urls, recent }: Family): void {
  const { background, output_format: type, partial_images: partials, response_format: format } = settings;
  if (urls === 'never' && format) throw unknown('response_format');
  if (!recent)
    for (const name of ['output_format', 'background', 'stream', 'partial_images'] as const)
      if (settings[name] !== undefined && settings[name] !== null) throw unknown(name);
  if (background === 'transparent' && type === 'jpeg')
    throw wrong('Transparent background is not supported for JPEG output.', 'invalid_value', 'background');
  if (partials && !settings.stream)
    throw wrong(
      "'partial_images' is only supported when 'stream' is true.",
      'invalid_value',
      'partial_images',
    );
}

function unknown(name: string) {
  return wrong(`Unknown parameter: '${name}'.`, 'unknown_parameter', name);
}
