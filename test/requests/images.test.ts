import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ScriptedUpstream, startUpstream } from '../faults/upstream.ts';
import { type Stack, startStack } from '../stack/stack.ts';

let upstream: ScriptedUpstream;
let stack: Stack;

beforeAll(async () => {
  upstream = await startUpstream(response => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ created: 1, data: [{ b64_json: 'iVBORw0KGgo=' }] }));
  });
  stack = await startStack({
    catalog: {
      providers: [
        { name: 'openai', kind: 'openai-compatible', baseUrl: `${upstream.url}/v1` },
        { name: 'gemini', kind: 'gemini', baseUrl: upstream.url, apiKey: { value: 'key' } },
        { name: 'claude', kind: 'anthropic', baseUrl: upstream.url, apiKey: { value: 'key' } },
      ],
      models: [
        { name: 'm', targets: [{ provider: 'openai', model: 'up' }], drop: ['style'] },
        { name: 'g', targets: [{ provider: 'gemini', model: 'up' }] },
        { name: 'words', targets: [{ provider: 'claude', model: 'up' }] },
      ],
    },
  });
});
afterAll(async () => {
  await stack?.stop();
  upstream?.close();
});

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const dataUrl = `data:image/png;base64,${png.toString('base64')}`;

async function post(path: string, body: NonNullable<RequestInit['body']>, type?: string) {
  const headers = { authorization: `Bearer ${stack.token}`, ...(type && { 'content-type': type }) };
  const response = await fetch(`${stack.url}/v1/images/${path}`, { method: 'POST', headers, body });
  const json = (await response.json()) as { error?: Record<string, unknown> };
  return { status: response.status, json, error: json.error };
}

const postJson = (path: string, body: object) => post(path, JSON.stringify(body), 'application/json');

type Part = [name: string, value: string | Buffer, filename?: string];

/** A form that FormData cannot write, because something in it is invalid. */
function formOf(parts: readonly Part[]): string {
  const written = parts.map(([name, value, filename]) => {
    const file = filename === undefined ? '' : `; filename="${filename}"\r\nContent-Type: image/png`;
    return `--b\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value.toString('latin1')}\r\n`;
  });
  return `${written.join('')}--b--\r\n`;
}

const form = 'multipart/form-data; boundary=b';
const postForm = (path: string, parts: readonly Part[]) =>
  post(path, Buffer.from(formOf(parts), 'latin1'), form);

const invalid = { type: 'invalid_request_error' };
const good = { model: 'm', prompt: 'A fox' };

/** Invalid requests, with the code and parameter of the error. */
const generations: [what: string, body: object, code: string | null, param: string | null][] = [
  ['no prompt', { model: 'm' }, 'missing_required_parameter', 'prompt'],
  ['an empty prompt', { ...good, prompt: '' }, 'invalid_value', 'prompt'],
  ['a prompt that is null', { ...good, prompt: null }, 'invalid_type', 'prompt'],
  ['no model', { prompt: 'A fox' }, 'missing_required_parameter', 'model'],
  ['a model that is no text', { ...good, model: 1 }, 'invalid_type', 'model'],
  ['no image', { ...good, n: 0 }, 'integer_below_min_value', 'n'],
  ['too many images', { ...good, n: 129 }, 'integer_above_max_value', 'n'],
  ['half an image', { ...good, n: 1.5 }, 'invalid_type', 'n'],
  ['a number as text', { ...good, n: '2' }, 'invalid_type', 'n'],
  ['a size that is a number', { ...good, size: 1024 }, 'invalid_type', 'size'],
  ['an empty size', { ...good, size: '' }, 'invalid_value', 'size'],
  ['a quality that is a number', { ...good, quality: 5 }, 'invalid_type', 'quality'],
  ['a response format that is a list', { ...good, response_format: [] }, 'invalid_type', 'response_format'],
  ['an output format that is none', { ...good, output_format: {} }, 'invalid_type', 'output_format'],
  [
    'a compression that is a text',
    { ...good, output_compression: '50' },
    'invalid_type',
    'output_compression',
  ],
  [
    'too little compression',
    { ...good, output_compression: -1 },
    'integer_below_min_value',
    'output_compression',
  ],
  ['a background that is no text', { ...good, background: 5 }, 'invalid_type', 'background'],
  ['a moderation that is no text', { ...good, moderation: false }, 'invalid_type', 'moderation'],
  ['a style that is no text', { ...good, style: ['bold'] }, 'invalid_type', 'style'],
  ['a stream that is a text', { ...good, stream: 'true' }, 'invalid_type', 'stream'],
  [
    'fewer than none on the way',
    { ...good, partial_images: -1 },
    'integer_below_min_value',
    'partial_images',
  ],
  ['a user that is no text', { ...good, user: {} }, 'invalid_type', 'user'],
  ['a model that makes none', { ...good, model: 'words' }, 'unsupported_model', 'model'],
  ['more images than a model makes', { ...good, model: 'g', n: 11 }, 'unsupported_value', 'n'],
  [
    'a shape that a model does not make',
    { ...good, model: 'g', size: '100x400' },
    'unsupported_value',
    'size',
  ],
  ['a size that a model cannot read', { ...good, model: 'g', size: 'big' }, 'unsupported_value', 'size'],
];

