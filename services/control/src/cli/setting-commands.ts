import {
  type Endpoint,
  type EndpointName,
  endpoints,
  type ItemOf,
  type ListName,
  type ResponseOf,
} from '@model-gateway/admin-api';
import type { z } from 'zod/mini';
import { unless } from './admin.ts';
import {
  type Argument,
  type Command,
  command,
  type NameKind,
  type Options,
  text,
  type Values,
} from './command.ts';
import { readMapping } from './document-file.ts';
import { UsageError } from './exit-codes.ts';
import type { GatewayClient } from './gateway-client.ts';
import { listCommand, paramOf, removeCommand, showCommand } from './record-commands.ts';
import { type Columns, jsonText, table, tableOf } from './table.ts';

/** Records with settings: their endpoints, options and columns. */
interface SettingKind<List extends ListName, Show extends EndpointName, Of extends Options>
  extends Columns<ResponseOf<Show>> {
  noun: string;
  names: NameKind;
  endpoints: { list: List; show: Show; set: EndpointName; remove: EndpointName };
  about: { list: string; show: string; remove: string };
  /** The options of `set`. */
  options: Of;
  /** Returns the settings that the options change; `undefined` for those that stay, null for those that are removed. */
  change(values: Values<Of>, before: ResponseOf<Show> | undefined): object;
  /** True if `set` takes a file with all settings, and `show` prints JSON: there are more settings than options. */
  isDocument?: true;
}

const file = text(
  'FILE',
  'all its settings in YAML or JSON, in the place of other options; - is standard input',
);

/** Returns the commands list, show, set and delete of records with settings. */
export function settingCommands<List extends ListName, Show extends EndpointName, const Of extends Options>(
  kind: SettingKind<List, Show, Of>,
): readonly Command[] {
  const { noun, names, about, isDocument, head, row } = kind;
  const { list, show, remove } = kind.endpoints;
  const argument: Argument = { name: 'NAME', about: `the name of the ${noun}`, names };
  const columns = { head, row } as Columns<unknown> as Columns<ItemOf<List>>;
  return [
    listCommand({ name: `${noun} list`, about: about.list, endpoint: list, ...columns }),
    showCommand({
      name: `${noun} show`,
      ...{ about: about.show, argument, endpoint: show },
      print: info => (isDocument ? jsonText(info) : tableOf(kind, [info])),
    }),
    setCommand(kind, { ...argument, about: `${argument.about}, which is made if there is none` }),
    removeCommand({
      name: `${noun} delete`,
      ...{ about: about.remove, argument, endpoint: remove },
      done: name => ({ sentence: `${name} is deleted.`, result: { name, deleted: true } }),
    }),
  ];
}

function setCommand<List extends ListName, Show extends EndpointName, const Of extends Options>(
  kind: SettingKind<List, Show, Of>,
  argument: Argument,
): Command {
  const { set } = kind.endpoints;
  return command<Of & { file?: typeof file }>({
    name: `${kind.noun} set`,
    about: `Change settings of a ${kind.noun}; those that are not given stay, and an empty text removes one`,
    argument,
    options: { ...kind.options, ...(kind.isDocument && { file }) },
    async run({ admin, values, argument: name, json }) {
      const { file: path, ...given } = values as Values<Of> & { file?: string };
      const others = Object.keys(given).filter(option => given[option as keyof typeof given] !== undefined);
      if (path !== undefined && others.length > 0)
        throw new UsageError(`--file cannot be given with --${others[0]}`);
      const body =
        path === undefined
          ? await changed(kind, admin, name, given as unknown as Values<Of>)
          : readMapping(path);
      const info = (await admin().call(set, { params: paramOf(set, name), body })) as ResponseOf<Show>;
      return json ? jsonText(info) : tableOf(kind, [info]);
    },
  });
}

/** Returns all settings of a record, with those that options change. */
async function changed<List extends ListName, Show extends EndpointName, Of extends Options>(
  { endpoints: { show, set }, change }: SettingKind<List, Show, Of>,
  admin: () => GatewayClient,
  name: string,
  values: Values<Of>,
): Promise<object> {
  // An invalid option is reported even if the gateway cannot be reached.
  change(values, undefined);
  const before = await unless(404, admin().call(show, { params: paramOf(show, name) }));
  const changes = Object.entries(change(values, before)).filter(([, value]) => value !== undefined);
  return { ...settingsOf(set, before), ...Object.fromEntries(changes) };
}

/** Returns those fields of a record that the body of an endpoint takes. Its name is in the path. */
function settingsOf(set: EndpointName, info: unknown): object {
  const { body }: Endpoint = endpoints[set];
  const { name: _, ...fields } = (body as z.ZodMiniObject).shape;
  return Object.fromEntries(Object.entries(Object(info ?? {})).filter(([field]) => field in fields));
}

/** Returns the command that lets a worker test a provider or a model. */
export function testCommand(noun: 'provider' | 'model'): Command {
  const endpoint = noun === 'model' ? 'testModel' : 'testProvider';
  return command({
    name: `${noun} test`,
    about: `Let a worker send ${noun === 'model' ? 'each target of a model' : 'a provider'} a tiny request; the exit code is 1 if one fails`,
    argument: { name: 'NAME', about: `the name of the ${noun}`, names: `${noun}s` },
    options: {
      model: text('NAME', noun === 'model' ? 'a name that its * matches' : 'the model at the provider'),
    },
    async run({ admin, values, argument: name, json }) {
      const tested = await admin().call(endpoint, { params: { name }, body: { model: values.model } });
      const rows = tested.data.map(({ provider, model, works, ms, error }) => [
        ...[provider, model, works ? 'works' : `failed: ${error?.message}`, String(ms)],
      ]);
      const printed = json ? jsonText(tested) : table([['PROVIDER', 'MODEL', 'RESULT', 'MS'], ...rows]);
      return { printed, exitCode: tested.data.every(({ works }) => works) ? 0 : 1 };
    },
  });
}
