import {
  type AssistantPart,
  GatewayError,
  type GenerateFormat,
  type GenerateRequest,
  type Message,
  parseExact,
  type Reasoning,
  type Signature,
  type ToolChoice,
  type ToolResultPart,
  type UserPart,
} from '@model-gateway/canonical';
import { generateContentTranslatable } from '@model-gateway/wire';
import { describe, expect, test } from 'vitest';
import type { EncodeInput } from '../dialect.ts';
import { encode } from './encode.ts';
import { toolsByName } from './encode-tools.ts';

const newest = 'gemini-3-pro';
const older = 'gemini-2.5-flash';
const standIn = 'skip_thought_signature_validator';

function input(fields: Partial<EncodeInput>, envelope: Partial<EncodeInput['envelope']> = {}): EncodeInput {
  return {
    envelope: {
      requestId: 'r',
      operation: 'generate',
      format: 'chat',
      model: 'm',
      stream: false,
      textLength: 0,
      targets: [],
      token: { id: 't', project: 'p' },
      headers: {},
      ...envelope,
    },
    model: newest,
    drop: [],
    limits: {},
    ...fields,
  };
}

const text = (said: string): UserPart => ({ type: 'text', text: said });
const user = (...content: (string | UserPart)[]): Message => ({
  role: 'user',
  content: content.map(part => (typeof part === 'string' ? text(part) : part)),
});
const system = (said: string): Message => ({ role: 'system', content: [{ type: 'text', text: said }] });
const says = (...content: AssistantPart[]): Message => ({ role: 'assistant', content });
const own = (value: string): Signature => ({ format: 'generate-content', value });
const call = (id: string, args = '{}', more: object = {}): AssistantPart => ({
  type: 'tool-call',
  id,
  name: 'f',
  arguments: args,
  ...more,
});
const results = (
  ...content: [callId: string, content: ToolResultPart['content'], error?: true][]
): Message => ({
  role: 'tool',
  content: content.map(([callId, content, error]) => ({
    type: 'tool-result',
    callId,
    content,
    ...(error && { error }),
  })),
});
const ok = (id: string): Message => results([id, [{ type: 'text', text: 'ok' }]]);
const tool = { type: 'function', name: 'f', parameters: { type: 'object', properties: {} } } as const;

function body(
  request: Partial<GenerateRequest>,
  fields: Partial<EncodeInput> = {},
  format: GenerateFormat = 'chat',
) {
  const given = input({ request: { messages: [user('Hi')], ...request }, ...fields }, { format });
  const sent = JSON.parse(encode(given).body.toString());
  // Whatever is sent can be read again.
  expect(generateContentTranslatable.safeParse(sent).error).toBeUndefined();
  return sent;
}

const config = (request: Partial<GenerateRequest>, model = newest) =>
  body(request, { model }).generationConfig;
const contents = (messages: Message[], model = newest) => body({ messages }, { model }).contents;

function refusal(run: () => unknown): { kind: string; param: string | undefined } {
  try {
    run();
  } catch (error) {
    if (error instanceof GatewayError) return { kind: error.kind, param: error.details.param };
    throw error;
  }
  throw new Error('not refused');
}

const refused = (
  request: Partial<GenerateRequest>,
  fields: Partial<EncodeInput> = {},
  format?: GenerateFormat,
) => refusal(() => body(request, fields, format));

describe('the path', () => {
  const request: GenerateRequest = { messages: [user('Hi')] };
  const own = Buffer.from('{"contents":[]}');

  test.each<[string, Partial<EncodeInput>, Partial<EncodeInput['envelope']>, string]>([
    ['translated', { request }, {}, ':streamGenerateContent?alt=sse'],
    ['a stream', { text: own }, { stream: true }, ':streamGenerateContent?alt=sse'],
    ['whole', { text: own }, {}, ':generateContent'],
    ['a count', { text: own }, { operation: 'count-tokens' }, ':countTokens'],
  ])('of what is %s', (_what, fields, envelope, method) => {
    expect(encode(input(fields, envelope)).path).toBe(`/v1beta/models/${newest}${method}`);
  });

  test.each([
    ['gemini-x', 'models/gemini-x'],
    ['models/gemini-x', 'models/gemini-x'],
    ['tunedModels/mine', 'tunedModels/mine'],
    ['google/gemini-x', 'models/google/gemini-x'],
    ['a b?c#d', 'models/a%20b%3Fc%23d'],
  ])('names the model %s', (model, path) => {
    expect(encode(input({ text: own, model })).path).toBe(`/v1beta/${path}:generateContent`);
  });

  test('leads nowhere else', () => {
    expect(refusal(() => encode(input({ text: own, model: '../../x' })))).toMatchObject({ param: 'model' });
  });
});