describe('image generations', () => {
  test.each(generations)('a generation is refused for %s', async (_what, body, code, param) => {
    const { status, error } = await postJson('generations', body);
    expect({ status, error }).toEqual({
      status: 400,
      error: { ...invalid, message: expect.any(String), code, param },
    });
  });

  test('a generation is refused for an unknown model, a form and invalid JSON', async () => {
    const unknown = await postJson('generations', { ...good, model: 'nobody' });
    expect(unknown).toMatchObject({ status: 404, error: { code: 'model_not_found' } });
    const asForm = await postForm('generations', [['prompt', 'A fox']]);
    expect(asForm).toMatchObject({ status: 415, error: { ...invalid, code: 'unsupported_content_type' } });
    expect(await post('generations', '{', 'application/json')).toMatchObject({ status: 400, error: invalid });
  });

  test('a generation passes unchanged: null is unset, unknown fields pass, dropped fields do not', async () => {
    const text =
      '{ "model": "m", "prompt":"A fox", "n": null, "style": "vivid", "complexity": 3e0, "size":"7K" }';
    expect(await post('generations', text, 'application/json')).toMatchObject({ status: 200 });
    expect(upstream.bodies.at(-1)).toBe(
      '{"model": "up","prompt":"A fox","n": null,"complexity": 3e0,"size":"7K"}',
    );
  });
});

test.each([
  { quality: 'best', background: 'blue', moderation: 'high', output_format: 'bmp' },
  { n: 12, response_format: 'base64', output_compression: 101, partial_images: 4 },
  { prompt: 'x'.repeat(32_001), size: '2K', quality: '', response_format: '' },
])("values of other vendors' models reach them: %j", async fields => {
  expect(await postJson('generations', { ...good, ...fields })).toMatchObject({ status: 200 });
  expect(JSON.parse(upstream.bodies.at(-1) as string)).toEqual({ ...good, ...fields, model: 'up' });
  const edit = { ...good, ...fields, input_fidelity: 'mid', images: [{ image_url: dataUrl }] };
  expect(await postJson('edits', edit)).toMatchObject({ status: 200 });
  expect(JSON.parse(upstream.bodies.at(-1) as string)).toEqual({ ...edit, model: 'up' });
});

const prompt: Part = ['prompt', 'A hat'];
const model: Part = ['model', 'm'];
const image: Part = ['image', png, 'a.png'];
const many = (count: number): Part[] =>
  Array.from({ length: count }, (_, i): Part => ['image[]', png, `${i}.png`]);

