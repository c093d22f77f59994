import type { MediaPart } from '@model-gateway/canonical';
import { bytes, call, media, result, says, tells, user } from '@model-gateway/canonical/testing/parts';
import { describe, expect, test } from 'vitest';
import { chatDialect } from '../chat/dialect.ts';
import { cohereChatDialect } from '../cohere-chat/dialect.ts';
import { converseDialect } from '../converse/dialect.ts';
import { generateContentDialect } from '../generate-content/dialect.ts';
import { messagesDialect } from '../messages/dialect.ts';
import { responsesDialect } from '../responses/dialect.ts';
import { encodeInput } from '../testing/encode-input.ts';
import type { CanonicalInput } from './dialect.ts';
import { asHeld } from './encode-media.ts';

const png = 'iVBORw0KGgoAAAANSUhEUg==';
const pdf = Buffer.from('%PDF-1.7').toString('base64');
const wav = Buffer.from('RIFF\x10\0\0\0WAVEfmt ').toString('base64');
const labelled = (kind: MediaPart['kind'], data: string, mediaType: string) =>
  media(kind, bytes(data), { mediaType });

test.each<[MediaPart, Partial<MediaPart>]>([
  [labelled('image', png, 'image/jpeg'), { kind: 'image', mediaType: 'image/png' }],
  [labelled('document', png, 'application/pdf'), { kind: 'image', mediaType: 'image/png' }],
  [labelled('image', pdf, 'image/png'), { kind: 'document', mediaType: 'application/pdf' }],
  [labelled('audio', wav, 'audio/mpeg'), { kind: 'audio', mediaType: 'audio/wav' }],
  [labelled('document', wav, 'application/octet-stream'), { kind: 'audio', mediaType: 'audio/wav' }],
  [labelled('document', 'SGk=', 'text/plain'), { kind: 'document', mediaType: 'text/plain' }],
  [media('document', bytes('SGk='), { name: 'a.md' }), { kind: 'document', mediaType: 'text/plain' }],
])('%j is sent as what it is', (part, expected) => {
  expect(asHeld(part)).toEqual({ ...part, ...expected });
});

const image = labelled('image', png, 'image/jpeg');
const body = (dialect: { encode: typeof messagesDialect.encode }, messages: ReturnType<typeof user>[]) => {
  const tools = [{ type: 'function' as const, name: 'f' }];
  const input = encodeInput({ model: 'amazon.nova', request: { messages, tools } });
  return dialect.encode(input as CanonicalInput).body.toString();
};

describe.each([
  ['chat', chatDialect, `data:image/png;base64,${png}`],
  ['responses', responsesDialect, `data:image/png;base64,${png}`],
  ['messages', messagesDialect, '"media_type":"image/png"'],
  ['generate-content', generateContentDialect, '"mimeType":"image/png"'],
  ['converse', converseDialect, '"format":"png"'],
])('to the format %s', (_format, dialect, sent) => {
  test('a mislabelled image has its own type, in a message and in a result', () => {
    const of = dialect as { encode: typeof messagesDialect.encode };
    expect(body(of, [user(image)])).toContain(sent);
    expect(body(of, [user('a'), says(call('c')), tells(result('c', image))])).toContain(sent);
    expect(body(of, [user(image)])).not.toMatch(/jpe?g/);
  });
});

test('cohere-chat has mislabelled images by their own type', () => {
  const { body } = cohereChatDialect.encode(
    encodeInput({ model: 'm', request: { messages: [user(image)] } }) as CanonicalInput,
  );
  expect(body.toString()).toContain(`data:image/png;base64,${png}`);
});

test('audio has the format of its bytes', () => {
  const sent = body(chatDialect as never, [user(labelled('audio', wav, 'audio/mpeg'))]);
  expect(sent).toContain('"format":"wav"');
});
