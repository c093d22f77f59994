import { type Command, command, type NameKind, nameKinds } from '../command.ts';
import type { GatewayClient } from '../gateway-client.ts';
import { entriesOf } from './entries.ts';
import { scripts } from './scripts.ts';

const shells = Object.keys(scripts) as (keyof typeof scripts)[];

/** The longest time in which names are looked up, in milliseconds: the person who presses Tab waits. */
const lookUpMs = 2_000;

const printNames = command({
  name: 'complete-names',
  about: 'Print the names of things, for completion',
  argument: { name: 'KIND', about: 'the kind of things', choices: nameKinds },
  hidden: true,
  json: false,
  async run({ admin, argument }) {
    // A shell that completes a word has no place for an error.
    const names = await namesOf[argument as NameKind](admin(lookUpMs)).catch(() => []);
    return names.map(([name, about = '']) => `${name}\t${about}`).join('\n');
  },
});

type Names = [name: string, about?: string][];

/** The first page, which is more than a screen holds. */
const query = { limit: '1000' };
const byName = (things: { name: string }[]): Names => things.map(({ name }) => [name]);
const byId = (things: { id: string; name: string }[]): Names => things.map(({ id, name }) => [id, name]);

const namesOf: Record<NameKind, (admin: GatewayClient) => Promise<Names>> = {
  tokens: async admin => byId((await admin.call('listTokens', { query })).data),
  accounts: async admin => byId((await admin.call('listAccounts', { query })).data),
  projects: async admin => byName((await admin.call('listProjects', { query })).data),
  users: async admin => byName((await admin.call('listUsers', { query })).data),
  models: async admin => byName((await admin.call('listCatalogModels', { query })).data),
  providers: async admin => byName((await admin.call('listProviders', { query })).data),
};

/** Returns the commands for shell completion of all commands, these included. */
export function completionCommands(others: readonly Command[]): readonly Command[] {
  const printScript: Command = command({
    name: 'completion',
    about: 'Print a script for shell completion: source <(gateway completion bash)',
    argument: { name: 'SHELL', about: 'the shell', choices: shells },
    json: false,
    async run({ argument }) {
      return scripts[argument as keyof typeof scripts](entriesOf([...others, printScript]));
    },
  });
  return [printScript, printNames];
}
