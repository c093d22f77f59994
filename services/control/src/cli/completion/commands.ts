import { z } from 'zod/mini';
import type { Admin } from '../admin.ts';
import { type Command, command, type NameKind, nameKinds } from '../command.ts';
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

/** A page of things with names, of which the first one is enough: nobody reads more than a screen of them. */
const named = z.object({ data: z.array(z.object({ name: z.string(), id: z.optional(z.string()) })) });

const read = async (admin: Admin, path: string) => (await admin.ask(named, 'GET', `${path}?limit=1000`)).data;
const namesAt = async (admin: Admin, path: string): Promise<Names> =>
  (await read(admin, path)).map(({ name }) => [name]);
const idsAt = async (admin: Admin, path: string): Promise<Names> =>
  (await read(admin, path)).map(({ id = '', name }) => [id, name]);

const namesOf: Record<NameKind, (admin: Admin) => Promise<Names>> = {
  tokens: admin => idsAt(admin, '/tokens'),
  accounts: admin => idsAt(admin, '/accounts'),
  projects: admin => namesAt(admin, '/projects'),
  users: admin => namesAt(admin, '/users'),
  models: admin => namesAt(admin, '/models'),
  providers: admin => namesAt(admin, '/providers'),
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
