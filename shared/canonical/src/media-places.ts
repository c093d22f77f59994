import type { WireFormat } from './wire-format.ts';

const blob = ['inlineData.data', 'inline_data.data'];
/** The places of media in a list of parts of generateContent. */
const partsAt = (path: string) => [
  ...blob.map(place => `${path}.*.${place}`),
  ...['functionResponse', 'function_response'].flatMap(response =>
    blob.map(place => `${path}.*.${response}.parts.*.${place}`),
  ),
];
const sources = ['source.data', 'source.url'];
/** The fields of media of an input to embed that is an object. */
export const embeddedMedia = ['image', 'video', 'audio'];

/** The places of media in the bodies of clients, by their format: the keys on the way, with `*` for any item of a list. */
const places: Partial<Record<WireFormat, readonly string[]>> = {
  chat: [
    'messages.*.content.*.image_url',
    'messages.*.content.*.image_url.url',
    'messages.*.content.*.input_audio.data',
    'messages.*.content.*.file.file_data',
  ],
  messages: [
    ...['', 'content.*.', 'source.content.*.'].flatMap(inner =>
      sources.map(source => `messages.*.content.*.${inner}${source}`),
    ),
  ],
  'generate-content': [
    ...['contents.*.parts', 'systemInstruction.parts', 'system_instruction.parts'].flatMap(partsAt),
  ],
  responses: [
    ...['content', 'output'].flatMap(list =>
      ['image_url', 'image_url.url', 'file_data', 'file_url', 'input_audio.data'].map(
        field => `input.*.${list}.*.${field}`,
      ),
    ),
    'input.*.output.image_url',
    'input.*.result',
  ],
  moderations: ['input.*.image_url.url'],
  images: ['images.*.image_url', 'mask.image_url'],
  embeddings: ['input', 'input.*'].flatMap(input => embeddedMedia.map(kind => `${input}.${kind}`)),
  'embed-content': [...partsAt('content.parts'), ...partsAt('requests.*.content.parts')],
};

const none: readonly string[] = [];

/** Returns the places of media in a client's body of a format. */
export function mediaPlacesIn(format: WireFormat): readonly string[] {
  return places[format] ?? none;
}
