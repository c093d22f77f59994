import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { newFolder } from '../launcher/launched.ts';
import { phone } from './console.ts';
import { expectFits } from './console-pages.ts';
import { enterToken, type Opening, startPlayground } from './playground-tab.ts';

/** The same model at an upstream of each format, so that requests are passed on, and translated. */
const config = `
providers:
  - { name: chatting, kind: openai-compatible, baseUrl: "SIMULATOR/v1" }
  - { name: anthropic, kind: anthropic, baseUrl: "SIMULATOR", apiKey: { value: any } }
  - { name: gemini, kind: gemini, baseUrl: "SIMULATOR", apiKey: { value: any } }
  - { name: openai, kind: openai, baseUrl: "SIMULATOR/v1", apiKey: { value: any }, api: responses }
models:
  - { name: sim-fast, targets: [ { provider: chatting, model: sim-fast } ] }
  - { name: at-chat, targets: [ { provider: chatting, model: sim-fast } ] }
  - { name: at-messages, targets: [ { provider: anthropic, model: sim-fast } ] }
  - { name: at-generate-content, targets: [ { provider: gemini, model: sim-fast } ] }
  - { name: at-responses, targets: [ { provider: openai, model: sim-fast } ] }
  - { name: priced, targets: [ { provider: chatting, model: sim-fast, price: { input: 100, output: 100 } } ] }
  - { name: slow, targets: [ { provider: chatting, model: sim-t1000-i50ms } ] }
  - { name: "fault-*", targets: [ { provider: anthropic, model: "fault-*" } ] }
`;

const playground = startPlayground(config);

/** Opens the Playground with a token and, in the address, a model and a format. */
function chat({
  model = 'sim-fast',
  format = 'chat',
  ...options
}: { model?: string; format?: string } & Opening = {}): Promise<Page> {
  return playground.open(`?${new URLSearchParams({ model, format })}`, options);
}

const message = (page: Page) => page.getByRole('textbox', { name: 'Message' });

async function ask(page: Page, text: string, state = 'done') {
  const answers = await page.locator('article[data-state]').count();
  await message(page).fill(text);
  await page.getByText('Valid', { exact: true }).waitFor();
  await message(page).press('Enter');
  return answer(page, answers, state);
}

async function answer(page: Page, place: number, state = 'done') {
  const found = page.locator('article[data-state]').nth(place);
  await found.and(page.locator(`[data-state=${state}]`)).waitFor();
  return found;
}

const bodyAtUpstream = () => JSON.parse(playground.product.simulator.requests.at(-1)?.body as string);

const formats = [
  ['chat', '/v1/chat/completions', 'data: '],
  ['messages', '/v1/messages', 'message_start'],
  ['generate-content', ':streamGenerateContent?alt=sse', 'candidates'],
  ['responses', '/v1/responses', 'response.created'],
] as const;

test.each(formats)(
  'a conversation in %s calls a tool, takes its result, and shows its exchange',
  async (format, path, event) => {
    const page = await chat({ model: `at-${format}`, format });
    await page.getByRole('button', { name: 'Parameters' }).click();
    await page.getByRole('combobox', { name: 'Reasoning effort' }).click();
    await page.getByRole('option', { name: 'medium', exact: true }).click();
    await page.getByRole('button', { name: 'Tools' }).click();
    await page.getByRole('button', { name: 'Add a tool' }).click();

    const called = await ask(page, 'What is the weather in Oslo and Rome?');
    await called.getByText('Reasoning').first().click();
    await called.getByText('First I look at what is being asked.').waitFor();
    expect(await called.getByRole('region', { name: 'Call of get_weather' }).count()).toBe(2);
    const [oslo, rome] = await page.getByRole('textbox', { name: 'Result of get_weather' }).all();
    await oslo?.fill('4 C');
    await rome?.fill('The station is offline');
    await page.getByRole('checkbox', { name: 'This is an error' }).nth(1).check();
    await page.getByRole('button', { name: 'Send results' }).click();
    const said = await answer(page, 1);
    await said.getByText('Here is what I found').waitFor();
    expect(await said.textContent()).toMatch(/4 C[\s\S]*The station is offline/);
    const next = await ask(page, 'Thank you. What are you?');
    expect(await next.textContent()).toContain('Model Gateway puts every model');

    await next.getByRole('button', { name: 'Request' }).click();
    const panel = page.getByRole('tabpanel', { name: 'Request' });
    await panel.getByText('as it was sent').waitFor();
    expect(await panel.textContent()).toContain(path);
    expect(await panel.textContent()).not.toContain(playground.product.gateway.token);
    await panel.getByText(/^Events \(\d+\)/).click();
    if (format !== 'chat') await panel.getByText(event).first().waitFor();
    await panel.getByRole('textbox', { name: 'Filter events' }).fill('nothing like this');
    await panel.getByText(/^0 of \d+/).waitFor();
    await panel.getByText('Response headers').click();
    expect(await panel.textContent()).toMatch(/Status 200[\s\S]*x-gateway-target: \w+\/sim-fast/);
  },
);

