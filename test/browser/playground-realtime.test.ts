import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, phone } from './console.ts';
import { sideways } from './console-pages.ts';
import { choose, microphone, press, startPlayground } from './playground-tab.ts';

/** `talker` hears and speaks by other models; `bridged` is a session of the upstream. */
const playground = startPlayground(
  `
providers:
  - { name: simulator, kind: openai-compatible, baseUrl: "SIMULATOR/v1" }
models:
  - { name: sim-fast, targets: [ { provider: simulator, model: sim-fast } ] }
  - { name: slow, targets: [ { provider: simulator, model: sim-t600-i100ms } ] }
  - name: talker
    targets: [ { provider: simulator, model: sim-t12 } ]
    realtime: { transcription: sim-fast, speech: sim-fast }
  - { name: bridged, targets: [ { provider: simulator, model: sim-fast } ], realtime: upstream }
`,
  microphone,
);

const enter = (model: string, options = {}) => playground.open(`/realtime?model=${model}`, options);

async function open(page: Page) {
  await press(page, 'Open a session');
  await inPhase(page, 'open');
}

const inPhase = (page: Page, phase: string) => page.locator(`[data-phase=${phase}]`).waitFor();
const said = (page: Page, who: 'You' | 'Answer') => page.getByRole('article', { name: who });

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

test('a session answers in writing, is stopped, changed and closed, and shows its events and code', async () => {
  const { id, token } = await playground.issue();
  const page = await enter('slow', { token, colorScheme: 'dark', ...phone });
  await open(page);
  await write(page, 'Tell me about the sea.');
  await said(page, 'Answer')
    .getByText(/\w+ \w+/)
    .waitFor();
  await press(page, 'Stop');
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
  await press(page, 'Stop');
  await page.getByLabel('Instructions').fill('Be brief.');
  await press(page, 'Update the session');
  await press(page, 'Events');
  await findEvent(page, '← session.updated');
  await findEvent(page, '→ response.cancel');
  await press(page, 'Use it in code');
  await page.getByText('/v1/realtime/client_secrets').first().waitFor();
  await expectAccessible(page);
  expect(await sideways(page)).toBe(0);
  await playground.product.admin('DELETE', `/tokens/${id}`);
  await page.getByText(/^Closed with code 1008/).waitFor();
  await press(page, 'Open a session');
  await page.getByRole('alert').getByText('The token is not valid.').waitFor();
});

test('a turn is spoken, transcribed, and answered with audio and its transcript', async () => {
  const page = await enter('talker', { colorScheme: 'light' });
  await choose(page, 'Turn detection', 'Manual');
  await choose(page, 'Output modality', 'Audio');
  await open(page);
  // The settings of the client secret hold from the start.
  await press(page, 'Talk');
  await page.getByText('Listening. Choose').waitFor();
  await press(page, 'Events');
  await page.getByText(/→ input_audio_buffer.append × \d/).waitFor();
  await press(page, 'Done talking');
  await said(page, 'You').getByText('Good').waitFor();
  await said(page, 'Answer')
    .getByText(/\w+ \w+/)
    .waitFor();
  await page.getByText(/^completed · .* tokens in, .*first part after/).waitFor();
  await findEvent(page, '← response.output_audio.delta');
  await expectAccessible(page);
  await press(page, 'Close the session');
  await page.getByText('You closed the session.').waitFor();
});

test('a session of the upstream is bridged, and a microphone that is refused is said', async () => {
  const page = await enter('bridged');
  await choose(page, 'Output modality', 'Text');
  await open(page);
  await write(page, 'Hello you');
  await said(page, 'Answer').getByText(/you/).waitFor();
  await page.getByText(/^completed · /).waitFor();
  await page.evaluate(
    'navigator.mediaDevices.getUserMedia = async () => { throw new DOMException("", "NotAllowedError"); }',
  );
  await press(page, 'Talk');
  await page.getByText('The browser may not use the microphone.').waitFor();
  await page.getByRole('link', { name: 'Embeddings' }).click();
  await page.getByRole('button', { name: 'Embed', exact: true }).waitFor();
  await page.getByRole('link', { name: 'Realtime' }).click();
  await inPhase(page, 'none');
});
