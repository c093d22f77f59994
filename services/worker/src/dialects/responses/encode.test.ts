import {
  type AssistantPart,
  type Envelope,
  GatewayError,
  type GenerateRequest,
  type MediaPart,
  type Message,
} from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { responsesTranslatable } from '@model-gateway/wire';
import { describe, expect, test } from 'vitest';
import { completeRequest } from '../../previous-version.ts';
import type { InputFacts } from '../dialect.ts';
import { callId } from '../tool-names.ts';
import { responsesDialect } from './dialect.ts';

const user: Message = { role: 'user', content: [{ type: 'text', text: 'Hi' }] };
const base = { envelope: testEnvelope(), model: 'up-1', drop: [], limits: {} };

function encode(fields: Partial<GenerateRequest> = {}, more: Partial<InputFacts> = {}) {
  const { format } = more.envelope ?? base.envelope;
  const request = completeRequest({ messages: [user], ...fields }, format);
  const body = JSON.parse(
    responsesDialect.encode({ ...base, body: 'canonical', request, ...more }).body.toString(),
  );
  // The body is a valid request of this format.
  expect(responsesTranslatable.safeParse(body)).toMatchObject({ success: true });
  return body;
}

function fieldOf({ details: { path, param } }: GatewayError) {
  return path === undefined ? { param } : { path };
}

function refusal(fields: Partial<GenerateRequest>, more: Partial<InputFacts> = {}) {
  try {
    encode(fields, more);
  } catch (error) {
    if (error instanceof GatewayError) return { kind: error.kind, ...fieldOf(error) };
    throw error;
  }
  return undefined;
}

const call = (id: string, args = '{"city":"Oslo"}') => ({
  type: 'tool-call' as const,
  id,
  name: 'weather',
  arguments: args,
});
const result = (callId: string, text = '4 C') => ({
  type: 'tool-result' as const,
  callId,
  content: [{ type: 'text' as const, text }],
});
const tools: GenerateRequest['tools'] = [
  { type: 'function', name: 'weather', parameters: { type: 'object' } },
  { type: 'custom', name: 'patch' },
];
const original = { original: true };

