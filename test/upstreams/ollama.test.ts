import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { Fleet } from '../fleet/fleet.ts';
import { formats } from '../stack/formats.ts';
import type { Asked } from './answers.ts';
import { chatBody, checkAnswers, disconnect, errorIn, modelNames, send } from './checks.ts';
import { findOllama } from './ollama-program.ts';
import type { Program } from './program.ts';
import { ModelFolder, model, startOllama } from './servers.ts';

const name = 'Ollama behind the gateway';
const found = await findOllama();
const missing = 'missing' in found ? found.missing : undefined;
let ollama: Program;
let files: ModelFolder;
let fleet: Fleet;
let direct: Asked;
let gateway: Asked;

function catalog(): string {
  const models = { discover: true, prefix: 'found/', every: '10s' };
  return stringify({
    providers: [{ name: 'ollama', kind: 'ollama', baseUrl: ollama.url, models }],
    models: [{ name: 'ollama/*', targets: [{ provider: 'ollama', model: '*' }] }],
  });
}

describe.skipIf(missing)(missing ? `${name} (skipped: ${missing})` : name, () => {
  beforeAll(async () => {
    if ('missing' in found) return;
    files = new ModelFolder();
    ollama = await startOllama(files, found.program);
    fleet = await Fleet.start({ catalog });
    direct = { url: ollama.url, token: 'none' };
    gateway = { url: fleet.fronts[0]?.url ?? '', token: fleet.token };
  });

  afterAll(async () => {
    await fleet?.[Symbol.asyncDispose]();
    await ollama?.[Symbol.asyncDispose]();
    files?.[Symbol.dispose]();
  });

  test.each(formats)('a %s client gets the answers of the server itself, whole and streamed', format =>
    checkAnswers(direct, gateway, format, `ollama/${model}`, model),
  );

  test('embeddings are those of the server itself', async () => {
    const input = ['Say #hello', 'Tell a #story'];
    const own = await send(direct, '/v1/embeddings', { model, input });
    const through = await send(gateway, '/v1/embeddings', { model: `ollama/${model}`, input });
    const vectors = ({ body }: { body: string }) =>
      JSON.parse(body).data.map((each: { embedding: unknown }) => each.embedding);
    expect(own.status).toBe(200);
    expect(through.status).toBe(200);
    expect(vectors(through)).toEqual(vectors(own));
  });

  test('an unknown model has the status and the message of the server', async () => {
    const own = await send(direct, '/v1/chat/completions', chatBody('unknown', 'Say #hello'));
    const through = await send(gateway, '/v1/chat/completions', chatBody('ollama/unknown', 'Say #hello'));
    expect({ status: through.status, message: errorIn(through).message }).toEqual({
      status: own.status,
      message: errorIn(own).message,
    });
    expect(own.status).toBe(404);
  });

  test('the server stops generating when the client disconnects', async () => {
    const answered = () => ollama.log.split('/v1/chat/completions').length;
    const before = answered();
    await disconnect(gateway, `ollama/${model}`);
    // It logs a request at the end of its work, which would have been 4,000 tokens.
    await expect.poll(answered, { timeout: 5_000, interval: 20 }).toBe(before + 1);
  });

  test('discovery lists the models of the server', async () => {
    await expect.poll(() => modelNames(gateway)).toContain(`found/${model}:latest`);
  });

  test('the error of a server that is down says that it could not be reached', async () => {
    await ollama[Symbol.asyncDispose]();
    const reply = await send(gateway, '/v1/chat/completions', chatBody(`ollama/${model}`, 'Say #hello'));
    expect(reply.status).toBe(502);
    expect(errorIn(reply).message).toBe('The upstream could not be reached.');
  });
});
