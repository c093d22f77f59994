import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commands } from '../../services/control/src/cli/commands.ts';
import { dashboards } from './files.ts';

const docs = join(import.meta.dirname, '../../docs');
const page = (name: string) => readFileSync(join(docs, name), 'utf8');
const names = commands.map(({ name }) => name);

test.each(['alerts.md', 'troubleshooting.md'])('%s names only commands and options that exist', name => {
  const used = [...page(name).matchAll(/\bgateway ([a-z]+(?: [a-z][a-z-]*)?)([^`\n]*)/g)].filter(([whole]) =>
    page(name).includes(`\`${whole}\``),
  );
  expect(used.length).toBeGreaterThan(3);
  for (const [whole, words = '', rest = ''] of used) {
    const command =
      commands.find(each => each.name === words) ?? commands.find(each => each.name === words.split(' ')[0]);
    expect(command?.name, whole).toBeDefined();
    const options = Object.keys(command?.options ?? {});
    for (const [, option = ''] of rest.matchAll(/--([a-z-]+)/g)) expect(options, whole).toContain(option);
  }
  expect(names).toContain('doctor');
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

test('dashboards.md lists every dashboard, and no other', () => {
  const listed = [...page('dashboards.md').matchAll(/^\| `([a-z-]+\.json)`/gm)].map(
    ([, file]) => file as string,
  );
  expect(listed.toSorted()).toEqual(dashboards.map(({ file }) => file));
});