describe('a translated request', () => {
  test("a translated request streams, is not stored and has the upstream's model name", () => {
    const { path } = responsesDialect.encode({ ...base, body: 'canonical', request: { messages: [user] } });
    expect(path).toBe('/responses');
    expect(encode()).toEqual({
      model: 'up-1',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
      include: ['reasoning.encrypted_content'],
      store: false,
      stream: true,
    });
  });

  test.each([
    ['gpt-4o', false],
    ['openai/gpt-4.1-mini', false],
    ['gpt-5-chat-latest', false],
    ['gpt-5.4', true],
    ['o4-mini', true],
    ['gpt-oss-120b', true],
  ])('a request for %s includes encrypted reasoning: %s', (model, included) => {
    expect('include' in encode({}, { model })).toBe(included);
  });

  test.each<[string, Partial<GenerateRequest>, object]>([
    ['max tokens', { maxTokens: 9 }, { max_output_tokens: 9 }],
    ['sampling', { temperature: 0.5, topP: 0.9 }, { temperature: 0.5, top_p: 0.9 }],
    ['effort', { reasoning: { effort: 'high' } }, { reasoning: { effort: 'high' } }],
    [
      'effort and a reasoning summary',
      { reasoning: { effort: 'low', show: true } },
      { reasoning: { effort: 'low', summary: 'auto' } },
    ],
    ['no reasoning', { reasoning: { budget: 0, show: true } }, { reasoning: { effort: 'none' } }],
    ['a token budget', { reasoning: { budget: 8192 } }, { reasoning: { effort: 'medium', summary: 'auto' } }],
    [
      'a token budget without a summary',
      { reasoning: { budget: 1, show: false } },
      { reasoning: { effort: 'low' } },
    ],
    [
      'a reasoning summary only',
      { reasoning: { adaptive: true, show: true } },
      { reasoning: { summary: 'auto' } },
    ],
    ['JSON', { output: { type: 'json' } }, { text: { format: { type: 'json_object' } } }],
    [
      'a schema',
      { output: { type: 'schema', schema: { type: 'object' }, name: 'x', strict: true } },
      { text: { format: { type: 'json_schema', name: 'x', schema: { type: 'object' }, strict: true } } },
    ],
    [
      'a schema without a name',
      { output: { type: 'schema', schema: {} } },
      { text: { format: { type: 'json_schema', name: 'response', schema: {} } } },
    ],
    ['metadata', { metadata: { a: 'b' } }, { metadata: { a: 'b' } }],
    ['a user', { user: 'u1' }, { user: 'u1' }],
    ['a prompt cache key', { extensions: { chat: { prompt_cache_key: 'k' } } }, { prompt_cache_key: 'k' }],
  ])('a request with %s is translated', (_what, fields, expected) => {
    expect(encode(fields)).toMatchObject(expected);
  });

  test.each<[string, Partial<GenerateRequest>]>([
    ['plain text', { output: { type: 'text' } }],
    ['penalties and a seed', { presencePenalty: 1, frequencyPenalty: 1, seed: 1 }],
    ['top k', { topK: 5 }],
    ['stop sequences, at which the gateway cuts the response', { stop: ['\\n', ''] }],
    ['an empty logit bias', { logitBias: {} }],
    ['a text modality and a single choice', { modalities: ['TEXT'], n: 1 }],
    ['adaptive reasoning', { reasoning: { adaptive: true } }],
    ['service tier and verbosity for a compatible upstream', { serviceTier: 'flex', verbosity: 'low' }],
    ['a tool choice without tools', { toolChoice: { type: 'auto' }, parallelToolCalls: false }],
    ['prediction', { extensions: { chat: { prediction: { content: 'x' } } } }],
    [
      'fields about stored state',
      {
        extensions: {
          responses: { previous_response_id: 'r', conversation: 'c', background: true, store: true },
        },
      },
    ],
  ])('a request leaves out %s', (_what, fields) => {
    expect(encode(fields)).toEqual(encode());
  });

  test('a request to OpenAI has service_tier, verbosity and safety_identifier', () => {
    const fields = { serviceTier: 'flex', verbosity: 'low', user: 'a@b.c' };
    expect(encode(fields, original)).toMatchObject({
      service_tier: 'flex',
      text: { verbosity: 'low' },
      safety_identifier: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(encode({ serviceTier: 'standard' }, original)).not.toHaveProperty('service_tier');
  });

  test('max_output_tokens is capped at the limit, and dropped fields are not sent', () => {
    expect(encode({ maxTokens: 9 }, { limits: { maxOutput: 5 } }).max_output_tokens).toBe(5);
    expect(encode({ temperature: 1 }, { drop: ['temperature', 'include'] })).toEqual({
      ...encode(),
      include: undefined,
    });
  });

  test.each<[string, Partial<GenerateRequest>, string | { param: string }]>([
    ['several choices', { n: 2 }, 'n'],
    ['log probabilities', { logprobs: {} }, 'logprobs'],
    ['a logit bias', { logitBias: { 5: 1 } }, 'logitBias'],
    ['audio', { modalities: ['text', 'audio'] }, 'modalities'],
    [
      'servers of another vendor',
      { extensions: { messages: { mcp_servers: [{}] } } },
      { param: 'mcp_servers' },
    ],
    [
      'a tool of another vendor',
      { tools: [{ type: 'opaque', format: 'messages', value: { type: 'bash' } }] },
      'tools',
    ],
    ['a choice of an unknown tool', { tools, toolChoice: { type: 'tool', name: 'x' } }, 'toolChoice'],
    [
      'a call without its result',
      { messages: [user, { role: 'assistant', content: [call('c')] }, user] },
      'messages',
    ],
  ])('a request with %s is refused', (_what, fields, field) => {
    const named = typeof field === 'string' ? { path: field } : field;
    expect(refusal(fields)).toEqual({ kind: 'invalid-request', ...named });
  });

  test('a final assistant message is refused for messages clients', () => {
    const messages: Message[] = [user, { role: 'assistant', content: [{ type: 'text', text: 'The' }] }];
    const more = { envelope: testEnvelope({ format: 'messages' }) };
    expect(refusal({ messages }, more)).toEqual({ kind: 'invalid-request', path: 'messages' });
    expect(refusal({ messages })).toBeUndefined();
  });
});

describe('a conversation', () => {
  const input = (messages: Message[]) => encode({ messages }).input;
  const encodedTurn = (...content: AssistantPart[]) =>
    input([user, { role: 'assistant', content }, user]).slice(1, -1);
  const outputText = (text: string) => ({
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text }],
  });

  test('instructions keep their positions', () => {
    const system = (text: string): Message => ({ role: 'system', content: [{ type: 'text', text }] });
    const sent = (role: string, text: string) => ({
      type: 'message',
      role,
      content: [{ type: 'input_text', text }],
    });
    expect(input([system('a'), system('b'), user, system('c')])).toEqual([
      sent('system', 'a'),
      sent('system', 'b'),
      sent('user', 'Hi'),
      sent('system', 'c'),
    ]);
  });

  test('text, reasoning and calls of a turn keep their order', () => {
    const signature = { format: 'responses', value: 'rs_1:gAAA' } as const;
    const turn: Message = {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm.', signature },
        { type: 'text', text: 'a' },
        { type: 'text', text: '' },
        { type: 'text', text: 'b' },
        { type: 'reasoning', text: '', signature: { format: 'responses', value: 'gBBB' } },
        call('c1', ''),
        { ...call('c2', 'free "text"'), name: 'patch', custom: true },
        { type: 'refusal', text: 'No.' },
      ],
    };
    const tool: Message = { role: 'tool', content: [result('c1'), result('c2')] };
    expect(input([user, turn, tool]).slice(1)).toEqual([
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'Hm.' }],
        encrypted_content: 'gAAA',
      },
      {
        ...outputText('a'),
        content: [
          { type: 'output_text', text: 'a' },
          { type: 'output_text', text: 'b' },
        ],
      },
      { type: 'reasoning', summary: [], encrypted_content: 'gBBB' },
      { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{}' },
      { type: 'custom_tool_call', call_id: 'c2', name: 'patch', input: 'free "text"' },
      { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
      { type: 'function_call_output', call_id: 'c1', output: '4 C' },
      { type: 'custom_tool_call_output', call_id: 'c2', output: '4 C' },
    ]);
  });

  test.each<[string, AssistantPart, object[]]>([
    [
      'reasoning of another vendor',
      { type: 'reasoning', text: 'x', signature: { format: 'messages', value: 's' } },
      [],
    ],
    ['reasoning without a signature', { type: 'reasoning', text: 'x' }, []],
    ['an empty text', { type: 'text', text: '' }, []],
    [
      'a block of another format',
      { type: 'opaque', format: 'messages', value: { type: 'x', signature: 's' } },
      [outputText('{"type":"x"}')],
    ],
    [
      'an item of this format',
      { type: 'opaque', format: 'responses', value: { type: 'web_search_call', id: 'ws_1' } },
      [{ type: 'web_search_call', id: 'ws_1' }],
    ],
    [
      'an image',
      { type: 'media', kind: 'image', source: { type: 'url', url: 'u' } },
      [outputText('(image)')],
    ],
  ])('an assistant turn of %s is encoded', (_what, part, expected) => {
    const text = { type: 'text', text: 'end' } as const;
    const separate = part.type === 'opaque' && part.format === 'responses';
    expect(encodedTurn(part)).toEqual(expected);
    expect(encodedTurn(text, { ...part })).toHaveLength(separate ? 2 : 1);
  });

  test('reasoning at the end of a turn is left out', () => {
    const reasoning: AssistantPart = {
      type: 'reasoning',
      text: 'x',
      signature: { format: 'responses', value: 'rs:g' },
    };
    expect(encodedTurn({ type: 'text', text: 'a' }, reasoning)).toEqual([outputText('a')]);
    expect(encodedTurn(reasoning)).toEqual([]);
  });

  test('call ids that are too long are shortened identically on call and result', () => {
    const long = `call_${'x'.repeat(80)}`;
    const sent = input([
      user,
      { role: 'assistant', content: [{ ...call(long), name: 'get.time' }] },
      { role: 'tool', content: [result(long)] },
    ]);
    expect(sent[1].call_id).toMatch(/^call_\w{24}$/);
    expect(sent[2].call_id).toBe(sent[1].call_id);
    expect(sent[1].name).toMatch(/^get_time_\w{8}$/);
  });

  test('results keep the media and the error flag of a tool', () => {
    const png: MediaPart = {
      type: 'media',
      kind: 'image',
      mediaType: 'image/png',
      source: { type: 'base64', data: 'iV' },
    };
    const audio: MediaPart = { type: 'media', kind: 'audio', source: { type: 'url', url: 'u' } };
    const outputOf = (content: Message & { role: 'tool' }) =>
      input([user, { role: 'assistant', content: [call('c')] }, content])[2].output;
    const image = { type: 'input_image', image_url: 'data:image/png;base64,iV' };
    expect(
      outputOf({
        role: 'tool',
        content: [{ ...result('c', 'Look:'), content: [{ type: 'text', text: 'Look:' }, png] }],
      }),
    ).toEqual([{ type: 'input_text', text: 'Look:' }, image]);
    expect(outputOf({ role: 'tool', content: [{ ...result('c'), content: [png], error: true }] })).toEqual([
      { type: 'input_text', text: 'Error:' },
      image,
    ]);
    expect(outputOf({ role: 'tool', content: [{ ...result('c', 'boom'), error: true }] })).toBe(
      'Error: boom',
    );
    expect(outputOf({ role: 'tool', content: [{ ...result('c'), content: [audio] }] })).toBe(
      JSON.stringify(audio),
    );
    expect(outputOf({ role: 'tool', content: [{ ...result('c'), content: [] }] })).toBe('');
  });
});

