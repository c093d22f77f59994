import { globSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { processSettings, settingSchemas } from '@model-gateway/service';
import { expect, test } from 'vitest';
import { front } from '../../../deploy/launcher/src/front/service.ts';
import { settings as launcher } from '../../../deploy/launcher/src/settings.ts';
import { commandSettings } from '../../../services/control/src/cli/admin.ts';
import { generated } from './generated.ts';

const root = resolve(import.meta.dirname, '../../..');

test.each(generated().map(({ path, text }) => ({ name: relative(root, path), path, text })))(
  '$name has the settings of the code: npm run docs writes them',
  ({ path, text }) => {
    expect(readFileSync(path, 'utf8') === text).toBe(true);
  },
);

test('every setting is read by a process', async () => {
  const read = [...processSettings, ...Object.keys(launcher.shape), ...front.settings, ...commandSettings];
  for (const path of globSync('services/*/src/service.ts', { cwd: root })) {
    const module = await import(pathToFileURL(resolve(root, path)).href);
    const services = Object.values(module).filter(isService);
    expect(services, path).not.toEqual([]);
    read.push(...services.flatMap(({ settings }) => settings));
  }
  expect([...new Set(read)].sort()).toEqual(Object.keys(settingSchemas).sort());
});

function isService(value: unknown): value is { settings: string[] } {
  return typeof value === 'object' && value !== null && 'settings' in value && 'start' in value;
}
