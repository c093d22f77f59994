import type { Remark } from './account.ts';
import type { Imported } from './result.ts';

/** The numbers of things that are carried over. */
export function countsOf({ catalog, tokens }: Imported) {
  const { providers, models, projects = [], users = [] } = catalog;
  return {
    providers: providers.length,
    models: models.length,
    targets: models.reduce((sum, { targets }) => sum + targets.length, 0),
    projects: projects.length,
    users: users.length,
    tokens: tokens.length,
  };
}

/** Writes for people what is carried over, with another meaning, and not at all. */
export function reportText(imported: Imported): string {
  const counts = Object.entries(countsOf(imported)).map(([name, count]) => counted(count, name));
  const changed = imported.remarks.filter(({ outcome }) => outcome === 'changed');
  const lost = imported.remarks.filter(({ outcome }) => outcome === 'lost');
  return [
    `Carried over: ${counts.join(', ')}.`,
    section('Carried over with another meaning', changed),
    section('NOT carried over', lost),
  ].join('\n\n');
}

/** Returns `1 token`, or `2 tokens`. */
export function counted(count: number, plural: string): string {
  return `${count} ${count === 1 ? plural.replace(/s$/, '') : plural}`;
}

function section(title: string, remarks: readonly Remark[]): string {
  if (remarks.length === 0) return `${title}: nothing.`;
  const groups = [...Map.groupBy(remarks, ({ reason }) => reason)];
  const texts = groups.map(([reason, members]) => {
    const places = placesOf(members.map(({ path }) => path));
    return [...places.map(place => `  ${place}`), `      ${reason}`].join('\n');
  });
  return [`${title} (${remarks.length}):`, ...texts].join('\n');
}

/** The most places of one kind that are listed one by one. */
const mostPlaces = 3;

/** Returns paths; one for many that differ in numbers or quoted names alone. */
function placesOf(paths: readonly string[]): string[] {
  const kinds = Map.groupBy(paths, path => path.replace(/\[(\d+|"(?:[^"\\]|\\.)*")\]/g, '[*]'));
  return [...kinds].flatMap(([kind, members]) =>
    members.length > mostPlaces ? `${kind} (${members.length})` : members,
  );
}
