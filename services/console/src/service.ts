import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Service } from '@model-gateway/service';
import { z } from 'zod';
import { consoleApp } from './app.ts';

const config = z.object({});
const dist = fileURLToPath(new URL('../dist', import.meta.url));

/** Serves the pages of the web console that `npm run build` built. */
export const consoleService: Service<z.infer<typeof config>> = {
  name: 'console',
  config,
  async start() {
    return {
      handle: consoleApp(dist),
      notices: () => (existsSync(join(dist, 'index.html')) ? [] : ['the pages of the console are not built']),
    };
  },
};
