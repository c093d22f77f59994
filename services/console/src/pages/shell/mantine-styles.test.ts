import { existsSync, globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const pages = join(import.meta.dirname, '..');
const styles = join(dirname(createRequire(import.meta.url).resolve('@mantine/core/styles.css')), 'styles');

test('each component of Mantine that the pages import has its styles', () => {
  const imported = readFileSync(join(import.meta.dirname, 'mantine-styles.ts'), 'utf8');
  const named = globSync('**/*.tsx', { cwd: pages }).flatMap(file => {
    const text = readFileSync(join(pages, file), 'utf8');
    const lists = [...text.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)];
    return lists.flatMap(([, list = '']) => list.split(',').map(name => name.trim()));
  });
  const styled = [...new Set(named)].filter(name => existsSync(join(styles, `${name}.css`)));
  expect(styled.length).toBeGreaterThan(20);
  expect(styled.filter(name => !imported.includes(`/${name}.css'`))).toEqual([]);
});
