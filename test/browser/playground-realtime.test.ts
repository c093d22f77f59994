import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { Console, expectAccessible, phone, project } from './console.ts';
import { sideways } from './console-pages.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

/** `talker` hears and speaks by other models; `bridged` is a session of the upstream. */
const config = `
providers:
  - { name: simulator, kind: openai-compatible, baseUrl: "SIMULATOR/v1" }
models:
  - { name: sim-fast, targets: [ { provider: simulator, model: sim-fast } ] }
  - { name: slow, targets: [ { provider: simulator, model: sim-t2000-i20ms } ] }
  - name: talker
    targets: [ { provider: simulator, model: sim-t12 } ]
    realtime: { transcription: sim-fast, speech: sim-fast }
  - { name: bridged, targets: [ { provider: simulator, model: sim-fast } ], realtime: upstream }
`;

let product: Console;

beforeAll(async () => {
  if (!Console.possible) return;
  const microphone = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];
  product = await Console.start(config, {}, microphone);
});
afterAll(async () => {
  await product?.stop();
});
beforeEach(context => {
  if (!Console.possible) context.skip('there is no Chromium on this machine');
});

async function enter(model: string, options = {}): Promise<{ page: Page; id: string }> {
  const { id, token } = await product.admin('POST', '/tokens', { name: 'mine', project });
  const page = await product.open(`/playground/realtime?model=${model}`, 'nobody', options);
  await page.getByRole('textbox', { name: 'Token' }).fill(token);
  await page.getByText('Valid', { exact: true }).waitFor();
  return { page, id };
}

async function open(page: Page) {
  await page.getByRole('button', { name: 'Open a session' }).click();
  await until(page, 'open');
}

const until = (page: Page, phase: string) => page.locator(`[data-phase=${phase}]`).waitFor();
const said = (page: Page, who: 'You' | 'Answer') => page.getByRole('article', { name: who });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

async function write(page: Page, text: string) {
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.fill(text);
  await message.press('Enter');
}

/** Finds an event among those of the session, of which the list draws what is on the screen. */
async function findEvent(page: Page, title: string) {
  await page.getByRole('textbox', { name: 'Filter events' }).fill(title.slice(2));
  await page.getByText(title).first().waitFor();
}

async function choose(page: Page, field: string, option: string) {
  await page.getByLabel(field, { exact: true }).and(page.locator('input')).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

test('a session answers in writing, is stopped, changed and closed, and shows its events and code', async () => {
  const { page, id } = await enter('slow', { colorScheme: 'dark', ...phone });
  await open(page);
  await write(page, 'Tell me about the sea.');
  await said(page, 'Answer')
    .getByText(/\w+ \w+/)
    .waitFor();
  await button(page, 'Stop').click();
  await page.getByText(/^cancelled: client_cancelled/).waitFor();
  await page.getByText('Stopped.').waitFor();
  // A message while the model answers stops that answer, and is answered next.
  await write(page, 'And the moon?');
  await said(page, 'Answer')
    .nth(1)
    .getByText(/\w+ \w+/)
    .waitFor();
  await write(page, 'And the sun?');
  await said(page, 'Answer')
    .nth(2)
    .getByText(/\w+ \w+/)
    .waitFor();
  await button(page, 'Stop').click();
  await page.getByLabel('Instructions').fill('Be brief.');
  await button(page, 'Update the session').click();
  await button(page, 'Events').click();
  await findEvent(page, '← session.updated');
  await findEvent(page, '→ response.cancel');
  await button(page, 'Use it in code').click();
  await page.getByText('/v1/realtime/client_secrets').first().waitFor();
  await expectAccessible(page);
  expect(await sideways(page)).toBe(0);
  await product.admin('DELETE', `/tokens/${id}`);
  await page.getByText(/^Closed with code 1008/).waitFor();
  await button(page, 'Open a session').click();
  await page.getByRole('alert').getByText('The token is not valid.').waitFor();
  await page.context().close();
  expect(product.complaints).toEqual([]);
});

test('a turn is spoken, transcribed, and answered with audio and its transcript', async () => {
  const { page } = await enter('talker', { colorScheme: 'light' });
  await choose(page, 'Turn detection', 'By hand');
  await choose(page, 'Answers', 'Audio');
  await open(page);
  // The settings of the client secret hold from the start.
  await button(page, 'Talk').click();
  await page.getByText('Listening. Choose').waitFor();
  await button(page, 'Events').click();
  await page.getByText(/→ input_audio_buffer.append × \d/).waitFor();
  await button(page, 'Done talking').click();
  await said(page, 'You').getByText('Good').waitFor();
  await said(page, 'Answer')
    .getByText(/\w+ \w+/)
    .waitFor();
  await page.getByText(/^completed · .* tokens in, .*first part after/).waitFor();
  await findEvent(page, '← response.output_audio.delta');
  await expectAccessible(page);
  await button(page, 'Close the session').click();
  await page.getByText('You closed the session.').waitFor();
  await page.context().close();
  expect(product.complaints).toEqual([]);
});

test('a session of the upstream is bridged, and a microphone that is refused is said', async () => {
  const { page } = await enter('bridged');
  await choose(page, 'Answers', 'Text');
  await open(page);
  await write(page, 'Hello you');
  await said(page, 'Answer').getByText(/you/).waitFor();
  await page.getByText(/^completed · /).waitFor();
  await page.evaluate(
    'navigator.mediaDevices.getUserMedia = async () => { throw new DOMException("", "NotAllowedError"); }',
  );
  await button(page, 'Talk').click();
  await page.getByText('The browser may not use the microphone.').waitFor();
  await page.getByRole('link', { name: 'Embeddings' }).click();
  await page.getByRole('link', { name: 'Realtime' }).click();
  await until(page, 'none');
  await page.context().close();
  expect(product.complaints).toEqual([]);
});
