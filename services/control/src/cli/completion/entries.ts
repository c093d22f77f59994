import type { Command, CompletedNames } from '../command.ts';

/** A word that completion offers, with the line of help that shells show beside it. */
export interface Offer {
  word: string;
  about: string;
}

/** The values that may follow. */
export interface Values {
  /** The words before, such as `member set --role` for an option or `token revoke` for an argument. */
  after: string;
  choices: readonly string[];
  names: CompletedNames | undefined;
}

/** Everything that completion offers, by the words before. */
export interface Entries {
  /** The words of commands; of a subject, its verbs. */
  next: Map<string, Offer[]>;
  options: Map<string, Offer[]>;
  /** The options that take a value, each after the words of its command. */
  valued: string[];
  values: Values[];
}

/** Collects what completion offers from the commands. */
export function entriesOf(commands: readonly Command[]): Entries {
  const entries: Entries = { next: new Map(), options: new Map(), valued: [], values: [] };
  for (const command of commands.filter(({ hidden }) => !hidden)) {
    const [subject = '', verb] = command.name.split(' ');
    const top = entries.next.get('') ?? [];
    if (!top.some(({ word }) => word === subject))
      top.push({ word: subject, about: verb ? `Commands of ${subject}` : command.about });
    entries.next.set('', top);
    if (verb)
      entries.next.set(subject, [...(entries.next.get(subject) ?? []), { word: verb, about: command.about }]);
    addOptions(entries, command);
  }
  return entries;
}

function addOptions(entries: Entries, { name, options = {}, argument, json }: Command): void {
  const offers = Object.entries(options).map(([option, { about }]) => ({ word: `--${option}`, about }));
  const own = json === false ? [] : [{ word: '--json', about: 'print JSON, for programs' }];
  entries.options.set(name, [...offers, ...own, { word: '--help', about: 'print help' }]);
  for (const [option, { kind, choices = [], names }] of Object.entries(options)) {
    if (kind === 'flag') continue;
    entries.valued.push(`${name} --${option}`);
    if (choices.length > 0 || names) entries.values.push({ after: `${name} --${option}`, choices, names });
  }
  const { choices = [], names } = argument ?? {};
  if (choices.length > 0 || names) entries.values.push({ after: name, choices, names });
}
