import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Endpoint, type EndpointName, endpoints } from '@model-gateway/admin-api';
import { expect, test } from 'vitest';
import { readCommandLine } from './command-line.ts';
import { commands } from './commands.ts';
import { fieldsOf, itemOf } from './contract.ts';
import { described } from './described.ts';

const docs = join(import.meta.dirname, '../../../../docs');

/** Parts a command line into words, without what a shell does with its output. */
function wordsOf(line: string): string[] {
  const words = line.replace(/ > \S+\s*$/, '').matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g);
  return [...words].map(([, single, double, bare]) => single ?? double ?? bare ?? '');
}

test.each(commands.map(({ name, examples }) => [name, examples] as const))(
  'the examples of %s can be run as they are written',
  (name, examples) => {
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      const read = readCommandLine(wordsOf(example), commands, '');
      expect(read).toMatchObject({ command: { name } });
    }
  },
);

test.each(globSync('*.md', { cwd: docs }))('every command of docs/%s can be run as it is written', page => {
  const code = [...readFileSync(join(docs, page), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(
    ([, text]) => text,
  );
  const lines = [...code.join('').matchAll(/^(?:npx )?gateway ([^#\n]+)/gm)].map(([, line = '']) => line);
  for (const line of lines.filter(each => !/^help|--version|completion fish \|/.test(each)))
    expect(readCommandLine(wordsOf(line), commands, '')).toHaveProperty('command');
});

test('every option of a command of the API has a line of help', () => {
  const silent = commands.flatMap(({ name, options = {} }) =>
    Object.entries(options).flatMap(([option, { about }]) => (about === '' ? [`${name} --${option}`] : [])),
  );
  expect(silent).toEqual([]);
});

test('every column is a field of the records', () => {
  const wrong = described.flatMap(({ id, row, response }) => {
    const columns = typeof row.columns === 'function' ? row.columns({ by: '' }) : (row.columns ?? []);
    const paths = columns.map(column => (typeof column === 'string' ? column : column[1]));
    const fields = fieldsOf(itemOf(response) ?? response);
    return paths.flatMap(path =>
      typeof path !== 'string' || (path.split('.')[0] as string) in fields ? [] : [`${id}: ${path}`],
    );
  });
  expect(wrong).toEqual([]);
});

test('every endpoint of administrators has a command, but for those that other commands call', () => {
  const without = (Object.keys(endpoints) as EndpointName[]).filter(id => {
    const { bearer }: Endpoint = endpoints[id];
    return (bearer === 'admin' || bearer === 'self') && !described.some(each => each.id === id);
  });
  expect(without.sort()).toEqual([
    'adoptEntry',
    'applyCatalog',
    'changePassword',
    'followRunning',
    'showCatalog',
    'showDiagnostics',
    'signOut',
  ]);
  expect(new Set(commands.map(({ name }) => name)).size).toBe(commands.length);
});