describe("the client's own text", () => {
  const splice = (text: string, fields: Partial<EncodeInput> = {}, foreign = false) =>
    encode(
      input({ text: Buffer.from(text), ...fields }, { format: 'generate-content', foreign }),
    ).body.toString();

  test('is sent on byte for byte', () => {
    const text =
      '{"contents": [{"parts":[{"text":"ž"}]}],"generation_config":{"seed": 12345678901234567890}}';
    expect(splice(text)).toBe(text);
  });

  test('names the model as the upstream does, if at all', () => {
    expect(splice('{"model":"models/x","contents":[]}')).toBe(`{"model":"models/${newest}","contents":[]}`);
    expect(splice('{"generateContentRequest":{"model":"models/x","contents":[]}}')).toBe(
      `{"generateContentRequest":{"model":"models/${newest}","contents":[]}}`,
    );
    expect(splice('{"generate_content_request":{"contents":[]}}')).toBe(
      '{"generate_content_request":{"contents":[]}}',
    );
  });

  test.each([
    ['{"contents":[],"safety_settings":[]}', '{"contents":[]}'],
    [
      '{"contents":[],"generationConfig":{"topK":1,"seed": 9e99}}',
      '{"contents":[],"generationConfig":{"seed": 9e99}}',
    ],
    ['{"generation_config":{"top_k":1},"contents":[]}', '{"generation_config":{},"contents":[]}'],
    ['{"generationConfig":null,"contents":[]}', '{"generationConfig":null,"contents":[]}'],
  ])('%s loses what the model does not take', (text, sent) => {
    expect(splice(text, { drop: ['topK', 'safety_settings'] })).toBe(sent);
  });

  test('loses what other vendors signed, and nothing else', () => {
    const parts = [
      { text: 'Plan.', thought: true, thoughtSignature: 'am:EqQB' },
      { text: 'Own.', thought: true, thought_signature: 'Q2lR' },
      { thoughtSignature: 'or:x' },
      { text: 'a', thought_signature: 'am:x', partMetadata: { n: 1 } },
      { function_call: { name: 'f', args: {} }, thoughtSignature: 'am:y' },
      { functionCall: { name: 'g', args: {} } },
    ];
    const contents = [
      { role: 'user', parts: [{ text: 'x' }] },
      { role: 'model', parts },
    ];
    const text = JSON.stringify({ contents, generationConfig: {} });
    const kept = (first: object) => [
      contents[0],
      {
        role: 'model',
        parts: [
          parts[1],
          { text: 'a', partMetadata: { n: 1 } },
          { function_call: { name: 'f', args: {} }, ...first },
          parts[5],
        ],
      },
    ];
    expect(JSON.parse(splice(text, {}, true)).contents).toEqual(kept({ thoughtSignature: standIn }));
    expect(JSON.parse(splice(text, { model: older }, true)).contents).toEqual(kept({}));
    expect(splice(text)).toBe(text);
  });

  test('loses it in a request to count the tokens of, too', () => {
    const parts = [{ text: 'x', thoughtSignature: 'am:s' }];
    const text = JSON.stringify({ generateContentRequest: { contents: [{ role: 'model', parts }] } });
    expect(splice(text, {}, true)).toBe(
      '{"generateContentRequest":{"contents":[{"role":"model","parts":[{"text":"x"}]}]}}',
    );
  });

  test('keeps its numbers where its history is written anew, and a turn of nothing is none', () => {
    const text =
      '{"contents":[{"role":"model","parts":[{"text":"x","thought":true,"thoughtSignature":"am:s"}]},' +
      '{"parts":[{"functionResponse":{"name":"f","response":{"n":12345678901234567890}}}]}]}';
    expect(splice(text, {}, true)).toBe(
      '{"contents":[{"parts":[{"functionResponse":{"name":"f","response":{"n":12345678901234567890}}}]}]}',
    );
  });
});

