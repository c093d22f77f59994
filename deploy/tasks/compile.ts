import { readdirSync } from 'node:fs';
import { flushCompileCache } from 'node:module';

// Runs while the image is built: loads every service, so that its compiled code is in NODE_COMPILE_CACHE. Without it,
// each container compiles its TypeScript at each start.
const services = new URL('../../services/', import.meta.url);
for (const name of readdirSync(services)) await import(new URL(`${name}/src/index.ts`, services).href);
await import('../launcher/src/catalog.ts');
await import('../launcher/src/startup-banner.ts');
flushCompileCache();
// A library may have started a timer or a thread.
process.exit();
