import { expect, test } from 'vitest';
import { encodeInput } from '../testing/encode-input.ts';
import { encode } from './encode.ts';

const sent = (text: string, { foreign = true, drop = [] as string[] } = {}) =>
  encode(
    encodeInput({ model: 'claude-x', text: Buffer.from(text), drop }, { format: 'messages', foreign }),
  ).body.toString();
const history = (...turns: object[]) => JSON.parse(sent(JSON.stringify({ messages: turns }))).messages;
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (...content: object[]) => ({ role: 'assistant', content });
const text = { type: 'text', text: 'x', unknown: { a: 1 }, cache_control: { type: 'ephemeral', ttl: '1h' } };
const unsigned = { type: 'thinking', thinking: 'hm', signature: '' };

test('a request with a foreign history keeps every byte outside it, and the numbers inside', () => {
  const content = '[{"type":"text","text":"a","n":12345678901234567890}]';
  const turn = `{"role":"user","content":${content},"__proto__":{"a":1.0}}`;
  const rest = '"big":[ 12345678901234567890 ],"thinking":{"type":"adaptive"}}';
  expect(sent(`{ "z":1.0, "model":"m","messages":[${turn}] ,${rest}`)).toBe(
    `{"z":1.0,"model":"claude-x","messages":[${turn}],${rest}`,
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
  const turns = [user('a'), assistant(block, text), user('b'), assistant(block), user('c')];
  expect(history(...turns)).toEqual([user('a'), assistant(text), user('b'), user('c')]);
});

test.each<[string, object]>([
  ['signed thinking', { type: 'thinking', thinking: '', signature: 'EqQB' }],
  ['redacted thinking', { type: 'redacted_thinking', data: 'EmwK' }],
  ['unknown fields', text],
  ['documents', { type: 'document', source: { type: 'url', url: 'u' }, citations: { enabled: true } }],
  [
    'calls of its vendor',
    { type: 'tool_use', id: 'toolu_1', name: 'f', input: {}, caller: { type: 'direct' } },
  ],
  ['unknown blocks', { type: 'server_tool_use', id: 'srv:1', name: 'web_search', input: {} }],
])('a history keeps %s', (_what, block) => {
  expect(history(assistant(unsigned, block))).toEqual([assistant(block)]);
});

test('an invalid id is replaced by the same valid id in call and result', () => {
  const use = { type: 'tool_use', id: 'functions.f:0', name: 'f', input: { a: 1 }, extra: 1 };
  const result = { type: 'tool_result', tool_use_id: use.id, content: 'x', is_error: true };
  const [call, answer] = history(assistant(use), user([result]));
  const { id } = call.content[0];
  expect(id).toMatch(/^call_[a-f0-9]+$/);
  expect([call, answer]).toEqual([assistant({ ...use, id }), user([{ ...result, tool_use_id: id }])]);
});

test('web citations without an index are removed, and no others', () => {
  const source = { type: 'web_search_result_location', url: 'u', title: 't', cited_text: '' };
  const indexed = { ...source, encrypted_index: 'E' };
  const page = { type: 'page_location', start_page_number: 1 };
  const cites = (...citations: object[]) => ({ type: 'text', text: 'a', citations });
  const blocks = [cites(source, indexed, page), cites({ ...source, encrypted_index: '' })];
  expect(history(assistant(...blocks))).toEqual([
    assistant(cites(indexed, page), { type: 'text', text: 'a' }),
  ]);
});

const budget = { type: 'enabled', budget_tokens: 2048 };
const called = [user('a'), assistant(unsigned, { type: 'tool_use', id: 't', name: 'f', input: {} })];
test.each<[string, object, object[], boolean]>([
  ['a thinking budget is dropped if tool calls lost their thinking', budget, called, false],
  ['a thinking budget is kept if no call lost its thinking', budget, [assistant(unsigned, text)], true],
  ['adaptive thinking is kept', { type: 'adaptive' }, called, true],
])('%s', (_what, thinking, messages, kept) => {
  const write = (fields: object) => JSON.parse(sent(JSON.stringify({ ...fields, messages, model: 'm' })));
  expect(write({ thinking }).thinking).toEqual(kept ? thinking : undefined);
  expect(write({})).not.toHaveProperty('thinking');
});

test('fields that the model does not accept are dropped', () => {
  const body = JSON.stringify({ messages: [user('a')], thinking: { type: 'adaptive' }, top_k: 1 });
  const left = { messages: [user('a')], model: 'claude-x' };
  expect(JSON.parse(sent(body, { drop: ['thinking', 'top_k'] }))).toEqual(left);
});

const use = (id: string, input: object = {}) => ({ type: 'tool_use', id, name: 'f', input });
const answer = (tool_use_id: string, content: unknown = 'x') => ({
  type: 'tool_result',
  tool_use_id,
  content,
});
const said = (value: string) => ({ type: 'text', text: value });
const dot = said('.');
const png = 'iVBORw0KGgoAAAANSUhEUg==';
const pdf = Buffer.from('%PDF-1.7').toString('base64');
const file = (type: string, media_type: string, data: string, more: object = {}) => ({
  ...{ type, source: { type: 'base64', media_type, data } },
  ...more,
});

test.each<[string, object[], object[]]>([
  [
    'ids that repeat in each turn',
    [assistant(use('c')), user([answer('c')]), assistant(use('c')), user([answer('c', 'y')])],
    [assistant(use('c')), user([answer('c')]), assistant(use('c_2')), user([answer('c_2', 'y')])],
  ],
  [
    'ids that repeat in a turn',
    [assistant(use('c'), use('c', { x: 1 })), user([answer('c'), answer('c', 'y')])],
    [assistant(use('c'), use('c_2', { x: 1 })), user([answer('c'), answer('c_2', 'y')])],
  ],
  [
    'ids that repeat in a turn, with one result',
    [assistant(use('c'), use('c')), user([answer('c'), text]), assistant(text)],
    [assistant(use('c'), use('c_2')), user([answer('c_2'), answer('c'), text]), assistant(text)],
  ],
  [
    'blank texts',
    [
      user([said('a'), said(' \n')]),
      assistant(said(''), use('c')),
      user([answer('c', [said('')]), said('')]),
    ],
    [user([said('a')]), assistant(use('c')), user([answer('c', [])])],
  ],
  [
    'results without content',
    [
      assistant(use('c'), use('d'), use('e'), use('f')),
      user([answer('c', ' '), { ...answer('d', []), is_error: true }]),
      user([
        { type: 'tool_result', tool_use_id: 'e', is_error: true },
        { ...answer('f', 'x'), is_error: true },
      ]),
    ],
    [
      assistant(use('c'), use('d'), use('e'), use('f')),
      user([answer('c', ''), { ...answer('d', '(empty)'), is_error: true }]),
      user([
        { ...answer('e', '(empty)'), is_error: true },
        { ...answer('f', 'x'), is_error: true },
      ]),
    ],
  ],
  [
    'turns without content',
    [
      ...[user(''), assistant(), user('\n'), { role: 'assistant', content: '' }, user([said('')])],
      { role: 'assistant', content: null },
    ],
    [user([dot]), user([dot]), user([dot])],
  ],
  [
    'white space at the end of a beginning of the answer',
    [user('a'), assistant(said('So \n'))],
    [user('a'), assistant(said('So'))],
  ],
  [
    'white space at the end of its text',
    [user('a'), { role: 'assistant', content: 'So ' }],
    [user('a'), { role: 'assistant', content: 'So' }],
  ],
  [
    'files with a wrong type',
    [
      user([file('image', 'image/jpeg', png, { cache_control: { type: 'ephemeral' } })]),
      user([file('document', 'application/pdf', png, { title: 'a' }), file('image', 'image/png', pdf)]),
      user([answer('c', [file('image', 'image/webp', png)])]),
    ],
    [
      user([file('image', 'image/png', png, { cache_control: { type: 'ephemeral' } })]),
      user([file('image', 'image/png', png), file('document', 'application/pdf', pdf)]),
      user([answer('c', [file('image', 'image/png', png)])]),
    ],
  ],
  [
    'line ends in files',
    [user([file('image', 'image/png', 'iVBORw0K\r\nGgoAAAANSUhEUg==\n')])],
    [user([file('image', 'image/png', png)])],
  ],
])('%s are mended', (_what, turns, expected) => {
  expect(history(...turns)).toEqual(expected);
});

test('instructions lose their blank texts', () => {
  const write = (system: unknown) =>
    JSON.parse(sent(JSON.stringify({ system, messages: [user('a')] }))).system;
  expect(write([said(''), text])).toEqual([text]);
  expect(write([said('')])).toBeUndefined();
  expect(write('Be brief.')).toBe('Be brief.');
});
