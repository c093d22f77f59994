import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openUploads, readAll, type ScriptedAudio, startScriptedAudio } from './audio.ts';

let gateway: ScriptedAudio;
const asked: string[] = [];
beforeAll(async () => {
  gateway = await startScriptedAudio(
    {
      good: async (request, response) => {
        asked.push(request.url ?? '');
        await readAll(request);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"text":"Hi"}');
      },
    },
    [],
    { env: { GATEWAY_UPLOAD_LIMIT: '1000000' } },
  );
});
afterAll(() => gateway?.stop());
afterEach(() => expect.poll(openUploads).toEqual([]));

async function post(path: string, body: RequestInit['body'], headers: Record<string, string> = {}) {
  const { url, token } = gateway.stack;
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, ...headers },
    body,
  });
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(response.headers.get('x-request-id')).toMatch(/^req_/);
  const { error } = (await response.json()) as { error: Record<string, unknown> };
  expect(error.message).toMatch(/\w/);
  return [response.status, error.type, error.code, error.param];
}

const invalid = 'invalid_request_error';
const speech = { model: 'good', input: 'Hi', voice: 'alloy' };
const long = 'x'.repeat(4_097);

test.each<[object | string, number, string | null, string | null]>([
  [{ ...speech, model: undefined }, 400, 'missing_required_parameter', 'model'],
  [{ ...speech, model: 5 }, 400, 'invalid_type', 'model'],
  [{ ...speech, model: 'none' }, 404, 'model_not_found', null],
  [{ ...speech, input: undefined }, 400, 'missing_required_parameter', 'input'],
  [{ ...speech, input: '' }, 400, 'invalid_value', 'input'],
  [{ ...speech, input: ['Hi'] }, 400, 'invalid_type', 'input'],
  [{ ...speech, voice: undefined }, 400, 'missing_required_parameter', 'voice'],
  [{ ...speech, voice: '' }, 400, 'invalid_value', 'voice'],
  [{ ...speech, voice: 5 }, 400, 'invalid_type', 'voice'],
  [{ ...speech, voice: {} }, 400, 'missing_required_parameter', 'voice.id'],
  [{ ...speech, instructions: 5 }, 400, 'invalid_type', 'instructions'],
  [{ ...speech, response_format: 5 }, 400, 'invalid_type', 'response_format'],
  [{ ...speech, speed: '1' }, 400, 'invalid_type', 'speed'],
  [{ ...speech, stream_format: true }, 400, 'invalid_type', 'stream_format'],
  ['{', 400, null, null],
  ['[]', 400, null, null],
])('speech of %j is refused with %i %s %s', async (body, status, code, param) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const refused = await post('/v1/audio/speech', text, { 'content-type': 'application/json' });
  expect(refused).toEqual([status, invalid, code, param]);
});

test.each([
  { input: long, instructions: long },
  { response_format: 'ogg', speed: 9 },
  { speed: 0.1, stream_format: 'chunked' },
])('the model decides on the values %j', async fields => {
  const response = await gateway.speak('good', fields);
  // The upstream of this test sends something other than audio.
  expect(response.status).toBe(502);
});

interface Upload {
  fields?: [name: string, value: string][];
  file?: [name: string, body: string, filename?: string][];
}

function formOf({ fields = [], file = [['file', 'RIFF', 'a.wav']] }: Upload): FormData {
  const form = new FormData();
  for (const [name, value] of [['model', 'good'], ...fields] as const) form.append(name, value);
  for (const [name, body, filename] of file) form.append(name, new Blob([body]), filename);
  return form;
}

const field = (name: string, value: string): Upload => ({ fields: [[name, value]] });

