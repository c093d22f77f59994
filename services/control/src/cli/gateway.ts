import { parseArgs } from 'node:util';
import type { TokenInfo } from '@model-gateway/admin-api';
import type { Env } from '@model-gateway/service';
import { Admin, readAccess } from './admin.ts';

export const usage = `Usage:
  gateway token create --name NAME [--expires-at TIME] [--project PROJECT] [--json]
  gateway token list [--json]
  gateway token revoke ID [--json]

TIME is an RFC 3339 time such as 2030-01-31T12:00:00Z.

Settings:
  GATEWAY_URL          where the gateway is (http://127.0.0.1:8080)
  GATEWAY_ADMIN_TOKEN  the admin token; if unset, the file admin-token in GATEWAY_DATA
  GATEWAY_DATA         the gateway's data folder (.gateway)`;

/** An invalid command line. */
export class UsageError extends Error {}

const options = {
  name: { type: 'string' },
  'expires-at': { type: 'string' },
  project: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Options = ReturnType<typeof parse>['values'];

/** Runs a command line and returns the text to print. @throws UsageError for an invalid command line, else Error */
export async function gateway(args: string[], env?: Env): Promise<string> {
  const { values, positionals } = parse(args);
  if (values.help) return usage;
  const [subject, verb, ...rest] = positionals;
  const command = subject === 'token' ? commands[verb ?? ''] : undefined;
  if (!command)
    throw new UsageError(subject ? `unknown command '${positionals.join(' ')}'` : 'no command was given');
  const stray = Object.keys(values).find(name => name !== 'json' && !command.takes.includes(name));
  if (stray) throw new UsageError(`token ${verb} does not accept --${stray}`);
  return command.run(() => new Admin(readAccess(env)), values, rest);
}

interface Command {
  takes: string[];
  run(admin: () => Admin, values: Options, rest: string[]): Promise<string>;
}

const commands: Partial<Record<string, Command>> = {
  create: {
    takes: ['name', 'expires-at', 'project'],
    async run(admin, { name, project, json, 'expires-at': expiresAt }, rest) {
      if (!name) throw new UsageError('--name is required');
      if (rest.length > 0) throw new UsageError(`unexpected argument '${rest[0]}'`);
      const issued = await admin().create({ name, project, expiresAt });
      if (json) return JSON.stringify(issued, null, 2);
      return `${table([issued])}\n\n${issued.token}\n\nThis is the only time that the token is shown.`;
    },
  },
  list: {
    takes: [],
    async run(admin, { json }, rest) {
      if (rest.length > 0) throw new UsageError(`unexpected argument '${rest[0]}'`);
      const tokens = await admin().list();
      return json ? JSON.stringify({ data: tokens }, null, 2) : table(tokens);
    },
  },
  revoke: {
    takes: [],
    async run(admin, { json }, [id, ...rest]) {
      if (!id) throw new UsageError('ID is required');
      if (rest.length > 0) throw new UsageError(`unexpected argument '${rest[0]}'`);
      await admin().revoke(id);
      return json ? JSON.stringify({ id, revoked: true }) : `Token ${id} is revoked.`;
    },
  },
};

function parse(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function table(tokens: TokenInfo[]): string {
  const rows = tokens.map(({ id, prefix, name, project, createdAt, expiresAt }) => [
    id,
    `${prefix}…`,
    name,
    project,
    createdAt,
    expiresAt ?? 'never',
  ]);
  const lines = [['ID', 'TOKEN', 'NAME', 'PROJECT', 'CREATED', 'EXPIRES'], ...rows];
  const widths =
    lines[0]?.map((_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0))) ?? [];
  return lines
    .map(line =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
