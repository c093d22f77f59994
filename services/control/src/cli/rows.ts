import type { EndpointName, ResponseOf } from '@model-gateway/admin-api';
import { type Column, details } from './cells.ts';
import type { CompletedNames } from './command.ts';
import type { ExitCode } from './exit-codes.ts';
import { readText } from './files.ts';
import {
  apiKeyText,
  keysOf,
  managerOf,
  outcomeOf,
  pricesText,
  runningTarget,
  seconds,
  secondsOf,
  targetOf,
  titleOf,
  upstreamOf,
} from './notations.ts';
import { passwordOf } from './prompts.ts';
import { money } from './table.ts';

/** A record of the response: of a list, one of the list. */
type RecordOf<Name extends EndpointName> =
  ResponseOf<Name> extends { data: (infer Item)[] } ? Item : ResponseOf<Name>;

/** The option for a field where it is not the one that follows from the schema. */
export interface FieldOption {
  /** The name of the option. */
  option?: string;
  kind?: 'flag' | 'texts';
  value?: string;
  about?: string;
  names?: CompletedNames;
  /** Returns the value of the field. @throws UsageError */
  read?(given: string): unknown;
  /** Returns the fields of the body, where the option sets several. @throws CommandError */
  sets?(given: string): object;
}

/** The properties of a command that do not follow from its endpoint. */
export interface Row<Name extends EndpointName> {
  /** The name, where it does not follow from that of the endpoint. */
  name?: string;
  columns?:
    | readonly Column<RecordOf<Name>>[]
    | ((response: ResponseOf<Name>) => readonly Column<RecordOf<Name>>[]);
  /** Writes the response for people, in place of a table. */
  print?(response: ResponseOf<Name>): string;
  /** Lines below the list. */
  remarks?(response: ResponseOf<Name>): string[];
  /** The list may be very long, so that only a page of it is read. The text stands before the cursor of the next. */
  more?: string | ((page: ResponseOf<Name>) => string);
  notes?: string;
  /** Options by the name of the field; `spread` for an object whose fields have an option each, null for none. */
  fields?: Readonly<Record<string, FieldOption | 'spread' | null>>;
  /** Fields that the command sets. */
  body?: object;
  /** The sentence once a record is deleted. `{key}` is its name, and other parameters stand by their names. */
  done?: string;
  /** The result of a deletion for programs, beside the key. */
  result?: object;
  /** The name of the key in that result. */
  key?: string;
  /** The words for null in the fields that `show` prints. */
  nulls?: Readonly<Record<string, string>>;
  exitCode?(response: ResponseOf<Name>): ExitCode;
  /** The words after the command in the examples of its help. */
  examples?: readonly string[];
}