describe('media', () => {
  const sent = (part: Omit<MediaPart, 'type'>) =>
    encode({ messages: [{ role: 'user', content: [{ type: 'media', ...part }] }] }).input[0].content[0];
  const bytes = (data: string) => ({ type: 'base64' as const, data });

  test.each<[string, Omit<MediaPart, 'type'>, object]>([
    [
      'an image',
      { kind: 'image', mediaType: 'image/jpeg', source: bytes('/9j/') },
      { type: 'input_image', image_url: 'data:image/jpeg;base64,/9j/' },
    ],
    [
      'an image by link',
      { kind: 'image', source: { type: 'url', url: 'https://x/y.png' } },
      { type: 'input_image', image_url: 'https://x/y.png' },
    ],
    [
      'a stored image',
      { kind: 'image', source: { type: 'file', id: 'file-1', format: 'responses' } },
      { type: 'input_image', file_id: 'file-1' },
    ],
    [
      'a file that is an image',
      { kind: 'document', source: bytes('iVBORw0KGgoA') },
      { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgoA' },
    ],
    [
      'a document',
      { kind: 'document', mediaType: 'application/pdf', name: 'a.pdf', source: bytes('JVBERi0') },
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0' },
    ],
    [
      'a document by link',
      { kind: 'document', source: { type: 'url', url: 'https://x/y.pdf' } },
      { type: 'input_file', file_url: 'https://x/y.pdf' },
    ],
    [
      'a stored document',
      { kind: 'document', source: { type: 'file', id: 'file-1', format: 'chat' } },
      { type: 'input_file', file_id: 'file-1' },
    ],
    [
      'a text document',
      { kind: 'document', name: 'Notes', source: { type: 'text', text: 'x' } },
      { type: 'input_text', text: 'Notes\n\nx' },
    ],
    [
      'audio data',
      { kind: 'audio', mediaType: 'audio/mpeg', source: bytes('aa') },
      { type: 'input_audio', input_audio: { data: 'aa', format: 'mp3' } },
    ],
  ])('%s becomes a content part', (_what, part, expected) => {
    expect(sent(part)).toEqual(expected);
  });

  test.each<[string, Omit<MediaPart, 'type'>]>([
    ['audio by link', { kind: 'audio', source: { type: 'url', url: 'u' } }],
    [
      'a file stored at another vendor',
      { kind: 'image', source: { type: 'file', id: 'f', format: 'messages' } },
    ],
  ])('%s is refused', (_what, part) => {
    const messages: Message[] = [{ role: 'user', content: [{ type: 'media', ...part }] }];
    expect(refusal({ messages })).toEqual({ kind: 'invalid-request', path: 'messages' });
  });
});

describe('tools', () => {
  test.each<[string, NonNullable<GenerateRequest['tools']>[number], object]>([
    [
      'a function that is not strict by default',
      { type: 'function', name: 'f', description: 'd' },
      {
        type: 'function',
        name: 'f',
        description: 'd',
        parameters: { type: 'object', properties: {} },
        strict: false,
      },
    ],
    [
      'a strict function',
      { type: 'function', name: 'f', parameters: { a: 1 }, strict: true },
      { type: 'function', name: 'f', parameters: { a: 1 }, strict: true },
    ],
    [
      'a custom tool with a grammar',
      {
        type: 'custom',
        name: 'c',
        format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } },
      },
      { type: 'custom', name: 'c', format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' } },
    ],
    ['a web search', { type: 'web-search' }, { type: 'web_search' }],
    [
      'a web search of the chat format',
      {
        type: 'web-search',
        location: { city: 'Oslo' },
        own: { format: 'chat', value: { search_context_size: 'low' } },
      },
      {
        type: 'web_search',
        user_location: { type: 'approximate', city: 'Oslo' },
        search_context_size: 'low',
      },
    ],
    [
      'a web search bound to domains',
      { type: 'web-search', own: { format: 'messages', value: { allowed_domains: ['a.b'], max_uses: 2 } } },
      { type: 'web_search', filters: { allowed_domains: ['a.b'] } },
    ],
    [
      'a vendor tool',
      { type: 'opaque', format: 'responses', value: { type: 'mcp', server_label: 'x' } },
      { type: 'mcp', server_label: 'x' },
    ],
  ])('%s is declared', (_what, tool, expected) => {
    expect(encode({ tools: [tool] }).tools).toEqual([expected]);
  });

  test('a web search with blocked domains is refused', () => {
    const value = { blocked_domains: ['a.b'] };
    expect(refusal({ tools: [{ type: 'web-search', own: { format: 'messages', value } }] })).toEqual({
      kind: 'invalid-request',
      path: 'tools',
    });
  });

  test.each<[GenerateRequest['toolChoice'], unknown]>([
    [{ type: 'auto' }, 'auto'],
    [{ type: 'none' }, 'none'],
    [{ type: 'required' }, 'required'],
    [
      { type: 'tool', name: 'weather' },
      { type: 'function', name: 'weather' },
    ],
    [
      { type: 'tool', name: 'patch' },
      { type: 'custom', name: 'patch' },
    ],
    [{ type: 'tool', name: 'web_search' }, { type: 'web_search' }],
    [
      { type: 'required', names: ['weather', 'patch'] },
      {
        type: 'allowed_tools',
        mode: 'required',
        tools: [
          { type: 'function', name: 'weather' },
          { type: 'custom', name: 'patch' },
        ],
      },
    ],
  ])('tool choice %j is encoded', (toolChoice, expected) => {
    const all = [...(tools ?? []), { type: 'web-search' as const }];
    const body = encode({ tools: all, toolChoice, parallelToolCalls: false }, original);
    expect(body.tool_choice).toEqual(expected);
    expect(body.parallel_tool_calls).toBe(false);
    expect(body.tools).toHaveLength(3);
  });

  test('a compatible upstream gets only the tools that may be chosen', () => {
    const body = encode({ tools, toolChoice: { type: 'auto', names: ['patch'] } });
    expect(body).toMatchObject({ tools: [{ name: 'patch' }], tool_choice: 'auto' });
  });
});

