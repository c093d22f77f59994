import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { confirm } from './prompts.ts';

const terminal = (isTTY = true) => Object.assign(new PassThrough(), { isTTY });

test.each(['y', 'Y', 'yes', ' YES '])('the answer %j goes on', async answer => {
  const [input, output] = [terminal(), terminal()];
  input.write(`${answer}\n`);
  await confirm('Delete a project: lab.', input, output);
  expect(String(output.read())).toContain('Delete a project: lab. [y/N]');
});

test.each(['', 'n', 'yesterday'])('the answer %j does nothing', async answer => {
  const input = terminal();
  input.write(`${answer}\n`);
  await expect(confirm('Delete a project: lab.', input, terminal())).rejects.toMatchObject({ exitCode: 1 });
});

test('without a terminal nobody is asked', async () => {
  await confirm('Delete a project: lab.', terminal(false), terminal());
});
