import type { Source } from './sources.ts';

/**
 * The project's packages that each package may import; a package that is not listed may import no other. `a/b` is the entry `b` of the
 * package `a` alone.
 */
const permissions: Record<string, string[]> = {
  clock: [],
  json: [],
  canonical: [],
  sse: [],
  'admin-api': ['canonical'],
  bus: ['clock', 'canonical', 'json'],
  store: ['clock', 'bus'],
  service: ['clock', 'bus', 'canonical'],
  access: ['clock', 'bus', 'canonical'],
  providers: ['clock', 'canonical'],
  formats: ['canonical', 'json', 'sse', 'providers'],
  catalog: ['clock', 'admin-api', 'bus', 'canonical', 'providers'],
  ingress: [
    'clock',
    'bus',
    'canonical',
    'json',
    'sse',
    'formats',
    'service',
    'access',
    'catalog',
    'providers',
  ],
  worker: ['clock', 'bus', 'canonical', 'json', 'formats', 'sse', 'service', 'catalog', 'providers'],
  control: ['clock', 'admin-api', 'bus', 'store', 'canonical', 'json', 'service', 'access', 'catalog'],
  simulator: ['clock', 'canonical', 'formats', 'sse', 'service'],
  console: ['admin-api', 'formats/browser', 'service'],
  'ingress-responses': ['clock', 'ingress', 'bus', 'store', 'canonical', 'json', 'formats', 'sse', 'service'],
  realtime: ['clock', 'ingress', 'bus', 'store', 'canonical', 'json', 'formats', 'service', 'catalog'],
};
const ingressMay = ['ingress', 'canonical', 'json', 'formats', 'sse', 'service', 'catalog'];

/** Returns the imports of a file that its package may not have: packages above its own or beside it, or other entries of them. */
export function importsAbove({ pkg, imports }: Pick<Source, 'pkg' | 'imports'>): string[] {
  const may = permissions[pkg] ?? (pkg.startsWith('ingress-') ? ingressMay : []);
  const entries = imports
    .filter(name => name.startsWith('@model-gateway/'))
    .map(name => name.slice('@model-gateway/'.length));
  return entries.filter(entry => {
    const [name = ''] = entry.split('/');
    return name !== pkg && !may.includes(name) && !may.includes(entry);
  });
}
