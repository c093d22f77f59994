import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { snippets } from './snippets.ts';

const facts = { baseUrl: 'http://127.0.0.1:1/v1', token: 'sk-1', model: `it's/a "model"` };
const code = Object.fromEntries(snippets(facts).map(({ label, code }) => [label, code]));

test('the curl command is quoted correctly for a shell', () => {
  const words = execFileSync('sh', ['-c', `printf '%s\\n' ${code.curl}`], { encoding: 'utf8' })
    .trim()
    .split('\n');
  expect(words.slice(0, 3)).toEqual(['curl', '-N', 'http://127.0.0.1:1/v1/chat/completions']);
  expect(words).toContain('Authorization: Bearer sk-1');
  expect(JSON.parse(words.at(-1) as string)).toMatchObject({ model: facts.model, stream: true });
});

test('the Node and Python snippets contain URL, token and model', () => {
  for (const label of ['Node', 'Python']) {
    for (const value of Object.values(facts)) expect(code[label]).toContain(JSON.stringify(value));
  }
});
