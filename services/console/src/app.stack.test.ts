import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Listening, listen } from '@model-gateway/service';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { consoleApp } from './app.ts';

const dist = mkdtempSync(join(tmpdir(), 'console-'));
const empty = join(dist, 'empty');
let served: Listening;
let unbuilt: Listening;

beforeAll(async () => {
  mkdirSync(join(dist, 'assets'));
  mkdirSync(empty);
  writeFileSync(
    join(dist, 'index.html'),
    '<meta property="csp-nonce" nonce="NONCE"><script nonce="NONCE" src="a"></script>',
  );
  writeFileSync(join(dist, 'assets', 'start-1a2b.js'), 'go()');
  writeFileSync(join(dist, 'secret.txt'), 'no asset');
  served = await listen(consoleApp(dist), '127.0.0.1', 0);
  unbuilt = await listen(consoleApp(empty), '127.0.0.1', 0);
});
afterAll(async () => {
  await Promise.all([served.close(), unbuilt.close()]);
  rmSync(dist, { recursive: true });
});

const get = (path: string, method = 'GET') => fetch(served.url + path, { method, redirect: 'manual' });

test.each(['/console', '/console/', '/console?x=1'])('%s redirects to the start', async path => {
  const { status, headers } = await get(path);
  expect([status, headers.get('location')]).toEqual([302, '/console/home']);
});

describe('the page', () => {
  test.each(['/console/playground', '/console/a/page/to/come', '/console/models/gpt-4.1'])(
    'is served at %s and is not cached',
    async path => {
      const answer = await get(path);
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(await answer.text()).toContain('<script nonce="');
    },
  );

  test('has a policy that allows only the same origin, with a new nonce in each response', async () => {
    const nonces = new Set<string>();
    for (let times = 0; times < 2; times++) {
      const answer = await get('/console/playground');
      const policy = answer.headers.get('content-security-policy') as string;
      expect(policy).toMatch(/^default-src 'self'; style-src 'self' 'nonce-[\w+/]{22}=='; /);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] as string;
      expect((await answer.text()).match(/nonce="[^"]+"/g)).toEqual([`nonce="${nonce}"`, `nonce="${nonce}"`]);
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(2);
  });

  test('is a 503 with the build command if the console is not built', async () => {
    const answer = await fetch(`${unbuilt.url}/console/playground`);
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('npm run build');
  });
});

describe('assets', () => {
  test('are cached forever', async () => {
    const answer = await get('/console/assets/start-1a2b.js');
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([
      200,
      'public, max-age=31536000, immutable',
    ]);
    expect(answer.headers.get('content-type')).toMatch(/^text\/javascript/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await answer.text()).toBe('go()');
  });

  test.each([
    '/console/assets/gone-1a2b.js',
    '/console/assets/',
    '/console/assets',
    '/console/assets/..%2fsecret.txt',
  ])('%s is an uncached 404, not the page', async path => {
    const answer = await get(path);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store']);
    expect(await answer.text()).not.toMatch(/<script|no asset/);
  });

  test('do not include files outside their folder', async () => {
    expect(await (await get('/console/secret.txt')).text()).not.toContain('no asset');
  });
});

test('the console supports GET and HEAD only', async () => {
  expect((await get('/console/playground', 'HEAD')).status).toBe(200);
  const refused = await get('/console/playground', 'POST');
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test.each(['/console/%E0%A4', '/console/assets/%E0%A4', '/console/assets/a%00b'])(
  '%s gets an error without internal details',
  async path => {
    const answer = await get(path);
    expect(answer.status).toBeLessThan(500);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(await answer.text()).toMatch(/^[\w ]+\.\n$/);
  },
);

test('a path outside /console is a 404', async () => {
  expect((await get('/v1/models')).status).toBe(404);
});