describe('a conversation', () => {
  test('has its leading instructions apart, and later ones in their place', () => {
    expect(
      body({
        messages: [
          system('a'),
          system('b'),
          user('x'),
          says(text('y') as AssistantPart),
          system('c'),
          user('z'),
        ],
      }),
    ).toMatchObject({
      systemInstruction: { parts: [{ text: 'a' }, { text: 'b' }] },
      contents: [
        { role: 'user', parts: [{ text: 'x' }] },
        { role: 'model', parts: [{ text: 'y' }] },
        { role: 'user', parts: [{ text: 'c' }, { text: 'z' }] },
      ],
    });
  });

  test.each<[string, Message[]]>([
    ['instructions alone', [system('a')]],
    ['the model', [says({ type: 'text', text: 'y' }), user('x')]],
  ])('of %s is begun for clients that may say so', (_what, messages) => {
    for (const format of ['chat', 'responses', 'completions'] as const)
      expect(body({ messages }, {}, format).contents[0]).toEqual({ role: 'user', parts: [{ text: '.' }] });
    expect(refused({ messages }, {}, 'messages')).toMatchObject({
      kind: 'invalid-request',
      param: 'contents',
    });
  });

  test('cannot end with what a client wants to be gone on with', () => {
    const messages = [user('x'), says({ type: 'text', text: 'y' })];
    expect(refused({ messages }, {}, 'messages')).toMatchObject({ param: 'contents' });
    expect(body({ messages }).contents).toHaveLength(2);
  });

  test('has no empty text (pitfall 16)', () => {
    const messages = [user('', 'x'), says({ type: 'text', text: '' }), user('y')];
    expect(contents(messages)).toEqual([
      { role: 'user', parts: [{ text: 'x' }] },
      { role: 'user', parts: [{ text: 'y' }] },
    ]);
    expect(refused({ messages: [user('')] })).toMatchObject({ param: 'contents' });
  });
});

describe('calls and results', () => {
  const oslo = call('c1', '{"city":"Oslo","n":12345678901234567890}');

  test('all results of a turn are one content, and what is said with them another (pitfall 11)', () => {
    const messages = [
      user('x'),
      says({ type: 'text', text: 'Looking.' }, oslo, call('c2', '')),
      results(['c1', [{ type: 'text', text: '4 C' }]]),
      user('and?'),
      results(['c2', [{ type: 'text', text: 'station offline' }], true]),
    ];
    expect(contents(messages, older)).toEqual([
      { role: 'user', parts: [{ text: 'x' }] },
      {
        role: 'model',
        parts: [
          { text: 'Looking.' },
          {
            functionCall: {
              id: 'c1',
              name: 'f',
              args: JSON.parse('{"city":"Oslo","n":12345678901234567890}'),
            },
          },
          { functionCall: { id: 'c2', name: 'f', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'c1', name: 'f', response: { output: '4 C' } } },
          { functionResponse: { id: 'c2', name: 'f', response: { error: 'station offline' } } },
        ],
      },
      { role: 'user', parts: [{ text: 'and?' }] },
    ]);
  });

  test('numbers stay as they were', () => {
    const request = {
      messages: [user('x'), says(oslo), results(['c1', [{ type: 'text', text: '{"n":1.50}' }]])],
    };
    const sent = encode(input({ request })).body.toString();
    expect(sent).toContain('"n":12345678901234567890');
    expect(sent).toContain('"response":{"n":1.50}');
  });

  test.each<[string, ToolResultPart['content'], object]>([
    ['an object', [{ type: 'text', text: ' {"t":4}' }], { t: 4 }],
    ['a list', [{ type: 'text', text: '[4]' }], { output: '[4]' }],
    ['broken JSON', [{ type: 'text', text: '{"t":' }], { output: '{"t":' }],
    ['nothing', [], { output: '' }],
    [
      'several texts',
      [
        { type: 'text', text: '{}' },
        { type: 'text', text: 'b' },
      ],
      { output: '{}\nb' },
    ],
    [
      'a block of another format (pitfall 15)',
      [{ type: 'opaque', format: 'messages', value: { type: 'search_result', title: 'T' } }],
      { output: '{"type":"search_result","title":"T"}' },
    ],
    [
      'a document of text',
      [{ type: 'media', kind: 'document', source: { type: 'text', text: 'b' }, name: 'A' }],
      { output: 'A\n\nb' },
    ],
  ])('a result of %s', (_what, content, response) => {
    const [, , { parts }] = contents([user('x'), says(call('c1')), results(['c1', content])]);
    expect(parts[0].functionResponse).toEqual({ id: 'c1', name: 'f', response });
  });

  const picture = {
    type: 'media',
    kind: 'image',
    source: { type: 'base64', data: 'iVBORw0KGgo=' },
    mediaType: 'image/png',
  } as const;
  const shown = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } };

  test('a picture is within its result, or follows where the model is older (pitfalls 12, 14)', () => {
    const messages = [
      user('x'),
      says(call('c1')),
      results(['c1', [text('see') as never, picture]]),
      user('so?'),
    ];
    expect(contents(messages)[2]).toEqual({
      role: 'user',
      parts: [{ functionResponse: { id: 'c1', name: 'f', response: { output: 'see' }, parts: [shown] } }],
    });
    expect(contents(messages, older).slice(2)).toEqual([
      {
        role: 'user',
        parts: [
          {
            functionResponse: {
              id: 'c1',
              name: 'f',
              response: { output: 'see\n(image: see the content that follows)' },
            },
          },
        ],
      },
      { role: 'user', parts: [{ text: 'Shown by tool call c1:' }, shown, { text: 'so?' }] },
    ]);
  });

  test('ids that the gateway made go no further, for the upstream gave none', () => {
    const made = 'call_gg0123456789abcdef01234567';
    const [, { parts: calls }, { parts: answers }] = contents([user('x'), says(call(made)), ok(made)]);
    expect(calls[0].functionCall).toEqual({ name: 'f', args: {} });
    expect(answers[0].functionResponse).toEqual({ name: 'f', response: { output: 'ok' } });
  });

  test('results come in the order of their calls, which without ids are known by nothing else', () => {
    const [a, b] = ['call_gg0123456789abcdef01234567', 'call_gg0123456789abcdef01234568'] as const;
    const said = (said: string): ToolResultPart['content'] => [{ type: 'text', text: said }];
    const [, , { parts }] = contents([
      user('x'),
      says(call(a), call(b)),
      results([b, said('of b')]),
      results([a, said('of a')]),
    ]);
    expect(parts).toMatchObject([
      { functionResponse: { response: { output: 'of a' } } },
      { functionResponse: { response: { output: 'of b' } } },
    ]);
  });

  test.each([
    ['[1]', { value: [1] }],
    ['5', { value: 5 }],
    ['null', {}],
    [' ', {}],
  ])('arguments %s are an object', (args, sent) => {
    const [, { parts }] = contents([user('x'), says(call('a', args)), ok('a')]);
    expect(parts[0].functionCall.args).toEqual(sent);
  });

  test('what nobody can read is refused', () => {
    expect(refused({ messages: [user('x'), says(call('a', '{"x":')), ok('a')] })).toMatchObject({
      param: 'contents',
    });
    expect(refused({ messages: [user('x'), says(call('a'))] })).toMatchObject({ kind: 'invalid-request' });
    expect(refused({ messages: [user('x'), ok('b')] })).toMatchObject({ kind: 'invalid-request' });
  });
});

