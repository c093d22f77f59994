import { projectImports, type Source } from './sources.ts';

/** The project's packages that each package may import; a package that is not listed may import no other. */
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
  console: ['admin-api', 'service'],
  'ingress-responses': ['clock', 'ingress', 'bus', 'store', 'canonical', 'json', 'formats', 'sse', 'service'],
  realtime: ['clock', 'ingress', 'bus', 'store', 'canonical', 'json', 'formats', 'service', 'catalog'],
};
const ingressMay = ['ingress', 'canonical', 'json', 'formats', 'sse', 'service', 'catalog'];

/** Returns the project's packages that a file imports, but must not: those above its own, or beside it. */
export function importsAbove(source: Source): string[] {
  const { pkg } = source;
  const may = permissions[pkg] ?? (pkg.startsWith('ingress-') ? ingressMay : []);
  return projectImports(source).filter(name => name !== pkg && !may.includes(name));
}
