import { gatewayVersion } from '@model-gateway/service';
import { CommanderError, Help, Command as Parser, Option as ParserOption } from 'commander';
import { type Command, type Context, flag, type Option, text } from './command.ts';
import { UsageError } from './exit-codes.ts';

/** A command line that was read: a command to run, or a text of help to print. */
type CommandLine =
  | {
      command: Command;
      values: Context['values'];
      argument: string;
      json: boolean;
      query: string | undefined;
    }
  | { help: string };

/** Reads a command line. @throws UsageError for an invalid one */
export function readCommandLine(args: string[], commands: readonly Command[], notes: string): CommandLine {
  let read: CommandLine | undefined;
  let help = '';
  const root = parserOf(commands, notes, found => (read = found));
  configure(root, text => (help += text));
  const asked = args[0] === 'help' ? helpOf(args.slice(1), commands) : args;
  if (asked.length === 0) throw new UsageError('no command was given; gateway help lists them');
  try {
    root.parse(asked, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { help: help.trimEnd() };
    if (error.code === 'commander.help')
      throw new UsageError(`${args.join(' ')} needs another word\n\n${help.trim()}`);
    throw new UsageError(error.message.replace(/^error: /, ''));
  }
  if (!read) throw new UsageError('no command was given; gateway help lists them');
  return read;
}

/** Returns the command line that prints the help of a command or of a subject. */
function helpOf(words: string[], commands: readonly Command[]): string[] {
  const asked = words.join(' ');
  if (asked !== '' && !commands.some(({ name }) => `${name} `.startsWith(`${asked} `)))
    throw new UsageError(`there is no help for '${asked}'; gateway help lists the commands`);
  return [...words, '--help'];
}

/** Makes the parser of all commands: those of two words are below a parser of their subject. */
function parserOf(commands: readonly Command[], notes: string, onRead: (read: CommandLine) => void): Parser {
  const root = new Parser('gateway')
    .description('Manage a model gateway.')
    .version(gatewayVersion, '-V, --version', 'print the version')
    .addHelpText('after', `\n${notes}`);
  const subjects = new Map<string, Parser>();
  for (const command of commands) {
    const [subject = '', verb] = command.name.split(' ');
    let parent = root;
    if (verb !== undefined) {
      parent = subjects.get(subject) ?? root.command(subject);
      subjects.set(subject, parent);
    }
    parent.addCommand(leafOf(command, verb ?? subject, onRead));
  }
  return root;
}

/** The options of every command that prints records. */
export const printOptions: Readonly<Record<string, Option>> = {
  json: flag('Print JSON, with exact times and every field'),
  query: text(
    'EXPRESSION',
    'Print the part of the JSON that a JMESPath expression selects, a text without quotes',
  ),
};

function leafOf(command: Command, word: string, onRead: (read: CommandLine) => void): Parser {
  const { argument, options = {}, notes, examples } = command;
  const leaf = new Parser(word).description(command.about).allowExcessArguments(false);
  if (argument) leaf.argument(`<${argument.name}>`, argument.about);
  for (const [name, option] of Object.entries(options)) leaf.addOption(parserOption(name, option));
  if (command.json !== false)
    for (const [name, option] of Object.entries(printOptions)) leaf.addOption(parserOption(name, option));
  if (notes) leaf.addHelpText('after', `\n${notes}`);
  leaf.addHelpText('after', ['\nExamples:', ...examples.map(line => `  gateway ${line}`)].join('\n'));
  return leaf.action(() => {
    const opts = leaf.opts();
    const values = Object.fromEntries(
      Object.keys(options).map(name => [name, opts[new ParserOption(`--${name}`).attributeName()]]),
    );
    check(values, options);
    const [given = ''] = leaf.args;
    if (argument?.choices && given !== '' && !argument.choices.includes(given))
      throw new UsageError(`${argument.name} must be ${alternatives(argument.choices)}, but is '${given}'`);
    onRead({ command, values, argument: given, json: opts.json === true, query: opts.query });
  });
}

function parserOption(name: string, { kind, value, about, choices, required }: Option): ParserOption {
  const line = [
    about,
    choices && !value.includes('|') && `: ${choices.join(', ')}`,
    required && ' (required)',
  ]
    .filter(Boolean)
    .join('');
  const option = new ParserOption(kind === 'flag' ? `--${name}` : `--${name} <${value}>`, line);
  return kind === 'texts' ? option.argParser<string[]>((text, before = []) => [...before, text]) : option;
}

function check(values: Context['values'], options: Readonly<Record<string, Option>>): void {
  for (const [name, { required, choices }] of Object.entries(options)) {
    const value = values[name];
    if (required && (value === undefined || value === '')) throw new UsageError(`--${name} is required`);
    if (!choices || value === undefined || (value === '' && !required)) continue;
    if (!choices.includes(String(value)))
      throw new UsageError(`--${name} must be ${alternatives(choices)}, but is '${value}'`);
  }
}

/** Writes `a, b or c`. */
function alternatives(choices: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(choices);
}

/** Gives every parser the same manner: errors are thrown, help goes to `write`, and the root's help lists all commands. */
function configure(parser: Parser, write: (text: string) => void): void {
  const leaves = (of: Parser, helper: Help): Parser[] =>
    of.commands.length === 0
      ? [of]
      : Help.prototype.visibleCommands.call(helper, of).flatMap(each => leaves(each, helper));
  const words = (of: Parser): string => (of.parent ? `${words(of.parent)} ${of.name()}`.trim() : '');
  parser
    .exitOverride()
    .helpCommand(false)
    .helpOption('-h, --help', 'print this help')
    .configureOutput({ writeOut: write, writeErr: write, outputError: () => {} })
    .configureHelp({
      formatHelp(of, helper) {
        const below = of.commands.length === 0 ? [] : leaves(of, helper);
        return Help.prototype.formatHelp.call(
          Object.assign(helper, { visibleCommands: () => below, subcommandTerm: words }),
          ...([of, helper] as const),
        );
      },
    });
  for (const each of parser.commands) configure(each, write);
}