describe('signatures', () => {
  const model = (...content: AssistantPart[]) =>
    contents([
      user('x'),
      says(...content),
      ...content
        .flatMap(c => (c.type === 'tool-call' ? [c.id] : []))
        .slice(0, 1)
        .map(() => answers(content)),
    ])[1].parts;
  const answers = (content: AssistantPart[]): Message => ({
    role: 'tool',
    content: content.flatMap(part =>
      part.type === 'tool-call' ? [{ type: 'tool-result' as const, callId: part.id, content: [] }] : [],
    ),
  });
  const foreign: Signature = { format: 'messages', value: 'EqQB' };

  test('stand where they stood (pitfall 4)', () => {
    expect(
      model(
        { type: 'text', text: 't', signature: own('T') },
        call('a', '{}', { signature: own('A') }),
        call('b'),
      ),
    ).toEqual([
      { text: 't', thoughtSignature: 'T' },
      { functionCall: { id: 'a', name: 'f', args: {} }, thoughtSignature: 'A' },
      { functionCall: { id: 'b', name: 'f', args: {} } },
    ]);
  });

  test('go from the thoughts that kept them to what follows', () => {
    expect(model({ type: 'reasoning', text: 'hm', signature: own('A') }, call('a'), call('b'))).toMatchObject(
      [{ functionCall: {}, thoughtSignature: 'A' }, { functionCall: { id: 'b' } }],
    );
    expect(model({ type: 'reasoning', text: '', signature: own('A') }, { type: 'text', text: 't' })).toEqual([
      { text: 't', thoughtSignature: 'A' },
    ]);
  });

  test('of a call are not overruled, and one that nothing follows has a part of its own', () => {
    const signed = call('a', '{}', { signature: own('A') });
    expect(model({ type: 'reasoning', text: '', signature: own('A') }, signed)).toMatchObject([
      { thoughtSignature: 'A' },
    ]);
    expect(model(signed, { type: 'reasoning', text: '', signature: own('B') })).toMatchObject([
      { thoughtSignature: 'A' },
      { text: '', thoughtSignature: 'B' },
    ]);
    expect(
      model({ type: 'text', text: 'x' }, { type: 'reasoning', text: 'hm', signature: own('B') }),
    ).toEqual([{ text: 'x' }, { text: 'hm', thought: true, thoughtSignature: 'B' }]);
  });

  test('of several thoughts stay in their order, each its own (pitfall 18)', () => {
    const thought = (text: string, value: string): AssistantPart => ({
      type: 'reasoning',
      text,
      signature: own(value),
    });
    expect(
      model(thought('a', 'A'), thought('', 'B'), { type: 'text', text: 't' }, thought('', 'C'), call('c')),
    ).toMatchObject([
      { text: 'a', thought: true, thoughtSignature: 'A' },
      { text: 't', thoughtSignature: 'B' },
      { functionCall: { id: 'c' }, thoughtSignature: 'C' },
    ]);
  });

  test('of other vendors, and unsigned thoughts, go nowhere', () => {
    expect(
      model(
        { type: 'reasoning', text: 'hm', signature: foreign },
        { type: 'reasoning', text: 'hm' },
        { type: 'reasoning', text: '', redacted: true, signature: foreign },
        { type: 'text', text: 't', signature: foreign },
      ),
    ).toEqual([{ text: 't' }]);
  });

  test('are stood in for on the first call of each unsigned step, where the model wants them', () => {
    const messages = [
      user('x'),
      says(call('a', '{}', { signature: foreign }), call('b')),
      results(['a', []], ['b', []]),
      says(call('c', '{}', { signature: own('C') })),
      ok('c'),
      says(call('d')),
      ok('d'),
    ];
    const proofs = (model: string) =>
      contents(messages, model).flatMap(({ parts }: { parts: Record<string, unknown>[] }) =>
        parts.flatMap(part => (part.functionCall ? [part.thoughtSignature ?? null] : [])),
      );
    expect(proofs(newest)).toEqual([standIn, null, 'C', standIn]);
    expect(proofs(older)).toEqual([null, null, 'C', null]);
  });
});

