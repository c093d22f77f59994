import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { describeInContainers } from './engine.ts';
import { type Container, network, Project } from './project.ts';
import { realtimeTurn, SocketClient } from './socket.ts';

const minute = 60_000;

const print = (path: string) =>
  `fetch('http://127.0.0.1:${path}').then(r => r.text()).then(t => process.stdout.write(t))`;

function suite() {
  let project: Project;
  let token: string;
  let welcome: string;
  let openai: OpenAI;
  let anthropic: Anthropic;
  /** Opened in the first test and idle until the last one. */
  let socket: SocketClient;
  const ownTurn = { model: 'sim-fast', store: false };
  let firstId: string | undefined;

  beforeAll(async () => {
    project = await Project.create();
    await project.compose(['up', '--build', '--wait', '--wait-timeout', '300'], 10 * minute);
    welcome = await project.compose(['logs', '--no-log-prefix', 'welcome']);
    token = /^ *Token +(\S+)$/m.exec(welcome)?.[1] as string;
    openai = new OpenAI({ baseURL: `${project.url}/v1`, apiKey: token, maxRetries: 0 });
    anthropic = new Anthropic({ baseURL: project.url, authToken: token, maxRetries: 0 });
  }, 11 * minute);
  afterAll(() => project?.remove(), 3 * minute);

  const messages = [{ role: 'user' as const, content: 'What is the gateway?' }];

  async function chat(client = openai) {
    const { choices } = await client.chat.completions.create({ model: 'sim-fast', messages });
    return choices[0]?.message.content;
  }

  test('every container runs read-only, without rights that it does not need, and with a limit of memory', async () => {
    for (const { Name, Config, HostConfig, State } of await project.inspect()) {
      const isTask = /setup|welcome/.test(Name);
      const found = {
        status: State.Health?.Status ?? State.Status,
        readOnly: HostConfig.ReadonlyRootfs,
        capDrop: HostConfig.CapDrop,
        root: Config.User === '',
        limited: HostConfig.Memory > 0,
      };
      const status = isTask ? 'exited' : 'healthy';
      // PostgreSQL prepares its folder as root and then changes its user.
      const root = Name.includes('postgres');
      const limited = true;
      expect({ Name, ...found }).toEqual({ Name, status, readOnly: true, capDrop: ['ALL'], root, limited });
    }
  });

  test('a WebSocket answers one request after another, and is refused without a token', async () => {
    socket = await SocketClient.open(project.url, token);
    const first = (await socket.create({ ...ownTurn, input: 'What is the gateway?' })).at(-1);
    firstId = first?.response?.id;
    expect(first?.type).toBe('response.completed');
    const kept = (await socket.create({ model: 'sim-fast', input: 'And this?' })).at(-1);
    const found = await openai.responses.retrieve(kept?.response?.id as string);
    expect(found.output).toEqual(kept?.response?.output);
    expect(await socket.ping()).toBeLessThan(10_000);
    await expect(SocketClient.open(project.url, 'sk-wrong')).rejects.toThrow('401');
  });

  test('a client that closes its WebSocket has its upstream closed', async () => {
    const before = await upstream();
    const leaving = await SocketClient.open(project.url, token);
    leaving.send({ model: 'sim-t2000-i10ms', input: 'x' });
    await untilUpstream({ requests: before.requests + 1 });
    leaving.leave();
    await untilUpstream({ cancelled: before.cancelled + 1 });
  });

  test('the printed curl command works, and the console is at the printed address', async () => {
    const line = welcome.split('\n').find(words => words.startsWith('curl ')) as string;
    const answer = execFileSync('sh', ['-c', `${line} --silent --max-time 20`], { encoding: 'utf8' });
    expect(answer.trimEnd()).toMatch(/data: \[DONE\]$/);
    const consoleUrl = /^ *Console +(\S+)$/m.exec(welcome)?.[1] as string;
    const page = await fetch(consoleUrl);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<html')]);
  });

  test('embeddings, rerank, images and audio work, and uploads need no writable file system', async () => {
    const model = 'sim-fast';
    const { data: vectors } = await openai.embeddings.create({ model, input: ['a boat', 'a ship'] });
    expect(vectors.map(({ embedding }) => embedding.length)).toEqual([256, 256]);
    const { data: images = [] } = await openai.images.generate({ model, prompt: 'A boat', size: '256x256' });
    expect(Buffer.from(images[0]?.b64_json ?? '', 'base64').toString('latin1', 1, 4)).toBe('PNG');
    const input = 'Row, row, row your boat. '.repeat(40);
    const spoken = await openai.audio.speech.create({ model, voice: 'alloy', input, response_format: 'wav' });
    const audio = Buffer.from(await spoken.arrayBuffer());
    // Larger than a body that is kept in memory.
    expect(audio.length).toBeGreaterThan(1_000_000);
    const { text } = await openai.audio.transcriptions.create({ model, file: await toFile(audio, 'a.wav') });
    expect(text).not.toBe('');
  });

  test('a realtime session passes the edge and returns a response', async () => {
    const events = await realtimeTurn(project.url, token, 'What is the gateway?');
    expect(events[0]).toBe('session.created');
    expect(events).toContain('response.output_text.delta');
    expect(events.at(-1)).toBe('response.done');
  });

  test('a token created on the command line works, and is refused once revoked', async () => {
    const gateway = (...args: string[]) =>
      project.compose(['exec', '-T', 'control', 'gateway', 'token', ...args, '--json']);
    const { id, token } = JSON.parse(await gateway('create', '--name', 'test'));
    const client = openai.withOptions({ apiKey: token });
    expect(await chat(client)).toMatch(/\w/);
    await gateway('revoke', id);
    await expect(chat(client)).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  });

  test.each([
    ['/v1/models/sim-a%2Fb%253Ac', 200, { id: 'sim-a/b%3Ac' }],
    [
      '/nothing//a%2Fb/../%7e?key=1',
      404,
      { error: { message: 'Unknown request URL: GET /nothing//a%2Fb/../%7e.' } },
    ],
  ])('the path %s reaches a service unchanged', async (path, status, body) => {
    const headers = { authorization: `Bearer ${openai.apiKey}` };
    const asked = request({ port: project.port, path, headers }).end();
    const [answer] = await once(asked, 'response');
    expect([answer.statusCode, JSON.parse(await text(answer))]).toMatchObject([status, body]);
  });

  test("a service takes the client's address from the edge alone", async () => {
    const edge = `${network}.2`;
    const headers = `{ authorization: 'Bearer ${token}', 'x-forwarded-for': '203.0.113.7' }`;
    // Log lines are written together, some time after the response.
    const clientOf = (requestId: string | null) =>
      vi.waitFor(async () => {
        const log = await project.compose(['logs', '--no-log-prefix', 'ingress-responses']);
        const line = log.split('\n').find(text => text.includes(`"requestId":"${requestId}"`));
        return JSON.parse(line as string).client as string;
      }, 30_000);
    const answer = await fetch(`${project.url}/v1/responses/none`, {
      headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': '203.0.113.7' },
    });
    const outside = await clientOf(answer.headers.get('x-request-id'));
    expect(outside).toMatch(/^[\d.]+$/);
    expect([edge, '203.0.113.7']).not.toContain(outside);
    // A container that bypasses the edge and claims to forward a client.
    const forged = `fetch('http://ingress-responses:8080/v1/responses/none', { headers: ${headers} }).then(r => process.stdout.write(r.headers.get('x-request-id')))`;
    const inside = await clientOf((await project.node('simulator', forged)).trim());
    expect(inside.slice(0, network.length)).toBe(network);
    expect(inside.slice(network.length)).toMatch(/^\.(12[89]|1[3-9]\d|2\d\d)$/);
  });

  test('the log of the edge contains paths without queries', async () => {
    const log = await project.compose(['logs', 'edge']);
    expect(log).toContain('GET /nothing//a%2Fb/../%7e 404');
    expect(log).not.toContain('key=1');
  });

  test("a body of 31 MB passes the edge, and one of 33 MB is refused in the path's format", async () => {
    const ask = (megabytes: number) => {
      const content = 'x'.repeat(megabytes * 1_000_000);
      return anthropic.messages.create({
        model: 'sim-fast',
        max_tokens: 5,
        messages: [{ role: 'user', content }],
      });
    };
    expect((await ask(31)).type).toBe('message');
    await expect(ask(33)).rejects.toMatchObject({ status: 413, error: { type: 'error' } });
  });

  /** Counts of the simulator's requests. */
  const upstream = async (): Promise<{ requests: number; cancelled: number }> =>
    JSON.parse(await project.node('simulator', print('8080/stats')));
  const untilUpstream = (counts: Partial<Awaited<ReturnType<typeof upstream>>>) =>
    vi.waitFor(async () => expect(await upstream()).toMatchObject(counts));

  test.each(['sim-t2000-i10ms', 'sim-t5-f30s'])(
    'a client of %s that disconnects closes its upstream',
    async model => {
      const before = await upstream();
      const leaving = new AbortController();
      const stream = openai.chat.completions.create(
        { model, messages, stream: true },
        { signal: leaving.signal },
      );
      await untilUpstream({ requests: before.requests + 1 });
      leaving.abort();
      await stream.catch(() => {});
      await untilUpstream({ cancelled: before.cancelled + 1 });
    },
  );

  test('a request waits for an ingress that a busy machine does not run for seconds', async () => {
    const [container] = await project.inspect('ingress-models');
    const suspended = project.suspend(container as Container, 4_000);
    // The edge has asked whether it is ready meanwhile.
    await sleep(3_000);
    expect((await openai.models.list()).data).not.toHaveLength(0);
    await suspended;
  });

  test('additional workers and ingresses serve as soon as they start', async () => {
    const scale = ['--scale', 'worker=3', '--scale', 'ingress-chat=2'];
    await project.compose(['up', '--wait', '--no-recreate', ...scale], 3 * minute);
    expect(await project.inspect('worker')).toHaveLength(3);
    const replicas = async () => {
      await Promise.all(Array.from({ length: 10 }, () => chat()));
      const log = await project.compose(['logs', 'edge']);
      return new Set(log.match(/(?<=POST \/v1\/chat\/completions 200 .* ingress-chat\/)\w+/g)).size;
    };
    await vi.waitFor(async () => expect(await replicas()).toBe(2), { timeout: 20_000, interval: 500 });
  });

  test('a stopped ingress finishes its requests, and no request fails meanwhile', async () => {
    const model = 'sim-t100-i50ms';
    const streams = await Promise.all(
      [1, 2].map(() => openai.chat.completions.create({ model, messages, stream: true })),
    );
    let stopped = false;
    const [container] = await project.inspect('ingress-chat');
    const stopping = project.stop(container as Container).then(() => {
      stopped = true;
    });
    while (!stopped) expect(await chat()).toMatch(/\w/);
    await stopping;
    for (const stream of streams) {
      let last: string | null | undefined;
      for await (const { choices } of stream) last = choices[0]?.finish_reason ?? last;
      expect(last).toMatch(/stop|length/);
    }
  });

  async function callsRunning(index: number) {
    const metrics = await project.node('worker', print('9090/metrics'), index);
    return Number(/(?<=^gateway_calls_running )\d+$/m.exec(metrics)?.[0]);
  }

  test('a killed worker ends its stream with an error, the next request works, and the worker restarts', async () => {
    const stream = await openai.chat.completions.create({ model: 'sim-t5000-i20ms', messages, stream: true });
    const pieces = stream[Symbol.asyncIterator]();
    await pieces.next();
    // Calls of earlier tests may still end.
    const index = await vi.waitFor(
      async () => {
        const running = await Promise.all([1, 2, 3].map(callsRunning));
        expect(running.toSorted()).toEqual([0, 0, 1]);
        return running.indexOf(1) + 1;
      },
      { timeout: minute, interval: 500 },
    );
    const readOn = (async () => {
      while (!(await pieces.next()).done);
    })();
    const failed = expect(readOn).rejects.toMatchObject({ message: expect.stringMatching(/worker|lost/i) });
    // Kills all processes but the first, which then ends as after a crash.
    await project
      .compose(['exec', '-T', '--index', String(index), 'worker', 'sh', '-c', 'kill -9 -1'])
      .catch(() => {});
    expect(await chat()).toMatch(/\w/);
    await failed;
    const restarts = async () => (await project.inspect('worker')).map(({ RestartCount }) => RestartCount);
    await vi.waitFor(async () => expect((await restarts()).toSorted()).toEqual([0, 0, 1]), {
      timeout: 20_000,
    });
  });

  test('an idle WebSocket outlives every idle timeout of the edge', async () => {
    // They come every 20 s: longer than the edge's timeouts for and between requests.
    await vi.waitFor(() => expect(socket.pings).toBeGreaterThanOrEqual(5), 2 * minute);
    expect(socket.closed).toBeUndefined();
    const more = await socket.create({ ...ownTurn, previous_response_id: firstId, input: 'Go on.' });
    expect(more.at(-1)).toMatchObject({ type: 'response.completed' });
    const [container] = await project.inspect('ingress-responses');
    await project.stop(container as Container);
    await vi.waitFor(() => expect(socket.closed).toBe(1012));
  });
}

describeInContainers('compose', { plugin: 'compose' }, suite);
