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
  const input = { envelope, text: Buffer.from(text), model: 'claude-x', drop, limits: {} };
  return encode(input).body.toString();
}

const history = (...turns: object[]) => JSON.parse(sent(JSON.stringify({ messages: turns }))).messages;
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (...content: object[]) => ({ role: 'assistant', content });
const text = { type: 'text', text: 'x', unknown: { a: 1 }, cache_control: { type: 'ephemeral', ttl: '1h' } };
const unsigned = { type: 'thinking', thinking: 'hm', signature: '' };

describe("a client's own text with a foreign history", () => {
  test('keeps every byte of its other members, and the numbers of its history', () => {
    const turn =
      '{"role":"user","content":[{"type":"text","text":"a","n":12345678901234567890}],"__proto__":{"a":1.0}}';
    const body = `{ "z":1.0, "model":"m","messages":[${turn}] ,"big":[ 12345678901234567890 ],"thinking":{"type":"adaptive"}}`;
    expect(sent(body)).toBe(
      `{"z":1.0,"model":"claude-x","messages":[${turn}],"big":[ 12345678901234567890 ],"thinking":{"type":"adaptive"}}`,
    );
  });

  test('goes as it is if the history is not', () => {
    const body = JSON.stringify({ messages: [assistant(unsigned, text)], model: 'm' });
    expect(sent(body, { foreign: false })).toBe(body.replace('"m"', '"claude-x"'));
  });

  test.each<[string, object]>([
    ['thinking without a signature', unsigned],
    ['thinking with none at all', { type: 'thinking', thinking: 'hm' }],
    ['thinking of another vendor', { type: 'thinking', thinking: '', signature: 'gg:abc' }],
    ['hidden thinking of another vendor', { type: 'redacted_thinking', data: 'or:abc' }],
  ])('loses %s, and what it is alone in', (_what, block) => {
    expect(history(user('a'), assistant(block, text), user('b'))).toEqual([
      user('a'),
      assistant(text),
      user('b'),
    ]);
    expect(history(user('a'), assistant(block), user('b'))).toEqual([user('a'), user('b')]);
  });

  test.each<[string, object]>([
    ['signed thinking', { type: 'thinking', thinking: '', signature: 'EqQB' }],
    ['hidden thinking', { type: 'redacted_thinking', data: 'EmwK' }],
    ['fields that nobody knows', text],
    ['documents', { type: 'document', source: { type: 'url', url: 'u' }, citations: { enabled: true } }],
    [
      'calls of its own',
      { type: 'tool_use', id: 'toolu_1', name: 'f', input: {}, caller: { type: 'direct' } },
    ],
    ['blocks that nobody knows', { type: 'server_tool_use', id: 'srv:1', name: 'web_search', input: {} }],
  ])('keeps %s', (_what, block) => {
    expect(history(assistant(unsigned, block))).toEqual([assistant(block)]);
  });

  test('has its ids made such as the format allows, the same in call and result', () => {
    const [call, result] = history(
      assistant({ type: 'tool_use', id: 'functions.f:0', name: 'f', input: { a: 1 }, extra: 1 }),
      user([{ type: 'tool_result', tool_use_id: 'functions.f:0', content: 'x', is_error: true }]),
    );
    const { id } = call.content[0];
    expect(id).toMatch(/^call_[a-f0-9]+$/);
    expect(call.content[0]).toEqual({ type: 'tool_use', id, name: 'f', input: { a: 1 }, extra: 1 });
    expect(result.content).toEqual([{ type: 'tool_result', tool_use_id: id, content: 'x', is_error: true }]);
  });

  test('loses sources without proof, and no others', () => {
    const source = { type: 'web_search_result_location', url: 'u', title: 't', cited_text: '' };
    const proven = { ...source, encrypted_index: 'E' };
    const page = { type: 'page_location', start_page_number: 1 };
    const cites = (...citations: object[]) => ({ type: 'text', text: 'a', citations });
    expect(
      history(assistant(cites(source, proven, page), cites({ ...source, encrypted_index: '' }))),
    ).toEqual([assistant(cites(proven, page), { type: 'text', text: 'a' })]);
  });

  const called = [user('a'), assistant(unsigned, { type: 'tool_use', id: 't', name: 'f', input: {} })];
  test.each<[string, object, object[], boolean]>([
    [
      'a budget is dropped where calls lost their thoughts',
      { type: 'enabled', budget_tokens: 2048 },
      called,
      false,
    ],
    [
      'a budget is kept where they did not',
      { type: 'enabled', budget_tokens: 2048 },
      [assistant(unsigned, text)],
      true,
    ],
    ['other thinking is kept', { type: 'adaptive' }, called, true],
  ])('%s', (_what, thinking, messages, kept) => {
    const body = JSON.parse(sent(JSON.stringify({ thinking, messages, model: 'm' })));
    expect(body.thinking).toEqual(kept ? thinking : undefined);
    expect('thinking' in JSON.parse(sent(JSON.stringify({ messages, model: 'm' })))).toBe(false);
  });

  test('loses what the model does not take', () => {
    const body = JSON.stringify({ messages: [user('a')], thinking: { type: 'adaptive' }, top_k: 1 });
    expect(JSON.parse(sent(body, { drop: ['thinking', 'top_k'] }))).toEqual({
      messages: [user('a')],
      model: 'claude-x',
    });
  });
});
