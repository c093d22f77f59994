import type { LoggedRequestInfo, LoggedSummary } from '@model-gateway/admin-api';
import { type Command, queryOf, table } from './command.ts';

const filters = ['from', 'to', 'token', 'project', 'owner', 'model', 'limit'] as const;

export const requestCommands: Partial<Record<string, Command>> = {
  list: {
    takes: filters,
    async run(admin, values) {
      const page = await admin().requests(queryOf(values, filters));
      if (values.json) return JSON.stringify(page, null, 2);
      return table([head, ...page.data.map(row)]);
    },
  },
  show: {
    takes: [],
    argument: 'ID',
    async run(admin, { json }, id) {
      const logged = await admin().request(id);
      return json ? JSON.stringify(logged, null, 2) : texts(logged);
    },
  },
  delete: {
    takes: [],
    argument: 'ID',
    async run(admin, { json }, id) {
      await admin().deleteRequest(id);
      return json ? JSON.stringify({ requestId: id, deleted: true }) : `The texts of ${id} are deleted.`;
    },
  },
};

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
}: LoggedSummary): string[] {
  const { request, response } = texts;
  const counts = [String(ms), String(request.bytes), String(response.bytes)];
  return [requestId, at, project, model || '-', format, String(status), outcome, ...counts];
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