describe('media', () => {
  const part = (media: UserPart) => contents([user(media)])[0].parts[0];
  const media = (fields: object) => ({ type: 'media', kind: 'image', ...fields }) as UserPart;
  const base64 = { type: 'base64', data: 'AAAA' };

  test.each<[string, UserPart, object]>([
    [
      'an image',
      media({ source: base64, mediaType: 'image/jpg' }),
      { inlineData: { mimeType: 'image/jpeg', data: 'AAAA' } },
    ],
    [
      'audio',
      media({ kind: 'audio', source: base64, mediaType: 'audio/wav' }),
      { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } },
    ],
    [
      'a PDF that says so itself',
      media({ kind: 'document', source: { type: 'base64', data: 'JVBERi0x' } }),
      { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0x' } },
    ],
    [
      'a file of text',
      media({ kind: 'document', source: { type: 'base64', data: 'xb4=' }, name: 'a.txt' }),
      { text: 'a.txt\n\nž' },
    ],
    [
      'a link',
      media({ source: { type: 'url', url: 'https://x/a.png' }, mediaType: 'image/png' }),
      { fileData: { mimeType: 'image/png', fileUri: 'https://x/a.png' } },
    ],
    [
      'a stored file',
      media({
        kind: 'document',
        source: { type: 'file', id: 'https://g/files/x', format: 'generate-content' },
      }),
      { fileData: { fileUri: 'https://g/files/x' } },
    ],
    [
      'a block of this format',
      { type: 'opaque', format: 'generate-content', value: { executableCode: { code: '1' } } },
      { executableCode: { code: '1' } },
    ],
    [
      'a block of another',
      { type: 'opaque', format: 'messages', value: { type: 'x' } },
      { text: '{"type":"x"}' },
    ],
  ])('%s', (_what, given, sent) => {
    expect(part(given)).toEqual(sent);
  });

  test.each<[string, UserPart]>([
    ["another vendor's file", media({ source: { type: 'file', id: 'f', format: 'chat' } })],
    ['an image of no known type', media({ source: base64 })],
  ])('%s is refused', (_what, given) => {
    expect(refused({ messages: [user(given)] })).toMatchObject({
      kind: 'invalid-request',
      param: 'contents',
    });
  });
});

