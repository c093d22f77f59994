import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { composeImage } from './images.ts';

/** A version to the last number, or a date: what a tag names that is not moved to another release. */
const exact =
  /:(\d+\.\d+\.\d+-alpine\d+\.\d+|\d+\.\d+-alpine\d+\.\d+|\d+\.\d+\.\d+-bookworm-slim|bookworm-\d{8}-slim)$/;

/** The images that a Dockerfile builds on, apart from its own stages. */
function basesOf(path: string): string[] {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  return [...text.matchAll(/^FROM +(\S+:\S+)/gm)].map(([, image]) => image as string);
}

test.each([
  composeImage('nats'),
  composeImage('postgres'),
  ...basesOf('deploy/Dockerfile'),
  ...basesOf('deploy/edge/Dockerfile'),
])('%s is pinned to one release', image => {
  expect(image).toMatch(exact);
});

test('the image has the version of Node that everything else runs on', () => {
  expect(basesOf('deploy/Dockerfile')).toEqual([`node:${process.versions.node}-bookworm-slim`]);
});