describe('a verbatim request', () => {
  const send = (text: string, more: Partial<InputFacts> = {}, fields: Partial<Envelope> = {}) =>
    responsesDialect
      .encode({
        ...base,
        envelope: testEnvelope({ format: 'responses', ...fields }),
        body: 'verbatim',
        text: Buffer.from(text),
        ...more,
      })
      .body.toString();

  test('a verbatim request changes only in the model and in fields about stored state', () => {
    const text =
      '{"input": "Hi" ,"model":"m","x":12345678901234567890,"store":true,"previous_response_id":"r","conversation":"c","background":true,"stream": true}';
    expect(send(text)).toBe(
      '{"input": "Hi","model":"up-1","x":12345678901234567890,"store":false,"stream": true}',
    );
    expect(send('{"model":"m"}', {}, { stream: false })).toBe('{"model":"up-1","store":false}');
  });

  test.each([
    ['{"model":"m"}', ['reasoning.encrypted_content']],
    ['{"model":"m","include":["x"]}', ['x', 'reasoning.encrypted_content']],
    ['{"model":"m","include":null,"store":null}', ['reasoning.encrypted_content']],
    ['{"model":"m","store":false}', undefined],
  ])('%s sent to OpenAI has include %j', (text, include) => {
    expect(JSON.parse(send(text, original)).include).toEqual(include);
  });

  test('include is not added for compatible upstreams, for models without reasoning or if dropped', () => {
    expect(send('{"model":"m"}')).not.toContain('include');
    expect(send('{"model":"m"}', { ...original, model: 'gpt-4o' })).not.toContain('include');
    expect(send('{"model":"m","store":true,"include":[]}', { drop: ['include', 'store'] })).toBe(
      '{"model":"up-1","stream":true}',
    );
  });

  test("a verbatim request is sent without other vendors' reasoning and long call ids", () => {
    const reasoning = (encrypted_content: string | null, content: unknown = null) => ({
      type: 'reasoning',
      id: 'rs_1',
      summary: [],
      content,
      encrypted_content,
    });
    const kept = [
      { role: 'user', content: 'Hi', big: 1 },
      reasoning('gAAA'),
      reasoning(null, [{ type: 'reasoning_text', text: 'x' }]),
      { type: 'function_call_output', call_id: 'c', output: '' },
    ];
    const call = (id: string) => ({
      type: 'function_call',
      id: 'fc_1',
      call_id: id,
      name: 'f',
      arguments: '{}',
    });
    const long = 'x'.repeat(65);
    const input = [reasoning('gg:abc'), ...kept, reasoning(null), call('c__thought__s'), call(long)];
    const text = JSON.stringify({ model: 'm', input }).replace('"big":1', '"big":9007199254740993');
    const sent = send(text, {}, { foreign: true });
    expect(sent).toContain('"big":9007199254740993');
    expect(JSON.parse(sent.replace('9007199254740993', '1')).input).toEqual([
      ...kept,
      call('c'),
      call(callId(long)),
    ]);
    expect(send(text)).toContain('gg:abc');
    expect(send('{"model":"m","input":"Hi"}', {}, { foreign: true })).toContain('"input":"Hi"');
  });

  test('a verbatim token count is sent without fields about stored state', () => {
    const text = Buffer.from('{"model":"m","input":"Hi","previous_response_id":"r"}');
    const counting = testEnvelope({ format: 'responses', operation: 'count-tokens', stream: false });
    const { path, body } = responsesDialect.encode({
      ...base,
      ...original,
      envelope: counting,
      body: 'verbatim',
      text,
    });
    expect([path, body.toString()]).toEqual(['/responses/input_tokens', '{"model":"up-1","input":"Hi"}']);
  });
});