describe('tools', () => {
  test('are declared with their JSON schema (pitfall 13)', () => {
    const parameters = {
      type: 'object',
      properties: {
        const: { const: 'a' },
        list: { type: 'array', items: { anyOf: [{ const: 1 }, { $ref: '#' }] } },
      },
      additionalProperties: false,
    };
    const { tools } = body({
      tools: [
        { type: 'function', name: 'f', description: 'd', parameters, strict: true },
        { type: 'function', name: 'bare' },
        { type: 'custom', name: 'py', description: 'p' },
      ],
    });
    expect(tools).toEqual([
      {
        functionDeclarations: [
          {
            name: 'f',
            description: 'd',
            parametersJsonSchema: {
              ...parameters,
              properties: {
                const: { enum: ['a'] },
                list: { type: 'array', items: { anyOf: [{ enum: [1] }, { $ref: '#' }] } },
              },
            },
          },
          { name: 'bare' },
          {
            name: 'py',
            description: 'p',
            parametersJsonSchema: {
              type: 'object',
              properties: { input: { type: 'string' } },
              required: ['input'],
            },
          },
        ],
      },
    ]);
  });

  test('keep the numbers of their schemas', () => {
    const parameters = parseExact('{"type":"integer","maximum":18446744073709551615}') as Record<
      string,
      unknown
    >;
    const request: GenerateRequest = {
      messages: [user('x')],
      tools: [{ type: 'function', name: 'f', parameters }],
    };
    expect(encode(input({ request })).body.toString()).toContain('"maximum":18446744073709551615');
  });

  test('have names that the format allows, and come back by their own', () => {
    const names = ['1st', 'a/b', 'a b', 'x'.repeat(80), 'ok.name:1-a'];
    const tools = names.map(name => ({ type: 'function' as const, name }));
    const declared: string[] = body({ tools }).tools[0].functionDeclarations.map(
      (f: { name: string }) => f.name,
    );
    for (const name of declared) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/);
    expect(new Set(declared).size).toBe(names.length);
    expect(declared.map(name => toolsByName({ tools }).get(name)?.name)).toEqual(names);
    expect(declared.at(-1)).toBe('ok.name:1-a');
  });

  test.each<[ToolChoice, object]>([
    [{ type: 'auto' }, { mode: 'AUTO' }],
    [{ type: 'required' }, { mode: 'ANY' }],
    [{ type: 'none' }, { mode: 'NONE' }],
    [
      { type: 'tool', name: 'f' },
      { mode: 'ANY', allowedFunctionNames: ['f'] },
    ],
    [
      { type: 'required', names: ['f'] },
      { mode: 'ANY', allowedFunctionNames: ['f'] },
    ],
    [
      { type: 'auto', names: ['f'] },
      { mode: 'VALIDATED', allowedFunctionNames: ['f'] },
    ],
  ])('choice %j', (toolChoice, functionCallingConfig) => {
    expect(body({ tools: [tool], toolChoice, parallelToolCalls: false }).toolConfig).toEqual({
      functionCallingConfig,
    });
  });

  test('are left to the model where nothing is said', () => {
    expect(body({ tools: [tool] })).not.toHaveProperty('toolConfig');
    expect(body({ toolChoice: { type: 'none' } })).not.toHaveProperty('toolConfig');
  });

  test.each<[GenerateRequest['tools'], ToolChoice]>([
    [[], { type: 'required' }],
    [[tool], { type: 'tool', name: 'g' }],
    [[{ type: 'web-search' }], { type: 'required' }],
    [[tool, { type: 'web-search' }], { type: 'tool', name: 'web_search' }],
  ])('of %j cannot be chosen by %j', (tools, toolChoice) => {
    expect(refused({ tools, toolChoice })).toMatchObject({ kind: 'invalid-request' });
  });

  test('run by the vendor: the search of every format, and its own', () => {
    const search = (format: GenerateFormat, value: Record<string, unknown>) =>
      ({ type: 'web-search', own: { format, value } }) as const;
    expect(
      body({
        tools: [
          tool,
          { type: 'web-search', location: { city: 'Oslo' } },
          search('messages', { type: 'web_search_20250305', name: 'web_search', max_uses: 3 }),
          search('generate-content', { googleSearch: { timeRangeFilter: {} } }),
          { type: 'opaque', format: 'generate-content', value: { codeExecution: {} } },
        ],
      }).tools.slice(1),
    ).toEqual([
      { googleSearch: {} },
      { googleSearch: {} },
      { googleSearch: { timeRangeFilter: {} } },
      { codeExecution: {} },
    ]);
  });

  test('run by the vendor are left out where none may be called', () => {
    const tools = [tool, { type: 'web-search' as const }];
    expect(body({ tools, toolChoice: { type: 'none' } }).tools).toHaveLength(1);
  });

  test.each<[string, NonNullable<GenerateRequest['tools']>[number]]>([
    ['another vendor runs', { type: 'opaque', format: 'messages', value: { type: 'bash_20250124' } }],
    [
      'is bound to some domains',
      { type: 'web-search', own: { format: 'messages', value: { allowed_domains: ['x.org'] } } },
    ],
    [
      'is bound to some domains, in a newer form',
      {
        type: 'web-search',
        own: { format: 'responses', value: { filters: { blocked_domains: ['x.org'] } } },
      },
    ],
  ])('that %s are refused', (_what, given) => {
    expect(refused({ tools: [given] })).toMatchObject({ kind: 'invalid-request', param: 'tools' });
  });
});

