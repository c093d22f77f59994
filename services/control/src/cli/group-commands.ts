import type { ProjectInfo, ProjectSettings, UserInfo, UserSettings } from '@model-gateway/admin-api';
import type { Admin, Groups } from './admin.ts';
import { answerOf, type Command, type Options, pairsOf, table, UsageError } from './command.ts';
import { loggingOf, loggingText } from './logging-option.ts';

type Commands = Partial<Record<string, Command>>;

export const projectCommands: Commands = groupCommands({
  groups: admin => admin.projects,
  takes: ['limits', 'budget', 'allow-unpriced', 'weight', 'store-responses', 'logging'],
  change: (settings, values) => ({
    limits: limitsOf(values.limits, settings?.limits),
    budget: budgetOf(values.budget),
    allowUnpriced: answerOf('allow-unpriced', values),
    weight: numberOf('weight', values.weight),
    storeResponses: answerOf('store-responses', values),
    logging: loggingOf(values.logging, settings?.logging),
  }),
  settings: ({ limits, budget, allowUnpriced, prices, weight, storeResponses, logging }) => ({
    ...{ limits, budget, allowUnpriced, prices, weight, storeResponses, logging },
  }),
  head: ['NAME', 'LIMITS', 'BUDGET', 'UNPRICED', 'WEIGHT', 'STORES RESPONSES', 'LOGGING', 'READ-ONLY'],
  row: ({ name, limits, budget, allowUnpriced, weight, storeResponses, logging, readOnly }) => [
    name,
    limitsText(limits),
    budgetText(budget),
    allowUnpriced ? 'yes' : 'no',
    String(weight ?? 1),
    storeResponses === false ? 'no' : 'yes',
    loggingText(logging),
    readOnly.join(',') || '-',
  ],
});

export const userCommands: Commands = groupCommands({
  groups: admin => admin.users,
  takes: ['budget'],
  change: (_, values) => ({ budget: budgetOf(values.budget) }),
  settings: ({ budget }) => ({ budget }),
  head: ['NAME', 'ROLE', 'PROJECTS', 'SIGN-IN', 'BUDGET', 'READ-ONLY'],
  row: ({ name, login, projects, budget, readOnly }) => [
    name,
    login?.role ?? '-',
    projects.map(({ project, role }) => `${project}:${role}`).join(',') || '-',
    login ? (login.disabled ? 'disabled' : 'enabled') : '-',
    budgetText(budget),
    readOnly.join(',') || '-',
  ],
});

/** The way in which the commands for projects differ from those for users. */
interface GroupKind<Info, Settings> {
  groups(admin: Admin): Groups<Info, Settings>;
  /** The options of `set`. */
  takes: string[];
  /** Returns the settings that the options change; `undefined` for those that stay, null for those that are removed. */
  change(settings: Settings | undefined, values: Options): Settings;
  settings(info: Info): Settings;
  head: string[];
  row(info: Info): string[];
}

function groupCommands<Info, Settings extends object>(kind: GroupKind<Info, Settings>): Commands {
  const { groups, head, row } = kind;
  const show = (info: Info, json = false) =>
    json ? JSON.stringify(info, null, 2) : table([head, row(info)]);
  return {
    list: {
      takes: [],
      async run(admin, { json }) {
        const data = await groups(admin()).list();
        return json ? JSON.stringify({ data }, null, 2) : table([head, ...data.map(row)]);
      },
    },
    show: {
      takes: [],
      argument: 'NAME',
      async run(admin, { json }, name) {
        return show(await groups(admin()).show(name), json);
      },
    },
    set: {
      takes: kind.takes,
      argument: 'NAME',
      async run(admin, values, name) {
        // An invalid option is reported even if the gateway cannot be reached.
        kind.change(undefined, values);
        const client = groups(admin());
        const found = await client.find(name);
        const before = found && kind.settings(found);
        const changed = Object.entries(kind.change(before, values)).filter(
          ([, value]) => value !== undefined,
        );
        const settings = { ...before, ...Object.fromEntries(changed) } as Settings;
        return show(await client.set(name, settings), values.json);
      },
    },
    delete: {
      takes: [],
      argument: 'NAME',
      async run(admin, { json }, name) {
        await groups(admin()).remove(name);
        return json ? JSON.stringify({ name, deleted: true }) : `${name} is deleted.`;
      },
    },
  };
}

/** Reads `requestsPerMinute=100,concurrency=5`. Limits of models stay as they are. */
export function limitsOf(
  text: string | undefined,
  before: ProjectSettings['limits'],
): ProjectSettings['limits'] {
  if (!text) return text === undefined ? undefined : null;
  const pairs = Object.entries(pairsOf('limits', text, 'requestsPerMinute=100,concurrency=5'));
  return {
    ...Object.fromEntries(pairs.map(([name, value]) => [name, numberOf('limits', value) ?? 0])),
    ...(before?.models && { models: before.models }),
  };
}

const endsStreams = 'ends-streams';

/** Reads `100/month` and `100/month,ends-streams`. */
export function budgetOf(text: string | undefined): UserSettings['budget'] {
  if (!text) return text === undefined ? undefined : null;
  const [most = '', ends] = text.split(',');
  const [amount = '', period, ...rest] = most.split('/');
  if (period === undefined || rest.length > 0 || (ends !== undefined && ends !== endsStreams))
    throw new UsageError(`--budget must be such as 100/month or 100/month,${endsStreams}`);
  return {
    amount: numberOf('budget', amount) ?? 0,
    period: period as NonNullable<UserInfo['budget']>['period'],
    ...(ends && { endsStreams: true }),
  };
}

function numberOf(option: string, text: string | undefined): number | null | undefined {
  if (!text) return text === undefined ? undefined : null;
  const number = Number(text);
  if (Number.isNaN(number)) throw new UsageError(`--${option} must hold numbers, but has '${text}'`);
  return number;
}

function limitsText(limits: ProjectInfo['limits']): string {
  const { models = {}, ...own } = limits ?? {};
  const textOf = (rates: object) =>
    Object.entries(rates)
      .map(([name, value]) => `${name}=${value}`)
      .join(',');
  const ofModels = Object.entries(models).map(([pattern, rates]) => `${pattern}(${textOf(rates)})`);
  return [textOf(own), ...ofModels].filter(Boolean).join(',') || '-';
}

function budgetText(budget: UserInfo['budget']): string {
  if (!budget) return '-';
  return `${budget.amount}/${budget.period}${budget.endsStreams ? `,${endsStreams}` : ''}`;
}
