import { expect, test } from 'vitest';
import { providerKinds } from '../../services/console/src/pages/providers/kinds.ts';
import { type Console, phone } from './console.ts';
import { startConsole } from './console-of-file.ts';
import { expectFits } from './console-pages.ts';

const config = `
providers:
  - { name: simulator, kind: openai-compatible, baseUrl: "SIMULATOR/v1" }
  - { name: down, kind: openai-compatible, baseUrl: "http://127.0.0.1:9/v1" }
models:
  - name: fast
    targets:
      - { provider: simulator, model: sim-fast, weight: 3, price: { input: 1.5, output: 6 } }
      - { provider: down, model: qwen3, weight: 1 }
    fallbacks: [spare]
  - { name: spare, targets: [ { provider: simulator, model: sim-1 } ] }
  - { name: failing, targets: [ { provider: simulator, model: fault-500 } ] }
  - { name: "house/*", targets: [ { provider: simulator, model: "*" } ] }
`;

let running: Console;
startConsole(
  started => {
    running = started;
  },
  { config },
);

const ask = (model: string) =>
  fetch(`${running.gateway.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${running.gateway.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] }),
  });

test('an admin adds a provider and a model, tests them, changes and deletes them', async () => {
  const page = await running.open('/providers');
  await page.getByRole('link', { name: 'Add a provider' }).click();
  await page.getByRole('heading', { name: 'Add a provider' }).waitFor();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('lab');
  await page.getByRole('textbox', { name: 'Base URL' }).fill('not an address');
  await page.getByRole('button', { name: 'Add the provider' }).click();
  await page.getByText('Must be an http:// or https:// URL.', { exact: true }).waitFor();
  await page.getByRole('textbox', { name: 'Base URL' }).fill(`${running.simulator.url}/v1`);
  await page
    .getByRole('radiogroup', { name: 'Number of API keys' })
    .getByText('One', { exact: true })
    .click();
  await page.getByRole('textbox', { name: 'Secret' }).fill('sk-of-the-lab');
  await page.getByRole('button', { name: 'Add the provider' }).click();
  await page.getByRole('heading', { name: 'lab', level: 1 }).waitFor();
  await page.getByText('No model has a target at this provider').waitFor();
  await page.getByLabel('Upstream model').fill('sim-fast');
  await page.getByRole('button', { name: 'Test now' }).click();
  await page.getByText(/lab \/ sim-fast answered in/).waitFor();
  await page.getByRole('tab', { name: 'As text' }).click();
  await page.getByText('kind: openai-compatible').waitFor();
  expect(await page.content()).not.toContain('sk-of-the-lab');

  await page.goto(`${running.gateway.baseUrl}/console/models/new/model`);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('fast');
  await page
    .getByRole('textbox', { name: 'Provider' })
    .or(page.getByRole('combobox', { name: 'Provider' }))
    .fill('lb');
  await page.getByLabel('Upstream model').fill('sim-fast');
  await page.getByRole('button', { name: 'Add the model' }).click();
  await page.getByText(/There is a model with this name/).waitFor();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('mine/new');
  await page.getByRole('button', { name: 'Add the model' }).click();
  await page.getByText('"lb" is not the name of a provider.', { exact: true }).waitFor();
  await page
    .getByRole('textbox', { name: 'Provider' })
    .or(page.getByRole('combobox', { name: 'Provider' }))
    .fill('lab');
  await page.getByRole('button', { name: 'Add the model' }).click();
  await page.getByRole('figure', { name: 'Route of mine/new' }).waitFor();
  await expect.poll(async () => (await ask('mine/new')).status).toBe(200);

  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByLabel('Hedge after').fill('2s');
  // Somebody else changes the model meanwhile.
  await running.admin('PUT', '/models/mine%2Fnew', {
    targets: [{ provider: 'lab', model: 'sim-1' }],
  });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Someone else has changed this since you opened it').waitFor();
  expect(await page.getByLabel('Hedge after').inputValue()).toBe('2s');
  await page.getByRole('button', { name: 'Discard my changes' }).click();
  await expect.poll(() => page.getByLabel('Upstream model').inputValue()).toBe('sim-1');
  await page.getByLabel('Hedge after').fill('soon');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('[class*=Input-error], [class*=InputWrapper-error]').first().waitFor();
  await page.getByLabel('Hedge after').fill('3s');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The model is saved.').waitFor();
  expect((await running.admin('GET', '/models/mine%2Fnew')).hedgeAfter).toBe('3s');

  await page.goto(`${running.gateway.baseUrl}/console/providers/lab`);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page
    .getByRole('dialog')
    .getByText(/mine\/new/)
    .waitFor();
  await page.goto(`${running.gateway.baseUrl}/console/models/${encodeURIComponent('mine/new')}`);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.waitForURL(/\/console\/models$/);
  await page.getByRole('link', { name: 'spare' }).waitFor();
  expect(await page.getByRole('link', { name: 'mine/new' }).count()).toBe(0);
});

test('the route of a model shows its targets, their state, its fallbacks and prices', async () => {
  for (let sent = 0; sent < 4; sent += 1) await ask('failing');
  const page = await running.open('/models/fast');
  const route = page.getByRole('figure', { name: 'Route of fast' });
  const targets = route.getByRole('list', { name: 'Targets' }).getByRole('listitem');
  await expect.poll(() => targets.count()).toBe(2);
  expect(await targets.first().textContent()).toMatch(/75%.*sim-fast.*simulator/);
  await targets.first().getByText('Serving').waitFor();
  await route.getByRole('list', { name: 'Fallbacks' }).getByRole('link', { name: 'spare' }).waitFor();
  const prices = page.getByRole('table', { name: 'Prices in force' });
  await prices.getByText('$1.5').waitFor();
  await page.getByRole('button', { name: 'Test now' }).click();
  await page.getByText(/simulator \/ sim-fast answered in/).waitFor();
  await page.getByText(/down \/ qwen3 failed after/).waitFor();
  await page.getByText('Check the base URL, and that the workers can reach it').waitFor();
  expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0);
  await page.goto(`${running.gateway.baseUrl}/console/models/failing`);
  await page
    .getByText(/Resting|Probing/)
    .first()
    .waitFor();
  await page
    .getByText(/It failed repeatedly \(upstream\)/)
    .first()
    .waitFor();
  await page.goto(`${running.gateway.baseUrl}/console/models/house%2F*?try=house/sim-1`);
  await page.getByText('Every name that begins with house/').waitFor();
  await page.getByText('house/sim-1 is sim-1 at simulator.').waitFor();
  await page.goto(`${running.gateway.baseUrl}/console/providers/simulator`);
  await page.getByRole('table', { name: 'Recent errors' }).getByText('upstream').first().waitFor();
});

test('a member sees models with their prices, and no button for what only admins may do', async () => {
  for (const size of [{}, phone]) {
    const page = await running.open('/models', 'member', size);
    await page.getByRole('link', { name: 'fast', exact: true }).waitFor();
    await page.getByText('$1.50 / $6.00').waitFor();
    expect(await page.getByRole('link', { name: 'Add a model' }).count()).toBe(0);
    await page.getByRole('textbox', { name: 'Name' }).fill('spa');
    await expect.poll(() => page.getByRole('link', { name: 'fast', exact: true }).count()).toBe(0);
    await page.getByRole('link', { name: 'spare' }).click();
    await page.getByRole('figure', { name: 'Route of spare' }).waitFor();
    expect(await page.getByRole('button', { name: /Test now|Delete|Edit/ }).count()).toBe(0);
  }
});

test('the forms fit a phone, and are accessible', async () => {
  for (const path of ['/models/new/model', '/providers/new/provider']) {
    const page = await running.open(path, 'admin', phone);
    await page.getByRole('button', { name: /^Add the/ }).waitFor();
    await expectFits(page);
  }
});

test('the form of providers offers the kinds that the gateway knows', async () => {
  const refused = running.admin('PUT', '/providers/x', { kind: 'none-such' });
  await expect(refused).rejects.toThrow(`must be one of ${providerKinds.map(({ kind }) => kind).join(', ')}`);
});
