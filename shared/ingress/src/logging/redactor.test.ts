import type { Logging } from '@model-gateway/catalog';
import { describe, expect, test } from 'vitest';
import { Redactor } from './excerpt.ts';

const turn = async () => {};
const plain = (text: string, redact: Logging['redact'] = [], secret?: string) =>
  new Redactor({ sample: 1, redact }).redact(text, false, turn, secret);
const json = (text: string, redact: Logging['redact'] = []) =>
  new Redactor({ sample: 1, redact }).redact(text, true, turn);

test.each([
  ['sk-proj-abcdefghijklmnop1234', 'OpenAI'],
  ['sk-ant-api03-abcdefghijklmnopqrstuvwx', 'Anthropic'],
  ['AIzaSyA1234567890abcdefghijklmnopqrstuv', 'Google'],
  ['ghp_abcdefghijklmnopqrstuvwxyz0123456789', 'GitHub'],
  ['xoxb-1234567890-abcdef', 'Slack'],
  ['AKIAIOSFODNN7EXAMPLE', 'AWS'],
  ['hf_abcdefghijklmnopqrstuvwx', 'Hugging Face'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N', 'JWT'],
  ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----', 'a private key'],
  ['-----BEGIN PRIVATE KEY-----\nMIIE\nAAAA', 'the beginning of a private key'],
])('%s (%s) is always redacted', async secret => {
  expect(await plain(`this: ${secret}`)).toBe('this: [redacted: secret]');
});

test.each([
  ['Authorization: Bearer abcdef0123456789abcdef', 'Authorization: Bearer [redacted: secret]'],
  ['postgres://ada:hunter2@db/x', 'postgres://ada:[redacted: secret]@db/x'],
  ['password = "hunter2hunter2"', 'password = "[redacted: secret]"'],
  ['API_KEY=abc123def456', 'API_KEY=[redacted: secret]'],
  ['id-eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N.', 'id-[redacted: secret].'],
])('of %s only the secret is redacted', async (text, redacted) => {
  expect(await plain(text)).toBe(redacted);
});

test.each([
  'the password: something else',
  'task-oriented-dialogues-are-hard',
  'a sky-blue sk-y',
  'https://example.com/a:b@c',
])('%s holds no secret', async text => {
  expect(await plain(text)).toBe(text);
});

test("the client's own token is redacted, whatever its form", async () => {
  expect(await plain('my key is tiny', [], 'tiny')).toBe('my key is [redacted: secret]');
});

describe.each<[NonNullable<Logging['redact']>[number] & string, string[], string[]]>([
  [
    'email',
    ['ada@example.com', 'a.b+c@mail.example.co.uk', 'jürgen@müller.de'],
    ['a@b', '@ada', 'x@localhost', 'ada at example.com'],
  ],
  [
    'creditCard',
    ['4111111111111111', '4111 1111 1111 1111', '3782-822463-10005', '5555555555554444'],
    ['4111111111111112', '1234567890123456', '0.4111111111111111', 'order 4111'],
  ],
  [
    'phone',
    ['+49 30 1234567', '+14155552671', '(415) 555-2671', '415-555-2671', '1-415-555-2671'],
    ['2026-11-25', '12345', '10.0.0.1', '+1 a', '1700000000'],
  ],
  ['iban', ['DE89370400440532013000', 'GB29 NWBK 6016 1331 9268 19'], ['DE88370400440532013000', 'AB12']],
  [
    'ipAddress',
    ['192.168.0.1', '::1', '2001:db8::8a2e:370:7334'],
    ['1.2.3', '12:30', '300.1.1.1', 'a::b::c'],
  ],
  ['ssn', ['078-05-1120'], ['000-12-3456', '123-45-678', '2026-11-2599']],
])('%s', (kind, found, others) => {
  test.each(found)('%s is redacted', async text => {
    expect(await plain(`<${text}> and ${text}.`, [kind])).toBe(
      `<[redacted: ${kind}]> and [redacted: ${kind}].`,
    );
    expect(await plain(text)).toBe(text);
  });

  test.each(others)('%s stays', async text => {
    expect(await plain(`<${text}>`, [kind])).toBe(`<${text}>`);
  });
});

test('groups of digits around a card stay', async () => {
  expect(await plain('2026 4111 1111 1111 1111 123 and 7', ['creditCard'])).toBe(
    '2026 [redacted: creditCard] 123 and 7',
  );
});

/** Returns the time for which this thread has computed since, in milliseconds; the work of others does not count. */
function computedMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(since);
  return (user + system) / 1_000;
}

test('a regular expression takes time that is linear in the text, also one that would backtrack', async () => {
  const began = process.threadCpuUsage();
  const text = `${'a'.repeat(100_000)}!`;
  expect(await plain(text, [{ name: 'run', pattern: '(a+)+$' }])).toBe(text);
  expect(await plain('EMP-1 $1', [{ name: 'employee', pattern: 'EMP-(\\d)' }])).toBe(
    '[redacted: employee] $1',
  );
  expect(computedMs(began)).toBeLessThan(5_000);
});

test.each([
  '@',
  'a',
  '1',
  '1 ',
  'a@',
  ' ',
  ':',
  '-----BEGIN PRIVATE KEY-----',
  'eyJ',
  '-eyJ',
  '+1',
  'password=',
  '://a:',
  'DE12 ',
])('a text of many %j takes no time that grows faster than it', async piece => {
  const text = piece.repeat(260_000 / piece.length);
  const began = process.threadCpuUsage();
  await plain(text, ['email', 'phone', 'creditCard', 'iban', 'ipAddress', 'ssn']);
  expect(computedMs(began)).toBeLessThan(2_000);
});

test('in JSON what is escaped is found, and the rest stays as it is', async () => {
  const text = '{ "n": 12345678901234567890, "t":"ada\\u0040example.com", "card":4111111111111111 }';
  expect(await json(text, ['email', 'creditCard'])).toBe(
    '{ "n": 12345678901234567890, "t":"[redacted: email]", "card":"[redacted: creditCard]" }',
  );
});

test('values of members with the name of a secret are redacted, and log probabilities are left out', async () => {
  const text = '{"api_key":"tiny","logprobs":{"content":[{"token":"ada@"},{"token":"example.com"}]}}';
  expect(JSON.parse(await json(text, ['email']))).toEqual({
    api_key: '[redacted: secret]',
    logprobs: '[omitted]',
  });
});

test('data URLs within a text are replaced by their size', async () => {
  expect(await plain(`![](data:image/png;base64,${'iVBO'.repeat(100)}) done`)).toBe(
    '![](data:image/png;base64,[300 bytes omitted]) done',
  );
});
