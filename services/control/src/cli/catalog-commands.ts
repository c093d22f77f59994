import type { AppliedCatalog, EntryChange } from '@model-gateway/admin-api';
import { stringify } from 'yaml';
import type { GatewayClient } from './admin.ts';
import { type Command, command, flag } from './command.ts';
import { listOf, samples } from './described.ts';
import { CommandError, exitCodeFor } from './exit-codes.ts';
import { readMapping } from './files.ts';
import { managerOf } from './notations.ts';

const file = {
  name: 'FILE',
  about: 'providers, models, projects and users as in gateway.yaml, in YAML or JSON; - is standard input',
  names: 'files',
} as const;
const prune = flag(
  'Providers and models of the API, and settings of projects and users, that FILE lacks are deleted',
);

const apply = command({
  name: 'apply',
  about: 'Create and change what a gateway.yaml states; with --prune, also delete what it lacks',
  argument: file,
  examples: ['apply gateway.yaml --dry-run', 'apply gateway.yaml --prune'],
  options: { prune, 'dry-run': flag('Show the changes, and make none') },
  async run({ admin, values, argument }) {
    const isDryRun = values['dry-run'] === true;
    const applied = await send(admin, argument, { prune: values.prune === true, isDryRun });
    return { value: applied, text: () => changesText(applied) };
  },
});

const diff = command({
  name: 'diff',
  about:
    'Show what apply would change; the exit code is 1 if that is anything, 0 if nothing, and another if it fails',
  argument: file,
  examples: ['diff gateway.yaml'],
  options: { prune },
  async run({ admin, values, argument }) {
    const asked = { prune: values.prune === true, isDryRun: true };
    const applied = await send(admin, argument, asked).catch(failWithTwo);
    const differs = applied.changes.some(({ change }) => change !== 'unchanged');
    return { value: applied, text: () => changesText(applied), exitCode: differs ? 1 : 0 };
  },
});

/** Throws an error again, with the exit code 2 in place of 1, which means a difference. */
function failWithTwo(error: unknown): never {
  if (exitCodeFor(error) !== 1) throw error;
  throw new CommandError(error instanceof Error ? error.message : String(error), 2, { cause: error });
}

const adoptions = (['provider', 'model', 'project', 'user'] as const).map(kind =>
  command({
    name: `adopt ${kind}`,
    about: `Move a ${kind} of gateway.yaml to the database, where the API can change it`,
    argument: { name: 'NAME', about: `the name of the ${kind}`, names: listOf(kind) },
    examples: [`adopt ${kind} ${samples[kind]}`],
    notes: 'Remove it from gateway.yaml afterwards: until then, no change of that file is applied.',
    async run({ admin, argument: name }) {
      const adopted = await admin().call('adoptEntry', { body: { kind, name } });
      const moved = `The ${kind} ${JSON.stringify(name)} is of the database.`;
      const { place } = adopted;
      const text = () =>
        place ? `${moved} Remove it from ${managerOf({ managedBy: 'file', place })}.` : moved;
      return { value: adopted, text };
    },
  }),
);

const exported = command({
  name: 'export',
  about: 'Print what is in force as a gateway.yaml',
  examples: ['export > gateway.yaml'],
  notes:
    'A secret that is stored is printed as { set: true }, which keeps it where the text is applied to the same gateway.',
  async run({ admin }) {
    const document = await admin().call('showCatalog');
    return { value: document, text: () => stringify(document, { lineWidth: 120 }).trimEnd() };
  },
});

export const catalogCommands: readonly Command[] = [apply, diff, ...adoptions, exported];

async function send(
  admin: () => GatewayClient,
  path: string,
  { prune, isDryRun }: { prune: boolean; isDryRun: boolean },
): Promise<AppliedCatalog> {
  const body = readMapping(path);
  return admin().call('applyCatalog', { query: { dryRun: String(isDryRun), prune: String(prune) }, body });
}

const signs = { created: '+', changed: '~', deleted: '-', unchanged: ' ' } as const;

/** Writes the changes, and the fields of each that differ. */
function changesText({ dryRun, changes }: AppliedCatalog): string {
  const differing = changes.filter(({ change }) => change !== 'unchanged');
  const numberOf = (wanted: EntryChange['change']) =>
    changes.filter(({ change }) => change === wanted).length;
  const counts = (['created', 'changed', 'deleted', 'unchanged'] as const)
    .map(change => `${numberOf(change)} ${change}`)
    .join(', ');
  const end = dryRun ? 'Nothing was written.' : 'This is in force.';
  return [...differing.map(changeText), `${counts}. ${differing.length === 0 ? '' : end}`.trimEnd()].join(
    '\n',
  );
}

function changeText({ kind, name, change, fields }: EntryChange): string {
  const sign = signs[change];
  const lines = fields.flatMap(({ field, before, after }) => {
    const line = (each: '+' | '-', value: unknown) =>
      value === null ? [] : [`  ${each} ${field}: ${valueText(value)}`];
    return [...line('-', before), ...line('+', after)];
  });
  return [`${sign} ${kind} ${JSON.stringify(name)}`, ...lines].join('\n');
}

/** Writes a value with the fields of its objects in order, so that what is the same looks the same. */
function valueText(value: unknown): string {
  if (value === '(secret)') return value;
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort())
      : part,
  );
}
