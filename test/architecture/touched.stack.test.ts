import { readFileSync } from 'node:fs';
import { posix, resolve } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { root } from './sources.ts';
import { measureTouched, type Touched } from './touched-files.ts';

/** The files that a request ran through before its parts were joined, by the same measure. */
const filesBefore = { 'chat, streamed': 81, 'messages, streamed and translated': 100 };
/**
 * Files that a request runs through since: the health of targets, the budget of retries and the shares of projects, which
 * the gateway did not have, the scopes and limits of tokens (3), and the requests in flight, which administrators see (2). Five make a request cheaper: ended calls are freed at once (`slab.ts`), a body's last piece is
 * written with the end (`response-sink.ts`), log lines are written together (`log.ts`), headers are sent from one list
 * (`chunked-response.ts`), and sockets of upstreams read into one buffer (`shared-reads.ts`). One edits a client's JSON in the same way for all formats (`request-body.ts`). The log line tells of a request
 * and its attempts (4) and of their cost (4), and the envelope has a file of its own, as has what
 * an attempt tells of its target.
 * Metrics measure its calls, its attempts and its stream, by the names that their labels may hold (8).
 * An exception of a step ends one answer (`faults.ts`, `guarded-receiver.ts`, `reading.ts`), an upstream's events are checked and bounded
 * (`checked-answer.ts`, `answer-budget.ts`), and a translated stream has a file of its own. Totals that grow with a stream are
 * looked up by name, and an opening's attempt is made beside the request of a call (`call-request.ts`).
 * A process that is silent is no lost one (`liveness.ts`, `peers.ts`), and calls share the credit of a connection (`windows.ts`).
 * What a request uses is estimated for the case that its client leaves or its worker is lost (`estimate-input.ts`, `media-places.ts`,
 * `quantities.ts`, `passed-on.ts`), hosted tools and service tiers are read (`request-extras.ts`), the attempts of a call
 * have a file of their own (`call-attempts.ts`), and a proof of its request goes with a call (`call-proof.ts`).
 * Finish reasons of all formats are read by one table (`finish-reason.ts`, `finish-reasons.ts`).
 * What careless upstreams and clients send is read by files of its own, such as `loose-events.ts`, `body-form.ts`, `call-ids.ts`,
 * `appearance.ts`, `paired.ts`, `any-usage.ts`, `thinking.ts`, `served-path.ts` and `client-tools.ts`, and what is refused is counted (12).
 */
const added = 3 + 3 + 2 + 5 + 1 + 4 + 4 + 1 + 1 + 8 + 6 + 1 + 1 + 3 + 4 + 2 + 2 + 2 + 12;
/** The most files that a request may run through, 0.7 times as many and those: each is a stop for a reader who follows it. */
const mostFiles = Object.fromEntries(
  Object.entries(filesBefore).map(([name, files]) => [name, Math.floor((7 * files) / 10) + added]),
);
/** The request to whose stops the steps of docs/trip.md link. */
const described = 'messages, streamed and translated';
/** The most lines of docs/trip.md with the files that it lists to show the whole idea. */
const mostLines = 1_650;

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
