import type { TranscribeRequest } from '@model-gateway/canonical';
import { omitNullish } from '@model-gateway/json';
import type { CanonicalInput, UpstreamRequest } from '../upstream/dialect.ts';
import { withoutDropped } from '../upstream/request-body.ts';
import { unsupported } from '../upstream/unsupported.ts';
import type { ListenQueryParams } from './types.ts';

export type Input = CanonicalInput<TranscribeRequest>;

/** Writes a request: the settings are in the query, and the audio is the body. A prompt and a temperature are hints that the API lacks. */
export function encode({ model, request, drop }: Input): UpstreamRequest {
  if (request.translate) throw unsupported('translate', 'this model does not translate into English');
  const { mediaType, data } = request.audio;
  const query = new URLSearchParams({ model });
  for (const [name, value] of Object.entries(withoutDropped(settings(model, request), drop)))
    for (const each of [value].flat()) query.append(name, String(each));
  return {
    path: `/v1/listen?${query}`,
    body: Buffer.from(data, 'base64'),
    headers: { 'content-type': sentType(mediaType) },
  };
}

/** Asks for what other APIs do unasked: written punctuation and numbers, and to detect a language that is not given. */
function settings(model: string, request: TranscribeRequest): Omit<ListenQueryParams, 'model'> {
  const { language, keywords = [], segments = false, speakers = false } = request;
  return omitNullish({
    smart_format: true as const,
    ...(language === undefined ? { detect_language: true as const } : { language }),
    ...((segments || speakers) && { utterances: true as const }),
    ...(speakers && { diarize: true as const }),
    ...expected(model, keywords),
  });
}

/** Writes expected words for the generation of the model: https://developers.deepgram.com/docs/keyterm and /docs/keywords. */
function expected(model: string, words: string[]): Pick<ListenQueryParams, 'keyterm' | 'keywords'> {
  if (words.length === 0) return {};
  if (model.startsWith('nova-3')) return { keyterm: words };
  return /^(?:nova|enhanced|base)\b/.test(model) ? { keywords: words } : {};
}

/** Returns the type to send. A body of JSON would be a link to audio, so other types are sent as bytes. */
function sentType(mediaType: string): string {
  return /^(?:audio|video)\/[\w.+-]+$/i.test(mediaType) ? mediaType : 'application/octet-stream';
}
