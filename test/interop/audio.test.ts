import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AudioGateway, startAudioGateway } from '../clients/audio.ts';
import { type Found, findPython, runChecks } from './python.ts';

let found: Found;
let gateway: AudioGateway;
beforeAll(async () => {
  found = await findPython();
  if ('python' in found) gateway = await startAudioGateway();
}, 480_000);
afterAll(() => gateway?.stop());

test("OpenAI's Python client generates speech and transcribes it", async context => {
  const checked = () => ({ ...gateway.stack, upstreams: ['audio'] });
  expect(await runChecks(context, found, 'openai-audio', checked)).toBe(9);
});
