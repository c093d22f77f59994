import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { composeImage } from './images.ts';

/** A tag that does not move to another release: a complete version or a date. */
const exact =
  /:(\d+\.\d+\.\d+-alpine\d+\.\d+|\d+\.\d+-alpine\d+\.\d+|\d+\.\d+\.\d+-bookworm-slim|bookworm-\d{8}-slim)$/;

/** The base images of a Dockerfile, without its own stages. */
function basesOf(path: string): string[] {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  return [...text.matchAll(/^FROM +(\S+:\S+)/gm)].map(([, image]) => image as string);
}

test.each([
  composeImage('nats'),
  composeImage('postgres'),
  ...basesOf('deploy/Dockerfile'),
  ...basesOf('deploy/edge/Dockerfile'),
])('the image %s is pinned to one release', image => {
  expect(image).toMatch(exact);
});

test("the gateway's image has the Node version of the tests", () => {
  expect(basesOf('deploy/Dockerfile')).toEqual([`node:${process.versions.node}-bookworm-slim`]);
});
