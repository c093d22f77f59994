import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { overloadReasons } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { readCommandLine } from '../../services/control/src/cli/command-line.ts';
import { commands } from '../../services/control/src/cli/commands.ts';
import { dashboards } from './files.ts';

const docs = join(import.meta.dirname, '../../docs');
const page = (name: string) => readFileSync(join(docs, name), 'utf8');

test.each(['alerts.md', 'troubleshooting.md'])('every command of %s can be run as it is written', name => {
  const used = [...page(name).matchAll(/`gateway ([^`\n]+)`/g)].map(([, line = '']) => line);
  expect(used.length).toBeGreaterThan(3);
  for (const line of used) expect(readCommandLine(line.split(' '), commands, '')).toHaveProperty('command');
});

test('troubleshooting has every code of an error that the chat format lists', () => {
  const [, table = ''] = /\| kind +\| status([\s\S]*?)\n\n/.exec(page('errors.md')) ?? [];
  const codes = [...table.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, code]) => code as string);
  const types = ['invalid_request_error', 'service_unavailable_error', 'server_error'];
  const known = ['insufficient_permissions', 'unsupported_content_type', 'request_too_large'];
  const shown = page('troubleshooting.md');
  const missing = codes.filter(
    code => !types.includes(code) && !known.includes(code) && !shown.includes(code),
  );
  expect(missing).toEqual([]);
});

test('troubleshooting has a heading for each reason of a 503, and no other', () => {
  const headings = [...page('troubleshooting.md').matchAll(/^### `([a-z_]+)`$/gm)].map(
    ([, reason]) => reason,
  );
  expect(headings).toEqual([...overloadReasons]);
});

test('dashboards.md lists every dashboard, and no other', () => {
  const listed = [...page('dashboards.md').matchAll(/^\| `([a-z-]+\.json)`/gm)].map(
    ([, file]) => file as string,
  );
  expect(listed.toSorted()).toEqual(dashboards.map(({ file }) => file));
});
