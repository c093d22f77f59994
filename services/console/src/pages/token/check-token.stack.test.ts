import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Problem } from '../problem.ts';
import { checkToken } from './check-token.ts';

/** The gateway's response by path: a status and a body, or a closed connection. */
type Answers = Record<string, [status: number, body: unknown] | 'gone'>;

let server: Server;
let answers: Answers;
let requested: string[];

beforeEach(async () => {
  requested = [];
  const answer: RequestListener = (request, response) => {
    requested.push(`${request.url} ${request.headers.authorization}`);
    const found = answers[request.url ?? ''];
    if (!found || found === 'gone') return void response.destroy();
    response.writeHead(found[0], { 'x-request-id': 'req_1' }).end(JSON.stringify(found[1]));
  };
  server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const { fetch } = globalThis;
  // In a page, paths are relative to its origin.
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init));
});
afterEach(() => {
  vi.unstubAllGlobals();
  server.close().closeAllConnections();
});

const check = (secret = 'sk-1') => checkToken(secret, new AbortController().signal);
const ownToken = {
  id: 'a',
  name: 'mine',
  project: 'lab',
  expiresAt: null,
  models: [{ name: 'm', operations: ['generate'], formats: ['chat'] }],
};
const refusal = {
  error: { message: 'No.', type: 'invalid_request_error', param: null, code: 'invalid_api_key' },
};
const problem = {
  ...{ type: 'urn:model-gateway:problem:invalid_api_key', title: 'Invalid api key', status: 401 },
  ...{ detail: 'No.', code: 'invalid_api_key', requestId: 'req_1', errors: [] },
};
const list = { object: 'list', data: [{ id: 'm' }, { id: 'n' }] };

test('control returns the token and its models', async () => {
  answers = { '/api/v1/token': [200, { ...ownToken, more: 1 }] };
  expect(await check()).toEqual({ state: 'known', token: ownToken });
  expect(requested).toEqual(['/api/v1/token Bearer sk-1']);
});

test('a token that control refuses is refused without another request', async () => {
  answers = { '/api/v1/token': [401, problem] };
  const found = await check();
  expect(found).toMatchObject({
    state: 'refused',
    problem: { message: 'No.', facts: { requestId: 'req_1', code: 'invalid_api_key' } },
  });
  expect(requested).toHaveLength(1);
});

test.each<[string, Answers[string]]>([
  ['is down', 'gone'],
  ['has no database', [503, problem]],
  ['is starting', [502, {}]],
])('the list of models decides while control %s', async (_what, control) => {
  answers = { '/api/v1/token': control, '/v1/models': [200, list] };
  expect(await check()).toEqual({ state: 'accepted', models: ['m', 'n'] });
  answers = { '/api/v1/token': control, '/v1/models': [401, refusal] };
  expect(await check()).toMatchObject({ state: 'refused' });
});

test.each<[string, Answers, string | undefined]>([
  ['is down', {}, 'unreachable'],
  [
    'fails',
    { '/v1/models': [503, { error: { message: 'm', code: 'server_is_overloaded' } }] },
    'server_is_overloaded',
  ],
])('a gateway that %s is reported as a problem', async (_what, responses, code) => {
  answers = responses;
  const thrown = await check().catch(error => error);
  expect(thrown).toBeInstanceOf(Problem);
  expect(thrown.facts.code).toBe(code);
});

test('a token that a header cannot contain is refused without a request', async () => {
  expect(await check('sk-é')).toMatchObject({ state: 'refused' });
  expect(requested).toEqual([]);
});
