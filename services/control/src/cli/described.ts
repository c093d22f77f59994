import { type Endpoint, type EndpointName, endpoints, type ListName } from '@model-gateway/admin-api';
import type { Column } from './cells.ts';
import type { CompletedNames } from './command.ts';
import { fieldsOf } from './contract.ts';
import { type Row, rows } from './rows.ts';

/** A row without the types of its endpoint. */
export type AnyRow = Omit<Row<'listTokens'>, 'columns' | 'print' | 'remarks' | 'more' | 'exitCode'> & {
  columns?: readonly Column<object>[] | ((response: object) => readonly Column<object>[]);
  print?(response: object): string;
  remarks?(response: object): string[];
  more?: string | ((page: object) => string);
  exitCode?(response: object): 0 | 1;
};

/** An endpoint with the words of its command. */
export interface Described extends Endpoint {
  id: EndpointName;
  noun: string;
  verb: string;
  row: AnyRow;
}

/** The endpoints that have a command of their own. */
export const described: readonly Described[] = (Object.keys(endpoints) as EndpointName[]).flatMap(id => {
  const endpoint: Endpoint = endpoints[id];
  const row = rows[id] as AnyRow | null | undefined;
  if (row === null || endpoint.bearer === 'none' || endpoint.bearer === 'client') return [];
  const [noun = '', verb = ''] = (row?.name ?? nameOf(id)).split(' ');
  return { ...endpoint, id, noun, verb, row: row ?? {} };
});

/** Writes `listTokens` as `token list`. */
function nameOf(id: string): string {
  const [verb = '', ...noun] = id.split(/(?=[A-Z])/).map(word => word.toLowerCase());
  return `${noun.join('-').replace(verb === 'list' ? /s$/ : /^$/, '')} ${verb}`;
}

/** Returns the list of a noun's records. */
export function listOf(noun: string): ListName | undefined {
  return described.find(each => each.noun === noun && each.verb === 'list' && fieldsOf(each.response).next)
    ?.id as ListName | undefined;
}

/** Fields that name a record of another noun. */
const nouns: Readonly<Record<string, string>> = {
  owner: 'user',
  actor: 'user',
  endedBy: 'user',
  fallbacks: 'model',
};

/** Returns what completion offers for a field. */
export function namesFor(field: string): CompletedNames | undefined {
  return listOf(nouns[field] ?? field.replace(/s$/, ''));
}

/** Names for examples. */
export const samples: Readonly<Record<string, string>> = {
  ...{ token: 'laptop', project: 'lab', user: 'ada', model: 'fast', provider: 'house', account: 'ci' },
  ...{ owner: 'ada', member: 'ada', request: 'req_01' },
};