describe('settings', () => {
  test('have their names here', () => {
    expect(
      body({
        maxTokens: 256,
        temperature: 1.5,
        topP: 0.9,
        topK: 40,
        stop: ['END', ''],
        n: 2,
        seed: 7,
        presencePenalty: 0.5,
        frequencyPenalty: -0.5,
        modalities: ['text', 'image'],
        serviceTier: 'flex',
        user: 'u',
        metadata: { a: 'b' },
        verbosity: 'low',
      }),
    ).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      serviceTier: 'flex',
      generationConfig: {
        candidateCount: 2,
        stopSequences: ['END'],
        maxOutputTokens: 256,
        temperature: 1.5,
        topP: 0.9,
        topK: 40,
        seed: 7,
        presencePenalty: 0.5,
        frequencyPenalty: -0.5,
        responseModalities: ['TEXT', 'IMAGE'],
      },
    });
  });

  test('are not invented', () => {
    expect(body({})).toEqual({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] });
    expect(body({ presencePenalty: 0, seed: 2 ** 40, serviceTier: 'auto', stop: [] })).toEqual(body({}));
  });

  test('keep to the limits, and to what the model takes', () => {
    expect(body({ maxTokens: 9_000 }, { limits: { maxOutput: 4_000 } }).generationConfig).toEqual({
      maxOutputTokens: 4_000,
    });
    expect(
      body({ topK: 1, temperature: 0, serviceTier: 'flex' }, { drop: ['top_k', 'service_tier'] }),
    ).toEqual({
      ...body({}),
      generationConfig: { temperature: 0 },
    });
    expect(body({ topK: 1 }, { drop: ['topK'] })).toEqual(body({}));
  });

  test('of this format alone go along', () => {
    const safetySettings = [{ category: 'HARM_CATEGORY_HATE_SPEECH', threshold: 'BLOCK_ONLY_HIGH' }];
    const own = {
      safetySettings,
      cachedContent: 'cachedContents/x',
      generationConfig: { imageConfig: { aspectRatio: '1:1' } },
      toolConfig: { retrievalConfig: { languageCode: 'no' } },
    };
    expect(
      body({
        temperature: 0,
        tools: [tool],
        toolChoice: { type: 'auto' },
        extensions: { 'generate-content': own, chat: { prediction: {} } },
      }),
    ).toMatchObject({
      safetySettings,
      cachedContent: 'cachedContents/x',
      generationConfig: { imageConfig: { aspectRatio: '1:1' }, temperature: 0 },
      toolConfig: { retrievalConfig: { languageCode: 'no' }, functionCallingConfig: { mode: 'AUTO' } },
    });
  });

  test.each<[string, Partial<GenerateRequest>, string]>([
    ['too many answers', { n: 9 }, 'generationConfig.candidateCount'],
    ['too many stops', { stop: ['1', '2', '3', '4', '5', '6'] }, 'generationConfig.stopSequences'],
    ['no tokens', { maxTokens: 0 }, 'generationConfig.maxOutputTokens'],
    ['log probabilities', { logprobs: {} }, 'generationConfig.responseLogprobs'],
    ['a bias', { logitBias: { 1: 2 } }, 'logit_bias'],
    ['work of another vendor', { extensions: { messages: { mcp_servers: [{}] } } }, 'mcp_servers'],
  ])('%s are refused', (_what, request, param) => {
    expect(refused(request)).toEqual({ kind: 'invalid-request', param });
  });
});

