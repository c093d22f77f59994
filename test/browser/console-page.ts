import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** The Playground in its own tab, with the errors that the browser reported. */
export class ConsolePage {
  readonly page: Page;
  /** Thrown errors and violations of the page's content security policy. */
  readonly complaints: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.on('pageerror', error => this.complaints.push(error.message));
    page.on('console', message => {
      // A response with an error status is not an error of the page.
      const isAnswer = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isAnswer) this.complaints.push(message.text());
    });
  }

  static async open(
    browser: Browser,
    url: string,
    options: BrowserContextOptions = {},
  ): Promise<ConsolePage> {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(60_000);
    const opened = new ConsolePage(await context.newPage());
    await opened.page.goto(url);
    return opened;
  }

  get token() {
    return this.page.getByRole('textbox', { name: 'Token' });
  }

  get model() {
    return this.page.getByLabel('Model', { exact: true }).and(this.page.locator('input'));
  }

  get message() {
    return this.page.getByRole('textbox', { name: 'Message' });
  }

  /** The last answer in any state. */
  get answer() {
    return this.page.locator('article[data-state]').last();
  }

  async answerText(): Promise<string> {
    return (await this.answer.textContent()) ?? '';
  }

  /** Waits until the last answer is in a state. */
  async until(state: 'running' | 'done' | 'stopped' | 'failed') {
    const answer = this.page.locator(`article[data-state]:last-child`);
    await answer.and(this.page.locator(`[data-state=${state}]`)).waitFor();
  }

  /** Enters a valid token and waits until the page has checked it. */
  async enter(token: string) {
    await this.token.fill(token);
    await this.page.getByText('Valid', { exact: true }).waitFor();
  }

  /** Sends a prompt as a user does. */
  async ask(model: string, text = 'What are you?') {
    await this.model.fill(model);
    await this.model.press('Escape');
    await this.message.fill(text);
    await this.message.press('Enter');
  }

  close() {
    return this.page.context().close();
  }
}
