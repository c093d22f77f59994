import { permissions, projectRoles } from '@model-gateway/admin-api';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { type Console, phone, project, type Who } from './console.ts';
import { startConsole } from './console-of-file.ts';
import { consolePages, expectFits, firstRecord, type Theme, untilShown } from './console-pages.ts';

vi.setConfig({ testTimeout: 900_000, hookTimeout: 180_000 });

let running: Console;

startConsole(async started => {
  running = started;
  await running.admin('POST', '/tokens', { name: 'ci', project, owner: 'the-member' });
  await running.admin('PUT', '/models/second', {
    targets: [{ provider: 'simulator', model: 'sim-fast' }],
    fallbacks: ['sim-fast'],
  });
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  await running.admin('POST', '/accounts', { name: 'bot', role: 'admin', expiresAt });
  await fetch(`${running.gateway.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${running.gateway.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sim-fast', messages: [{ role: 'user', content: 'Hi' }] }),
  });
});

/** Opens a page of the console in a tab that is open. */
async function visit(page: Page, path: string): Promise<void> {
  await page.goto(`${running.gateway.baseUrl}/console${path}`);
  await untilShown(page);
}

/** Checks a page, the first record of its list, and each tab of both. */
async function checkAll(page: Page, path: string, theme: Theme): Promise<void> {
  await visit(page, path);
  await expectFits(page, [theme]);
  const record = await firstRecord(page, path);
  if (!record) return;
  await visit(page, record);
  const tabs = page.locator('main [role=tab]');
  for (let place = 0; place < Math.max(1, await tabs.count()); place += 1) {
    if (place > 0) {
      await tabs.nth(place).click();
      await untilShown(page);
    }
    await expectFits(page, [theme]);
  }
}

// A theme has the same colors on both, so each is checked on one.
test.each<[string, Theme, BrowserContextOptions]>([
  ['a desktop', 'light', {}],
  ['a phone', 'dark', phone],
])(
  'every page and its first record is accessible, and does not scroll sideways, on %s in the %s theme',
  async (_, theme, size) => {
    const page = await running.open('/account', 'admin', size);
    for (const { path } of await consolePages()) await checkAll(page, path, theme);
    for (const path of ['/', '/account', '/start']) {
      await visit(page, path);
      await expectFits(page, [theme]);
    }
    const stranger = await running.open('/nowhere', 'nobody', size);
    for (const [path, title] of [
      ['/nowhere', 'Page not found'],
      ['/sign-in', 'Sign in'],
    ] as const) {
      await stranger.goto(`${running.gateway.baseUrl}/console${path}`);
      await stranger.getByRole('heading', { name: title }).waitFor();
      await expectFits(stranger, [theme]);
    }
  },
);

test.each<Who>(['admin', ...projectRoles, 'nobody'])(
  'the navigation of %s has exactly what the role may see, and other pages say so',
  async who => {
    const pages = await consolePages();
    const isSeen = ({ reads }: (typeof pages)[number]) =>
      !reads || who === 'admin' || (who !== 'nobody' && permissions[reads][who] !== undefined);
    const page = await running.open('/playground', who);
    await untilShown(page);
    const names = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    const labels = pages.filter(isSeen).map(({ label }) => label);
    if (who !== 'nobody') await page.getByRole('button', { name: `the-${who}` }).waitFor();
    expect((await names.allTextContents()).filter(name => pages.some(({ label }) => label === name))).toEqual(
      labels,
    );
    for (const { path } of pages.filter(each => !isSeen(each))) {
      await page.goto(`${running.gateway.baseUrl}/console${path}`);
      if (who === 'nobody') await page.waitForURL(/\/console\/sign-in/);
      else await page.getByText('You may not see this page').waitFor();
    }
  },
);
