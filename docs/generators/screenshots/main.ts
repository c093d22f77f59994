import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { Console, phone } from '../../../test/browser/console.ts';
import { consolePages, firstRecord, untilShown } from '../../../test/browser/console-pages.ts';
import { startSample } from './sample/start.ts';

/** Makes pictures of every page of the console with lively data: in both themes, on a desktop and on a phone. */
const { values } = parseArgs({
  options: {
    /** The folder for the pictures. */
    out: { type: 'string', default: 'reports/screenshots' },
    /** Also makes the pictures of the documents anew, in docs/pictures. */
    docs: { type: 'boolean', default: false },
    /** Pages whose path holds this. */
    only: { type: 'string', default: '' },
  },
});

const themes = ['light', 'dark'] as const;
const sizes = { desktop: { viewport: { width: 1_280, height: 800 } }, phone };

/** The pictures of README.md and docs/console.md, by the names of those that they are. */
const inDocs: Record<string, string> = {
  'playground-light-desktop': 'playground',
  'tokens-light-desktop': 'tokens',
  'usage-light-desktop': 'usage',
  'requests-light-desktop': 'requests',
  'models-one-light-desktop': 'model',
  'providers-one-dark-desktop': 'provider',
  'projects-one-light-desktop': 'project',
  'usage-dark-phone': 'phone',
};

/** Pages beside those of the table. */
const others = ['/home', '/start', '/account'];

async function shoot(page: Page, name: string, size: string): Promise<void> {
  await page.evaluate('document.fonts.ready');
  // Charts and tables draw once more when they know their size.
  await page.waitForTimeout(400);
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme });
    await page.waitForTimeout(150);
    const picture = `${name}-${theme}-${size}`;
    await page.screenshot({ path: join(values.out, `${picture}.png`) });
    const document = values.docs && inDocs[picture];
    if (document) writeFileSync(`docs/pictures/${document}.webp`, await asWebp(page));
  }
}

/** Returns a small picture of what is on the screen. Playwright itself makes PNG and JPEG only. */
async function asWebp(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
  await session.detach();
  return Buffer.from(data, 'base64');
}

if (!Console.possible) {
  console.error('There is no Chromium on this machine. Install one, or name it by CHROMIUM_BIN.');
  process.exit(1);
}
mkdirSync(values.out, { recursive: true });
const sample = await startSample();
try {
  const paths = [...(await consolePages()).map(({ path }) => path), ...others];
  for (const [size, options] of Object.entries(sizes)) {
    const page = await sample.console.open('/playground', 'admin', options);
    for (const path of paths.filter(each => each.includes(values.only))) {
      const open = async (at: string, name: string) => {
        await page.goto(`${sample.console.gateway.baseUrl}/console${at}`);
        await untilShown(page);
        await shoot(page, name, size);
      };
      const name = path.slice(1).replaceAll('/', '-');
      await open(path, name);
      const record = await firstRecord(page, path);
      if (record) await open(record, `${name}-one`);
      console.log(`${size}: ${path}${record ? `, ${record}` : ''}`);
    }
    await page.context().close();
  }
  for (const complaint of sample.console.complaints) console.error(complaint);
} finally {
  await sample.stop();
}
