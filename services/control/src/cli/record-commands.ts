import {
  type Endpoint,
  type EndpointName,
  endpoints,
  type ItemOf,
  type ListName,
  type RequestParts,
  type ResponseOf,
} from '@model-gateway/admin-api';
import { type Argument, type Command, command, flag, type Options, text, type Values } from './command.ts';
import { confirm } from './confirm.ts';
import { queryOf } from './option-values.ts';
import { parameterOptions } from './parameters.ts';
import { type Columns, jsonText, tableOf } from './table.ts';

interface Described {
  /** Such as `token list`. */
  name: string;
  about: string;
  notes?: string;
}

interface ListSpec<Name extends ListName> extends Described, Columns<ItemOf<Name>> {
  endpoint: Name;
  /** The option whose value is a parameter of the path. */
  within?: { param: string; option: ReturnType<typeof text> };
}

/** Returns a command that lists all records, filtered by the parameters of the endpoint. */
export function listCommand<Name extends ListName>(spec: ListSpec<Name>): Command {
  const { name, about, endpoint, within } = spec;
  return command({
    ...{ name, about },
    options: {
      ...(within && { [within.param]: within.option }),
      ...parameterOptions(endpoint, ['limit', 'cursor']),
    } as Options,
    async run({ admin, values, json }) {
      const { [within?.param ?? '']: parent, ...filters } = values;
      const params = { name: String(parent) };
      const query = queryOf(filters);
      const data = await admin().list(endpoint, { params, query });
      return json ? jsonText({ data }) : tableOf(spec, data);
    },
  });
}

interface PageSpec<Name extends ListName> extends Described, Columns<ItemOf<Name>> {
  endpoint: Name;
  /** Returns the words before the cursor of the next page. */
  more(page: ResponseOf<Name>): string;
  /** Options in place of those of the endpoint's parameters. */
  options?: Options;
  /** Returns lines about a page beside its records. */
  remarks?(page: ResponseOf<Name>): string[];
}

/** Returns a command that lists one page of records, of which there may be very many. */
export function pageCommand<Name extends ListName>(spec: PageSpec<Name>): Command {
  const { name, about, notes, endpoint, more, remarks = () => [] } = spec;
  return command({
    ...{ name, about, ...(notes && { notes }) },
    options: { ...parameterOptions(endpoint), ...spec.options } as Options,
    async run({ admin, values, json }) {
      const query = queryOf(values);
      let page = await admin().page(endpoint, { query });
      // A search that takes long answers before it has found anything.
      while (page.data.length === 0 && page.next !== null) {
        query.set('cursor', page.next);
        page = await admin().page(endpoint, { query });
      }
      if (json) return jsonText(page);
      const next = page.next === null ? [] : [`${more(page)}: --cursor ${page.next}`];
      return [tableOf(spec, page.data), ...next, ...remarks(page)].join('\n\n');
    },
  });
}

/** Returns a command that writes all records of a list as they come. */
export function exportCommand({ name, about, endpoint }: Described & { endpoint: EndpointName }): Command {
  const format = text('FORMAT', 'the format (csv)', { choices: ['csv', 'jsonl'] });
  return command({
    ...{ name, about },
    options: { format, ...parameterOptions(endpoint, ['format']) } as Options,
    json: false,
    async run({ admin, values }) {
      const query = queryOf(values);
      return partsOf(await admin().fetch(endpoint, { query }));
    },
  });
}

/** Returns the parts of a response, which may come slowly. */
export function partsOf(response: Response): AsyncIterable<Uint8Array> {
  // A body without a reader is cancelled once its response has been garbage-collected.
  return (response.body as ReadableStream<Uint8Array>).values();
}

interface ShowSpec<Name extends EndpointName> extends Described {
  argument: Argument;
  endpoint: Name;
  print(info: ResponseOf<Name>): string;
}

/** Returns a command that shows one record. */
export function showCommand<Name extends EndpointName>(spec: ShowSpec<Name>): Command {
  const { name, about, argument, endpoint, print } = spec;
  return command({
    ...{ name, about, argument },
    async run({ admin, argument: key, json }) {
      const info = await admin().call(endpoint, { params: paramOf(endpoint, key) });
      return json ? jsonText(info) : print(info);
    },
  });
}

interface RemoveSpec<Of extends Options> extends Described {
  argument: Argument;
  endpoint: EndpointName;
  options?: Of;
  /** Returns the parts of the request for the options. */
  parts?(values: Values<Of>): RequestParts;
  /** Returns the sentence for people and the object for programs once it is done. */
  done(key: string, values: Values<Of>): { sentence: string; result: object };
}

/** Returns a command that deletes or revokes a record. */
export function removeCommand<const Of extends Options = Record<never, never>>(
  spec: RemoveSpec<Of>,
): Command {
  const { name, about, argument, endpoint, options, parts, done } = spec;
  return command<Of & { yes: typeof yes }>({
    ...{ name, about, argument, options: { ...(options as Of), yes } },
    async run({ admin, argument: given, values, json }) {
      const { params, ...others } = parts?.(values) ?? {};
      const client = admin();
      const key = await client.idOf(endpoint, given);
      if (!values.yes) await confirm(`${about}: ${given}.`);
      await client.call(endpoint, { params: { ...paramOf(endpoint, key), ...params }, ...others });
      const { sentence, result } = done(key, values);
      return json ? JSON.stringify(result) : sentence;
    },
  });
}

const yes = flag('do it without a question');

/** Returns the value of the last parameter of an endpoint's path. */
export function paramOf(name: EndpointName, value: string): Record<string, string> {
  const { path }: Endpoint = endpoints[name];
  const param = [...path.matchAll(/\{(\w+)\}/g)].at(-1)?.[1];
  return param === undefined ? {} : { [param]: value };
}
