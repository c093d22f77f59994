import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { refusal } from '@model-gateway/canonical/testing/events';
import { expect, test } from 'vitest';

/** An input, and what is made of it. `vitest run -u` writes the latter. */
type Pair = { from: unknown; to?: unknown };
/** A file of a format's `fixtures`: the page that its inputs follow, and the inputs of each idea. */
type Fixture = { source: string } & { [idea: string]: Pair | Pair[] };

/** Tests that what is made of each input in a folder's `fixtures/<direction>*.json` is what the file holds. */
export function testFixtures<From>(folder: string, direction: string, make: (from: From) => unknown): void {
  const made = ({ from }: Pair) => ({ from, to: outcome(() => make(from as From)) });
  test.each(globSync(`fixtures/${direction}*.json`, { cwd: folder }).sort())('%s', async file => {
    const path = join(folder, file);
    const { source, ...ideas }: Fixture = JSON.parse(readFileSync(path, 'utf8'));
    const all = Object.entries(ideas).map(([idea, pairs]) => [
      idea,
      Array.isArray(pairs) ? pairs.map(made) : made(pairs),
    ]);
    await expectFile(path, { source, ...Object.fromEntries(all) });
  });
}

/** Expects that a file holds a value. */
export async function expectFile(path: string, value: unknown): Promise<void> {
  await expect(`${layOut(JSON.parse(JSON.stringify(value)))}\n`).toMatchFileSnapshot(path);
}

/** What is made, or the error that refuses to. */
function outcome(make: () => unknown): unknown {
  let made: unknown;
  const refused = refusal(() => {
    made = make();
  });
  return refused ? { refused } : (made ?? null);
}

/** Writes JSON with a line for each value that fits on one. */
function layOut(value: unknown, indent = '', before = 0): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const deeper = `${indent}  `;
  const items = Object.entries(value).map(([key, item]) => {
    const name = isList ? '' : `${JSON.stringify(key)}: `;
    return `${name}${layOut(item, deeper, name.length)}`;
  });
  const [open, close] = isList ? ['[', ']'] : items.length > 0 ? ['{ ', ' }'] : ['{', '}'];
  const line = `${open}${items.join(', ')}${close}`;
  if (indent && !line.includes('\n') && indent.length + before + line.length < 140) return line;
  return `${open.trim()}\n${items.map(item => deeper + item).join(',\n')}\n${indent}${close.trim()}`;
}

/** The fields in which an object is not the usual one; those that it lacks are null. */
export function unusual(value: object, usual: object): Record<string, unknown> {
  const fields = Object.entries({
    ...Object.fromEntries(Object.keys(usual).map(key => [key, null])),
    ...value,
  });
  return Object.fromEntries(
    fields.filter(([key, field]) => !isDeepStrictEqual(field, (usual as Record<string, unknown>)[key])),
  );
}

/** The server-sent events of a stream; a text among them is sent as it is. */
export function sse(events: readonly (object | string)[]): string {
  return events.map(event => (typeof event === 'string' ? event : frame(event))).join('');
}

function frame(event: object): string {
  const name = 'type' in event ? `event: ${event.type}\n` : '';
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}
