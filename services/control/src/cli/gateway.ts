import type { Env } from '@model-gateway/service';
import { adminAt, readAccess, readTarget } from './admin.ts';
import type { Outcome } from './command.ts';
import { readCommandLine } from './command-line.ts';
import { commands } from './commands.ts';
import { helpTopics, settingsHelp } from './help-topics.ts';
import { asDocumented } from './spellings.ts';

/** Runs a command line and returns what to print. @throws UsageError for an invalid command line, else Error */
export async function gateway(given: string[], env?: Env): Promise<Outcome> {
  const args = asDocumented(given);
  const topic = args[0] === 'help' ? helpTopics[args[1] ?? ''] : undefined;
  if (topic) return { printed: topic, exitCode: 0 };
  const read = readCommandLine(args, commands, settingsHelp);
  if ('help' in read) return { printed: read.help, exitCode: 0 };
  const { command, values, argument, json } = read;
  const done = await command.run({
    ...{ values, argument, json, variables: env ?? {} },
    admin: timeoutMs => adminAt(readAccess(env), timeoutMs),
    target: () => readTarget(env),
  });
  return typeof done === 'object' && 'printed' in done ? done : { printed: done, exitCode: 0 };
}
