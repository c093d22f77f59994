import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProjectRole } from '@model-gateway/admin-api';
import { type StartedSimulator, startSimulator } from '@model-gateway/simulator';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { cleanUp, Launched, newFolder, type ReadyFile } from '../launcher/launched.ts';
import { findChromium } from './chromium.ts';

/** The project of the users of a console under test. */
export const project = 'search';
export const password = 'a password of tests';
export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** A user of each role; `nobody` has no login. */
export type Who = 'admin' | ProjectRole | 'nobody';

/** A gateway over a simulator, a browser, and a user of each role in one project. */
export class Console {
  readonly gateway: ReadyFile;
  readonly browser: Browser;
  readonly simulator: StartedSimulator;
  /** Thrown errors of pages and violations of their content security policy. */
  readonly complaints: string[] = [];
  readonly #sessions = new Map<Who, Awaited<ReturnType<Console['signIn']>>>();

  private constructor(gateway: ReadyFile, browser: Browser, simulator: StartedSimulator) {
    this.gateway = gateway;
    this.browser = browser;
    this.simulator = simulator;
  }

  /** True where a Chromium is on the machine. */
  static get possible(): boolean {
    return findChromium() !== undefined;
  }

  /** `config` is the text of gateway.yaml, whose placeholder SIMULATOR is replaced with the simulator's address; `args` are Chromium's. */
  static async start(
    config = defaultConfig,
    env: Record<string, string> = {},
    args: string[] = [],
  ): Promise<Console> {
    const executablePath = findChromium() as string;
    const simulator = await startSimulator();
    const file = join(newFolder(), 'gateway.yaml');
    writeFileSync(file, config.replaceAll('SIMULATOR', simulator.url));
    const launched = new Launched({ env: { GATEWAY_CONFIG: file, ...env } });
    const [gateway, browser] = await Promise.all([
      launched.ready(),
      chromium.launch({ executablePath, args }),
    ]);
    const started = new Console(gateway, browser, simulator);
    await started.#makeUsers();
    return started;
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await cleanUp();
    await this.simulator.close();
  }

  /** Calls the admin API with the admin token; the body of a response is parsed. @throws Error unless the status is 2xx */
  async admin(method: string, path: string, body?: object) {
    const response = await fetch(`${this.gateway.baseUrl}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.gateway.adminToken}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  /** Opens a page of the console, such as `/tokens`, as a user. Close its context at the end of the test. */
  async open(path: string, who: Who = 'admin', options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.browser.newContext({ reducedMotion: 'reduce', ...options });
    context.setDefaultTimeout(60_000);
    if (who !== 'nobody') await context.addCookies(await this.#cookies(who));
    const page = await context.newPage();
    page.on('pageerror', error => this.complaints.push(error.message));
    page.on('console', message => {
      // A response with an error status is not an error of the page.
      const isAnswer = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isAnswer) this.complaints.push(message.text());
    });
    await page.goto(`${this.gateway.baseUrl}/console${path}`);
    return page;
  }

  async signIn(user: string) {
    const context = await this.browser.newContext();
    const response = await context.request.post(`${this.gateway.baseUrl}/api/v1/session`, {
      data: { user, password },
    });
    expect(response.status()).toBe(201);
    const cookies = await context.cookies();
    await context.close();
    return cookies;
  }

  async #cookies(who: Who) {
    const cookies = this.#sessions.get(who) ?? (await this.signIn(`the-${who}`));
    this.#sessions.set(who, cookies);
    return cookies;
  }

  async #makeUsers(): Promise<void> {
    await this.admin('PUT', `/projects/${project}`, {});
    for (const who of ['admin', 'manager', 'member', 'viewer'] as const) {
      await this.admin('PUT', `/users/the-${who}`, {});
      await this.admin('POST', `/users/the-${who}/password`, { password });
      if (who === 'admin') await this.admin('PATCH', `/users/the-${who}/login`, { role: 'admin' });
      else await this.admin('PUT', `/projects/${project}/members/the-${who}`, { role: who });
    }
  }
}

const defaultConfig = `
providers:
  - { name: simulator, kind: openai-compatible, baseUrl: "SIMULATOR/v1" }
models:
  - { name: sim-fast, targets: [ { provider: simulator, model: sim-fast } ] }
  - { name: "sim-*", targets: [ { provider: simulator, model: "sim-*" } ] }
  - { name: "fault-*", targets: [ { provider: simulator, model: "fault-*" } ] }
`;

/** Expects that a page violates no rule of accessibility of a serious or critical kind. */
export async function expectAccessible(page: Page): Promise<void> {
  // Colours in the middle of a transition have another contrast.
  await page.evaluate(
    `Promise.allSettled(document.getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity)
      .map(({ finished }) => finished))`,
  );
  const violations = await page.evaluate<string[]>(
    `${axe.source}; axe.run().then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, help, nodes }) => id + ': ' + help + ' ' + nodes.map(({ html }) => html).join(' ')))`,
  );
  expect(violations).toEqual([]);
}
