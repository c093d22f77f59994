import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { duration } from '@model-gateway/canonical';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Section } from './bound.ts';
import { noBounds } from './no-bounds.ts';
import { sectionsOf, write } from './page.ts';
import { Settings } from './settings.ts';

const path = resolve(import.meta.dirname, '../../limits.md');
let settings: Settings;
let sections: Section[];

beforeAll(async () => {
  settings = Settings.read();
  sections = await sectionsOf(settings);
});

test('docs/limits.md equals the page that the code generates', () => {
  const now = write(sections);
  const kept = readFileSync(path, 'utf8');
  if (kept === now) return;
  const lines = new Set(kept.split('\n'));
  const other = now.split('\n').filter(line => !lines.has(line));
  expect.fail(
    `docs/limits.md differs from the code: write it anew by \`npm run docs\`.\n${other.join('\n')}`,
  );
});

test('every numeric setting is a bound of the page, or listed as no bound', () => {
  expect(missing(settings, sections)).toEqual([]);
});

test('every setting that is listed as no bound exists and is not a bound', () => {
  const shown = shownIn(sections);
  for (const name of Object.keys(noBounds)) {
    expect(settings.names).toContain(name);
    expect(shown).not.toContain(name);
  }
});

test('every setting of several processes has one default', () => {
  const differing = settings.names.filter(name => new Set(settings.defaults(name)).size > 1);
  expect(differing).toEqual([]);
});

test('every link of the page leads to an existing page and heading', () => {
  const text = write(sections);
  for (const [, link = ''] of text.matchAll(/\]\(([^)]+)\)/g)) {
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : resolve(dirname(path), file);
    expect(existsSync(target), link).toBe(true);
    const page = file === '' ? text : readFileSync(target, 'utf8');
    const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => anchorOf(title));
    if (anchor !== undefined) expect(headings, link).toContain(anchor);
  }
});

describe('an undocumented setting', () => {
  test.each<[string, z.ZodType]>([
    ['a number', z.coerce.number().int().positive().default(5)],
    ['a number without a default', z.coerce.number().optional()],
    ['a duration', duration.prefault('30s')],
    ['a duration that is read later', z.string().default('30s')],
  ])('an undocumented setting is found: %s', (_what, schema) => {
    const planted = Settings.read();
    planted.add('planted', z.object({ GATEWAY_PLANTED: schema }));
    expect(missing(planted, sections)).toContain('GATEWAY_PLANTED');
  });

  test('a setting that is a text is not taken for a numeric one', () => {
    const planted = Settings.read();
    planted.add('planted', z.object({ GATEWAY_PLANTED: z.string().default('text') }));
    expect(missing(planted, sections)).not.toContain('GATEWAY_PLANTED');
  });
});

/** The settings that are neither on the page nor listed as no bounds. */
function missing({ names }: Settings, shown: readonly Section[]): string[] {
  const written = shownIn(shown);
  return names.filter(name => !written.includes(name) && !(name in noBounds));
}

/** The names in the column of settings. */
function shownIn(shown: readonly Section[]): string[] {
  const columns = shown.flatMap(({ bounds }) => bounds.map(({ setting = '' }) => setting));
  return columns.flatMap(column => column.match(/GATEWAY_[A-Z_]+/g) ?? []);
}

function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}
