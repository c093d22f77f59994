import type { BrowserContextOptions, Page } from 'playwright-core';
import { type Console, project, type Who } from './console.ts';
import { type ConsoleOptions, startConsole } from './console-of-file.ts';

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

/** Starts a product for the tests of a file as `startConsole` does. */
export function startPlayground(config?: ConsoleOptions['config'], args?: string[]): StartedPlayground {
  let product: Console;
  startConsole(
    started => {
      product = started;
    },
    { config, args },
  );
  return {
    get product() {
      return product;
    },
    issue: settings => product.admin('POST', '/tokens', { name: 'mine', project, ...settings }),
    async open(path, { token = product.gateway.token, who = 'nobody', ...options } = {}) {
      const page = await product.open(`/playground${path}`, who, options);
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
