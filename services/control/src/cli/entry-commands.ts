import { catalogTestResult } from '@model-gateway/admin-api';
import type { Admin } from './admin.ts';
import { type Command, command, type Options, text, type Values } from './command.ts';
import { readMapping } from './document-file.ts';
import { CommandError, UsageError } from './exit-codes.ts';
import { jsonText, table } from './table.ts';

/** The way in which the commands for providers differ from those for models. */
export interface EntryKind<Info extends { name: string }, Of extends Options> {
  noun: 'provider' | 'model';
  list(admin: Admin): Promise<Info[]>;
  show(admin: Admin, name: string): Promise<Info>;
  set(admin: Admin, name: string, settings: object): Promise<Info>;
  remove(admin: Admin, name: string): Promise<unknown>;
  /** The options of `set`. */
  options: Of;
  /** Returns the settings that the options change; `undefined` for those that stay, null for those that are removed. */
  change(values: Values<Of>, before: Info | undefined): object;
  /** Returns the settings of an entry as the API takes them. */
  settings(info: Info): object;
  head: string[];
  row(info: Info): string[];
}

const file = text(
  'FILE',
  'all its settings in YAML or JSON, in the place of other options; - is standard input',
);

export function entryCommands<Info extends { name: string }, const Of extends Options>(
  kind: EntryKind<Info, Of>,
): readonly Command[] {
  const { noun, head, row } = kind;
  const names = noun === 'model' ? 'models' : 'providers';
  const argument = { name: 'NAME', about: `the name of the ${noun}`, names } as const;
  return [
    command({
      name: `${noun} list`,
      about: `List the ${noun}s: those of gateway.yaml, then those of the API`,
      async run({ admin, json }) {
        const data = await kind.list(admin());
        return json ? jsonText({ data }) : table([head, ...data.map(row)]);
      },
    }),
    command({
      name: `${noun} show`,
      about: `Show a ${noun}`,
      argument,
      run: async ({ admin, argument: name }) => jsonText(await kind.show(admin(), name)),
    }),
    setCommand(kind, { ...argument, about: `${argument.about}, which is made if there is none` }),
    testCommand(noun, argument),
    command({
      name: `${noun} delete`,
      about: `Delete a ${noun} of the API`,
      argument,
      async run({ admin, argument: name, json }) {
        await kind.remove(admin(), name);
        return json ? JSON.stringify({ name, deleted: true }) : `${name} is deleted.`;
      },
    }),
  ];
}

function testCommand(noun: 'provider' | 'model', argument: NonNullable<Command['argument']>): Command {
  return command({
    name: `${noun} test`,
    about: `Let a worker send ${noun === 'model' ? 'each target of a model' : 'a provider'} a tiny request; the exit code is 1 if one fails`,
    argument,
    options: {
      model: text('NAME', noun === 'model' ? 'a name that its * matches' : 'the model at the provider'),
    },
    async run({ admin, values, argument: name, json }) {
      const path = `/${noun}s/${encodeURIComponent(name)}/test`;
      const tested = await admin().ask(catalogTestResult, 'POST', path, { model: values.model });
      const rows = tested.data.map(({ provider, model, works, ms, error }) => [
        ...[provider, model, works ? 'works' : `failed: ${error?.message}`, String(ms)],
      ]);
      const printed = json ? jsonText(tested) : table([['PROVIDER', 'MODEL', 'RESULT', 'MS'], ...rows]);
      return { printed, exitCode: tested.data.every(({ works }) => works) ? 0 : 1 };
    },
  });
}

function setCommand<Info extends { name: string }, const Of extends Options>(
  kind: EntryKind<Info, Of>,
  argument: NonNullable<Command['argument']>,
): Command {
  return command<Of & { file: typeof file }>({
    name: `${kind.noun} set`,
    about: `Change settings of a ${kind.noun}; those that are not given stay, and an empty text removes one`,
    argument,
    options: { ...kind.options, file },
    async run({ admin, values, argument: name, json }) {
      const { file: path, ...given } = values as Values<Of> & { file?: string };
      const others = Object.keys(given).filter(option => given[option as keyof typeof given] !== undefined);
      if (path !== undefined && others.length > 0)
        throw new UsageError(`--file cannot be given with --${others[0]}`);
      const client = admin();
      const settings =
        path === undefined
          ? await changed(kind, client, name, given as unknown as Values<Of>)
          : readMapping(path);
      const info = await kind.set(client, name, settings);
      return json ? jsonText(info) : table([kind.head, kind.row(info)]);
    },
  });
}

/** Returns all settings of an entry, with those that options change. */
async function changed<Info extends { name: string }, Of extends Options>(
  kind: EntryKind<Info, Of>,
  client: Admin,
  name: string,
  values: Values<Of>,
): Promise<object> {
  // An invalid option is reported even if the gateway cannot be reached.
  kind.change(values, undefined);
  const before = await kind.show(client, name).catch(error => {
    if (error instanceof CommandError && error.exitCode === 4) return undefined;
    throw error;
  });
  const change = Object.entries(kind.change(values, before)).filter(([, value]) => value !== undefined);
  return { ...(before && kind.settings(before)), ...Object.fromEntries(change) };
}
