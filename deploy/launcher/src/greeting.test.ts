import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { greeting } from './greeting.ts';

const door = { baseUrl: 'http://127.0.0.1:1', consoleUrl: 'http://127.0.0.1:1/console', token: 'sk-1' };

const line = (models: string[]) =>
  greeting(door, models)
    .split('\n')
    .find(text => text.startsWith('curl ')) as string;

/** What a shell would hand to the program. */
const words = (command: string) =>
  execFileSync('sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' });

test('names base URL and token, and a curl line that a shell reads right', () => {
  const text = greeting(door, ['sim-fast', 'sim-1']);
  expect(text).toMatch(/Base URL +http:\/\/127\.0\.0\.1:1\n/);
  expect(text).toMatch(/Console +http:\/\/127\.0\.0\.1:1\/console\n/);
  expect(text).toMatch(/Token +sk-1\n/);
  const body = words(line(['sim-fast', 'sim-1']))
    .trim()
    .split('\n')
    .at(-1) as string;
  expect(JSON.parse(body)).toMatchObject({ model: 'sim-1', stream: true, messages: [{ role: 'user' }] });
});

test('names no console where there is none', () => {
  expect(greeting({ ...door, consoleUrl: null }, [])).not.toContain('Console');
});

test("takes a model that is there, whatever it's called", () => {
  expect(words(line(['it\'s/a "model"']))).toContain(JSON.stringify('it\'s/a "model"'));
});
