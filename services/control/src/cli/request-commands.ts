import {
  type LoggedRequestInfo,
  type LoggedSummary,
  type RefusedEntry,
  refusedPage,
} from '@model-gateway/admin-api';
import { type Command, command, text } from './command.ts';
import { queryOf } from './option-values.ts';
import { type Cell, jsonText, table } from './table.ts';

const id = { name: 'ID', about: 'the id of the request' };

const list = command({
  name: 'request list',
  about: 'List the logged requests, newest first',
  notes: 'Those in flight: gateway request running',
  options: {
    from: text('TIME', 'the first time, an RFC 3339 one'),
    to: text('TIME', 'the time up to which they are listed, an RFC 3339 one'),
    token: text('ID', 'the token', { names: 'tokens' }),
    project: text('NAME', 'the project', { names: 'projects' }),
    owner: text('NAME', 'the user who owns the token', { names: 'users' }),
    model: text('NAME', 'the model', { names: 'models' }),
    limit: text('NUMBER', 'as many at most'),
    cursor: text('CURSOR', 'the page that follows another one'),
  },
  async run({ admin, values, json }) {
    const query = queryOf(values);
    const page = await admin().requests(query);
    if (json) return jsonText(page);
    const more = page.next === null ? '' : `\n\nOlder requests: --cursor ${page.next}`;
    return table([head, ...page.data.map(row)]) + more;
  },
});

const show = command({
  name: 'request show',
  about: 'Show the texts of a logged request',
  argument: id,
  async run({ admin, argument, json }) {
    const logged = await admin().request(argument);
    return json ? jsonText(logged) : texts(logged);
  },
});

const remove = command({
  name: 'request delete',
  about: 'Delete the texts of a logged request',
  argument: id,
  async run({ admin, argument, json }) {
    await admin().deleteRequest(argument);
    return json
      ? JSON.stringify({ requestId: argument, deleted: true })
      : `The texts of ${argument} are deleted.`;
  },
});

const refused = command({
  name: 'request refused',
  about:
    'List requests that the gateway refused before it called a provider, newest first: a few of each minute',
  notes: 'The numbers of all: gateway usage refused',
  options: {
    from: text('TIME', 'the first time, an RFC 3339 one'),
    to: text('TIME', 'the time up to which they are listed, an RFC 3339 one'),
    token: text('ID', 'the token', { names: 'tokens' }),
    project: text('NAME', 'the project', { names: 'projects' }),
    owner: text('NAME', 'the user who owns the token', { names: 'users' }),
    model: text('NAME', 'the model name that the client sent', { names: 'models' }),
    reason: text('KIND', 'the kind of the error, such as rate-limited'),
    request: text('ID', 'the request, as in x-request-id'),
    limit: text('NUMBER', 'as many at most'),
    cursor: text('CURSOR', 'the page that follows another one'),
  },
  async run({ admin, values, json }) {
    const page = await admin().ask(refusedPage, 'GET', `/usage/refused?${queryOf(values)}`);
    if (json) return jsonText(page);
    const more = page.next === null ? '' : `\n\nOlder requests: --cursor ${page.next}`;
    return table([refusedHead, ...page.data.map(refusedRow)]) + more;
  },
});

export const requestCommands: readonly Command[] = [list, show, remove, refused];

const refusedHead = ['REQUEST', 'AT', 'STATUS', 'REASON', 'CODE', 'PARAM', 'MODEL', 'TOKEN', 'PROJECT'];

function refusedRow({ requestId, at, status, reason, code, param, model, token, project }: RefusedEntry) {
  return [
    requestId,
    at,
    status,
    reason,
    code ?? '-',
    param ?? '-',
    model || '-',
    token ?? '-',
    project ?? '-',
  ];
}

const head = ['REQUEST', 'AT', 'PROJECT', 'MODEL', 'FORMAT', 'STATUS', 'OUTCOME', 'MS', 'SENT', 'RECEIVED'];

function row({
  requestId,
  at,
  project,
  model,
  format,
  status,
  outcome,
  ms,
  ...texts
}: LoggedSummary): Cell[] {
  const { request, response } = texts;
  const counts = [ms, request.bytes, response.bytes];
  return [requestId, at, project, model || '-', format, status, outcome, ...counts];
}

function texts(logged: LoggedRequestInfo): string {
  const { request, response } = logged;
  const titleOf = (name: string, { bytes, cut }: LoggedSummary['request']) =>
    `${name}, ${bytes} bytes${cut ? ', of which this is the beginning' : ''}:`;
  return [
    table([head, row(logged)]),
    `${titleOf('Request', request)}\n${request.text}`,
    `${titleOf('Response', response)}\n${response.text}`.trimEnd(),
  ].join('\n\n');
}
