import { randomBytes } from 'node:crypto';
import { chmodSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createSecret } from '@model-gateway/access';
import { keptFile } from '@model-gateway/catalog';
import { catalogueText } from '../launcher/src/catalogue.ts';
import { writeWhole } from '../launcher/src/write-whole.ts';

// Runs before all else: makes the secrets of a first start, each in a volume of those who need it, and sees to it
// that control finds a catalogue.
const hex = () => randomBytes(32).toString('hex');

const natsPassword = keptFile('/gateway/bus/password', hex);
await writeWhole('/gateway/bus/url', `nats://gateway:${natsPassword}@nats:4222\n`);
await writeWhole('/gateway/bus/user.conf', `user: gateway\npassword: "${natsPassword}"\n`);

const databasePassword = keptFile('/gateway/database/password', hex);
await writeWhole('/gateway/database/url', `postgres://gateway:${databasePassword}@postgres:5432/gateway\n`);
// PostgreSQL reads it as a user of its own; no other container has the volume.
chmodSync('/gateway/database/password', 0o644);

keptFile('/gateway/keys/master-key', hex);
keptFile('/gateway/control/admin-token', createSecret);
keptFile('/gateway/control/token', createSecret);
await provideCatalogue('/gateway/control/gateway.yaml', '/gateway/own.yaml');

/** A link to the file that was mounted, so that a change of that is seen; or what the environment offers. */
async function provideCatalogue(path: string, own: string): Promise<void> {
  if (statSync(own).isFile()) {
    rmSync(`${path}.new`, { force: true });
    symlinkSync(own, `${path}.new`);
    renameSync(`${path}.new`, path);
  } else {
    const simulatorUrl = 'http://simulator:8080';
    await writeWhole(path, catalogueText({ simulatorUrl, ollama: [], env: process.env }));
  }
}