/** The rows of commands by their endpoints. Null: a command of another file calls it. */
export const rows: { readonly [Name in EndpointName]?: Row<Name> | null } = {
  signOut: null,
  changePassword: null,
  applyCatalog: null,
  adoptEntry: null,
  showCatalog: null,
  followRunning: null,
  showDiagnostics: null,

  listTokens: {
    columns: [
      'id',
      ['TOKEN', ({ prefix }) => `${prefix}…`],
      'name',
      'project',
      'owner',
      'disabled',
      'expiresAt',
      'lastUsedAt',
    ],
    examples: ['--project lab --tag team:search', "--query 'data[?disabled].name'"],
  },
  createToken: {
    examples: ['--name laptop --budget 100/month', "--name ci --models 'gpt-*,claude-*' --query token"],
  },
  changeToken: { examples: ['laptop --limits requestsPerMinute=100,concurrency=10', "laptop --budget ''"] },
  showToken: { nulls: { models: 'all', endpoints: 'all', allowedAddresses: 'all' } },
  rotateToken: {
    fields: {
      graceSeconds: {
        ...{ option: 'grace', value: 'TIME', read: secondsOf },
        about: 'Time in which the old secret works, too, such as 90s, 15m, 12h or 7d',
      },
    },
    examples: ['laptop --grace 12h'],
  },

  listProjects: {
    columns: [
      'name',
      'limits',
      'budget',
      'allowUnpriced',
      'weight',
      'storeResponses',
      'storeErrors',
      'logging',
      ['MANAGED BY', managerOf],
    ],
  },
  setProject: {
    examples: [
      'lab --budget 1000/month --limits tokensPerMinute=200000',
      'lab --logging sample=0.1,redact=email+phone',
    ],
  },
  listUsers: {
    columns: [
      'name',
      ['EMAIL', 'login.email'],
      ['ROLE', 'login.role'],
      [
        'PROJECTS',
        ({ projects }) => projects.map(({ project, role }) => `${project}:${role}`).join(',') || '-',
      ],
      ['SIGN-IN', ({ login }) => (login ? (login.disabled ? 'disabled' : 'enabled') : '-')],
      'budget',
      ['MANAGED BY', managerOf],
    ],
  },
  setUser: { examples: ['ada --budget 20/week'] },
  changeLogin: {
    name: 'user login',
    fields: {
      oidc: {
        option: 'unlink-oidc',
        kind: 'flag',
        about: 'Unlink the identity at the OpenID provider, and sign the user out',
        read: () => null,
      },
    },
    examples: ['ada --email ada@example.com --role admin', 'ada --disabled yes --tokens disable'],
  },
  removeLogin: { name: 'user remove-login', done: '{key} cannot sign in any more.', result: { login: null } },
  resetPassword: {
    name: 'user password',
    fields: {
      password: {
        ...{ option: 'password-file', value: 'FILE', names: 'files', read: passwordOf },
        about: 'A file with the password; without it, one is made',
      },
    },
    examples: ['ada --password-file password.txt'],
  },
  listMembers: { columns: [['NAME', 'user'], 'role'] },
  setMember: { examples: ['ada --project lab --role manager'] },
  removeMember: { done: '{key} has no role in {project} any more.', result: { role: null }, key: 'user' },
  listAccounts: {
    columns: [
      'id',
      ['TOKEN', ({ prefix }) => `${prefix}…`],
      'name',
      'role',
      'projects',
      'expiresAt',
      'lastUsedAt',
    ],
  },
  createAccount: { examples: ['--name ci --role viewer --projects lab --expires-at 2030-01-31T12:00:00Z'] },
  rotateAccount: { examples: ['ci --expires-at 2030-01-31T12:00:00Z'] },
  revokeAccount: { done: 'Service account {key} is revoked.' },
  showSession: {
    columns: [
      ...(['name', 'kind', 'role'] as const),
      [
        'PROJECTS',
        ({ projects }) => projects.map(({ project, role }) => `${project}:${role}`).join(',') || '-',
      ],
      'expiresAt',
    ],
  },

  listProviders: {
    columns: [
      ...(['name', 'kind'] as const),
      ['BASE URL', ({ baseUrl }) => baseUrl ?? "the vendor's"],
      ['API KEY', ({ apiKey, apiKeys }) => (apiKeys ? `${apiKeys.length} keys` : apiKeyText(apiKey))],
      'pool',
      ['MANAGED BY', managerOf],
      'problems',
    ],
  },
  setProvider: {
    fields: {
      apiKey: {
        ...{ option: 'api-key-file', value: 'FILE', names: 'files' },
        about: 'A file here with its API key, which is stored sealed; - is standard input',
        sets: file => ({ apiKey: file === '' ? null : { value: readText(file).trim() }, apiKeys: null }),
      },
      apiKeys: {
        ...{ option: 'api-key-env', value: 'NAME', sets: keysOf },
        about: 'The variable of workers with its API key; several with a comma between two',
      },
      models: {
        ...{ option: 'discover', value: 'PREFIX' },
        read: prefix => (prefix === 'off' ? null : { discover: true, ...(prefix && { prefix }) }),
        about: 'List its models itself, with this text before each name; off ends it',
      },
    },
    examples: [
      'house --kind openai-compatible --base-url http://10.0.0.7:8000/v1 --api-key-file key.txt',
      'house --file house.yaml',
    ],
  },
  testProvider: testRow(),
  listCatalogModels: {
    name: 'model list',
    columns: [
      'name',
      ['TARGETS', ({ targets }) => targets.map(({ provider, model }) => `${provider}/${model}`).join(', ')],
      ['PRICE', pricesText],
      ['CONTEXT', ({ limits }) => String(limits.context ?? '-')],
      ['MANAGED BY', managerOf],
      'problems',
    ],
  },
  showCatalogModel: { name: 'model show' },
  setModel: {
    fields: {
      targets: {
        ...{ option: 'target', kind: 'texts', value: 'PROVIDER/MODEL', read: targetOf },
        about: "A provider and the model's name there; of several, in this order",
      },
      limits: 'spread',
    },
    examples: ['fast --target house/qwen3 --price input=0.1,output=0.4 --context 32000'],
  },
  testModel: testRow(),
  showPrices: {
    name: 'price list',
    columns: [
      'model',
      ['TARGET', ({ provider, upstreamModel }) => `${provider}/${upstreamModel}`],
      ['STATED BY', 'source'],
      ...(['price.input', 'price.cachedInput', 'price.output'] as const),
    ],
  },
  showSettings: {
    name: 'setting list',
    // The defaults are texts of documents.
    columns: [
      'name',
      ['VALUE', ({ value, default: usual }) => (value ?? usual?.replaceAll('`', '')) || '-'],
      'source',
    ],
  },

  totalUsage: {
    name: 'usage totals',
    columns: ({ by }) => [
      [by.toUpperCase(), 'key'],
      ...(['requests', 'failed', 'attempts', 'input', 'output'] as const),
      ['COST', ({ cost, unpriced }) => (cost === 0 && unpriced > 0 ? '-' : money(cost))],
      'unpriced',
      ['NOT CHARGED', ({ unchargedCost: cost }) => (cost === 0 ? '-' : money(cost))],
    ],
    examples: ['--by project --from 2026-11-01T00:00:00Z'],
  },
  listUsage: {
    more: 'Further ones',
    columns: [
      ...(['requestId', 'at', 'project', 'model', 'provider'] as const),
      ['OUTCOME', outcomeOf],
      ...(['ms', 'firstMs'] as const),
      ['INPUT', 'usage.input'],
      ['OUTPUT', 'usage.output'],
      [
        'COST',
        ({ cost, charged }) =>
          cost === null ? '-' : charged ? money(cost) : { amount: `${money(cost).amount} not charged` },
      ],
      ['UPSTREAM', upstreamOf],
    ],
    examples: ['--project lab --outcome failed', "--limit 1000 --query 'sum(data[].cost)'"],
  },
  exportUsage: { examples: ['--project lab > usage.csv'] },
  listRejected: { name: 'usage rejected', more: 'Further ones' },
  listRefused: {
    ...{
      name: 'request refused',
      more: 'Older requests',
      notes: 'The numbers of all: gateway usage refused',
    },
    columns: ['requestId', 'at', 'status', 'reason', 'code', 'param', 'model', 'token', 'project'],
  },
  totalRefused: {
    ...{ name: 'usage refused', notes: 'A few of them, one by one: gateway request refused' },
    columns: ['refused', 'status', 'reason', 'token', 'project', 'owner', 'last'],
  },
  listRequests: {
    ...{ more: 'Older requests', notes: 'Those in flight: gateway request running' },
    columns: [
      ...(['requestId', 'at', 'project', 'model', 'format', 'status', 'outcome', 'ms'] as const),
      ['SENT', 'request.bytes'],
      ['RECEIVED', 'response.bytes'],
    ],
  },
  showRequest: {
    print: ({ request, response, attempts, ...logged }) =>
      [
        details({ ...logged, attempts: attempts.length }),
        `${titleOf('Request', request)}\n${request.text}`,
        `${titleOf('Response', response)}\n${response.text}`.trimEnd(),
      ].join('\n\n'),
  },
  deleteRequest: { done: 'The texts of {key} are deleted.', key: 'requestId' },
  listRunning: {
    name: 'request running',
    more: ({ total }) => `Further ones, of ${total}`,
    columns: [
      'requestId',
      ['AGE', ({ ms }) => seconds(ms)],
      ...(['state', 'project'] as const),
      ['TOKEN', 'tokenName'],
      'model',
      ['TARGET', runningTarget],
      ['ATTEMPTS', ({ attempts }) => String(attempts)],
      'client',
    ],
    remarks: ({ unanswered }) =>
      unanswered.length > 0 ? [`Without those at: ${unanswered.join(', ')}`] : [],
  },
  endRunning: { name: 'request end', key: 'requestId' },
  listAudit: {
    more: 'Older events',
    columns: [
      'at',
      ['WHO', ({ actorKind, actor }) => (actorKind === 'user' ? actor : `${actor} (${actorKind})`)],
      ['FROM', 'address'],
      'action',
      ['SUBJECT', ({ subjectKind, subject }) => `${subjectKind} ${subject}`],
      'project',
    ],
    examples: ['--actor ada --from 2026-11-01T00:00:00Z'],
  },
  exportAudit: { examples: ['--project lab > audit.csv'] },
};

function testRow(): Row<'testModel'> & Row<'testProvider'> {
  return {
    notes: 'The exit code is 1 if a target fails.',
    columns: [
      ...(['provider', 'model'] as const),
      ['RESULT', ({ works, error }) => (works ? 'works' : `failed: ${error?.message}`)],
      ['MS', ({ ms }) => String(ms)],
    ],
    exitCode: ({ data }) => (data.every(({ works }) => works) ? 0 : 1),
  };
}
