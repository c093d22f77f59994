import type { Page } from 'playwright-core';
import { Console, project } from '../../test/browser/console.ts';
import { askModel } from '../../test/browser/model-requests.ts';

/** Prints how quickly lists of many rows are scrolled to their end, jumped through and filtered; the argument is the number of requests. */
const requests = Number(process.argv[2] ?? 100_000);
/** A token takes ten times as long to make as a request. */
const tokens = requests / 10;
const atOnce = 16;
/** The longest time for which a list may load rows, in milliseconds. */
const limitMs = 1_800_000;
const jumps = 41;

if (!Console.possible) {
  console.error('There is no Chromium on this machine. Install one, or name it by CHROMIUM_BIN.');
  process.exit(1);
}
const running = await Console.start();
try {
  await fill(tokens, 'tokens', number =>
    running.admin('POST', '/tokens', { name: number === 0 ? 'the-first' : `token-${number}`, project }),
  );
  await measure(tokens, 'tokens', '/tokens', '/tokens?name=the-first');
  const { token } = await running.admin('POST', '/tokens', { name: 'client', project });
  const { id } = await askModel(running, token, 'sim-fast');
  await fill(requests, 'requests', () => askModel(running, token, 'sim-fast'));
  await untilCounted(requests + 1);
  const history = '/requests/history?range=any';
  await measure(requests, 'requests', history, `${history}&request=${id}`);
} finally {
  await running.stop();
}

async function fill(rows: number, what: string, add: (number: number) => Promise<unknown>): Promise<void> {
  const started = Date.now();
  let next = 0;
  const work = async () => {
    while (next < rows) await add(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  console.log(`${rows} ${what} made in ${seconds(Date.now() - started)} s`);
}

/** Waits until the ledger has the requests. */
async function untilCounted(count: number): Promise<void> {
  const counted = async () => {
    const { data } = await running.admin('GET', '/usage/totals?by=model');
    return (data as { requests: number }[]).reduce((sum, { requests }) => sum + requests, 0);
  };
  while ((await counted()) < count) await new Promise(resolve => setTimeout(resolve, 1_000));
}

async function measure(rows: number, what: string, path: string, filtered: string): Promise<void> {
  const page = await running.open(path);
  const list = page.getByRole('region', { name: /, scrollable$/ });
  await list.waitFor();
  const ms = await scrollToEnd(page);
  const shown = await page.locator('tbody tr').count();
  const { usedSize } = await (await page.context().newCDPSession(page)).send('Runtime.getHeapUsage');
  const jump = await jumpTimes(page);
  console.log(
    `${what}: scrolled to the end in ${seconds(ms)} s (${Math.round((rows / ms) * 1_000)} rows a second), ` +
      `${shown} rows in the document, a heap of ${Math.round(usedSize / 2 ** 20)} MiB; ` +
      `a jump takes ${jump.median} ms (the longest ${jump.longest})`,
  );
  const started = Date.now();
  await page.goto(`${running.gateway.baseUrl}/console${filtered}`);
  await page.getByText('1 in all').waitFor();
  console.log(
    `${what}: the page with a filter that one row passes shows it after ${Date.now() - started} ms`,
  );
  await page.context().close();
}

/** Scrolls down until all rows are loaded, and returns the time that took. */
async function scrollToEnd(page: Page): Promise<number> {
  const started = Date.now();
  const list = page.getByRole('region', { name: /, scrollable$/ });
  while ((await page.getByText(/ in all$/).count()) === 0) {
    if (Date.now() - started > limitMs) throw new Error('The list did not come to its end');
    await list.evaluate(element => element.scrollTo(0, element.scrollHeight));
    await page.waitForTimeout(20);
  }
  return Date.now() - started;
}

/** The part of a browser's global object that is used. */
interface Frames {
  requestAnimationFrame(draw: () => void): void;
}

/** Scrolls to far places, and returns how long it takes until each is drawn. */
async function jumpTimes(page: Page): Promise<{ median: number; longest: number }> {
  const list = page.getByRole('region', { name: /, scrollable$/ });
  const times: number[] = [];
  for (let jump = 0; jump < jumps; jump += 1) {
    const ms = await list.evaluate(async (element, place) => {
      const { requestAnimationFrame: frame } = globalThis as unknown as Frames;
      const before = performance.now();
      element.scrollTo(0, place % element.scrollHeight);
      await new Promise<void>(resolve => frame(() => setTimeout(resolve)));
      return performance.now() - before;
    }, jump * 293_003);
    times.push(Math.round(ms));
  }
  times.sort((one, other) => one - other);
  return { median: times[Math.floor(jumps / 2)] as number, longest: times.at(-1) as number };
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
