import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AudioGateway, startAudioGateway } from '../clients/audio.ts';
import { type Found, findPython, runChecks } from './python.ts';

let found: Found;
let gateway: AudioGateway;
beforeAll(async () => {
  found = await findPython();
  if ('python' in found) gateway = await startAudioGateway();
}, 360_000);
afterAll(() => gateway?.stop());

test("OpenAI's client of Python speaks and listens", { timeout: 90_000 }, async context => {
  if ('missing' in found) return context.skip(found.missing);
  const printed = await runChecks(found.python, 'openai-audio', {
    GATEWAY_URL: gateway.stack.url,
    GATEWAY_TOKEN: gateway.stack.token,
    GATEWAY_UPSTREAMS: 'audio',
  });
  const lines = printed.trim().split('\n');
  expect(lines.filter(line => !line.startsWith('PASS '))).toEqual([]);
  expect(lines).toHaveLength(9);
});