const ofBoth: [Upload, number, string | null, string | null][] = [
  [field('model', 'none'), 404, 'model_not_found', null],
  [field('temperature', 'warm'), 400, 'invalid_type', 'temperature'],
  [{ file: [] }, 400, 'missing_required_parameter', 'file'],
  [{ file: [], fields: [['file', 'RIFF']] }, 400, 'invalid_type', 'file'],
  [{ file: [['file', '', 'a.wav']] }, 400, 'invalid_value', 'file'],
  [{ file: [['audio', 'RIFF', 'a.wav']] }, 400, 'missing_required_parameter', 'file'],
  [
    {
      file: [
        ['file', 'RIFF', 'a.wav'],
        ['model', 'other', 'model.txt'],
      ],
    },
    400,
    'unknown_parameter',
    'model',
  ],
  [
    {
      file: [
        ['file', 'RIFF', 'a.wav'],
        ['file', 'RIFF', 'b.wav'],
      ],
    },
    400,
    'invalid_value',
    'file',
  ],
];
const ofTranscriptions: typeof ofBoth = [
  [field('stream', 'maybe'), 400, 'invalid_type', 'stream'],
  [field('chunking_strategy[threshold]', '1'), 400, 'missing_required_parameter', 'chunking_strategy.type'],
  [field('chunking_strategy', '{"type":5}'), 400, 'invalid_type', 'chunking_strategy.type'],
];

describe.each([
  ['transcriptions', [...ofBoth, ...ofTranscriptions]],
  ['translations', ofBoth],
] as [string, typeof ofBoth][])('uploads to audio/%s', (endpoint, table) => {
  const path = `/v1/audio/${endpoint}`;

  test.each(table)('an upload of %j is refused with %i %s %s', async (upload, status, code, param) => {
    expect(await post(path, formOf(upload))).toEqual([status, invalid, code, param]);
  });

  test('an upload without a model is refused', async () => {
    const form = formOf({});
    form.delete('model');
    expect(await post(path, form)).toEqual([400, invalid, 'missing_required_parameter', 'model']);
  });

  test('an upload of a file without a name is refused', async () => {
    const part = 'Content-Disposition: form-data; name="file"\r\nContent-Type: application/octet-stream';
    const body = `--x\r\nContent-Disposition: form-data; name="model"\r\n\r\ngood\r\n--x\r\n${part}\r\n\r\nRIFF\r\n--x--`;
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    expect(await post(path, body, headers)).toEqual([400, invalid, 'invalid_value', 'file']);
  });

  test.each([
    ['application/json', '{"model":"good"}'],
    ['audio/wav', 'RIFF'],
    ['application/x-www-form-urlencoded', 'model=good'],
  ])('an upload as %s is refused', async (type, body) => {
    const refused = await post(path, body, { 'content-type': type });
    expect(refused).toEqual([415, invalid, 'unsupported_content_type', null]);
  });

  test.each([
    ['multipart/form-data', '--x--'],
    ['multipart/form-data; boundary=x', 'nothing'],
  ])('an upload as %s with the body %j is refused', async (type, body) => {
    const refused = await post(path, body, { 'content-type': type });
    expect(refused).toEqual([400, invalid, 'invalid_multipart_form_data', null]);
  });

  test('an upload of a file that is too large is refused', async () => {
    const refused = await post(path, formOf({ file: [['file', 'x'.repeat(1_000_001), 'a.wav']] }));
    expect(refused).toEqual([413, invalid, 'request_too_large', null]);
  });

  test('a refused upload of a large file leaves nothing behind', async () => {
    const upload: Upload = { file: [['file', 'x'.repeat(900_000), 'a.wav']], fields: [['temperature', 'x']] };
    expect((await post(path, formOf(upload)))[0]).toBe(400);
  });

  test('an upload without a credential is refused before it is read', async () => {
    const refused = await post(path, 'nothing', { authorization: 'Bearer wrong' });
    expect(refused).toEqual([401, invalid, 'invalid_api_key', null]);
  });

  test('an upload with unknown fields and values is passed on', async () => {
    asked.length = 0;
    const { url, token } = gateway.stack;
    const body = formOf({
      fields: [
        ['new_in_2027', 'yes'],
        ['stream', ''],
        ['temperature', '1.1'],
        ['timestamp_granularities[]', 'char'],
        ['include[]', 'words'],
        ['chunking_strategy', 'manual'],
        ...Array.from({ length: 5 }, (_, i): [string, string] => ['known_speaker_names[]', String(i)]),
      ],
    });
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(url + path, { method: 'POST', headers, body });
    expect(await response.json()).toEqual({ text: 'Hi' });
    expect(asked).toEqual([`/good${path}`]);
  });
});

test('an unknown audio path is not found', async () => {
  expect(await post('/v1/audio/voices', '{}')).toEqual([404, invalid, 'unknown_url', null]);
});