const forms: [what: string, parts: Part[], code: string, param: string | null][] = [
  ['an empty form', [], 'missing_required_parameter', 'image'],
  ['no prompt', [model, image], 'missing_required_parameter', 'prompt'],
  ['an empty prompt', [model, image, ['prompt', '']], 'missing_required_parameter', 'prompt'],
  ['no model', [prompt, image], 'missing_required_parameter', 'model'],
  ['no image', [prompt, model], 'missing_required_parameter', 'image'],
  ['an image that is a text', [prompt, model, ['image', 'abc']], 'invalid_type', 'image'],
  ['a mask that is a text', [prompt, model, image, ['mask', 'abc']], 'invalid_type', 'mask'],
  ['a file in another field', [prompt, model, ['picture', png, 'a.png']], 'unknown_parameter', 'picture'],
  ['a file in the field of a text', [model, image, ['prompt', png, 'a.png']], 'unknown_parameter', 'prompt'],
  ['too many images', [prompt, model, ...many(17)], 'array_above_max_length', 'image'],
  ['too many files', [prompt, model, ...many(33)], 'invalid_multipart_form_data', null],
  [
    'two masks',
    [prompt, model, image, ['mask', png, 'a'], ['mask', png, 'b']],
    'array_above_max_length',
    'mask',
  ],
  ['no image by its bytes', [prompt, model, ['image', 'hello', 'a.png']], 'invalid_image_file', 'image'],
  ['an empty file', [prompt, model, image, ['image[1]', '', 'b.png']], 'invalid_image_file', 'image[1]'],
  [
    'a mask that is no image',
    [prompt, model, image, ['mask', '<svg/>', 'm.png']],
    'invalid_image_file',
    'mask',
  ],
  ['a number that is none', [prompt, model, image, ['n', 'two']], 'invalid_type', 'n'],
  ['too many edits', [prompt, model, image, ['n', '129']], 'integer_above_max_value', 'n'],
  ['a stream that is neither', [prompt, model, image, ['stream', 'yes']], 'invalid_type', 'stream'],
];

const bodies: [what: string, body: object, code: string, param: string][] = [
  ['no images', { ...good, images: [] }, 'empty_array', 'images'],
  ['images that are missing', good, 'missing_required_parameter', 'images'],
  [
    'too many images',
    { ...good, images: Array(17).fill({ image_url: dataUrl }) },
    'array_above_max_length',
    'images',
  ],
  ['an image that is nowhere', { ...good, images: [{}] }, 'invalid_value', 'images[0]'],
  [
    'an image in two places',
    { ...good, images: [{ image_url: dataUrl, file_id: 'f' }] },
    'invalid_value',
    'images[0]',
  ],
  ['an image that is a text', { ...good, images: [dataUrl] }, 'invalid_type', 'images[0]'],
  [
    'no image by its bytes',
    { ...good, images: [{ image_url: 'data:image/png;base64,AAAA' }] },
    'invalid_image_file',
    'images[0].image_url',
  ],
  ['no address', { ...good, images: [{ image_url: 'fox' }] }, 'invalid_image_file', 'images[0].image_url'],
  [
    'an address, where a model takes none',
    { ...good, model: 'g', images: [{ image_url: 'https://example.com/a.png' }] },
    'unsupported_value',
    'images[0].image_url',
  ],
  [
    'a file, where a model takes none',
    { ...good, model: 'g', images: [{ image_url: dataUrl }], mask: { file_id: 'f' } },
    'unsupported_value',
    'mask.file_id',
  ],
];

