import type { Envelope, GenerateFormat, GenerateRequest, Reasoning } from '@model-gateway/canonical';
import { user } from '@model-gateway/canonical/testing/parts';
import { rows } from '@model-gateway/canonical/testing/rows';
import { providerProfiles } from '@model-gateway/providers';
import { describe, expect, test } from 'vitest';
import { type AskedFields, encodeInput, type InputFields } from '../testing/encode-input.ts';
import { testFixtures, unusual } from '../testing/fixtures.ts';
import { callId } from '../upstream/tools.ts';
import { responsesDialect } from './dialect.ts';
import { responsesTranslatable } from './request.ts';

type Fields = Partial<GenerateRequest>;
const hi = user('Hi');
const original = { original: true };

function encode(fields: Fields = {}, more: InputFields = {}, format: GenerateFormat = 'chat') {
  const request = { messages: [hi], ...fields };
  const { path, body } = responsesDialect.encode(
    encodeInput({ model: 'up-1', request, ...more }, { format }),
  );
  expect(path).toBe('/responses');
  const sent = JSON.parse(body.toString());
  // The body is a valid request of this format.
  expect(responsesTranslatable.safeParse(sent)).toMatchObject({ success: true });
  return sent;
}

testFixtures(import.meta.dirname, 'encode', ({ facts: { format, ...more } = {}, ...request }: AskedFields) =>
  unusual(encode(request, more, format), encode()),
);

describe('a translated request', () => {
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

  test.each(
    rows<[string, Fields, object]>`
    - [effort alone, {reasoning: {effort: high}}, {reasoning: {effort: high}}]
    - [no reasoning, {reasoning: {budget: 0, show: true}}, {reasoning: {effort: none}}]
    - [a token budget, {reasoning: {budget: 8192}}, {reasoning: {effort: medium, summary: auto}}]
    - [a token budget without a summary, {reasoning: {budget: 1, show: false}}, {reasoning: {effort: low}}]
    - [a reasoning summary only, {reasoning: {adaptive: true, show: true}}, {reasoning: {summary: auto}}]
    - - a schema
      - {output: {type: schema, schema: {type: object}, name: x, strict: true}}
      - {text: {format: {type: json_schema, name: x, schema: {type: object}, strict: true}}}
    - - a schema without a name
      - {output: {type: schema, schema: {}}}
      - {text: {format: {type: json_schema, name: response, schema: {}}}}
    - [a prompt cache key, {cacheKey: k}, {prompt_cache_key: k}]
  `,
  )('a request with %s is translated', (_what, fields, expected) => {
    expect(encode(fields)).toEqual({ ...encode(), ...expected });
  });

  test.each(
    rows<[string, Fields]>`
    - [plain text, {output: {type: text}}]
    - [penalties and a seed, {presencePenalty: 1, frequencyPenalty: 1, seed: 1}]
    - [top k, {topK: 5}]
    - [stop sequences at which the gateway cuts the response, {stop: ["\n", '']}]
    - [an empty logit bias, {logitBias: {}}]
    - [a text modality and a single choice, {modalities: [TEXT], n: 1}]
    - [adaptive reasoning, {reasoning: {adaptive: true}}]
    - [service tier and verbosity for a compatible upstream, {serviceTier: flex, verbosity: low}]
    - [a tool choice without tools, {toolChoice: {type: auto}, parallelToolCalls: false}]
    - [prediction, {extensions: {chat: {prediction: {content: x}}}}]
    - - fields about stored state
      - {extensions: {responses: {previous_response_id: r, conversation: c, background: true, store: true}}}
  `,
  )('a request leaves out %s', (_what, fields) => {
    expect(encode(fields)).toEqual(encode());
  });
});

