import { describe, expect, test } from 'vitest';
import { encode } from './encode.ts';

function sent(text: string, { foreign = true, drop = [] as string[], operation = 'generate' as const } = {}) {
  const envelope = {
    requestId: 'r',
    operation,
    format: 'messages' as const,
    model: 'm',
    stream: false,
    textLength: text.length,
    targets: [],
    token: { id: 't', project: 'p' },
    headers: {},
    foreign,
  };
  const facts = { envelope, model: 'claude-x', drop, limits: {} };
  return encode({ ...facts, body: 'verbatim', text: Buffer.from(text) }).body.toString();
}

const history = (...turns: object[]) => JSON.parse(sent(JSON.stringify({ messages: turns }))).messages;
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (...content: object[]) => ({ role: 'assistant', content });
const text = { type: 'text', text: 'x', unknown: { a: 1 }, cache_control: { type: 'ephemeral', ttl: '1h' } };
const unsigned = { type: 'thinking', thinking: 'hm', signature: '' };

describe("a client's JSON with a history of another vendor", () => {
  test('a request keeps every byte outside its history, and the numbers inside', () => {
    const turn =
      '{"role":"user","content":[{"type":"text","text":"a","n":12345678901234567890}],"__proto__":{"a":1.0}}';
    const body = `{ "z":1.0, "model":"m","messages":[${turn}] ,"big":[ 12345678901234567890 ],"thinking":{"type":"adaptive"}}`;
    expect(sent(body)).toBe(
      `{"z":1.0,"model":"claude-x","messages":[${turn}],"big":[ 12345678901234567890 ],"thinking":{"type":"adaptive"}}`,
    );
  });

  test('a request without a foreign history is sent unchanged', () => {
    const body = JSON.stringify({ messages: [assistant(unsigned, text)], model: 'm' });
    expect(sent(body, { foreign: false })).toBe(body.replace('"m"', '"claude-x"'));
  });

  test.each<[string, object]>([
    ['thinking with an empty signature', unsigned],
    ['thinking without a signature', { type: 'thinking', thinking: 'hm' }],
    ['thinking of another vendor', { type: 'thinking', thinking: '', signature: 'gg:abc' }],
    ['redacted thinking of another vendor', { type: 'redacted_thinking', data: 'or:abc' }],
  ])('a history loses %s, and turns that become empty', (_what, block) => {
    expect(history(user('a'), assistant(block, text), user('b'))).toEqual([
      user('a'),
      assistant(text),
      user('b'),
    ]);
    expect(history(user('a'), assistant(block), user('b'))).toEqual([user('a'), user('b')]);
  });

  test.each<[string, object]>([
    ['signed thinking', { type: 'thinking', thinking: '', signature: 'EqQB' }],
    ['redacted thinking', { type: 'redacted_thinking', data: 'EmwK' }],
    ['unknown fields', text],
    ['documents', { type: 'document', source: { type: 'url', url: 'u' }, citations: { enabled: true } }],
    [
      'tool calls of its vendor',
      { type: 'tool_use', id: 'toolu_1', name: 'f', input: {}, caller: { type: 'direct' } },
    ],
    ['unknown blocks', { type: 'server_tool_use', id: 'srv:1', name: 'web_search', input: {} }],
  ])('a history keeps %s', (_what, block) => {
    expect(history(assistant(unsigned, block))).toEqual([assistant(block)]);
  });

  test('an invalid id is replaced by the same valid id in call and result', () => {
    const [call, result] = history(
      assistant({ type: 'tool_use', id: 'functions.f:0', name: 'f', input: { a: 1 }, extra: 1 }),
      user([{ type: 'tool_result', tool_use_id: 'functions.f:0', content: 'x', is_error: true }]),
    );
    const { id } = call.content[0];
    expect(id).toMatch(/^call_[a-f0-9]+$/);
    expect(call.content[0]).toEqual({ type: 'tool_use', id, name: 'f', input: { a: 1 }, extra: 1 });
    expect(result.content).toEqual([{ type: 'tool_result', tool_use_id: id, content: 'x', is_error: true }]);
  });

  test('web citations without an index are removed, and no others', () => {
    const source = { type: 'web_search_result_location', url: 'u', title: 't', cited_text: '' };
    const indexed = { ...source, encrypted_index: 'E' };
    const page = { type: 'page_location', start_page_number: 1 };
    const cites = (...citations: object[]) => ({ type: 'text', text: 'a', citations });
    expect(
      history(assistant(cites(source, indexed, page), cites({ ...source, encrypted_index: '' }))),
    ).toEqual([assistant(cites(indexed, page), { type: 'text', text: 'a' })]);
  });

  const called = [user('a'), assistant(unsigned, { type: 'tool_use', id: 't', name: 'f', input: {} })];
  test.each<[string, object, object[], boolean]>([
    [
      'a thinking budget is dropped if tool calls lost their thinking',
      { type: 'enabled', budget_tokens: 2048 },
      called,
      false,
    ],
    [
      'a thinking budget is kept if no tool call lost its thinking',
      { type: 'enabled', budget_tokens: 2048 },
      [assistant(unsigned, text)],
      true,
    ],
    ['adaptive thinking is kept', { type: 'adaptive' }, called, true],
  ])('%s', (_what, thinking, messages, kept) => {
    const body = JSON.parse(sent(JSON.stringify({ thinking, messages, model: 'm' })));
    expect(body.thinking).toEqual(kept ? thinking : undefined);
    expect('thinking' in JSON.parse(sent(JSON.stringify({ messages, model: 'm' })))).toBe(false);
  });

  test('fields that the model does not accept are dropped', () => {
    const body = JSON.stringify({ messages: [user('a')], thinking: { type: 'adaptive' }, top_k: 1 });
    expect(JSON.parse(sent(body, { drop: ['thinking', 'top_k'] }))).toEqual({
      messages: [user('a')],
      model: 'claude-x',
    });
  });
});
