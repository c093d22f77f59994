import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { Console, project, type Who } from './console.ts';

/** Arguments of a Chromium with a microphone that sends a tone. */
export const microphone = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];

/** The Playground of a product that all tests of a file use. */
export interface StartedPlayground {
  readonly product: Console;
  /** Makes a token of the project of tests. */
  issue(settings?: object): Promise<{ id: string; token: string }>;
  /** Opens a page below `/playground`, enters a token if there is one, and waits until it is checked. */
  open(path: string, options?: Opening): Promise<Page>;
}

export interface Opening extends BrowserContextOptions {
  /** By default the first token of the gateway; empty for none. */
  token?: string;
  /** By default nobody. */
  who?: Who;
}

/**
 * Starts a product for the tests of a file, which are skipped where there is no Chromium. After each test the pages are closed, and it
 * fails if one of them complained. `config` and `args` are those of `Console.start`; a function for `config` is called first.
 */
export function startPlayground(
  config?: string | (() => Promise<string>),
  args: string[] = [],
): StartedPlayground {
  let product: Console;
  const pages: Page[] = [];
  beforeAll(async () => {
    if (!Console.possible) return;
    product = await Console.start(typeof config === 'function' ? await config() : config, {}, args);
  });
  afterAll(() => product?.stop());
  beforeEach(context => {
    if (!Console.possible) context.skip('there is no Chromium on this machine');
  });
  afterEach(async () => {
    await Promise.all(pages.splice(0).map(page => page.context().close()));
    expect(product?.complaints ?? []).toEqual([]);
  });
  return {
    get product() {
      return product;
    },
    issue: settings => product.admin('POST', '/tokens', { name: 'mine', project, ...settings }),
    async open(path, { token = product.gateway.token, who = 'nobody', ...options } = {}) {
      const page = await product.open(`/playground${path}`, who, options);
      pages.push(page);
      if (!token) return page;
      await enterToken(page, token);
      await page.getByText('Valid', { exact: true }).waitFor();
      return page;
    },
  };
}

export async function enterToken(page: Page, token: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Token' }).fill(token);
}

/** Waits until an answer is in a state, and returns it. */
export async function until(page: Page, state: 'running' | 'done' | 'stopped' | 'failed') {
  const answer = page.locator(`article[data-state=${state}]`);
  await answer.waitFor();
  return answer;
}

export async function press(page: Page, button: string): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click();
}

/** Chooses an option of a field that offers several. */
export async function choose(page: Page, field: string, option: string): Promise<void> {
  await page.getByLabel(field, { exact: true }).and(page.locator('input')).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}
