import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder, type Service } from '@model-gateway/service';
import { consoleApp } from './app.ts';

const dist = join(packageFolder('@model-gateway/console'), 'dist');

/** Serves the pages of the web console that `npm run build` built. */
export const consoleService: Service<never> = {
  name: 'console',
  settings: [],
  async start() {
    return {
      handle: consoleApp(dist),
      notices: () => (existsSync(join(dist, 'index.html')) ? [] : ['the pages of the console are not built']),
    };
  },
};
