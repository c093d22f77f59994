import { expect, test } from 'vitest';
import { Expression, go, literal, python, typescript } from './literal.ts';

const value = {
  text: 'a "quoted" line\n',
  yes: true,
  none: null,
  left: undefined,
  list: [1, 2.5],
  'two words': { file: new Expression('read()') },
};

test.each([
  [
    'Python',
    python,
    String.raw`{"text": "a \"quoted\" line\n", "yes": True, "none": None, "list": [1, 2.5]}`,
  ],
  [
    'TypeScript',
    typescript,
    String.raw`{ text: "a \"quoted\" line\n", yes: true, none: null, list: [1, 2.5] }`,
  ],
])('a short value is on one line of %s', (_language, notation, code) => {
  const { 'two words': _, ...short } = value;
  expect(literal(short, notation)).toBe(code);
});

test('a long value has a line for each field, and keys are quoted where they must be', () => {
  expect(literal(value, typescript)).toBe(String.raw`{
  text: "a \"quoted\" line\n",
  yes: true,
  none: null,
  list: [1, 2.5],
  "two words": { file: read() },
}`);
  expect(literal(value, go, 1)).toContain('\n\t\t"two words": map[string]any{"file": read()},\n\t}');
});
