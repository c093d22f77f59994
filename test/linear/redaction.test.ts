import { expect, test } from 'vitest';
import { redact } from '../../services/worker/src/redact.ts';
import { Quotes, textsOf } from '../../services/worker/src/upstream-words.ts';
import { kinds, secrets } from '../../shared/ingress/src/logging/kinds.ts';
import { faultOf, list } from './cost.ts';

/** Texts of which each matches a pattern, or misses it at its end. */
const examples: readonly string[] = [
  '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----',
  '-----BEGIN AAAAAAAAAAAAAAAAAAAAAAAAA PRIVATE KEX-----',
  'sk-proj-abcdefghijklmnop1234',
  'sk-ab-cd-ef-gh',
  'AIzaSyA1234567890abcdefghijklmnopqrstuv',
  'ghp_abcdefghijklmnopqrstuvwxyz0123456789',
  'github_pat_abcdefghijklmnopqrstuvwx',
  'glpat-abcdefghijklmnopqrstuvwx',
  'xoxb-1234567890-abcdef',
  'AKIAIOSFODNN7EXAMPLE',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N',
  '-eyJ',
  '-eyJhbGciOiJIUzI1NiJ9.',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.',
  'Authorization: Bearer abcdef0123456789abcdef',
  'bearer   ',
  'postgres://ada:hunter2@db/x',
  '://ada:hunter2:',
  'API_KEY="abc123def456"',
  'secret = secret = ',
  'ada.lovelace+x@mail.example.co.uk',
  'a@b.',
  '+49 (30) 123-456-78',
  '(415) 555-2671',
  '078-05-1120',
  '4111 1111 1111 1111',
  '44 ',
  '1-',
  'DE89 3704 0044 0532 0130 00',
  'AA11 ',
  '2001:db8::8a2e:370:7334',
  '192.168.0.1',
  'Traceback (most recent call last)\n  at x\n  File "/srv/app/x.py"',
  'ECONNREFUSED 10.0.0.1:80 host=inner.corp.local',
  'incorrect api key provided: sk-12...ef ending in cdef',
  'https://platform.openai.com/a?b=c#d',
  '/srv/app/lib/x.py',
  'x-goog-api-key=',
];

/** Each beginning of each example, repeated; and single characters of each kind. */
function pieces(): string[] {
  const beginnings = examples.flatMap(text =>
    Array.from({ length: Math.min(24, text.length) }, (_, i) => text.slice(0, i + 1)),
  );
  return [...new Set([...beginnings, ...examples, ...' \n-_.:/@=+aA1"', 'x4…', '***'])];
}

/** The most bytes of a text of a request or an answer that is logged and redacted. */
const logged = 262_144 + 4_096;

const patterns: [string, (text: string) => string][] = [
  ...secrets.map((redactSecret, at): [string, (text: string) => string] => [`secret ${at}`, redactSecret]),
  ...Object.entries(kinds),
];

/** Returns the texts with which a pattern takes longer for each character than with half of them. */
function faultsOf(redacted: (text: string) => string, bound: number, items: number): string[] {
  return pieces().flatMap(piece => {
    const last = piece.at(-1) as string;
    const texts: ((n: number) => string)[] = [
      n => piece.repeat(Math.ceil(n / piece.length)),
      n => `${piece}${last.repeat(n)}\u0000`,
    ];
    return texts.flatMap((textOf, at) => {
      const fault = faultOf(
        n => {
          const text = textOf(n);
          return () => redacted(text);
        },
        { bound, items },
      );
      return fault ? [`${JSON.stringify(piece)} ${at}: ${fault}`] : [];
    });
  });
}

test.each(patterns)('the pattern of the %s reads a text once', (_name, redactKind) => {
  expect(faultsOf(redactKind, logged, 32_000)).toEqual([]);
});

test("an upstream's error is redacted in time that does not grow faster than it", () => {
  const upstream = { headers: { authorization: 'Bearer abcdefghijklmnop' }, origin: 'https://api.example' };
  expect(faultsOf(text => redact(text, upstream), 4_000, 4_000)).toEqual([]);
});

test('what an error quotes is found in time that does not grow faster than the request', () => {
  const rest = (text: string) => {
    const quotes = new Quotes(text.slice(0, 4_000));
    for (const prompt of textsOf({ messages: [{ content: text }] })) quotes.look(prompt);
    return quotes.rest;
  };
  expect(faultsOf(rest, logged, 32_000)).toEqual([]);
});

test.each<[string, (n: number) => unknown]>([
  ['arguments within arguments', n => ({ input: nested(n) })],
  ['lists within arguments', n => ({ arguments: list(n, () => [[1], ['a text of more than twenty']]) })],
  ['arguments', n => ({ messages: list(n, i => ({ arguments: { at: i } })) })],
])('the texts of %s are written once', (_, request) => {
  const fault = faultOf(n => {
    const asked = request(n);
    return () => textsOf(asked);
  });
  expect(fault).toBeUndefined();
});

/** Returns objects in depth, in groups of 100. */
function nested(n: number): unknown {
  const deep = () => {
    let value: unknown = 'a text of more than twenty characters';
    for (let depth = 0; depth < 100; depth++) value = { input: value };
    return value;
  };
  return list(Math.ceil(n / 100), deep);
}
