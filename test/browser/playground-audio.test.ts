import { expect, test } from 'vitest';
import { expectAccessible, phone } from './console.ts';
import { sideways } from './console-pages.ts';
import { choose, microphone, press, startPlayground, until } from './playground-tab.ts';

const playground = startPlayground(undefined, microphone);

test('a text is spoken, played and downloaded, stopped, and refused', async () => {
  const { id, token } = await playground.issue();
  const page = await playground.open('/speech?model=sim-fast', { token, colorScheme: 'dark', ...phone });
  const text = page.getByRole('textbox', { name: 'Text' });
  await text.fill('Hello there, how are you?');
  await press(page, 'Speak');
  await until(page, 'done');
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download' }).click();
  expect((await downloading).suggestedFilename()).toBe('speech.mp3');
  await expect
    .poll(() => page.evaluate('document.querySelector("audio").readyState'))
    .toBeGreaterThanOrEqual(1);
  await expectAccessible(page);
  expect(await sideways(page)).toBe(0);
  await choose(page, 'Format', 'pcm');
  await choose(page, 'Stream format', 'Events');
  await press(page, 'Speak');
  await page.getByText(/tokens in, \d+ out/).waitFor();
  await expect
    .poll(() => page.evaluate('document.querySelector("audio").readyState'))
    .toBeGreaterThanOrEqual(1);
  await page.goto(page.url().replace('sim-fast', 'sim-t2000-i20ms'));
  await expect.poll(() => text.inputValue()).toBe('Hello there, how are you?');
  await press(page, 'Speak');
  await press(page, 'Stop');
  await until(page, 'stopped');
  await playground.product.admin('PATCH', `/tokens/${id}`, { disabled: true });
  await press(page, 'Speak');
  await (await until(page, 'failed')).getByRole('alert').waitFor();
});

test('a recording and a file become text with segments and words, streamed, and in English', async () => {
  const page = await playground.open('/transcription?model=sim-fast', { colorScheme: 'light' });
  await press(page, 'Record');
  await page.getByText('Recording…').waitFor();
  // The simulator refuses less than 0.1 s of audio, and measures it by the size of the file.
  await page.waitForTimeout(5_000);
  await press(page, 'Stop recording');
  await page.getByText('recording.webm').waitFor();
  await press(page, 'Transcribe');
  await (await until(page, 'done')).getByRole('region', { name: 'Text' }).getByText('Good').waitFor();
  const buffer = Buffer.alloc(100_000);
  await page.locator('input[type=file]').setInputFiles({ name: 'call.mp3', mimeType: 'audio/mpeg', buffer });
  await choose(page, 'Format', 'verbose_json');
  await page.getByLabel('Timestamps').and(page.locator('input')).press('ArrowDown');
  await page.getByRole('option', { name: 'Segments' }).click();
  await page.getByRole('option', { name: 'Words' }).click();
  await page.keyboard.press('Escape');
  await press(page, 'Transcribe');
  for (const name of ['Segments', 'Words']) await page.getByRole('table', { name }).waitFor();
  await press(page, 'Use it in code');
  await page.getByText('MODEL_GATEWAY_TOKEN').first().waitFor();
  await expectAccessible(page);
  await page.getByText('Translate to English', { exact: true }).click();
  await press(page, 'Translate');
  await press(page, 'Request and raw response');
  await page.getByText('POST /v1/audio/translations').waitFor();
  await until(page, 'done');
  await page.getByRole('radiogroup', { name: 'Task' }).getByText('Transcribe').click();
  await choose(page, 'Format', 'json');
  await page.getByRole('switch', { name: 'Stream' }).click();
  await page.goto(page.url().replace('sim-fast', 'sim-t2000-i20ms'));
  await page.locator('input[type=file]').setInputFiles({ name: 'call.mp3', mimeType: 'audio/mpeg', buffer });
  await press(page, 'Transcribe');
  await (await until(page, 'running')).getByText('Good').waitFor();
  await press(page, 'Stop');
  await until(page, 'stopped');
});
