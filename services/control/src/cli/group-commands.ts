import type { ProjectInfo, ProjectSettings, UserInfo, UserSettings } from '@model-gateway/admin-api';
import type { Admin, Groups } from './admin.ts';
import { type Command, command, type Options, text, type Values } from './command.ts';
import { UsageError } from './exit-codes.ts';
import { loggingOf, loggingText } from './logging-option.ts';
import { answerOf, numberOf, pairsOf } from './option-values.ts';
import { type Cell, jsonText, table } from './table.ts';

const budget = text(
  'BUDGET',
  'US dollars a day, week, month or in total, such as 100/month; with 100/month,streams-go-on running streams do not end once it is spent',
);
const yesOrNo = { choices: ['yes', 'no'] } as const;

const projectOptions = {
  limits: text('LIMITS', 'such as requestsPerMinute=100,tokensPerMinute=200000,concurrency=10'),
  budget,
  'allow-unpriced': text('ANSWER', 'models without a price may be used though there is a budget', yesOrNo),
  weight: text('NUMBER', 'share of busy workers, beside those of other projects'),
  'store-responses': text('ANSWER', 'its responses are stored', yesOrNo),
  'store-errors': text('ANSWER', 'the messages of its failed attempts are stored', yesOrNo),
  logging: text(
    'LOGGING',
    'stores the texts of requests and answers, such as sample=0.1,redact=email+phone,retentionDays=7,maxBytes=20000',
  ),
};

export const projectCommands = groupCommands({
  noun: 'project',
  names: 'projects',
  groups: admin => admin.projects,
  options: projectOptions,
  change: (settings, values) => ({
    limits: limitsOf(values.limits, settings?.limits),
    budget: budgetOf(values.budget),
    allowUnpriced: answerOf(values['allow-unpriced']),
    weight: numberOf('weight', values.weight),
    storeResponses: answerOf(values['store-responses']),
    storeErrors: answerOf(values['store-errors']),
    logging: loggingOf(values.logging, settings?.logging),
  }),
  settings: ({ limits, budget, allowUnpriced, prices, weight, storeResponses, storeErrors, logging }) => ({
    ...{ limits, budget, allowUnpriced, prices, weight, storeResponses, storeErrors, logging },
  }),
  head: [
    ...['NAME', 'LIMITS', 'BUDGET', 'UNPRICED', 'WEIGHT', 'STORES RESPONSES', 'STORES ERRORS'],
    ...['LOGGING', 'READ-ONLY'],
  ],
  row: ({ name, limits, budget, allowUnpriced, weight, storeResponses, storeErrors, logging, readOnly }) => [
    name,
    limitsText(limits),
    budgetText(budget),
    allowUnpriced ? 'yes' : 'no',
    weight ?? 1,
    storeResponses === false ? 'no' : 'yes',
    storeErrors === false ? 'no' : 'yes',
    loggingText(logging),
    readOnly.join(',') || '-',
  ],
});

export const userCommands = groupCommands({
  noun: 'user',
  names: 'users',
  groups: admin => admin.users,
  options: { budget },
  change: (_, values) => ({ budget: budgetOf(values.budget) }),
  settings: ({ budget }) => ({ budget }),
  head: ['NAME', 'EMAIL', 'ROLE', 'PROJECTS', 'SIGN-IN', 'BUDGET', 'READ-ONLY'],
  row: ({ name, login, projects, budget, readOnly }) => [
    name,
    login?.email ?? '-',
    login?.role ?? '-',
    projects.map(({ project, role }) => `${project}:${role}`).join(',') || '-',
    login ? (login.disabled ? 'disabled' : 'enabled') : '-',
    budgetText(budget),
    readOnly.join(',') || '-',
  ],
});

/** The way in which the commands for projects differ from those for users. */
interface GroupKind<Info, Settings, Of extends Options> {
  noun: 'project' | 'user';
  names: 'projects' | 'users';
  groups(admin: Admin): Groups<Info, Settings>;
  /** The options of `set`. */
  options: Of;
  /** Returns the settings that the options change; `undefined` for those that stay, null for those that are removed. */
  change(settings: Settings | undefined, values: Values<Of>): Settings;
  settings(info: Info): Settings;
  head: string[];
  row(info: Info): Cell[];
}

