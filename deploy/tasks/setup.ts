import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createSecret } from '@model-gateway/access';
import { busServices, natsAuthorization, natsUrlOf, natsUser } from '@model-gateway/bus';
import { persistentFile, replaceFile } from '@model-gateway/service';
import { catalogText } from '../launcher/src/catalog.ts';

// Runs before all other containers: creates the secrets on the first start, each in a volume of the services that need
// it, and provides control's catalog.
const hex = () => randomBytes(32).toString('hex');

// Each service has its own NATS user, and a folder that no other service mounts.
const users = busServices
  .filter(service => service !== 'front')
  .map(service => {
    const folder = `/gateway/bus/${service}`;
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    const user = natsUser(service, persistentFile(`${folder}/password`, hex));
    return { folder, user };
  });
await Promise.all(
  users.map(({ folder, user }) => replaceFile(`${folder}/url`, `${natsUrlOf('nats://nats:4222', user)}\n`)),
);
mkdirSync('/gateway/bus/nats', { recursive: true, mode: 0o755 });
await replaceFile('/gateway/bus/nats/users.conf', natsAuthorization(users.map(({ user }) => user)));

const databasePassword = persistentFile('/gateway/database/password', hex);
await replaceFile('/gateway/database/url', `postgres://gateway:${databasePassword}@postgres:5432/gateway\n`);
// PostgreSQL reads it as another user. Only PostgreSQL, control and this task mount the volume.
chmodSync('/gateway/database/password', 0o644);

persistentFile('/gateway/keys/master-key', hex);
// Control has the key of each pool. The workers have that of their own, beside their password.
const poolKey = persistentFile('/gateway/keys/pools/default', hex);
await replaceFile('/gateway/bus/worker/pool-key', `${poolKey}\n`);
persistentFile('/gateway/control/admin-token', createSecret);
persistentFile('/gateway/control/admin-password', () => randomBytes(15).toString('base64url'));
persistentFile('/gateway/control/token', createSecret);
await provideCatalog('/gateway/control/gateway.yaml', '/gateway/own.yaml');

/** Links to the mounted catalog, so that its changes are seen, or writes one with the providers of the environment. */
async function provideCatalog(path: string, mounted: string): Promise<void> {
  if (statSync(mounted).isFile()) {
    rmSync(`${path}.new`, { force: true });
    symlinkSync(mounted, `${path}.new`);
    renameSync(`${path}.new`, path);
  } else {
    const simulatorUrl = 'http://simulator:8080';
    await replaceFile(path, catalogText({ simulatorUrl, ollama: [], env: process.env }));
  }
}
