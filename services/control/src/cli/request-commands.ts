import type { LoggedRequestInfo, LoggedSummary, RefusedEntry } from '@model-gateway/admin-api';
import type { Command } from './command.ts';
import { pageCommand, removeCommand, showCommand } from './record-commands.ts';
import { type Cell, table } from './table.ts';

const id = { name: 'ID', about: 'the id of the request' };

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

export const requestCommands: readonly Command[] = [
  pageCommand({
    name: 'request list',
    about: 'List the logged requests, newest first',
    notes: 'Those in flight: gateway request running',
    endpoint: 'listRequests',
    more: () => 'Older requests',
    ...{ head, row },
  }),
  showCommand({
    name: 'request show',
    about: 'Show the texts of a logged request',
    argument: id,
    endpoint: 'showRequest',
    print: texts,
  }),
  removeCommand({
    name: 'request delete',
    about: 'Delete the texts of a logged request',
    argument: id,
    endpoint: 'deleteRequest',
    done: requestId => ({
      sentence: `The texts of ${requestId} are deleted.`,
      result: { requestId, deleted: true },
    }),
  }),
  pageCommand({
    name: 'request refused',
    about:
      'List requests that the gateway refused before it called a provider, newest first: a few of each minute',
    notes: 'The numbers of all: gateway usage refused',
    endpoint: 'listRefused',
    more: () => 'Older requests',
    head: ['REQUEST', 'AT', 'STATUS', 'REASON', 'CODE', 'PARAM', 'MODEL', 'TOKEN', 'PROJECT'],
    row: refusedRow,
  }),
];
