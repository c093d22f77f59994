import { isDeepStrictEqual } from 'node:util';
import { openKeptPrices } from '@model-gateway/catalog';
import { catalogText, environmentText } from '../import/catalog-text.ts';
import { importLitellm } from '../import/litellm/litellm.ts';
import { readConfig } from '../import/litellm/read-config.ts';
import { readNewApi } from '../import/new-api/database.ts';
import { importNewApi } from '../import/new-api/new-api.ts';
import { counted, countsOf, reportText } from '../import/report.ts';
import type { Imported } from '../import/result.ts';
import { rowsOf } from '../import/table-file.ts';
import { type GatewayClient, unless } from './admin.ts';
import { type Command, type Context, command, flag, type Result, text } from './command.ts';
import { CommandError } from './exit-codes.ts';
import { assertFree, type RequestedFile, readText, writeFiles } from './files.ts';

/** The options of every import. */
const importOptions = {
  output: text('FILE', 'Write gateway.yaml to this file; if absent, print it'),
  secrets: text('FILE', 'Write the secrets that the source holds to this file, as environment variables'),
  tokens: flag('Create the tokens, by their SHA-256, at the gateway'),
  force: flag('Replace files that exist'),
  'dry-run': flag('Write and create nothing, and report what would be'),
};

const importNotes = `Without --output, --secrets and --tokens nothing is written or created. Apply gateway.yaml before --tokens, so
that tokens find their projects and models. A second import creates no token twice.

The report lists every value of the source that is not carried over. See docs/migrating.md.`;

const litellm = command({
  name: 'import litellm',
  about: 'Convert a config.yaml of LiteLLM, and the keys of its database',
  examples: ['import litellm config.yaml --keys keys.jsonl --output gateway.yaml --secrets secrets.env'],
  argument: { name: 'CONFIG', about: 'the config.yaml', names: 'files' },
  options: {
    keys: text('FILE', 'An export of LiteLLM_VerificationToken, as JSON, a JSON object a line, or CSV'),
    teams: text('FILE', 'An export of LiteLLM_TeamTable: teams become projects'),
    users: text('FILE', 'An export of LiteLLM_UserTable: users become owners'),
    budgets: text('FILE', 'An export of LiteLLM_BudgetTable, to which keys refer'),
    ...importOptions,
  },
  notes: importNotes,
  async run(context) {
    const { values, argument, variables } = context;
    const rows = (path: string | undefined) => (path === undefined ? [] : rowsOf(readText(path), path));
    const imported = importLitellm({
      ...{ config: readConfig(argument), variables, now: new Date() },
      keys: rows(values.keys),
      teams: rows(values.teams),
      users: rows(values.users),
      budgets: rows(values.budgets),
    });
    return carryOut(imported, 'LiteLLM', context);
  },
});

const newApi = command({
  name: 'import new-api',
  about: 'Convert a SQLite database of new-api',
  examples: ['import new-api one-api.db --output gateway.yaml --tokens'],
  argument: { name: 'FILE', about: 'the database, such as one-api.db', names: 'files' },
  options: importOptions,
  notes: importNotes,
  async run(context) {
    const imported = importNewApi(readNewApi(context.argument), await openKeptPrices(), new Date());
    return carryOut(imported, 'new-api', context);
  },
});

export const importCommands: readonly Command[] = [litellm, newApi];

type ImportContext = Pick<Context<typeof importOptions>, 'admin' | 'values'>;

