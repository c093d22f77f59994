import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { Fleet } from '../fleet/fleet.ts';
import { formats } from '../stack/formats.ts';
import type { Asked } from './answers.ts';
import { answers, chatBody, checkAnswers, checkStops, errorIn, modelNames, send } from './checks.ts';
import type { Program } from './program.ts';
import { ModelFolder, model, startLiteLlm, startLlamaCpp, whyNoPython } from './servers.ts';

const name = "LiteLLM's proxy behind the gateway";
const key = 'sk-of-litellm';
let llamaCpp: Program;
let proxy: Program;
let files: ModelFolder;
let fleet: Fleet;
let server: Asked;
let direct: Asked;
let gateway: Asked;

function catalog(): string {
  const models = { discover: true, prefix: 'found/', every: '10s' };
  const compatible = { kind: 'openai-compatible', baseUrl: `${proxy.url}/v1` };
  return stringify({
    providers: [
      { name: 'litellm', ...compatible, apiKey: { value: key }, models },
      { name: 'refused', ...compatible, apiKey: { value: 'sk-of-nobody' } },
      { name: 'llama-cpp', kind: 'llama-cpp', baseUrl: llamaCpp.url },
    ],
    models: [
      { name: 'litellm/*', targets: [{ provider: 'litellm', model: '*' }] },
      { name: 'refused', targets: [{ provider: 'refused', model }] },
      {
        name: 'first',
        targets: [
          { provider: 'litellm', model },
          { provider: 'llama-cpp', model },
        ],
      },
    ],
  });
}

describe.skipIf(whyNoPython)(whyNoPython ? `${name} (skipped: ${whyNoPython})` : name, () => {
  beforeAll(async () => {
    files = new ModelFolder();
    llamaCpp = await startLlamaCpp(files, 'chat');
    proxy = await startLiteLlm(files, llamaCpp, key);
    fleet = await Fleet.start({ catalog });
    server = { url: llamaCpp.url, token: 'none' };
    direct = { url: proxy.url, token: key };
    gateway = { url: fleet.fronts[0]?.url ?? '', token: fleet.token };
  });

  afterAll(async () => {
    await fleet?.[Symbol.asyncDispose]();
    for (const program of [proxy, llamaCpp]) await program?.[Symbol.asyncDispose]();
    files?.[Symbol.dispose]();
  });

  test.each(formats)('a %s client gets the answers of the proxy itself, whole and streamed', format =>
    checkAnswers(direct, gateway, format, `litellm/${model}`, model),
  );

  test('an unknown model and a prompt that is too long have the status and the message of the proxy', async () => {
    for (const [name, text] of [
      ['unknown', 'Say #hello'],
      [model, 'long '.repeat(2_000)],
    ] as const) {
      const own = await send(direct, '/v1/chat/completions', chatBody(name, text));
      const through = await send(gateway, '/v1/chat/completions', chatBody(`litellm/${name}`, text));
      expect(own.status).toBe(400);
      expect(through.status).toBe(400);
      expect(errorIn(through).message).toBe(errorIn(own).message);
    }
  });

  test('the error of a key that the proxy refuses does not show the key', async () => {
    const refused = { ...direct, token: 'sk-of-nobody' };
    const own = await send(refused, '/v1/chat/completions', chatBody(model, 'Say #hello'));
    const through = await send(gateway, '/v1/chat/completions', chatBody('refused', 'Say #hello'));
    expect(own.status).toBeGreaterThanOrEqual(400);
    expect(through.status).toBeGreaterThanOrEqual(400);
    expect(through.body).not.toContain('sk-of');
  });

  test('the server behind the proxy stops generating when the client disconnects', () =>
    checkStops(server, gateway, `litellm/${model}`));

  test('discovery lists the model of the proxy', async () => {
    await expect.poll(() => modelNames(gateway)).toContain(`found/${model}`);
  });

  test('a request goes on at llama.cpp when the proxy is down, and the diagnostics name the proxy', async () => {
    await proxy[Symbol.asyncDispose]();
    const reply = await send(gateway, '/v1/chat/completions', chatBody('first', 'Say #hello'));
    expect(reply).toMatchObject({ status: 200, body: expect.stringContaining(answers['#hello']) });
    const problems = async () => JSON.stringify((await fleet.admin('GET', '/diagnostics')).body);
    await expect.poll(problems).toContain('the models of litellm could not be listed: ');
  });
});
