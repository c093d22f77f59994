import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, phone } from './console.ts';
import { choose, press, startPlayground, until } from './playground-tab.ts';

const playground = startPlayground(`
providers:
  - { name: simulator, kind: openai-compatible, baseUrl: "SIMULATOR/v1" }
models:
  - name: painter
    price: { input: 5, imageInput: 10, output: 40 }
    targets: [ { provider: simulator, model: sim-fast } ]
  - { name: slow-painter, targets: [ { provider: simulator, model: sim-i3000ms } ] }
  - { name: dall-e-3, targets: [ { provider: simulator, model: dall-e-3 } ] }
`);

const open = (model: string, options = {}) => playground.open(`/images?model=${model}`, options);
const run = (page: Page) => page.getByRole('article', { name: 'Images' });

test('images are made, seen in full, downloaded and edited', async () => {
  const page = await open('painter', { colorScheme: 'dark' });
  await page.getByText('Write a prompt.').waitFor();
  await page.getByLabel('Prompt').fill('A red fox');
  await page.getByRole('combobox', { name: 'Size' }).fill('64');
  await page.getByText('Correct the size.').waitFor();
  await page.getByRole('combobox', { name: 'Size' }).fill('64x32');
  await page.keyboard.press('Tab');
  await choose(page, 'Quality', 'low');
  await page.getByLabel('Number of images').fill('2');
  await press(page, 'Generate');
  await until(page, 'done');
  await run(page).getByText('Image 2 · 64 × 32 · PNG').waitFor();
  expect(await run(page).textContent()).toMatch(/2 images · \d+ tokens in, 2 out · \$0\.\d+/);
  await press(page, 'Open image 1');
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

  await press(page, 'Request and raw response');
  await page.getByText('"size": "64x32"').waitFor();
  await press(page, 'Use it in code');
  await page.getByText('/v1/images/generations').last().waitFor();
  await expectAccessible(page);

  await press(page, 'Edit image 2');
  await page.getByRole('list', { name: 'Images to edit' }).getByText('Image 1: image-2.png').waitFor();
  const file = (name: string, mimeType = 'image/png') => ({ name, mimeType, buffer: png });
  await page.getByLabel('Image files').setInputFiles(file('note.txt', 'text/plain'));
  await page.getByRole('alert').getByText('note.txt is no PNG, JPEG, WebP or GIF image.').waitFor();
  await page.getByLabel('Image files').setInputFiles([file('hat.png'), file('scarf.png')]);
  await page.getByLabel('Mask file').setInputFiles(file('mask.png'));
  await press(page, 'Remove image 3');
  await page.getByRole('switch', { name: 'Stream' }).click();
  await page.getByLabel('Partial images').fill('2');
  await press(page, 'Edit');
  await run(page).getByText('2 images').waitFor();
  await until(page, 'done');
  await page.getByText('image[]: (file hat.png, image/png').waitFor();
  await page.getByText('mask: (file mask.png, image/png').waitFor();
  await page.getByText('image_edit.partial_image').waitFor();
});

test('a partial image shows while a stream goes on, and stays when it is stopped; errors say why', async () => {
  const page = await open('slow-painter', phone);
  await page.getByLabel('Prompt').fill('A red fox');
  await page.getByRole('switch', { name: 'Stream' }).click();
  await page.getByLabel('Partial images').fill('3');
  await press(page, 'Generate');
  await run(page)
    .getByText(/Image 1, partial \d/)
    .waitFor();
  await press(page, 'Stop');
  await until(page, 'stopped');
  await run(page)
    .getByText(/Image 1, partial \d/)
    .waitFor();
  await expectAccessible(page);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);

  await page.reload();
  expect(await page.getByLabel('Prompt').inputValue()).toBe('A red fox');
  await page.goto(page.url().replace('slow-painter', 'dall-e-3'));
  await press(page, 'Generate');
  await until(page, 'failed');
  await run(page).getByRole('alert').getByText("Unknown parameter: 'stream'.").waitFor();
  await page.getByRole('switch', { name: 'Stream' }).click();
  await press(page, 'Generate');
  await until(page, 'done');
  const address = await page.getByRole('link', { name: 'Open image 1' }).getAttribute('href');
  expect(address).toContain(playground.product.simulator.url);
  await press(page, 'More settings');
  await choose(page, 'Response format', 'b64_json');
  await press(page, 'Generate');
  await run(page).getByRole('button', { name: 'Open image 1' }).waitFor();
  await until(page, 'done');
});
