import { Random } from '@model-gateway/canonical/testing';
import { isLargeJson, parseExact, parseInSteps, type Turn, writeInSteps } from '@model-gateway/json';
import { describe, expect, test } from 'vitest';

const rounds = 1_000;
const turn = async () => {};

const characters = [...'a"\\\n\u0001ž字🐎/}[, ', '\ud83d', '\udc00'];
const names = ['__proto__', 'constructor', 'toString', 'lone \ud800', 'long key '.repeat(9)];
const keys = ['a', 'b', '', '1', '0', ...names];

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

/** Writes JSON with whitespace between its tokens and some letters of its strings escaped. */
function spaced(random: Random, input: unknown): string {
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
  return blank() + write(input) + blank();
}

/** Returns the JSON with a random edit, which mostly makes it invalid. */
function broken(random: Random, json: string): string {
  const at = random.below(json.length + 1);
  const rest = json.slice(at + random.below(3));
  return (
    json.slice(0, at) +
    random.pick(['', ',', '"', '\\', ']', '}', '[', '{', ':', '1', '\u0000', ' ', 'x']) +
    rest
  );
}

/**
 * Returns the parsed value with the order of members and the type of each value, or the name of the error.
 */
async function outcome(read: () => unknown): Promise<string> {
  try {
    const parsed = await read();
    return `${JSON.stringify(parsed)} ${JSON.stringify(shape(parsed))}`;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return error.name;
  }
}

function shape(parsed: unknown): unknown {
  if (Array.isArray(parsed)) return parsed.map(shape);
  if (typeof parsed !== 'object' || parsed === null) return typeof parsed;
  return [
    Object.getPrototypeOf(parsed) === Object.prototype,
    Object.keys(parsed).map(key => [key, shape(Object.getOwnPropertyDescriptor(parsed, key)?.value)]),
  ];
}

describe('parseInSteps', () => {
  test('parses valid JSON like JSON.parse, wherever a step ends', async () => {
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

  test('throws for every text that JSON.parse rejects', async () => {
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

  test('keeps exact numbers if its reader is parseExact', async () => {
    const json = `{"a":[${'12345678901234567890,'.repeat(20)}1.0],"b":"${'x'.repeat(90)}","c":0.10}`;
    expect(JSON.stringify(await parseInSteps(json, turn, parseExact, 40))).toBe(json);
  });

  test('resolves a duplicate key like JSON.parse', async () => {
    const json = `{"a":"${'x'.repeat(50)}","b":1,"a":2,"b":"${'y'.repeat(50)}"}`;
    expect(JSON.stringify(await parseInSteps(json, turn, JSON.parse, 9))).toBe(
      JSON.stringify(JSON.parse(json)),
    );
  });
});

describe('writeInSteps', () => {
  test('writes the bytes of JSON.stringify, wherever a step ends', async () => {
    const random = new Random(3);
    for (let i = 0; i < rounds; i++) {
      const input = value(random);
      const step = 1 + random.below(60);
      const pieces = await writeInSteps(input, turn, { step });
      expect(Buffer.concat(pieces).toString(), `${step}`).toBe(Buffer.from(JSON.stringify(input)).toString());
    }
  });

  test('writes the exact numbers of parseExact unchanged', async () => {
    const json = `{"a":[${'12345678901234567890,'.repeat(20)}1.0],"b":"${'x'.repeat(90)}"}`;
    expect(Buffer.concat(await writeInSteps(parseExact(json), turn, { step: 40 })).toString()).toBe(json);
  });

  test('isLargeJson adds up the sizes of nested values', () => {
    expect(isLargeJson({ a: ['x'.repeat(50)] }, 100)).toBe(false);
    expect(isLargeJson({ a: ['x'.repeat(50), { b: 'x'.repeat(50) }] }, 100)).toBe(true);
    expect(isLargeJson(Array(100).fill(0.5), 100)).toBe(true);
  });
});

test('parseInSteps and writeInSteps handle at most a few steps of text at once', async () => {
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
    const parsed = await parseInSteps(json, counted, read, step);
    expect(Math.max(0, ...longest)).toBeLessThan(3 * step);
    expect(turns).toBeGreaterThan(10);
    turns = 0;
    const pieces = await writeInSteps(parsed, counted, { step });
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(6 * step);
    expect(turns).toBeGreaterThan(10);
  }
});
