import { existsSync } from 'node:fs';

// The image's first process: runs the service, launcher program or task that its argument names.
const [name = ''] = process.argv.slice(2);
const places = [`../services/${name}/src/main.ts`, `./launcher/src/${name}/main.ts`, `./tasks/${name}.ts`];
const main = places.map(place => new URL(place, import.meta.url)).find(existsSync);
if (main && /^[a-z-]+$/.test(name)) await import(main.href);
else {
  process.stderr.write(`There is no service '${name}': name a folder of services, such as ingress-chat\n`);
  process.exitCode = 2;
}
