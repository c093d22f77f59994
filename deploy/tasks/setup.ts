import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createSecret } from '@model-gateway/access';
import { busServices, natsAuthorization, natsUrlOf, natsUser } from '@model-gateway/bus';
import { keptFile } from '@model-gateway/catalog';
import { catalogText } from '../launcher/src/catalog.ts';
import { writeWhole } from '../launcher/src/write-whole.ts';

// Runs before all else: makes the secrets of a first start, each in a volume of those who need it, and sees to it
// that control finds a catalog.
const hex = () => randomBytes(32).toString('hex');

// Each service has a NATS user of its own, and a folder that it alone mounts.
const users = busServices
  .filter(service => service !== 'front')
  .map(service => {
    const folder = `/gateway/bus/${service}`;
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    const user = natsUser(service, keptFile(`${folder}/password`, hex));
    return { folder, user };
  });
await Promise.all(
  users.map(({ folder, user }) => writeWhole(`${folder}/url`, `${natsUrlOf('nats://nats:4222', user)}\n`)),
);
mkdirSync('/gateway/bus/nats', { recursive: true, mode: 0o755 });
await writeWhole('/gateway/bus/nats/users.conf', natsAuthorization(users.map(({ user }) => user)));

const databasePassword = keptFile('/gateway/database/password', hex);
await writeWhole('/gateway/database/url', `postgres://gateway:${databasePassword}@postgres:5432/gateway\n`);
// PostgreSQL reads it as a user of its own; no other container has the volume.
chmodSync('/gateway/database/password', 0o644);

keptFile('/gateway/keys/master-key', hex);
keptFile('/gateway/control/admin-token', createSecret);
keptFile('/gateway/control/token', createSecret);
await provideCatalog('/gateway/control/gateway.yaml', '/gateway/own.yaml');

/** A link to the file that was mounted, so that a change of that is seen; or what the environment offers. */
async function provideCatalog(path: string, own: string): Promise<void> {
  if (statSync(own).isFile()) {
    rmSync(`${path}.new`, { force: true });
    symlinkSync(own, `${path}.new`);
    renameSync(`${path}.new`, path);
  } else {
    const simulatorUrl = 'http://simulator:8080';
    await writeWhole(path, catalogText({ simulatorUrl, ollama: [], env: process.env }));
  }
}