test('one conversation goes on in every format, with an attachment and branches', async () => {
  const page = await chat({ model: 'at-chat' });
  await page.getByRole('button', { name: 'Attach files' }).waitFor();
  const image = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const files = page.locator('input[aria-label="Files to attach"]');
  await files.setInputFiles({ name: 'movie.exe', mimeType: 'application/x-msdownload', buffer: image });
  await page.getByText('movie.exe is no image, audio, PDF or text file.').waitFor();
  await files.setInputFiles([
    { name: 'dot.png', mimeType: 'image/png', buffer: image },
    { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# Notes') },
  ]);
  await page.getByRole('img', { name: 'dot.png' }).waitFor();
  await page.evaluate(paste('pasted.txt'));
  await page.getByRole('figure', { name: 'pasted.txt' }).waitFor();
  await page.getByRole('button', { name: 'Remove pasted.txt' }).click();
  const first = await ask(page, 'Look at this');
  expect(await first.textContent()).toContain('It came with 2 attachments.');
  for (const [format] of formats.slice(1)) {
    await page.getByLabel('Wire format').selectOption(format);
    await page.getByLabel('Model', { exact: true }).and(page.locator('input')).fill(`at-${format}`);
    const next = await ask(page, `Go on in ${format}`);
    expect(await next.textContent()).toContain(`Go on in ${format}`);
    expect(JSON.stringify(bodyAtUpstream())).toContain('Look at this');
  }
  await expect.poll(() => new URL(page.url()).searchParams.get('format')).toBe('responses');

  await page.getByRole('button', { name: 'Edit' }).last().click();
  await page.getByRole('textbox', { name: 'Edited message' }).fill('Something else');
  await page.getByRole('button', { name: 'Ask again' }).click();
  await page.getByText('You said: “Something else”').waitFor();
  await page.getByLabel('The question is version 2 of 2').waitFor();
  await page.getByRole('button', { name: 'Previous question' }).click();
  await page.getByText('You said: “Go on in responses”').waitFor();
  await answer(page, 3);
  await page.getByRole('button', { name: 'Try again' }).last().click();
  await page.getByLabel('The answer is version 2 of 2').waitFor();
});

/** The script that pastes a text file into the message. */
function paste(name: string): string {
  return `{
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File(['text'], '${name}', { type: 'text/plain' }));
    const pasted = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    document.querySelector('textarea[aria-label="Message"]').dispatchEvent(pasted);
  }`;
}

test('a conversation and what is typed survive a reload, and a file', async () => {
  const page = await chat({ model: 'at-messages', format: 'messages', who: 'member' });
  await page.getByRole('button', { name: 'System prompt' }).click();
  await page.getByRole('textbox', { name: 'System prompt' }).fill('Be kind.');
  await ask(page, 'Remember me');
  await message(page).fill('Not sent yet');
  await page.getByRole('link', { name: 'Usage' }).click();
  await page.getByRole('link', { name: 'Playground' }).click();
  await page.getByText('You said: “Remember me”').waitFor();
  const twin = await page.context().newPage();
  // A duplicated tab has the session storage of the first one.
  const stored = await page.evaluate<string>('JSON.stringify({ ...sessionStorage })');
  await twin.addInitScript(`Object.assign(sessionStorage, ${stored})`);
  await expect.poll(() => page.evaluate<string>(keptTexts)).toContain('Remember me');
  await twin.goto(page.url());
  await twin.getByText('You said: “Remember me”').waitFor();
  await twin.getByRole('button', { name: 'New chat' }).click();
  await twin.close();
  await page.reload();
  await page.getByText('You said: “Remember me”').waitFor();
  expect(await message(page).inputValue()).toBe('Not sent yet');
  await page.getByRole('button', { name: 'System prompt' }).click();
  expect(await page.getByRole('textbox', { name: 'System prompt' }).inputValue()).toBe('Be kind.');
  expect(await page.evaluate<string>(keptTexts)).not.toContain(playground.product.gateway.token);

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save to a file' }).click(),
  ]);
  const file = join(newFolder(), 'conversation.json');
  await download.saveAs(file);
  await page.getByRole('button', { name: 'New chat' }).click();
  await page.getByText('Ask at-messages something.').waitFor();
  await page.getByRole('button', { name: 'Saved', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Remember me' }).click();
  await page.getByText('You said: “Remember me”').waitFor();
  await page.getByRole('button', { name: 'New chat' }).click();
  const opening = page.locator('input[aria-label="Conversation to open"]');
  const damaged = join(newFolder(), 'damaged.json');
  writeFileSync(damaged, '{"type": "model-gateway-conversation", "version": 1}');
  await opening.setInputFiles(damaged);
  await page.getByText('The file is damaged at model.').waitFor();
  await opening.setInputFiles(file);
  await page.getByText('You said: “Remember me”').waitFor();
});

/** What the browser keeps of the conversations, as text. */
const keptTexts = `new Promise(resolve => {
  const opened = indexedDB.open('model-gateway.playground');
  opened.onsuccess = () => {
    const all = opened.result.transaction('conversations').objectStore('conversations').getAll();
    all.onsuccess = () => resolve(JSON.stringify(all.result));
  };
})`;

test('structured output is checked and formatted, and a parameter that a format has not is marked', async () => {
  const page = await chat({ model: 'at-messages', format: 'messages' });
  await page.getByRole('button', { name: 'Output' }).click();
  await page.getByRole('radio', { name: 'JSON schema' }).check();
  const schema = page.getByRole('textbox', { name: 'Schema', exact: true });
  await schema.fill('{"type": "object", "required": ["colour"]}');
  await page.getByText('"required" names "colour", which is no property.').waitFor();
  await expect.poll(() => message(page).getAttribute('placeholder')).toBe('The output schema is not valid.');
  await schema.fill(
    '{"type":"object","properties":{"colour":{"type":"string"}},"required":["colour"],"additionalProperties":false}',
  );
  const json = await ask(page, 'A colour, please');
  await json.getByText('The answer is valid JSON.').waitFor();
  expect(bodyAtUpstream().output_config.format.schema.required).toEqual(['colour']);

  await page.getByRole('button', { name: 'Parameters' }).click();
  await page.getByLabel('Seed').fill('7');
  await page.getByText('Not sent: Messages does not support this parameter.').waitFor();
  await page.getByLabel('Temperature').fill('1.5');
  await page.getByText('This format takes 0 to 1.').waitFor();
  const refused = await ask(page, 'Too hot', 'failed');
  await refused.getByText('temperature').first().waitFor();
});

test('an answer can be stopped, and one that is cut off keeps its text and says so', async () => {
  const page = await chat({ model: 'slow', format: 'messages' });
  const stopped = await ask(page, 'Tell me a lot', 'running');
  await expect.poll(async () => (await stopped.textContent())?.length).toBeGreaterThan(20);
  await page.getByRole('button', { name: 'Stop' }).click();
  await answer(page, 0, 'stopped');
  await expect.poll(() => playground.product.simulator.openStreams()).toBe(0);
  await page.getByLabel('Model', { exact: true }).and(page.locator('input')).fill('fault-truncate');
  const cut = await ask(page, 'What are you?', 'failed');
  expect(await cut.textContent()).toMatch(/^Model Gateway/);
  await page.route('**/v1/messages', route => route.abort());
  const lost = await ask(page, 'Are you there?', 'failed');
  await lost.getByText('The gateway cannot be reached.').waitFor();
  await page.unroute('**/v1/messages');
  await page.getByLabel('Model', { exact: true }).and(page.locator('input')).fill('sim-fast');
  await lost.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('You said: “').last().waitFor();
  await page.getByLabel('The answer is version 2 of 2').waitFor();
});

test.each(formats)(
  'a spent, a limited and a revoked token are refused in clear words in %s',
  async format => {
    const { issue } = playground;
    const [spent, limited, revoked] = await Promise.all([
      issue({ budget: { amount: 0.001, period: 'day', endsStreams: false } }),
      issue({ limits: { requestsPerMinute: 1 } }),
      issue(),
    ]);
    const page = await chat({ model: 'priced', format, token: spent.token });
    await ask(page, 'What are you?');
    const use = async ({ token }: { token: string }) => {
      await enterToken(page, token);
      await page.getByText('Valid', { exact: true }).waitFor();
    };
    const refused = async () => {
      const place = await page.locator('article[data-state]').count();
      await message(page).fill('Again');
      await message(page).press('Enter');
      const failed = await answer(page, place, 'failed');
      return failed.getByRole('alert').textContent();
    };
    expect(await refused()).toMatch(/The budget of this token, \$0.001 per day, is spent/);
    await use(limited);
    await ask(page, 'Once');
    expect(await refused()).toMatch(/Try again in \d+ s\.[\s\S]*limit/i);
    await use(revoked);
    await playground.product.admin('DELETE', `/tokens/${revoked.id}`);
    expect(await refused()).toMatch(/^The token is not valid\./);
  },
);

test('the Playground fits a phone, and is accessible', async () => {
  const page = await chat({ model: 'at-messages', format: 'messages', ...phone });
  await page.getByRole('button', { name: 'Format and settings' }).click();
  for (const section of ['System prompt', 'Parameters', 'Tools', 'Output'])
    await page.getByRole('button', { name: section }).click();
  await page.getByRole('button', { name: 'Add a tool' }).click();
  await page.getByRole('radio', { name: 'JSON schema' }).check();
  await page.getByRole('radio', { name: 'Text' }).check();
  await ask(page, 'The weather in Oslo, please');
  await expectFits(page);
  await page.getByRole('button', { name: 'Request' }).click();
  for (const part of ['Events', 'Response headers']) {
    await page.getByText(part).first().click();
    await expectFits(page);
  }
});
