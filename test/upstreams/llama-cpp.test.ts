import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { Fleet } from '../fleet/fleet.ts';
import { formats } from '../stack/formats.ts';
import type { Asked } from './answers.ts';
import { answers, chatBody, checkAnswers, checkStops, errorIn, modelNames, send } from './checks.ts';
import type { Program } from './program.ts';
import { ModelFolder, model, startLlamaCpp, whyNoPython } from './servers.ts';

const name = "llama.cpp's server behind the gateway";
/** The servers, of which `stopped` ends in the last tests. */
let server: Program;
let vectors: Program;
let stopped: Program;
let files: ModelFolder;
let fleet: Fleet;
let direct: Asked;
let gateway: Asked;

function catalog(): string {
  const target = (provider: string) => [{ provider, model }];
  const models = { discover: true, prefix: 'found/', every: '10s' };
  return stringify({
    providers: [
      { name: 'by-kind', kind: 'llama-cpp', baseUrl: server.url },
      { name: 'compatible', kind: 'openai-compatible', baseUrl: `${server.url}/v1` },
      { name: 'vectors', kind: 'llama-cpp', baseUrl: vectors.url },
      { name: 'stopped', kind: 'llama-cpp', baseUrl: stopped.url, models },
    ],
    models: [
      { name: 'llama-cpp', targets: target('by-kind') },
      { name: 'openai-compatible', targets: target('compatible') },
      { name: 'vectors', targets: target('vectors') },
      { name: 'stopped', targets: target('stopped') },
      { name: 'stopped-first', targets: [...target('stopped'), ...target('by-kind')] },
    ],
  });
}

describe.skipIf(whyNoPython)(whyNoPython ? `${name} (skipped: ${whyNoPython})` : name, () => {
  beforeAll(async () => {
    files = new ModelFolder();
    server = await startLlamaCpp(files, 'chat');
    vectors = await startLlamaCpp(files, 'embeddings');
    stopped = await startLlamaCpp(files, 'chat');
    fleet = await Fleet.start({ catalog });
    direct = { url: server.url, token: 'none' };
    gateway = { url: fleet.fronts[0]?.url ?? '', token: fleet.token };
  });

  afterAll(async () => {
    await fleet?.[Symbol.asyncDispose]();
    for (const program of [server, vectors, stopped]) await program?.[Symbol.asyncDispose]();
    files?.[Symbol.dispose]();
  });

  for (const kind of ['llama-cpp', 'openai-compatible']) {
    test.each(formats)(`${kind} answers a %s client as the server itself, whole and streamed`, format =>
      checkAnswers(direct, gateway, format, kind, model),
    );

    test(`${kind} passes on the error of a prompt that is too long`, async () => {
      const text = 'long '.repeat(2_000);
      const own = await send(direct, '/v1/chat/completions', chatBody(model, text));
      const through = await send(gateway, '/v1/chat/completions', chatBody(kind, text));
      expect(own.status).toBe(400);
      expect(through.status).toBe(400);
      expect(errorIn(through)).toMatchObject({
        type: 'invalid_request_error',
        code: 'context_length_exceeded',
        message: errorIn(own).message,
      });
    });
  }

  test('embeddings are those of the server itself', async () => {
    const input = ['Say #hello', 'Tell a #story'];
    const own = await send({ ...direct, url: vectors.url }, '/v1/embeddings', { model, input });
    const through = await send(gateway, '/v1/embeddings', { model: 'vectors', input });
    const read = ({ body }: { body: string }) => {
      const { data, usage } = JSON.parse(body);
      return { vectors: data.map((each: { embedding: unknown }) => each.embedding), usage };
    };
    expect(own.status).toBe(200);
    expect(through.status).toBe(200);
    expect(read(through)).toEqual(read(own));
    expect(read(own).vectors[0]).toHaveLength(512);
  });

  test('an unknown model is a 404 of the gateway', async () => {
    const through = await send(gateway, '/v1/chat/completions', chatBody('unknown', 'Say #hello'));
    expect(through.status).toBe(404);
    expect(errorIn(through)).toMatchObject({ code: 'model_not_found' });
  });

  test('the server stops generating when the client disconnects', () =>
    checkStops(direct, gateway, 'llama-cpp'));

  test('discovery lists the model of the server', async () => {
    await expect.poll(() => modelNames(gateway)).toContain('found/chain');
    const { status, body } = await send(
      gateway,
      '/v1/chat/completions',
      chatBody('found/chain', 'Say #hello'),
    );
    expect(status).toBe(200);
    expect(body).toContain(answers['#hello']);
  });

  test('a request of a server that is down goes on at the next, and the diagnostics name it', async () => {
    await stopped[Symbol.asyncDispose]();
    const { status, body } = await send(
      gateway,
      '/v1/chat/completions',
      chatBody('stopped-first', 'Say #hello'),
    );
    expect({ status, body }).toMatchObject({ status: 200, body: expect.stringContaining(answers['#hello']) });
    const alone = await send(gateway, '/v1/chat/completions', chatBody('stopped', 'Say #hello'));
    expect(alone.status).toBe(502);
    expect(errorIn(alone).message).toBe('The upstream could not be reached.');
    const problems = async () => JSON.stringify((await fleet.admin('GET', '/diagnostics')).body);
    await expect.poll(problems).toContain('the models of stopped could not be listed: ');
  });
});