describe('image edits', () => {
  test('an edit with parts that are not a form is refused', async () => {
    const refused = await post('edits', formOf([prompt, model, image]), form.replace('form-data', 'mixed'));
    expect(refused).toMatchObject({ status: 415, error: { ...invalid, code: 'unsupported_content_type' } });
  });

  test.each(forms)('an edit form is refused for %s', async (_what, parts, code, param) => {
    const { status, error } = await postForm('edits', parts);
    expect({ status, error }).toEqual({
      status: 400,
      error: { ...invalid, message: expect.any(String), code, param },
    });
  });

  test.each(bodies)('an edit as JSON is refused for %s', async (_what, body, code, param) => {
    const { status, error } = await postJson('edits', body);
    expect({ status, error }).toEqual({
      status: 400,
      error: { ...invalid, message: expect.any(String), code, param },
    });
  });

  test.each([
    ['no boundary', 'multipart/form-data', formOf([prompt, model, image])],
    ['the end missing', form, formOf([prompt, model, image]).slice(0, -5)],
    ['another boundary', `${form}c`, formOf([prompt, model, image])],
    ['nothing in it', form, ''],
  ])('an edit form with %s is invalid', async (_what, type, text) => {
    const { status, error } = await post('edits', Buffer.from(text, 'latin1'), type);
    expect({ status, error }).toMatchObject({
      status: 400,
      error: { ...invalid, code: 'invalid_multipart_form_data', param: null },
    });
  });

  test.each<[string, Part[], string[]]>([
    ['one image', [['image', png, 'a.png']], ['image']],
    ['a list of one', [['image[]', png, 'a.png']], ['image[]']],
    ['one with a number', [['image[0]', png, 'a.png']], ['image[]']],
    ['one field, twice', [image, ['image', png, 'b.png']], ['image[]', 'image[]']],
    [
      'numbers',
      [
        ['image[0]', png, 'a.png'],
        ['image[1]', png, 'b.png'],
        ['mask', png, 'm.png'],
      ],
      ['image[]', 'image[]', 'mask'],
    ],
    ['sixteen', many(16), Array(16).fill('image[]')],
  ])('an edit form accepts %s, in any order', async (_what, files, sent) => {
    for (const parts of [
      [prompt, model, ...files],
      [...files, model, ['n', ''] as Part, prompt],
    ]) {
      expect(await postForm('edits', parts)).toMatchObject({ status: 200 });
      const body = upstream.bodies.at(-1) ?? '';
      expect([...body.matchAll(/name="(image[^"]*|mask)"; filename/g)].map(match => match[1])).toEqual(sent);
      expect(body).toMatch(/name="model"\r\n\r\nup\r\n/);
      expect(body).not.toContain('"m"');
    }
  });

  test('an edit as JSON passes unchanged', async () => {
    const body = { ...good, images: [{ image_url: 'https://example.com/a.png' }, { file_id: 'f' }] };
    expect(await postJson('edits', body)).toMatchObject({ status: 200 });
    expect(JSON.parse(upstream.bodies.at(-1) ?? '')).toEqual({ ...body, model: 'up' });
  });
});

describe('image variations', () => {
  test('a variation passes unchanged', async () => {
    expect(await postForm('variations', [model, image, ['n', '2']])).toMatchObject({ status: 200 });
    expect(upstream.bodies.at(-1)).toMatch(/name="n"\r\n\r\n2\r\n/);
  });

  test.each<[string, Part[], string, string]>([
    ['no image', [model], 'missing_required_parameter', 'image'],
    ['two images', [model, ...many(2)], 'array_above_max_length', 'image'],
    ['a mask', [model, image, ['mask', png, 'm.png']], 'unknown_parameter', 'mask'],
    ['no image by its bytes', [model, ['image', 'abc', 'a.png']], 'invalid_image_file', 'image'],
    ['a model that makes none', [['model', 'g'], image], 'unsupported_model', 'model'],
  ])('a variation form is refused for %s', async (_what, parts, code, param) => {
    const { status, error } = await postForm('variations', parts);
    expect({ status, error }).toMatchObject({ status: 400, error: { ...invalid, code, param } });
  });

  test.each([
    ['application/json', '{"model":"m"}'],
    ['image/png', png],
  ])('a variation as %s is refused before it is read', async (type, body) => {
    expect(await post('variations', body, type)).toMatchObject({
      status: 415,
      error: { code: 'unsupported_content_type' },
    });
  });
});

test.each(['generations', 'edits', 'variations'])('%s requires a token, and refuses GET', async path => {
  const url = `${stack.url}/v1/images/${path}`;
  const response = await fetch(url, { method: 'POST', body: '{}' });
  expect(response.status).toBe(401);
  const get = await fetch(url, { headers: { authorization: `Bearer ${stack.token}` } });
  expect({ status: get.status, allow: get.headers.get('allow') }).toEqual({ status: 405, allow: 'POST' });
});
