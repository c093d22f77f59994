import { describe, expect, test } from 'vitest';
import { parseExact } from './exact-json.ts';
import { parseInSteps, type Turn } from './parse-in-steps.ts';
import { Random } from './testing/random.ts';
import { isLargeJson, writeInSteps } from './write-in-steps.ts';

const rounds = 1_000;
const turn = async () => {};

const characters = [
  'a',
  '"',
  '\\',
  '\n',
  '\u0001',
  'ž',
  '字',
  '🐎',
  '\ud83d',
  '\udc00',
  '/',
  '}',
  '[',
  ',',
  ' ',
];
const keys = [
  'a',
  'b',
  '',
  '1',
  '0',
  '__proto__',
  'constructor',
  'toString',
  'lone \ud800',
  'long key '.repeat(9),
];

function text(random: Random): string {
  return random.list(0, random.pick([2, 5, 40]), () => random.pick(characters)).join('');
}

function value(random: Random, depth = 0): unknown {
  switch (random.below(depth > 4 ? 4 : 8)) {
    case 0:
      return text(random);
    case 1:
      return random.pick([0, -1.5, 1e300, 12345678901234, true, false, null]);
    case 2:
      return 'x'.repeat(random.below(100));
    case 3:
      return random.pick([[], {}, '', [undefined], { a: undefined }]);
    case 4:
    case 5:
      return random.list(0, 8, () => value(random, depth + 1));
    default: {
      const members = random.list(0, 6, () => [random.pick(keys), value(random, depth + 1)] as const);
      return Object.fromEntries(members);
    }
  }
}

/** JSON with blanks between its tokens, and letters of its strings as escapes. */
function spaced(random: Random, given: unknown): string {
  const blank = () => random.pick(['', '', ' ', '\n', '\t \r\n'.repeat(8)]);
  const write = (part: unknown): string => {
    if (typeof part === 'string') return string(part);
    if (Array.isArray(part))
      return `[${blank()}${part.map(item => write(item ?? null)).join(`${blank()},${blank()}`)}${blank()}]`;
    if (typeof part !== 'object' || part === null) return JSON.stringify(part);
    const members = Object.entries(part).filter(([, member]) => member !== undefined);
    return `{${blank()}${members.map(([key, member]) => `${string(key)}${blank()}:${blank()}${write(member)}`).join(`,${blank()}`)}${blank()}}`;
  };
  const string = (part: string) =>
    JSON.stringify(part).replace(/[a-zž字]/g, (c, at, all: string) => {
      const escaped = /\\(?:u[0-9a-f]{0,3})?$/.test(all.slice(0, at).replaceAll('\\\\', ''));
      return escaped || random.below(3) > 0 ? c : `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`;
    });
  return blank() + write(given) + blank();
}

/** The text with something in it that is no JSON, mostly. */
function broken(random: Random, json: string): string {
  const at = random.below(json.length + 1);
  const rest = json.slice(at + random.below(3));
  return (
    json.slice(0, at) +
    random.pick(['', ',', '"', '\\', ']', '}', '[', '{', ':', '1', '\u0000', ' ', 'x']) +
    rest
  );
}

/** What a text is read as, with the order of members and the kind of each value; the name of the error where it is none. */
async function outcome(read: () => unknown): Promise<string> {
  try {
    const given = await read();
    return `${JSON.stringify(given)} ${JSON.stringify(shape(given))}`;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return error.name;
  }
}

function shape(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(shape);
  if (typeof given !== 'object' || given === null) return typeof given;
  return [
    Object.getPrototypeOf(given) === Object.prototype,
    Object.keys(given).map(key => [key, shape(Object.getOwnPropertyDescriptor(given, key)?.value)]),
  ];
}

describe('parseInSteps', () => {
  test('reads what JSON.parse reads, wherever the steps end', async () => {
    const random = new Random(1);
    for (let i = 0; i < rounds; i++) {
      const json = spaced(random, value(random));
      const step = 1 + random.below(60);
      const expected = await outcome(() => JSON.parse(json));
      expect(expected, json).not.toBe('SyntaxError');
      expect(await outcome(() => parseInSteps(json, turn, JSON.parse, step)), `${step}: ${json}`).toBe(
        expected,
      );
    }
  });

  test('refuses what JSON.parse refuses', async () => {
    const random = new Random(2);
    let refused = 0;
    for (let i = 0; i < rounds; i++) {
      const json = broken(random, spaced(random, value(random)));
      const step = 1 + random.below(60);
      const expected = await outcome(() => JSON.parse(json));
      if (expected === 'SyntaxError') refused++;
      expect(await outcome(() => parseInSteps(json, turn, JSON.parse, step)), `${step}: ${json}`).toBe(
        expected,
      );
    }
    expect(refused).toBeGreaterThan(rounds / 3);
  });

  test('keeps numbers as another reader does', async () => {
    const json = `{"a":[${'12345678901234567890,'.repeat(20)}1.0],"b":"${'x'.repeat(90)}","c":0.10}`;
    expect(JSON.stringify(await parseInSteps(json, turn, parseExact, 40))).toBe(json);
  });

  test('takes a key that occurs twice as JSON.parse does', async () => {
    const json = `{"a":"${'x'.repeat(50)}","b":1,"a":2,"b":"${'y'.repeat(50)}"}`;
    expect(JSON.stringify(await parseInSteps(json, turn, JSON.parse, 9))).toBe(
      JSON.stringify(JSON.parse(json)),
    );
  });
});

describe('writeInSteps', () => {
  test('writes the bytes of JSON.stringify, wherever the steps end', async () => {
    const random = new Random(3);
    for (let i = 0; i < rounds; i++) {
      const given = value(random);
      const step = 1 + random.below(60);
      const pieces = await writeInSteps(given, turn, step);
      expect(Buffer.concat(pieces).toString(), `${step}`).toBe(Buffer.from(JSON.stringify(given)).toString());
    }
  });

  test('writes numbers as they were read', async () => {
    const json = `{"a":[${'12345678901234567890,'.repeat(20)}1.0],"b":"${'x'.repeat(90)}"}`;
    expect(Buffer.concat(await writeInSteps(parseExact(json), turn, 40)).toString()).toBe(json);
  });

  test('a value is large by what it holds', () => {
    expect(isLargeJson({ a: ['x'.repeat(50)] }, 100)).toBe(false);
    expect(isLargeJson({ a: ['x'.repeat(50), { b: 'x'.repeat(50) }] }, 100)).toBe(true);
    expect(isLargeJson(Array(100).fill(0.5), 100)).toBe(true);
  });
});

test('no step is over more than some steps of text, however that is made', async () => {
  const step = 1_000;
  const members = Array.from({ length: 300 }, (_, i) => `"key ${i}":"${'x'.repeat(90)}"`).join(',');
  for (const json of [
    `"${'\\n'.repeat(20_000)}"`,
    `[{${members}}]`,
    `{"${'k'.repeat(20_000)}":1}`,
    `[${'[1,2,3],'.repeat(4_000)}1]`,
  ]) {
    const longest: number[] = [];
    const read = (text: string) => {
      longest.push(text.length);
      return JSON.parse(text);
    };
    let turns = 0;
    const counted: Turn = async () => void turns++;
    const given = await parseInSteps(json, counted, read, step);
    expect(Math.max(0, ...longest)).toBeLessThan(3 * step);
    expect(turns).toBeGreaterThan(10);
    turns = 0;
    const pieces = await writeInSteps(given, counted, step);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(6 * step);
    expect(turns).toBeGreaterThan(10);
  }
});
