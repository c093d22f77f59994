import { existsSync } from 'node:fs';

// The image's first process: runs the service, launcher program or task that its argument names. It lies beside their bundles.
const [name = ''] = process.argv.slice(2);
const program = new URL(`${name}.js`, import.meta.url);
if (/^[a-z-]+$/.test(name) && existsSync(program)) await import(program.href);
else {
  process.stderr.write(`There is no service '${name}': name a folder of services, such as ingress-chat\n`);
  process.exitCode = 2;
}
