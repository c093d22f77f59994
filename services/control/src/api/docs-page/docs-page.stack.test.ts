import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler } from 'express';
import { expect, test } from 'vitest';
import { docsPage } from './docs-page.ts';

test('a page is sent, and raises no error afterwards', async () => {
  const errors: unknown[] = [];
  const note: ErrorRequestHandler = (error, _request, _response, next) => {
    errors.push(error);
    next(error);
  };
  const server = createServer(express().use(docsPage()).use(note)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/docs`;
  const page = await fetch(url);
  expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-cache']);
  expect(await page.text()).toContain('<html');
  const posted = await fetch(url, { method: 'POST' });
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
  expect(errors).toEqual([]);
});
