import { type Endpoint, type EndpointName, endpoints } from '@model-gateway/admin-api';
import type { z } from 'zod/mini';
import { type Option, type Options, text, texts } from './command.ts';

/** The option for each parameter of a query, by the parameter's name. */
const known: Readonly<Record<string, Option>> = {
  from: text('TIME', 'the first time, an RFC 3339 one'),
  to: text('TIME', 'the time up to which they are listed, an RFC 3339 one'),
  token: text('ID', 'the token', { names: 'tokens' }),
  project: text('NAME', 'the project', { names: 'projects' }),
  owner: text('NAME', 'the user who owns the token', { names: 'users' }),
  tag: texts('NAME:VALUE', 'a tag of the token; of several, each must match'),
  model: text('NAME', 'the model', { names: 'models' }),
  provider: text('NAME', 'the provider', { names: 'providers' }),
  by: text('GROUP', 'token, project, owner, model (default), provider, day, or a tag such as tag:team'),
  request: text('ID', 'the request, as in x-request-id'),
  outcome: text('OUTCOME', 'the outcome of the attempt'),
  error: text('KIND', 'the kind of its error'),
  reason: text('KIND', 'the kind of the error, such as rate-limited'),
  endedBy: text('NAME', 'the administrator who ended the request', { names: 'users' }),
  format: text('FORMAT', "the client's format"),
  state: text('STATE', 'the state'),
  actor: text('NAME', 'the user or service account that did it', { names: 'users' }),
  actorKind: text('KIND', 'the kind of that one'),
  action: text('NAME', 'such as createToken'),
  subject: text('NAME', 'the name or id of what was changed'),
  subjectKind: text('KIND', 'the kind of what was changed'),
  name: text('TEXT', 'a part of the name'),
  disabled: text('ANSWER', 'disabled or not'),
  expiresBefore: text('TIME', 'the time before which the token expires, an RFC 3339 one'),
  managedBy: text('OWNER', 'the place where it is stated'),
  role: text('ROLE', 'the role'),
  seconds: text('NUMBER', 'end after this time'),
  limit: text('NUMBER', 'as many at most'),
  cursor: text('CURSOR', 'the page that follows another one'),
};

/**
 * Returns the options of a command for the parameters of an endpoint's query, without those that it sets itself.
 * @throws Error for a parameter that is not in the table
 */
export function parameterOptions(endpoint: EndpointName, without: readonly string[] = []): Options {
  const { query }: Endpoint = endpoints[endpoint];
  const shown = Object.entries(query?.shape ?? {}).filter(([parameter]) => !without.includes(parameter));
  return Object.fromEntries(
    shown.map(([parameter, schema]) => {
      const option = known[parameter];
      if (!option) throw new Error(`no option is known for the parameter '${parameter}' of ${endpoint}`);
      const choices = choicesOf(schema as z.ZodMiniType);
      return [optionName(parameter), { ...option, ...(choices && { choices }) }];
    }),
  );
}

/** Returns the values of a parameter that has few. */
function choicesOf(schema: z.ZodMiniType): readonly string[] | undefined {
  const { def } = (schema as z.core.$ZodType)._zod as { def: z.core.$ZodTypes['_zod']['def'] };
  if (def.type === 'optional') return choicesOf(def.innerType as z.ZodMiniType);
  if (def.type === 'pipe') return choicesOf(def.in as z.ZodMiniType);
  return def.type === 'enum' ? Object.keys(def.entries) : undefined;
}

/** Writes `expiresBefore` as `expires-before`. */
function optionName(parameter: string): string {
  return parameter.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
}

/** Writes `expires-before` as `expiresBefore`. */
export function parameterName(option: string): string {
  return option.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
