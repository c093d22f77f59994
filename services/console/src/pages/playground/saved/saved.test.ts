import { expect, test } from 'vitest';
import { nothingSaved, parseFile, parseKept } from './saved.ts';

const question = { role: 'user', id: 1, parent: null, parts: [{ type: 'text', text: 'Hi' }] } as const;
const withTurns = (...turns: object[]) => ({
  ...nothingSaved,
  conversation: { turns, chosen: { start: 1 } },
});

test('a conversation is the same after it was saved and opened', () => {
  const saved = withTurns(question);
  expect(parseFile(JSON.stringify(saved))).toEqual(saved);
  expect(parseKept(saved)).toEqual(saved);
  expect(parseKept({ ...saved, format: 'smoke' })).toBeUndefined();
  expect(parseKept(undefined)).toBeUndefined();
});

test.each([
  ['{', 'The file is not JSON. Choose a file that the Playground has saved.'],
  ['null', 'The file holds no conversation. Choose a file that the Playground has saved.'],
  ['{"type": "other"}', 'The file holds no conversation. Choose a file that the Playground has saved.'],
  [
    JSON.stringify({ ...nothingSaved, version: 2 }),
    'The file has version 2 of conversations, and this console reads version 1.',
  ],
  [
    JSON.stringify({ ...nothingSaved, format: 'smoke' }),
    'The file is damaged at format. Save the conversation again.',
  ],
  [
    JSON.stringify(withTurns({ ...question, parent: 1 })),
    'The file is damaged: its turns do not fit together.',
  ],
  [JSON.stringify(withTurns(question, question)), 'The file is damaged: its turns do not fit together.'],
])('the file %s is refused', (text, message) => {
  expect(() => parseFile(text)).toThrow(message);
});