describe('the form of the answer', () => {
  const schema = { type: 'object', properties: { kind: { const: 'a' } } };
  const wanted = { type: 'object', properties: { kind: { enum: ['a'] } } };
  const output = { type: 'schema', schema, name: 'n', strict: true } as const;

  test('is a JSON schema, or any JSON, or what it is by itself', () => {
    expect(config({ output })).toEqual({ responseMimeType: 'application/json', responseJsonSchema: wanted });
    expect(config({ output: { type: 'json' } })).toEqual({ responseMimeType: 'application/json' });
    expect(config({ output: { type: 'text' } })).toBeUndefined();
  });

  test('is told in words where an older model has functions, too', () => {
    const { generationConfig, systemInstruction } = body({ output, tools: [tool] }, { model: older });
    expect(generationConfig).toBeUndefined();
    expect(systemInstruction.parts[0].text).toContain(JSON.stringify(schema));
    expect(config({ output }, older)).toMatchObject({ responseJsonSchema: wanted });
    expect(config({ output, tools: [tool] })).toMatchObject({ responseJsonSchema: wanted });
  });
});

describe('thinking', () => {
  const flash = 'gemini-3.6-flash';
  const pro = 'gemini-2.5-pro';

  test.each<[Reasoning, string, object | undefined]>([
    [{ effort: 'none' }, newest, { includeThoughts: false, thinkingLevel: 'LOW' }],
    [{ effort: 'none' }, flash, { includeThoughts: false, thinkingLevel: 'MINIMAL' }],
    [{ effort: 'none' }, older, { includeThoughts: false, thinkingBudget: 0 }],
    [{ effort: 'none' }, pro, { includeThoughts: false, thinkingBudget: 128 }],
    [{ effort: 'minimal' }, newest, { thinkingLevel: 'LOW' }],
    [{ effort: 'minimal' }, flash, { thinkingLevel: 'MINIMAL' }],
    [{ effort: 'minimal' }, older, { thinkingBudget: 512 }],
    [{ effort: 'low' }, newest, { thinkingLevel: 'LOW' }],
    [{ effort: 'low' }, older, { thinkingBudget: 1_024 }],
    [{ effort: 'medium' }, newest, { thinkingLevel: 'HIGH' }],
    [{ effort: 'medium' }, flash, { thinkingLevel: 'MEDIUM' }],
    [{ effort: 'medium' }, 'some-alias', { thinkingLevel: 'MEDIUM' }],
    [{ effort: 'high' }, older, { thinkingBudget: 16_384 }],
    [{ effort: 'max' }, older, { thinkingBudget: 24_576 }],
    [{ effort: 'max' }, pro, { thinkingBudget: 32_768 }],
    [{ effort: 'xhigh' }, newest, { thinkingLevel: 'HIGH' }],
    [{ budget: 2_000 }, older, { includeThoughts: true, thinkingBudget: 2_000 }],
    [{ budget: 50 }, 'gemini-2.5-flash-lite', { includeThoughts: true, thinkingBudget: 512 }],
    [{ budget: 50_000 }, older, { includeThoughts: true, thinkingBudget: 24_576 }],
    [{ budget: 2_000 }, flash, { includeThoughts: true, thinkingLevel: 'MEDIUM' }],
    [{ budget: -1 }, older, { includeThoughts: true, thinkingBudget: -1 }],
    [{ budget: -1, show: true }, newest, { includeThoughts: true }],
    [{ budget: 0 }, older, { includeThoughts: false, thinkingBudget: 0 }],
    [{ adaptive: true, show: true }, older, { includeThoughts: true, thinkingBudget: -1 }],
    [{ adaptive: true }, newest, undefined],
    [{ adaptive: true, show: false }, newest, { includeThoughts: false }],
    [{ effort: 'high', show: false }, newest, { includeThoughts: false, thinkingLevel: 'HIGH' }],
    [{ effort: 'low', show: true }, newest, { includeThoughts: true, thinkingLevel: 'LOW' }],
    [{ show: true }, older, { includeThoughts: true }],
    [{ effort: 'high' }, 'gemini-2.0-flash', undefined],
    [{}, newest, undefined],
  ])('%j of %s', (reasoning, model, thinkingConfig) => {
    expect(config({ reasoning }, model)?.thinkingConfig).toEqual(thinkingConfig);
  });
});