describe('a verbatim request', () => {
  const write = (body: string, more: InputFields = {}, envelope: Partial<Envelope> = {}) =>
    responsesDialect.encode(
      encodeInput(
        { model: 'up-1', text: Buffer.from(body), ...more },
        { format: 'responses', stream: true, ...envelope },
      ),
    );
  const send = (...from: Parameters<typeof write>) => write(...from).body.toString();

  test('a verbatim request changes only in the model and in fields about stored state', () => {
    const stored = '"store":true,"previous_response_id":"r","conversation":"c","background":true';
    expect(send(`{"input": "Hi" ,"model":"m","x":12345678901234567890,${stored},"stream": true}`)).toBe(
      '{"input": "Hi","model":"up-1","x":12345678901234567890,"store":false,"stream": true}',
    );
    expect(send('{"model":"m"}', {}, { stream: false })).toBe('{"model":"up-1","store":false}');
  });

  test.each([
    ['{"model":"m"}', ['reasoning.encrypted_content']],
    ['{"model":"m","include":["x"]}', ['x', 'reasoning.encrypted_content']],
    ['{"model":"m","include":null,"store":null}', ['reasoning.encrypted_content']],
    ['{"model":"m","store":false}', undefined],
  ])('%s sent to OpenAI has include %j', (body, include) => {
    expect(JSON.parse(send(body, original)).include).toEqual(include);
  });

  test('include is not added for compatible upstreams, for models without reasoning or if dropped', () => {
    expect(send('{"model":"m"}')).not.toContain('include');
    expect(send('{"model":"m"}', { ...original, model: 'gpt-4o' })).not.toContain('include');
    const left = send('{"model":"m","store":true,"include":[]}', { drop: ['include', 'store'] });
    expect(left).toBe('{"model":"up-1","stream":true}');
  });

  test("a verbatim request is sent without other vendors' reasoning and long call ids", () => {
    const reasoning = (encrypted_content: string | null, content: unknown = null) => ({
      ...{ type: 'reasoning', id: 'rs_1', summary: [], content, encrypted_content },
    });
    const kept = [
      { role: 'user', content: 'Hi', big: 1 },
      reasoning('gAAA'),
      reasoning(null, [{ type: 'reasoning_text', text: 'x' }]),
      { type: 'function_call_output', call_id: 'c', output: '' },
    ];
    const called = (call_id: string) => ({
      type: 'function_call',
      id: 'fc_1',
      call_id,
      name: 'f',
      arguments: '{}',
    });
    const long = 'x'.repeat(65);
    const cut = { ...called('d'), arguments: '{"x":' };
    const shown = (image_url: unknown) => ({ role: 'user', content: [{ type: 'input_image', image_url }] });
    const images = [
      shown({ url: 'https://x.example/a' }),
      shown('data:image/jpeg;base64,iVBORw0KGgoA\nAAAN'),
    ];
    const sentImages = [shown('https://x.example/a'), shown('data:image/png;base64,iVBORw0KGgoAAAAN')];
    const items = [
      ...images,
      reasoning('gg:abc'),
      ...kept,
      reasoning(null),
      called('c__thought__s'),
      called(long),
      cut,
    ];
    const body = JSON.stringify({ model: 'm', input: items }).replace('"big":1', '"big":9007199254740993');
    const sent = send(body, {}, { foreign: true });
    expect(sent).toContain('"big":9007199254740993');
    const left = JSON.parse(sent.replace('9007199254740993', '1')).input;
    const mended = { ...cut, arguments: '{"_raw":"{\\"x\\":"}' };
    expect(left).toEqual([...sentImages, ...kept, called('c'), called(callId(long)), mended]);
    expect(send(body)).toContain('gg:abc');
    expect(send('{"model":"m","input":"Hi"}', {}, { foreign: true })).toContain('"input":"Hi"');
  });

  test('a verbatim token count is sent without fields about stored state', () => {
    const body = '{"model":"m","input":"Hi","previous_response_id":"r"}';
    const counted = write(body, original, { operation: 'count-tokens', stream: false });
    expect(counted.path).toBe('/responses/input_tokens');
    expect(counted.body.toString()).toBe('{"model":"up-1","input":"Hi"}');
  });
});

const factsOf = (kind: string) => {
  const { differences, original } = providerProfiles[kind] ?? {};
  return { differences: differences?.responses, ...(original && { original }) };
};

test.each(
  rows<[string, string, Reasoning, object]>`
  - [openai, gpt-5.4, {effort: none, show: true}, {reasoning: {effort: none}}]
  - [openai, gpt-5, {effort: none}, {reasoning: {effort: minimal}}]
  - [openai, gpt-4o, {effort: none}, {}]
  - [openai, gpt-4o, {effort: high, show: true}, {}]
  - [openai, gpt-5-pro, {effort: low, show: true}, {reasoning: {effort: high, summary: auto}}]
  - [azure-openai, o3, {budget: 0}, {reasoning: {effort: low}}]
  - [volcengine, any, {effort: none}, {thinking: {type: disabled}}]
  - [volcengine, any, {effort: low}, {reasoning: {effort: low}}]
  - [groq, openai/gpt-oss-20b, {effort: max}, {reasoning: {effort: high}}]
  - [xai, grok-4.3, {effort: none}, {reasoning: {effort: none}}]
  - [xai, grok-4-0709, {effort: none}, {}]
  - [fireworks, any, {budget: 0}, {reasoning: {effort: none}}]
  - [lm-studio, any, {effort: xhigh}, {reasoning: {effort: high}}]
  - [openai-compatible, any, {effort: none}, {reasoning: {effort: none}}]
`,
)('%s: %s takes %j as %j', (kind, model, reasoning, expected) => {
  const request = { messages: [user('Hi')], reasoning };
  const {
    input: _,
    include: __,
    ...body
  } = JSON.parse(
    responsesDialect
      .encode(encodeInput({ model, request, ...factsOf(kind) }, { format: 'messages' }))
      .body.toString(),
  );
  expect(body).toEqual({ model, store: false, stream: true, ...expected });
});

test.each(
  rows<[string, string, object, object?]>`
  - [volcengine, any, {effort: none}, {thinking: {type: disabled}}]
  - [volcengine, any, {effort: none, summary: auto}, {reasoning: {summary: auto}, thinking: {type: disabled}}]
  - [groq, openai/gpt-oss-20b, {effort: none}, {reasoning: {effort: low}}]
  - [volcengine, any, {effort: high}]
  - [xai, grok-4.3, {effort: none}]
  - [openai, gpt-5, {effort: none}]
  - [openai-compatible, any, {effort: default}]
`,
)("%s: %s gets a client's own %j", (kind, model, reasoning, expected) => {
  const text = Buffer.from(JSON.stringify({ model: 'x', input: 'none', reasoning }));
  const sent = responsesDialect
    .encode(encodeInput({ model, text, ...factsOf(kind) }, { format: 'responses' }))
    .body.toString();
  const { input: _, include: __, ...body } = JSON.parse(sent);
  expect(body).toEqual({ model, store: false, ...(expected ?? { reasoning }) });
});
