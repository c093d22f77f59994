import { expect, test } from 'vitest';
import { setUps } from './set-up.ts';

const facts = { baseUrl: 'https://gateway.example', model: "it's/a-model" };
const linesOf = (secret: string | undefined) =>
  setUps({ ...facts, secret }).flatMap(({ steps }) => steps.flatMap(({ code }) => code.split('\n')));

test('each way to use a token names the model and has the token in one line alone', () => {
  const all = setUps({ ...facts, secret: 'sk-1' });
  for (const { label, steps } of all) {
    const text = steps.map(({ code }) => code).join('\n');
    expect([label, text.split('sk-1').length - 1 > 0, text.includes('a-model')]).toEqual([label, true, true]);
  }
});

test('a text that a shell would read otherwise is quoted', () => {
  expect(linesOf('sk-1')).toContain(`export ANTHROPIC_MODEL='it'\\''s/a-model'`);
});

test('without a secret there is a placeholder', () => {
  expect(linesOf(undefined)).toContain('export MODEL_GATEWAY_TOKEN=YOUR_TOKEN');
});
