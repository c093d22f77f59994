import { readFileSync } from 'node:fs';
import { posix, resolve } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { root } from './sources.ts';
import { measureTouched, type Touched } from './touched-files.ts';

/** The most files that a request may run through: each is a stop for a reader who follows it. */
const mostFiles = { 'chat, streamed': 96, 'messages, streamed and translated': 110 };
/** The request to whose stops the steps of docs/trip.md link. */
const described = 'messages, streamed and translated';
/** The most lines of docs/trip.md with the files that it lists to show the whole idea. */
const mostLines = 2_150;

const page = readFileSync(resolve(root, 'docs/trip.md'), 'utf8');
let touched: Record<string, Touched>;

beforeAll(async () => {
  touched = await measureTouched(Object.keys(mostFiles));
});

/** Returns the files that a request runs through, each once. */
function filesOf(name: string): string[] {
  const { front, worker } = touched[name] as Touched;
  return [...new Set([...front, ...worker])];
}

/** Returns the page's text from `start` to `end`, or to its own end. */
function partOf(start: string, end?: string): string {
  const from = page.indexOf(start);
  const to = end === undefined ? page.length : page.indexOf(end, from);
  if (from < 0 || to < 0)
    throw new Error(`docs/trip.md has no part from '${start}' to '${end ?? 'its end'}'`);
  return page.slice(from, to);
}

/** Returns the TypeScript files to which a part of the page links, relative to the project. */
function linksOf(part: string): string[] {
  return [...part.matchAll(/\]\((\.\.\/[^)]+\.ts)\)/g)].map(([, link]) => posix.join('docs', link as string));
}

test.each(Object.entries(mostFiles))('a request (%s) runs through at most %i files', (name, most) => {
  const files = filesOf(name);
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(most);
});

test('a request passes every file to which the steps of docs/trip.md link', () => {
  const stops = linksOf(partOf('\n1. **Path.**', '\n## '));
  expect(stops.length).toBeGreaterThanOrEqual(10);
  const files = filesOf(described);
  expect(stops.filter(stop => !files.includes(stop))).toEqual([]);
});

test('docs/trip.md and the files that show the whole idea have no more lines than its heading says', () => {
  const heading = `\n## The whole idea in ${mostLines.toLocaleString('en')} lines\n`;
  const paths = ['docs/trip.md', ...linksOf(partOf(heading))];
  expect(paths.length).toBeGreaterThanOrEqual(10);
  const lines = paths.map(path => readFileSync(resolve(root, path), 'utf8').split('\n').length - 1);
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(mostLines);
});
