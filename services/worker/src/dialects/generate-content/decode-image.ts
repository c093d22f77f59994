import {
  GatewayError,
  type GenerateEvent,
  type Image,
  resultEvents,
  toErrorEvent,
  toGatewayError,
  type Usage,
} from '@model-gateway/canonical';
import {
  type GenerateContentUpstreamAnswer,
  type GenerateContentUpstreamPart,
  generateContentUpstreamAnswer,
} from '@model-gateway/wire';
import { answerFailure, decodeFailure as decodeGenerateFailure } from '../decode-google-failure.ts';
import type { UpstreamFailure } from '../dialect.ts';
import { WholeBody } from '../whole-body.ts';
import { Endings, readUsage } from './decode-finish.ts';

/** The most of a model's words that are told. */
const maxWords = 300;

/** Reasons to end that say that there is no image, not that one is withheld. */
const noImage = new Set<string | null>(['NO_IMAGE', 'IMAGE_OTHER']);

/** Finds the images of an answer. One without any is an error: withheld for what it would show, or not made. */
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
      this.#usage = { ...readUsage(answer.usageMetadata ?? {}), units: { images: images.length } };
      if (images.length === 0) throw without(answer, parts);
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

/** What the model thought is no part of its answer, images included. */
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

/** Why there is no image. */
function without(
  answer: GenerateContentUpstreamAnswer,
  parts: readonly GenerateContentUpstreamPart[],
): GatewayError {
  const endings = new Endings();
  endings.note(answer);
  const { reason, raw, explanation } = endings.of(0);
  if (reason === 'content-filter' && !noImage.has(raw)) return withheld(raw, explanation);
  const words = parts
    .map(({ text }) => text ?? '')
    .join('')
    .trim();
  const told = words.length > maxWords ? `${words.slice(0, maxWords)}…` : words;
  if (told) return new GatewayError('upstream', 'The model made no image.', { said: told });
  return new GatewayError('upstream', `The model made no image. ${explanation ?? `It ended with ${raw}.`}`);
}

function withheld(raw: string | null, explanation?: string): GatewayError {
  const message = `Your request was rejected by the model's safety system (${raw}).`;
  const details = { code: 'content_policy_violation' };
  return new GatewayError('invalid-request', explanation ? `${message} ${explanation}` : message, details);
}

/** What the parts of a request are called by who asks for images; the prompt is the first of what is sent. */
const fields: [RegExp, string][] = [
  [/^contents(?:\[0\])?\.parts\[[1-9]/, 'image'],
  [/^contents\b/, 'prompt'],
  [/^generationConfig\.imageConfig\b/, 'size'],
  [/^model$/, 'model'],
];

/** As where it generates, in the names of what an image is asked for by. */
export function decodeFailure(failure: UpstreamFailure): GatewayError {
  const error = decodeGenerateFailure(failure);
  const { param, ...details } = error.details;
  if (!param) return error;
  const name = fields.find(([pattern]) => pattern.test(param))?.[1];
  const { kind, message, cause } = error;
  return new GatewayError(kind, message, { ...details, ...(name && { param: name }) }, { cause });
}
