import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { Console, expectAccessible, phone } from './console.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let running: Console;
let page: Page;

beforeAll(async () => {
  if (Console.possible) running = await Console.start(config);
});
afterAll(() => running?.stop());
beforeEach(context => {
  if (!Console.possible) context.skip('there is no Chromium on this machine');
});
afterEach(async () => {
  await page?.context().close();
  expect(running?.complaints ?? []).toEqual([]);
});

const config = `
providers:
  - { name: simulator, kind: openai-compatible, baseUrl: "SIMULATOR/v1" }
models:
  - name: painter
    price: { input: 5, imageInput: 10, output: 40 }
    targets: [ { provider: simulator, model: sim-fast } ]
  - { name: slow-painter, targets: [ { provider: simulator, model: sim-i3000ms } ] }
  - { name: dall-e-3, targets: [ { provider: simulator, model: dall-e-3 } ] }
`;

async function open(model: string, options = {}): Promise<void> {
  page = await running.open(`/playground/images?model=${model}`, 'nobody', options);
  await page.getByRole('textbox', { name: 'Token' }).fill(running.gateway.token);
  await page.getByText('Valid', { exact: true }).waitFor();
}

const run = () => page.getByRole('article', { name: 'Images' });
const until = (state: string) => page.locator(`article[data-state=${state}]`).waitFor();
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const pick = async (label: string, value: string) => {
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: value, exact: true }).click();
};

test('images are made, seen in full, downloaded and edited', async () => {
  await open('painter', { colorScheme: 'dark' });
  await page.getByText('Write a prompt.').waitFor();
  await page.getByLabel('Prompt').fill('A red fox');
  await page.getByRole('combobox', { name: 'Size' }).fill('64');
  await page.getByText('Correct the size.').waitFor();
  await page.getByRole('combobox', { name: 'Size' }).fill('64x32');
  await page.keyboard.press('Tab');
  await pick('Quality', 'low');
  await page.getByLabel('Number of images').fill('2');
  await press('Generate');
  await until('done');
  await run().getByText('Image 2 · 64 × 32 · PNG').waitFor();
  expect(await run().textContent()).toMatch(/2 images · \d+ tokens in, 2 out · \$0\.\d+/);
  await press('Open image 1');
  await page.getByRole('dialog', { name: 'Image 1 of 2' }).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('dialog', { name: 'Image 2 of 2' }).waitFor();
  await page.getByRole('img', { name: 'Number 2 in full size' }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download image 1' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('image-1.png');
  const png = readFileSync(await download.path());
  expect(png.subarray(1, 4).toString()).toBe('PNG');

  await press('Request and raw answer');
  await page.getByText('"size": "64x32"').waitFor();
  await press('Use it in code');
  await page.getByText('/v1/images/generations').last().waitFor();
  await expectAccessible(page);

  await press('Edit image 2');
  await page.getByRole('list', { name: 'Images to edit' }).getByText('Image 1: image-2.png').waitFor();
  const file = (name: string, mimeType = 'image/png') => ({ name, mimeType, buffer: png });
  await page.getByLabel('Image files').setInputFiles(file('note.txt', 'text/plain'));
  await page.getByRole('alert').getByText('note.txt is no PNG, JPEG, WebP or GIF image.').waitFor();
  await page.getByLabel('Image files').setInputFiles([file('hat.png'), file('scarf.png')]);
  await page.getByLabel('Mask file').setInputFiles(file('mask.png'));
  await press('Remove image 3');
  await page.getByRole('switch', { name: 'Stream' }).click();
  await page.getByLabel('Partial images').fill('2');
  await press('Edit');
  await run().getByText('2 images').waitFor();
  await until('done');
  await page.getByText('image[]: (file hat.png, image/png').waitFor();
  await page.getByText('mask: (file mask.png, image/png').waitFor();
  await page.getByText('image_edit.partial_image').waitFor();
});

test('a partial image shows while a stream goes on, and stays when it is stopped; errors say why', async () => {
  await open('slow-painter', phone);
  await page.getByLabel('Prompt').fill('A red fox');
  await page.getByRole('switch', { name: 'Stream' }).click();
  await page.getByLabel('Partial images').fill('3');
  await press('Generate');
  await run()
    .getByText(/Image 1, partial \d/)
    .waitFor();
  await press('Stop');
  await until('stopped');
  await run()
    .getByText(/Image 1, partial \d/)
    .waitFor();
  await expectAccessible(page);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);

  await page.reload();
  expect(await page.getByLabel('Prompt').inputValue()).toBe('A red fox');
  await page.goto(page.url().replace('slow-painter', 'dall-e-3'));
  await press('Generate');
  await until('failed');
  await run().getByRole('alert').getByText("Unknown parameter: 'stream'.").waitFor();
  await page.getByRole('switch', { name: 'Stream' }).click();
  await press('Generate');
  await until('done');
  const address = await page.getByRole('link', { name: 'Open image 1' }).getAttribute('href');
  expect(address).toContain(running.simulator.url);
  await press('More settings');
  await pick('Response format', 'b64_json');
  await press('Generate');
  await run().getByRole('button', { name: 'Open image 1' }).waitFor();
  await until('done');
});

test('a refused token makes no images', async () => {
  await open('painter');
  await page.getByLabel('Prompt').fill('A red fox');
  const { id, token } = await running.admin('POST', '/tokens', { name: 'short', project: 'search' });
  await page.getByRole('textbox', { name: 'Token' }).fill(token);
  await page.getByText('short', { exact: true }).waitFor();
  await running.admin('DELETE', `/tokens/${id}`);
  await vi.waitFor(async () => {
    await press('Generate');
    await run().getByRole('alert').getByText('The token is not valid.').waitFor({ timeout: 3_000 });
  }, 30_000);
  await page.getByRole('textbox', { name: 'Token' }).fill('sk-nobody');
  await page.getByText('Paste a valid token to begin.').waitFor();
  expect(await page.getByRole('button', { name: 'Generate' }).isDisabled()).toBe(true);
});
