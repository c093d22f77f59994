import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { expect, test } from 'vitest';
import { most } from '../../services/console/budget.ts';
import { root } from './sources.ts';

/** Bundles a file for pages. */
async function bundled(file: string): Promise<string> {
  const { output } = (await build({
    root,
    configFile: false,
    logLevel: 'silent',
    build: {
      ...{ write: false, minify: false, modulePreload: { polyfill: false } },
      rolldownOptions: {
        ...{ input: resolve(root, file), preserveEntrySignatures: 'strict', external: /^node:/ },
      },
    },
  })) as Rolldown.RolldownOutput;
  return output.map(chunk => (chunk.type === 'chunk' ? chunk.code : '')).join('');
}

/** Returns the lines of a bundle that only Node can run. */
function ofNode(code: string): string[] {
  return code.split('\n').filter(line => /["']node:|\bBuffer\b|\bprocess\.|browser-external/.test(line));
}

test("the formats' entry for pages needs no Node, and fits into a page", async () => {
  const code = await bundled('shared/formats/src/browser.ts');
  expect(ofNode(code)).toEqual([]);
  expect(gzipSync(code).length).toBeLessThan(most.page / 2);
  for (const name of ['writeChat', 'chatEvents']) expect(code).toContain(name);
});

test.each([
  'shared/formats/src/values/bytes.ts',
  'shared/json/src/text.ts',
  'shared/formats/src/dialects.ts',
])('%s needs Node, which its bundle shows', async file => {
  expect(ofNode(await bundled(file))).not.toEqual([]);
});
