import type { Endpoint, ListName } from '@model-gateway/admin-api';
import type { z } from 'zod/mini';
import { bodyOf } from './body-options.ts';
import { type Column, details, tableOf } from './cells.ts';
import {
  type Argument,
  type Command,
  type Context,
  command,
  flag,
  type Option,
  type Result,
} from './command.ts';
import { fieldsOf, isList, itemOf } from './contract.ts';
import { type Described, described, listOf, namesFor, samples } from './described.ts';
import { UsageError } from './exit-codes.ts';
import { optionName, optionOf, schemaOf } from './fields.ts';
import { confirm } from './prompts.ts';

/** The commands of the admin API: one for each endpoint, but for those that other commands call. */
export function endpointCommands(): readonly Command[] {
  const nouns = [...new Set(described.map(({ noun }) => noun))];
  const fixed = [
    {
      id: 'changeToken',
      verb: 'disable',
      summary: 'Disable a token: it is refused until it is enabled',
      disabled: true,
    },
    { id: 'changeToken', verb: 'enable', summary: 'Enable a disabled token', disabled: false },
  ].flatMap(({ id, disabled, ...words }) =>
    described
      .filter(each => each.id === id)
      .map(each => ({ ...each, ...words, row: { body: { disabled } } })),
  );
  return nouns.flatMap(noun => [...described, ...fixed].filter(each => each.noun === noun).map(commandOf));
}

function commandOf(each: Described): Command {
  if (each.mediaTypes) return exportCommand(each);
  if (each.method === 'get') return isList(each) ? listCommand(each) : sendCommand(each);
  return each.method === 'delete' ? deleteCommand(each) : sendCommand(each);
}

/** Returns the parts that every command of an endpoint has. */
function partsOf({ noun, verb, row, summary, path, ...endpoint }: Described) {
  const params = [...path.matchAll(/(\w+)\/\{(\w+)\}/g)].map(([, owner = '', param = '']) => ({
    owner: owner.replace(/s$/, ''),
    param,
  }));
  // A list is of what is in the record of its path.
  const key = isList(endpoint) ? undefined : params.at(-1);
  const others = params.filter(each => each !== key);
  const name = `${noun} ${verb}`;
  const owner = key && (key.owner === 'member' ? 'user' : noun);
  const argument: Argument | undefined = key && {
    name: key.param === 'id' ? 'ID' : 'NAME',
    about:
      key.param === 'id' && listOf(noun)
        ? `the id or the name of the ${noun}`
        : `the ${key.param} of the ${noun}`,
    names: listOf(owner ?? ''),
  };
  const required = others.map(({ owner }): [string, Option] => [
    owner,
    { ...optionOf(owner, {}, namesFor(owner)), about: `The ${owner}`, required: true },
  ]);
  const sample = [
    key && (samples[noun] ?? 'NAME'),
    ...others.map(({ owner }) => `--${owner} ${samples[owner] ?? 'NAME'}`),
  ]
    .filter(Boolean)
    .join(' ');
  return {
    ...{ name, about: summary, argument, notes: row.notes },
    examples: (row.examples ?? [sample]).map(words => `${name} ${words}`.trim()),
    sample,
    required: Object.fromEntries(required),
    /** Returns the parameters of the path. */
    paramsFor: ({ values, argument }: Pick<Context, 'values' | 'argument'>) => ({
      ...Object.fromEntries(others.map(({ owner, param }) => [param, String(values[owner] ?? '')])),
      ...(key && { [key.param]: argument }),
    }),
    key: key?.param ?? '',
  };
}

/** The options for the parameters of a query. */
export function queryOptions({ query }: Endpoint): Record<string, Option> {
  const { properties = {} } = query ? schemaOf(query) : {};
  return Object.fromEntries(
    Object.entries(properties).map(([field, schema]): [string, Option] => {
      const option = optionOf(field, schema, namesFor(field));
      const isRepeated = schema.anyOf?.some(({ type }) => type === 'array') === true;
      return [optionName(field), { ...option, kind: isRepeated ? 'texts' : 'text' }];
    }),
  );
}

/** Returns the query for the options that are given. @throws UsageError if one is empty */
export function queryOf(endpoint: Endpoint, values: Context['values']): URLSearchParams {
  const given = Object.keys(fieldsOf(endpoint.query)).flatMap(field =>
    [values[optionName(field)] ?? []].flat().map((value): [string, string] => [field, String(value)]),
  );
  const empty = given.find(([, value]) => value === '');
  if (empty) throw new UsageError(`--${optionName(empty[0])} must not be empty`);
  return new URLSearchParams(given);
}

function listCommand(each: Described): Command {
  const { required, paramsFor, sample, ...parts } = partsOf(each);
  const { id, row } = each;
  const isPaged = fieldsOf(each.response).next !== undefined;
  const fields = Object.keys(fieldsOf(itemOf(each.response)));
  const found = ['name', 'requestId', 'id'].find(field => fields.includes(field)) ?? fields[0];
  return command({
    ...parts,
    examples: [...parts.examples, `${parts.name}${sample && ` ${sample}`} --query 'data[].${found}'`],
    options: { ...required, ...queryOptions(each) },
    async run(context) {
      const [params, query, client] = [paramsFor(context), queryOf(each, context.values), context.admin()];
      const onePage = isPaged && (row.more !== undefined || query.has('limit') || query.has('cursor'));
      if (isPaged && !onePage) {
        const data: object[] = await client.list(id as ListName, { params, query });
        return { value: { data }, text: () => tableOf(columnsFor(each, { data }), data) };
      }
      let page = (await client.call(id, { params, query })) as unknown as {
        data: object[];
        next?: string | null;
      };
      // A search that takes long answers before it has found anything.
      while (page.data.length === 0 && page.next) {
        query.set('cursor', page.next);
        page = (await client.call(id, { params, query })) as unknown as typeof page;
      }
      const more = typeof row.more === 'function' ? row.more(page) : (row.more ?? 'Further ones');
      const next = page.next ? [`${more}: --cursor ${page.next}`] : [];
      const text = () =>
        [tableOf(columnsFor(each, page), page.data), ...next, ...(row.remarks?.(page) ?? [])].join('\n\n');
      return { value: page, text };
    },
  });
}

