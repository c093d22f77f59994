import type { RoleEndpoint } from '@model-gateway/admin-api';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from './console.ts';

/** An entry of the console's table of pages. */
interface PageEntry {
  path: string;
  label: string;
  reads?: RoleEndpoint;
}

/** Reads the console's table of pages. The pages themselves, which need a browser, are not loaded. */
export async function consolePages(): Promise<readonly PageEntry[]> {
  const table = new URL('../../services/console/src/pages/app/pages.ts', import.meta.url).href;
  return ((await import(table)) as { pages: readonly PageEntry[] }).pages;
}

/** Waits until a page has its heading, and nothing of it is loading. */
export async function untilShown(page: Page): Promise<void> {
  await page.locator('main h1, main [role=tablist], main textarea').first().waitFor();
  const loading = page.locator('main [role=status][aria-label^=Loading]');
  while ((await loading.count()) > 0) await loading.first().waitFor({ state: 'detached' });
}

/** Returns how far a page scrolls sideways, in pixels. */
export function sideways(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

export type Theme = 'light' | 'dark';

/** Expects that what is on the screen is accessible in each theme, and does not scroll sideways. */
export async function expectFits(page: Page, themes: readonly Theme[] = ['light', 'dark']): Promise<void> {
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme });
    const at = `${page.url()} in the ${colorScheme} theme`;
    expect([at, await sideways(page)]).toEqual([at, 0]);
    await expectAccessible(page);
  }
}

/** Returns the path of the first record that a list links to; undefined if it has none. */
export async function firstRecord(page: Page, path: string): Promise<string | undefined> {
  const links = page.locator(`main table a[href*="/console${path}/"]`);
  const href = (await links.count()) > 0 ? await links.first().getAttribute('href') : undefined;
  return href?.slice('/console'.length);
}