function groupCommands<Info, Settings extends object, const Of extends Options>(
  kind: GroupKind<Info, Settings, Of>,
): readonly Command[] {
  const { noun, groups, head, row } = kind;
  const argument = { name: 'NAME', about: `the name of the ${noun}`, names: kind.names };
  const show = (info: Info, json: boolean) => (json ? jsonText(info) : table([head, row(info)]));
  return [
    command({
      name: `${noun} list`,
      about: `List the ${noun}s, with the settings in force`,
      async run({ admin, json }) {
        const data = await groups(admin()).list();
        return json ? jsonText({ data }) : table([head, ...data.map(row)]);
      },
    }),
    command({
      name: `${noun} show`,
      about: `Show a ${noun}, with the settings in force`,
      argument,
      run: async ({ admin, argument, json }) => show(await groups(admin()).show(argument), json),
    }),
    setCommand(kind, { ...argument, about: `${argument.about}, which is made if there is none` }, show),
    command({
      name: `${noun} delete`,
      about: `Delete a ${noun}`,
      argument,
      async run({ admin, argument, json }) {
        await groups(admin()).remove(argument);
        return json ? JSON.stringify({ name: argument, deleted: true }) : `${argument} is deleted.`;
      },
    }),
  ];
}

function setCommand<Info, Settings extends object, const Of extends Options>(
  { noun, groups, options, change, settings }: GroupKind<Info, Settings, Of>,
  argument: NonNullable<Command['argument']>,
  show: (info: Info, json: boolean) => string,
): Command {
  return command<Of>({
    name: `${noun} set`,
    about: `Change settings of a ${noun}; those that are not given stay, and an empty text removes one`,
    argument,
    options,
    async run({ admin, values, argument: name, json }) {
      // An invalid option is reported even if the gateway cannot be reached.
      change(undefined, values);
      const client = groups(admin());
      const found = await client.find(name);
      const before = found && settings(found);
      const changed = Object.entries(change(before, values)).filter(([, value]) => value !== undefined);
      return show(await client.set(name, { ...before, ...Object.fromEntries(changed) } as Settings), json);
    },
  });
}

/** Reads `requestsPerMinute=100,concurrency=5`. Limits of models stay as they are. */
export function limitsOf(
  given: string | undefined,
  before: ProjectSettings['limits'],
): ProjectSettings['limits'] {
  if (!given) return given === undefined ? undefined : null;
  const pairs = Object.entries(pairsOf('limits', given, 'requestsPerMinute=100,concurrency=5'));
  return {
    ...Object.fromEntries(pairs.map(([name, value]) => [name, numberOf('limits', value) ?? 0])),
    ...(before?.models && { models: before.models }),
  };
}

const streamsGoOn = 'streams-go-on';
/** The default, which may be stated. */
const endsStreams = 'ends-streams';

/** Reads `100/month` and `100/month,streams-go-on`. */
export function budgetOf(given: string | undefined): UserSettings['budget'] {
  if (!given) return given === undefined ? undefined : null;
  const [most = '', streams] = given.split(',');
  const [amount = '', period, ...rest] = most.split('/');
  const isKnown = streams === undefined || streams === endsStreams || streams === streamsGoOn;
  if (period === undefined || rest.length > 0 || !isKnown)
    throw new UsageError(`--budget must be such as 100/month or 100/month,${streamsGoOn}`);
  return {
    amount: numberOf('budget', amount) ?? 0,
    period: period as NonNullable<UserInfo['budget']>['period'],
    ...(streams && { endsStreams: streams === endsStreams }),
  };
}

export function limitsText(limits: ProjectInfo['limits']): string {
  const { models = {}, ...own } = limits ?? {};
  const textOf = (rates: object) =>
    Object.entries(rates)
      .map(([name, value]) => `${name}=${value}`)
      .join(',');
  const ofModels = Object.entries(models).map(([pattern, rates]) => `${pattern}(${textOf(rates)})`);
  return [textOf(own), ...ofModels].filter(Boolean).join(',') || '-';
}

export function budgetText(budget: UserInfo['budget']): string {
  if (!budget) return '-';
  return `${budget.amount}/${budget.period}${budget.endsStreams === false ? `,${streamsGoOn}` : ''}`;
}
