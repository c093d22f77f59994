import type { Env } from '@model-gateway/service';
import { adminAt, readAccess, readTarget } from './admin.ts';
import type { Context, Result } from './command.ts';
import { readCommandLine } from './command-line.ts';
import { commands } from './commands.ts';
import { complete } from './completion.ts';
import { type ExitCode, UsageError } from './exit-codes.ts';
import { helpTopics, settingsHelp } from './help-topics.ts';

/** The text to print, or the parts of a long one, and the exit code. */
interface Outcome {
  printed: string | AsyncIterable<Uint8Array>;
  exitCode: ExitCode;
}

/** Runs a command line and returns what to print. @throws UsageError for an invalid command line, else Error */
export async function gateway(args: string[], env?: Env): Promise<Outcome> {
  const topic = args[0] === 'help' ? helpTopics[args[1] ?? ''] : undefined;
  if (topic) return { printed: topic, exitCode: 0 };
  const admin: Context['admin'] = timeoutMs => adminAt(readAccess(env), timeoutMs);
  if (args[0] === 'complete') return { printed: await complete(args.slice(1), commands, admin), exitCode: 0 };
  const read = readCommandLine(args, commands, settingsHelp);
  if ('help' in read) return { printed: read.help, exitCode: 0 };
  const { command, values, argument, json, query } = read;
  const select = query === undefined ? (value: unknown) => value : await selector(query);
  const isForPrograms = json || query !== undefined;
  const line = isForPrograms ? (record: unknown) => JSON.stringify(select(record)) : undefined;
  const target = () => readTarget(env);
  const result = await command.run({ values, argument, line, variables: env ?? {}, admin, target });
  return outcomeOf(result, isForPrograms ? select : undefined);
}

function outcomeOf(result: Result, select: ((value: unknown) => unknown) | undefined): Outcome {
  if (typeof result === 'string' || !('value' in result)) return { printed: result, exitCode: 0 };
  const { value, text, exitCode = 0 } = result;
  return { printed: select ? jsonText(select(value)) : text(), exitCode };
}

/** Writes a value for programs: a text that a query has selected stands without quotes. */
function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** Returns a function that selects parts of a value by a JMESPath expression. @throws UsageError for an invalid expression */
export async function selector(expression: string): Promise<(value: unknown) => unknown> {
  const { compile, search } = await import('jmespath');
  const checked = <Value>(evaluate: () => Value): Value => {
    try {
      return evaluate();
    } catch (error) {
      throw new UsageError(`--query must be a JMESPath expression: ${(error as Error).message}`);
    }
  };
  checked(() => compile(expression));
  return value => checked(() => search(value, expression));
}
