import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { Console, expectAccessible, phone, project } from './console.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let product: Console;

beforeAll(async () => {
  if (!Console.possible) return;
  const microphone = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];
  product = await Console.start(undefined, {}, microphone);
});
afterAll(async () => {
  await product?.stop();
});
beforeEach(context => {
  if (!Console.possible) context.skip('there is no Chromium on this machine');
});

async function enter(path: string, options = {}): Promise<{ page: Page; id: string }> {
  const { id, token } = await product.admin('POST', '/tokens', { name: 'mine', project });
  const page = await product.open(path, 'nobody', options);
  await page.getByRole('textbox', { name: 'Token' }).fill(token);
  await page.getByText('Valid', { exact: true }).waitFor();
  return { page, id };
}

const ended = (page: Page, state: string) => page.locator(`article[data-state=${state}]`);

async function choose(page: Page, field: string, option: string) {
  await page.getByLabel(field, { exact: true }).and(page.locator('input')).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

async function expectNoScroll(page: Page) {
  const width = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
  expect(width).toBeLessThanOrEqual(0);
}

test('a text is spoken, played and downloaded, stopped, and refused', async () => {
  const { page, id } = await enter('/playground/speech?model=sim-fast', { colorScheme: 'dark', ...phone });
  const text = page.getByRole('textbox', { name: 'Text' });
  await text.fill('Hello there, how are you?');
  await page.getByRole('button', { name: 'Speak' }).click();
  await ended(page, 'done').waitFor();
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download' }).click();
  expect((await downloading).suggestedFilename()).toBe('speech.mp3');
  await expect
    .poll(() => page.evaluate('document.querySelector("audio").readyState'))
    .toBeGreaterThanOrEqual(1);
  await expectAccessible(page);
  await expectNoScroll(page);
  await choose(page, 'Format', 'pcm');
  await choose(page, 'Sent as', 'Events');
  await page.getByRole('button', { name: 'Speak' }).click();
  await page.getByText(/tokens in, \d+ out/).waitFor();
  await expect
    .poll(() => page.evaluate('document.querySelector("audio").readyState'))
    .toBeGreaterThanOrEqual(1);
  await page.goto(page.url().replace('sim-fast', 'sim-t2000-i20ms'));
  await expect.poll(() => text.inputValue()).toBe('Hello there, how are you?');
  await page.getByRole('button', { name: 'Speak' }).click();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await ended(page, 'stopped').waitFor();
  await product.admin('PATCH', `/tokens/${id}`, { disabled: true });
  await page.getByRole('button', { name: 'Speak' }).click();
  await ended(page, 'failed').getByRole('alert').waitFor();
  await page.context().close();
  expect(product.complaints).toEqual([]);
});

test('a recording and a file become text with segments and words, streamed, and in English', async () => {
  const { page } = await enter('/playground/transcription?model=sim-fast', { colorScheme: 'light' });
  await page.getByRole('button', { name: 'Record', exact: true }).click();
  await page.getByText('Recording…').waitFor();
  // The simulator refuses less than 0.1 s of sound, and measures it by the size of the file.
  await page.waitForTimeout(2000);
  await page.getByRole('button', { name: 'Stop recording' }).click();
  await page.getByText('recording.webm').waitFor();
  await page.getByRole('button', { name: 'Transcribe', exact: true }).click();
  await ended(page, 'done').getByRole('region', { name: 'Text' }).getByText('Good').waitFor();
  const buffer = Buffer.alloc(100_000);
  await page.locator('input[type=file]').setInputFiles({ name: 'call.mp3', mimeType: 'audio/mpeg', buffer });
  await choose(page, 'Format', 'verbose_json');
  await page.getByLabel('Timestamps').and(page.locator('input')).press('ArrowDown');
  await page.getByRole('option', { name: 'Segments' }).click();
  await page.getByRole('option', { name: 'Words' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Transcribe', exact: true }).click();
  for (const name of ['Segments', 'Words']) await page.getByRole('table', { name }).waitFor();
  await page.getByRole('button', { name: 'Use it in code' }).click();
  await page.getByText('MODEL_GATEWAY_TOKEN').first().waitFor();
  await expectAccessible(page);
  await page.getByText('Into English', { exact: true }).click();
  await page.getByRole('button', { name: 'Translate', exact: true }).click();
  await page.getByRole('button', { name: 'Request and raw answer' }).click();
  await page.getByText('POST /v1/audio/translations').waitFor();
  await ended(page, 'done').waitFor();
  await page.getByRole('radiogroup', { name: 'Task' }).getByText('Transcribe').click();
  await choose(page, 'Format', 'json');
  await page.getByRole('switch', { name: 'Streamed' }).click();
  await page.goto(page.url().replace('sim-fast', 'sim-t2000-i20ms'));
  await page.locator('input[type=file]').setInputFiles({ name: 'call.mp3', mimeType: 'audio/mpeg', buffer });
  await page.getByRole('button', { name: 'Transcribe', exact: true }).click();
  await ended(page, 'running').getByText('Good').waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await ended(page, 'stopped').waitFor();
  await page.context().close();
  expect(product.complaints).toEqual([]);
});