/** Returns the columns of an endpoint, of the list of its noun, or else the first fields of a record. */
function columnsFor(each: Described, response: object): readonly Column<object>[] {
  const { columns } = each.row;
  if (columns) return typeof columns === 'function' ? columns(response) : columns;
  const list = described.find(({ id }) => id === listOf(each.noun));
  if (list && list.id !== each.id && list.row.columns && !isList(each)) return columnsFor(list, response);
  const { properties = {} } = schemaOf((itemOf(each.response) ?? each.response) as z.ZodMiniType);
  return Object.keys(properties).slice(0, 8);
}

/** Returns a command that sends a request and shows the record of the response, or the list. */
function sendCommand(each: Described): Command {
  const { required, paramsFor, ...parts } = partsOf(each);
  const body = bodyOf(each);
  return command({
    ...parts,
    ...(body.isChange && {
      about: changeSummary(each),
      notes: `${each.row.notes ?? ''}\nSettings that are not given stay. An empty text removes one.`.trim(),
    }),
    options: { ...required, ...queryOptions(each), ...body.options },
    async run(context) {
      const [params, query] = [paramsFor(context), queryOf(each, context.values)];
      // An invalid option is reported even if the gateway cannot be reached.
      const sent = await body.read(context, params);
      const response = (await context
        .admin()
        .call(each.id, { params, query, ...(each.body && { body: sent }) })) as object | undefined;
      return resultOf(each, response, context.argument);
    },
  });
}

/** Says of an endpoint that sets everything what the command does, which leaves what is not given. */
function changeSummary({ summary }: Described): string {
  return summary.replace(/^Set all settings of (.+?), wh.*$/, 'Create or change $1');
}

function resultOf(each: Described, response: object | undefined, argument: string): Result {
  const { row, verb, noun } = each;
  if (!response) return { value: { [noun]: argument }, text: () => `${each.summary}: done.` };
  const secret = secretOf(response);
  const text = () => {
    if (row.print) return row.print(response);
    if (secret && Object.keys(response).length === 1) return secret.text;
    const { data = [response] } = response as { data?: object[] };
    const shown =
      verb === 'show' && !row.columns
        ? details(response, row.nulls)
        : tableOf(columnsFor(each, response), data);
    return secret ? `${shown}\n\n${secret.text}` : shown;
  };
  return { value: response, text, exitCode: row.exitCode?.(response) ?? 0 };
}

/** Writes the secret of a response that no other one holds; undefined if it has none. */
function secretOf(response: object): { text: string } | undefined {
  const [name, secret] =
    Object.entries(response).find(([field]) => field === 'token' || field === 'password') ?? [];
  if (name === undefined || typeof secret === 'boolean') return undefined;
  if (typeof secret === 'string')
    return { text: `${secret}\n\nThis is the only time that the ${name} is shown.` };
  return { text: `The ${name} is the one that was given.` };
}

const yes = flag('Do it without a question');

/** Returns a command that deletes or ends a record, or takes something from it. */
function deleteCommand(each: Described): Command {
  const { required, paramsFor, key, ...parts } = partsOf(each);
  const { id, noun, verb, row, path } = each;
  const participle = `${verb.replace(/e$/, '')}ed`;
  return command({
    ...parts,
    options: { ...required, ...queryOptions(each), yes },
    async run(context) {
      const { admin, values, argument: given } = context;
      const query = queryOf(each, values);
      const client = admin();
      const argument = await client.idOf(path, given);
      if (!values.yes) await confirm(`${parts.about}: ${given}.`);
      await client.call(id, { params: paramsFor({ values, argument }), query });
      const others = Object.fromEntries(
        Object.keys(required).map(name => [name, String((values as Context['values'])[name])]),
      );
      const words: Record<string, string> = { key: argument, ...others };
      const done = row.done ?? `${noun[0]?.toUpperCase()}${noun.slice(1)} {key} is ${participle}.`;
      return {
        value: { [row.key ?? key]: argument, ...others, ...(row.result ?? { [participle]: true }) },
        text: () => done.replace(/\{(\w+)\}/g, (_, name: string) => words[name] ?? ''),
      };
    },
  });
}

/** Returns a command that writes all records of a list as they come. */
function exportCommand(each: Described): Command {
  const { required: _, sample: __, paramsFor, ...parts } = partsOf(each);
  return command({
    ...parts,
    options: queryOptions(each),
    json: false,
    async run(context) {
      const query = queryOf(each, context.values);
      return chunksOf(await context.admin().fetch(each.id, { params: paramsFor(context), query }));
    },
  });
}

/** Returns the parts of a response, which may come slowly. */
export function chunksOf(response: Response): AsyncIterable<Uint8Array> {
  // A body without a reader is cancelled once its response has been garbage-collected.
  return (response.body as ReadableStream<Uint8Array>).values();
}
