import type { EndpointName } from '@model-gateway/admin-api';
import type { Env } from '@model-gateway/service';
import type { GatewayClient } from './admin.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Target } from './login-file.ts';

/** The names that shell completion offers: those of the records that an endpoint lists, or of files. */
export type CompletedNames = EndpointName | 'files';

/** An option of a command. */
export interface Option {
  kind: 'text' | 'texts' | 'flag';
  /** The name of its value in help, such as NAME; '' for a flag. */
  value: string;
  /** The line of help. */
  about: string;
  /** The values that it may have; beside them, the empty text where the option is not required. */
  choices?: readonly string[] | undefined;
  required?: boolean | undefined;
  names?: CompletedNames | undefined;
}

type Extras = Pick<Option, 'choices' | 'required' | 'names'>;

/** Returns an option with a value. */
export function text<const Given extends Extras = object>(value: string, about: string, extras?: Given) {
  return { kind: 'text', value, about, ...(extras as Given) } as const;
}

/** Returns an option without a value. */
export function flag(about: string) {
  return { kind: 'flag', value: '', about } as const;
}

export type Options = Readonly<Record<string, Option>>;

/** The values of options; undefined for one that is not given. */
export type Values<Of extends Options> = { [Name in keyof Of]: Value<Of[Name]> };
type Value<Of extends Option> = Of['kind'] extends 'flag'
  ? boolean | undefined
  : Of['kind'] extends 'texts'
    ? string[] | undefined
    : string | undefined;

/** The values and services that a command gets. */
export interface Context<Of extends Options = Options> {
  /** Returns a client with a credential, whose requests take 30 s at most, or another time. @throws Error if there is none */
  admin(timeoutMs?: number): GatewayClient;
  values: Values<Of>;
  /** Returns the line of JSON of a record for `--json` and `--query`; undefined where the print is for people. */
  line: ((record: unknown) => string) | undefined;
  /** The argument; '' if there is none. */
  argument: string;
  target(): Target;
  /** The environment variables. */
  variables: Env;
}

/** The result of a command: a text, the parts of a long one, or a value for programs with its text for people. */
export type Result =
  | string
  | AsyncIterable<Uint8Array>
  | { value: unknown; text: () => string; exitCode?: ExitCode };

/** A command: what it is called, takes and does. */
export interface Command<Of extends Options = Options> {
  /** One word, or the subject and the verb, such as `token create`. */
  name: string;
  /** The line of help, such as `Create a token`. */
  about: string;
  argument?: Argument | undefined;
  options?: Of;
  /** Lines below its help. */
  notes?: string | undefined;
  /** Command lines below its help, without the name of the program. */
  examples: readonly string[];
  /** False if the command takes neither `--json` nor `--query`. */
  json?: false;
  run(context: Context<Of>): Promise<Result>;
}

export interface Argument {
  /** Such as ID. */
  name: string;
  about: string;
  choices?: readonly string[];
  names?: CompletedNames | undefined;
}

/** Returns a command whose values have the types of its options. */
export function command<const Of extends Options = Record<never, Option>>(spec: Command<Of>): Command {
  return spec as unknown as Command;
}
