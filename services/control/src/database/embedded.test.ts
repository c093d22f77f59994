import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFile } from '@model-gateway/service';
import { expect, test } from 'vitest';
import { openEmbedded } from './embedded.ts';

test('an embedded database that another control has open is refused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-'));
  using _other = lockFile(join(folder, 'control-lock'));
  await expect(openEmbedded(folder, { migrationsFolder: '/nowhere' })).rejects.toMatchObject({
    name: 'ConfigError',
    message: expect.stringMatching(/another control uses this data folder; set DATABASE_URL/),
  });
  rmSync(folder, { recursive: true });
});
