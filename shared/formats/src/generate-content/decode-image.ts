import {
  type FieldPath,
  GatewayError,
  type GenerateEvent,
  type Image,
  resultEvents,
  toErrorEvent,
  toGatewayError,
  type Usage,
} from '@model-gateway/canonical';
import { answerFailure, decodeFailure as decodeGenerateFailure } from '../upstream/decode-google-failure.ts';
import type { UpstreamFailure } from '../upstream/dialect.ts';
import { WholeBody } from '../upstream/whole-body.ts';
import {
  type GenerateContentUpstreamAnswer,
  type GenerateContentUpstreamPart,
  generateContentUpstreamAnswer,
} from './answer.ts';
import { Endings } from './decode-chunks.ts';
import { readUsage } from './usage.ts';

/** The most characters of the model's text that are sent to the client. */
const maxModelText = 300;

/** Finish reasons that mean that no image was made, not that one was blocked. */
const noImage = new Set<string | null>(['NO_IMAGE', 'IMAGE_OTHER']);

/** Reads the images of a response. A response without images, blocked or not made, is an error. */
export class ImagesDecoder extends WholeBody {
  #usage: Usage | null = null;

  get usage(): Usage | null {
    return this.#usage;
  }

  protected decode(bytes: Buffer): GenerateEvent[] {
    try {
      const answer = parse(bytes);
      const parts = partsOf(answer);
      const images = parts.flatMap(imageIn);
      const usage = readUsage(answer.usageMetadata ?? {});
      const isKnown = usage.input + usage.output > 0;
      this.#usage = isKnown ? { ...usage, units: { images: images.length } } : null;
      if (images.length === 0) throw noImageError(answer, parts);
      return resultEvents({ type: 'images', images }, this.#usage);
    } catch (thrown) {
      return [toErrorEvent(toGatewayError(thrown))];
    }
  }
}

function parse(bytes: Buffer): GenerateContentUpstreamAnswer {
  const { data } = generateContentUpstreamAnswer.safeParse(json(bytes));
  if (data?.error) throw answerFailure(data.error);
  if (!data?.candidates && !data?.promptFeedback)
    throw new GatewayError('upstream', 'The upstream sent a malformed answer.');
  return data;
}

function json(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Returns the parts of the first candidate without reasoning, which may hold draft images. */
function partsOf({ candidates }: GenerateContentUpstreamAnswer): GenerateContentUpstreamPart[] {
  const [first] = candidates ?? [];
  return first?.content?.parts?.filter(({ thought }) => !thought) ?? [];
}

function imageIn({ inlineData, fileData }: GenerateContentUpstreamPart): Image[] {
  const mediaType = inlineData?.mimeType ?? fileData?.mimeType ?? 'image/png';
  if (!mediaType.startsWith('image/')) return [];
  if (inlineData?.data) return [{ data: inlineData.data, mediaType }];
  return fileData?.fileUri ? [{ url: fileData.fileUri, mediaType }] : [];
}

/** The error for a response without an image. */
function noImageError(
  answer: GenerateContentUpstreamAnswer,
  parts: readonly GenerateContentUpstreamPart[],
): GatewayError {
  const endings = new Endings();
  endings.note(answer);
  const { reason, raw, explanation } = endings.of(0);
  if (reason === 'content-filter' && !noImage.has(raw)) return blockedError(raw, explanation);
  const text = parts
    .map(({ text }) => text ?? '')
    .join('')
    .trim();
  const said = text.length > maxModelText ? `${text.slice(0, maxModelText)}…` : text;
  if (said) return new GatewayError('upstream', 'The model made no image.', { said });
  return new GatewayError(
    'upstream',
    `The model made no image. ${explanation ?? `The finish reason is ${raw}.`}`,
  );
}

function blockedError(raw: string | null, explanation?: string): GatewayError {
  const message = `Your request was rejected by the model's safety system (${raw}).`;
  const details = { code: 'content_policy_violation' };
  return new GatewayError('invalid-request', explanation ? `${message} ${explanation}` : message, details);
}

/** The canonical fields of the upstream request's fields. The prompt is the first part sent. */
const fields: [RegExp, FieldPath][] = [
  [/^contents(?:\[0\])?\.parts\[[1-9]/, 'images'],
  [/^contents\b/, 'prompt'],
  [/^generationConfig\.imageConfig\b/, 'size'],
];

/** Decodes a failure as for generation, with the path of the field. Other fields of the upstream are not named. */
export function decodeFailure(failure: UpstreamFailure): GatewayError {
  const error = decodeGenerateFailure(failure);
  const { param, ...details } = error.details;
  if (!param || param === 'model') return error;
  const path = fields.find(([pattern]) => pattern.test(param))?.[1];
  const { kind, message, cause } = error;
  return new GatewayError(kind, message, { ...details, ...(path && { param, path }) }, { cause });
}