/** Writes and creates what is asked for, and returns the report. */
async function carryOut(
  imported: Imported,
  source: string,
  { admin, values }: ImportContext,
): Promise<Result> {
  const yaml = catalogText(imported, `Made from ${source} by gateway import. Check it before you apply it.`);
  const { output, force, tokens } = values;
  const [isDry, secretsFile] = [values['dry-run'] === true, values.secrets];
  const files: RequestedFile[] = [
    ...(output === undefined ? [] : [{ path: output, text: yaml }]),
    ...(secretsFile === undefined ? [] : [{ path: secretsFile, text: environmentText(imported.secrets) }]),
  ];
  if (!force) assertFree(files);
  if (!isDry) await writeFiles(files);
  const created = tokens && !isDry ? await createTokens(admin(), imported) : undefined;
  const notes = notesOf(imported, isDry, files, secretsFile, created, tokens === true);
  const remarks = (wanted: 'changed' | 'lost') =>
    imported.remarks.filter(({ outcome }) => outcome === wanted).map(({ outcome: _, ...remark }) => remark);
  const value = {
    carriedOver: countsOf(imported),
    changed: remarks('changed'),
    notCarriedOver: remarks('lost'),
    tokens: imported.tokens,
    ...(created && { created }),
    variables: [...imported.secrets.keys()],
    ...(output === undefined && { gatewayYaml: yaml }),
  };
  const text = () => {
    const report = [reportText(imported), ...notes].join('\n\n');
    if (output !== undefined) return report;
    // gateway.yaml alone is on standard output, so that it can be sent to a file.
    process.stderr.write(`${report}\n`);
    return yaml.trimEnd();
  };
  return { value, text };
}

function notesOf(
  { secrets, tokens }: Imported,
  isDry: boolean,
  files: readonly RequestedFile[],
  secretsFile: string | undefined,
  created: CreatedTokens | undefined,
  wantsTokens: boolean,
): string[] {
  const paths = files.map(({ path }) => path).join(' and ');
  const all = counted(tokens.length, 'tokens');
  const notes = [];
  if (paths !== '') notes.push(isDry ? `--dry-run: ${paths} would be written.` : `Written: ${paths}.`);
  if (secrets.size > 0 && secretsFile === undefined)
    notes.push(
      `The source holds the values of ${counted(secrets.size, 'variables')} of gateway.yaml: --secrets FILE writes them.`,
    );
  if (created?.created === 0) notes.push(`Nothing is new: of ${all}, all exist.`);
  else if (created) notes.push(`Tokens: ${created.created} created, ${created.existing} exist already.`);
  else if (tokens.length > 0 && wantsTokens) notes.push(`--dry-run: ${all} would be created.`);
  else if (tokens.length > 0)
    notes.push(
      `Not created yet: ${all}. Start the gateway with gateway.yaml, or apply it, then import again with --tokens.`,
    );
  return notes;
}

/** The numbers of tokens that were created, and of those that existed. */
interface CreatedTokens {
  created: number;
  existing: number;
}

/**
 * Creates the tokens that do not exist yet. Limits and budgets of projects and users must be in force before. @throws CommandError
 * if they are not
 */
async function createTokens(admin: GatewayClient, { catalog, tokens }: Imported): Promise<CreatedTokens> {
  for (const { name, limits, budget, allowUnpriced } of catalog.projects ?? [])
    assertInForce(
      'project',
      name,
      { limits, budget, allowUnpriced },
      await unless(404, admin.call('showProject', { params: { name } })),
    );
  for (const { name, budget } of catalog.users ?? [])
    assertInForce('user', name, { budget }, await unless(404, admin.call('showUser', { params: { name } })));
  let created = 0;
  for (const [at, { from, wanted }] of tokens.entries()) {
    const token = await unless('token_exists', admin.call('createToken', { body: wanted })).catch(error => {
      const done = `${created} of ${tokens.length} tokens were created, and an import again goes on after them`;
      throw new CommandError(`${from} (token ${at + 1}): ${error.message}; ${done}`, 1, { cause: error });
    });
    if (token) created++;
  }
  return { created, existing: tokens.length - created };
}

type Settings = Readonly<Record<string, unknown>>;

function assertInForce(kind: string, name: string, wanted: Settings, found: object | undefined): void {
  for (const [field, value] of Object.entries(wanted)) {
    if (value === undefined || isDeepStrictEqual((found as Settings | undefined)?.[field], value)) continue;
    throw new CommandError(
      `the ${kind} ${name} does not have the ${field} of the import: apply its gateway.yaml first, then create the tokens`,
      1,
    );
  }
}
