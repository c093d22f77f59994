import type { Env } from '@model-gateway/service';
import type { ExitCode } from './exit-codes.ts';
import type { GatewayClient } from './gateway-client.ts';
import type { Target } from './login-file.ts';

/** An option of a command. */
export interface Option {
  kind: 'text' | 'texts' | 'flag';
  /** The name of its value in help, such as NAME; '' for a flag. */
  value: string;
  /** The line of help. */
  about: string;
  /** The values that it may have; beside them, the empty text where the option is not required. */
  choices?: readonly string[];
  required?: true;
  /** The things whose names shell completion offers. */
  names?: CompletedNames;
}

/** The things whose names shell completion looks up. */
export const nameKinds = ['tokens', 'projects', 'users', 'models', 'providers', 'accounts'] as const;
export type NameKind = (typeof nameKinds)[number];

/** The names that shell completion offers; `files` for those of the disk. */
export type CompletedNames = NameKind | 'files';

type Extras = Pick<Option, 'choices' | 'required' | 'names'>;

/** Returns an option with a value. */
export function text<const Given extends Extras = object>(value: string, about: string, extras?: Given) {
  return { kind: 'text', value, about, ...(extras as Given) } as const;
}

/** Returns an option with a value that may be given several times. */
export function texts(value: string, about: string) {
  return { kind: 'texts', value, about } as const;
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
    : Of extends { required: true }
      ? Choice<Of>
      : Choice<Of> | undefined;
type Choice<Of> = Of extends { choices: readonly (infer Each extends string)[] } ? Each : string;

/** The values and services that a command gets. */
export interface Context<Of extends Options = Options> {
  /** Returns a client with a credential, whose requests take 30 s at most, or another time. @throws Error if there is none */
  admin(timeoutMs?: number): GatewayClient;
  values: Values<Of>;
  /** The print is for a program: JSON. */
  json: boolean;
  /** The argument; '' if there is none. */
  argument: string;
  target(): Target;
  /** The environment variables. */
  variables: Env;
}

/** The text to print, or the parts of a long one. */
export type Printed = string | AsyncIterable<Uint8Array>;

/** The print of a command that ends with another exit code than 0. */
export interface Outcome {
  printed: Printed;
  exitCode: ExitCode;
}

/** A command: what it is called, takes and does. */
export interface Command<Of extends Options = Options> {
  /** One word, or the subject and the verb, such as `token create`. */
  name: string;
  /** The line of help, such as `Make a token`. */
  about: string;
  argument?: Argument;
  options?: Of;
  /** Lines below its help. */
  notes?: string;
  /** Absent if the command takes `--json`. */
  json?: false;
  /** True for a command of scripts, which help does not list. */
  hidden?: true;
  run(context: Context<Of>): Promise<Printed | Outcome>;
}

export interface Argument {
  /** Such as ID. */
  name: string;
  about: string;
  optional?: true;
  choices?: readonly string[];
  /** The things whose names shell completion offers. */
  names?: CompletedNames;
}

/** Returns a command whose values have the types of its options. */
export function command<const Of extends Options = Record<never, Option>>(spec: Command<Of>): Command {
  return spec as unknown as Command;
}
