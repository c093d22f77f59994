import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LoggedRequestWriter, UsageWriter } from '@model-gateway/bus';
import { noUsage } from '@model-gateway/canonical';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminToken, type TestControl } from '../testing/control.ts';
import { runGateway } from '../testing/run-gateway.ts';
import { Stage } from '../testing/stage.ts';
import { usageRecord } from '../testing/usage-record.ts';
import { UsageError } from './exit-codes.ts';
import { gateway as commandLine } from './gateway.ts';

let stage: Stage;
let control: TestControl;
let folder: string;
beforeAll(async () => {
  stage = await Stage.set();
  folder = await stage.folder();
  control = await stage.control({ GATEWAY_DATA: folder });
});
afterAll(() => stage.clear());

const admin = () => ({ GATEWAY_URL: `${control.url}/`, GATEWAY_ADMIN_TOKEN: adminToken });
const gateway = async (args: string[], env: Record<string, string> = admin()) =>
  String((await commandLine(args, env)).printed);
const command = (line: string) => gateway(line.split(' '));

const run = (args: string[]) => runGateway(args, admin());

test('the CLI creates, lists and revokes a token', async () => {
  const made = await run([
    'token',
    'create',
    '--name',
    'ci',
    '--project',
    'lab',
    '--expires-at',
    '2100-01-01T00:00:00Z',
  ]);
  expect(made).toMatchObject({ code: 0, err: '' });
  expect(made.out).toMatch(/^sk-[\w-]{43}$/m);
  const { id } = JSON.parse((await run(['token', 'create', '--name', 'two', '--json'])).out);
  const list = await run(['token', 'list']);
  expect(list.out.split('\n')).toHaveLength(4);
  expect(list.out).toMatch(/ci +lab +- +no +in \d+ years +never$/m);
  expect(JSON.parse(await gateway(['token', 'show', 'two', '--json']))).toMatchObject({ id });
  expect((await run(['token', 'revoke', 'two', '--yes'])).out).toBe(`Token ${id} is revoked.\n`);
  const left = JSON.parse((await run(['token', 'list', '--json'])).out).data;
  expect(left.map((token: { name: string }) => token.name)).toEqual(['ci']);
  expect(await run(['token', 'revoke', id])).toMatchObject({
    code: 4,
    err: 'gateway: There is no such token.\n',
  });
});

test('a name that several tokens have is refused with their ids', async () => {
  const ids = [];
  for (let i = 0; i < 2; i++)
    ids.push(JSON.parse(await gateway(['token', 'create', '--name', 'twin', '--json'])).id);
  await expect(gateway(['token', 'show', 'twin'])).rejects.toThrow(ids[0]);
  await expect(gateway(['usage', 'totals', '--token', 'twin'])).rejects.toBeInstanceOf(UsageError);
  expect(await gateway(['usage', 'totals', '--token', ids[0]])).toContain('MODEL');
  for (const id of ids) await command(`token revoke ${id}`);
});

test('--query prints the part of the JSON that a JMESPath expression selects', async () => {
  const { id } = JSON.parse(await gateway(['token', 'create', '--name', 'asked', '--json']));
  expect(await gateway(['token', 'show', 'asked', '--query', 'id'])).toBe(id);
  const names = await gateway(['token', 'list', '--query', "data[?name=='asked'].[name, disabled]"]);
  expect(JSON.parse(names)).toEqual([['asked', false]]);
  await expect(gateway(['token', 'list', '--query', 'data['])).rejects.toMatchObject({ exitCode: 2 });
  await expect(gateway(['token', 'list', '--query', 'sum(data)'])).rejects.toMatchObject({ exitCode: 2 });
  await command(`token revoke ${id}`);
});

test('the CLI tells its version', async () => {
  expect(await gateway(['--version'])).toMatch(/^\d+\.\d+\.\d+/);
});

test('the CLI sets the limits and the project of a token, and leaves the limits of models', async () => {
  const command = async (...args: string[]) => JSON.parse(await gateway([...args, '--json']));
  const limits = 'requestsPerMinute=100,concurrency=5';
  const made = await command('token', 'create', '--name', 'limited', '--limits', limits);
  expect(made).toMatchObject({ project: 'default', limits: { requestsPerMinute: 100, concurrency: 5 } });
  const models = { 'gpt-*': { requestsPerMinute: 20 } };
  await control.api('PATCH', `/tokens/${made.id}`, { limits: { requestsPerMinute: 100, models } });
  const changed = await command(
    ...['token', 'change', made.id, '--limits', 'tokensPerMinute=9000', '--project', 'lab'],
  );
  expect(changed).toMatchObject({ project: 'lab', limits: { tokensPerMinute: 9_000, models } });
  expect(changed.limits).not.toHaveProperty('requestsPerMinute');
  expect(await command('token', 'change', made.id, '--limits', '')).toMatchObject({ limits: null });
  await command('token', 'revoke', made.id);
});

test('the CLI sets what it is told of projects and users, and leaves the rest', async () => {
  const project = async () => JSON.parse(await command('project show a/b --json'));
  await expect(project()).rejects.toThrow('There is no such project.');
  await command('project set a/b --limits requestsPerMinute=100,concurrency=5 --budget 12.5/month');
  expect(await project()).toMatchObject({
    name: 'a/b',
    limits: { requestsPerMinute: 100, concurrency: 5 },
    budget: { amount: 12.5, period: 'month' },
    weight: null,
  });
  const models = { 'gpt-*': { concurrency: 1 } };
  await control.api('PUT', '/projects/a%2Fb', { limits: { models }, prices: { fast: { input: 1 } } });
  const shown = await command('project set a/b --limits concurrency=2 --allow-unpriced yes --weight 0.5');
  expect(shown).toMatch(
    /\na\/b +concurrency=2,models\(gpt-\*\(concurrency=1\)\) +- +yes +0\.5 +- +- +- +api$/,
  );
  await command('project set a/b --store-responses no --budget 1/day,ends-streams');
  expect(await project()).toMatchObject({
    limits: { concurrency: 2, models },
    prices: { fast: { input: 1 } },
    budget: { amount: 1, period: 'day', endsStreams: true },
    allowUnpriced: true,
    storeResponses: false,
  });
  const pattern = { name: 'employee', pattern: 'EMP-\\d+' };
  await control.api('PUT', '/projects/logged', { logging: { sample: 1, redact: [pattern] } });
  expect(await command('project set logged --logging sample=0.1,redact=email+ssn,retentionDays=7')).toMatch(
    / sample=0\.1,redact=email\+ssn\+employee,retentionDays=7 +api$/,
  );
  expect(JSON.parse(await command('project show logged --json'))).toMatchObject({
    logging: { sample: 0.1, redact: ['email', 'ssn', pattern], retentionDays: 7 },
  });
  await gateway(['project', 'set', 'logged', '--logging', '']);
  expect(JSON.parse(await command('project show logged --json'))).toMatchObject({ logging: null });
  await gateway(['project', 'set', 'a/b', '--limits', '', '--weight', '']);
  expect(await project()).toMatchObject({ limits: null, weight: null });
  expect(await command('project delete a/b')).toBe('Project a/b is deleted.');
  expect(await command('project list')).not.toContain('a/b');

  await command('user set ada --budget 3/total');
  expect(await command('user list')).toMatch(/\nada +- +- +- +- +3\/total +api$/m);
  await gateway(['user', 'set', 'ada', '--budget', '']);
  expect(JSON.parse(await command('user show ada --json'))).toMatchObject({ budget: null });
  await expect(command('user set ada --budget 3/year')).rejects.toThrow(
    'budget.period: must be one of day, week, month, total.',
  );
});

test('the CLI shows totals of usage, and lists and exports it', async () => {
  const writer = new UsageWriter(stage.bus);
  const facts = { at: Date.now(), ms: 1, project: 'lab', tags: { team: 'search' } };
  const record = { ...facts, requestId: 'req_usage', usage: { ...noUsage, input: 7, output: 2 } };
  writer.add(usageRecord(1, record));
  const words = { upstreamStatus: 504, upstreamMessage: 'Try\nlater.' };
  writer.add(usageRecord(2, { ...record, outcome: 'failed', error: 'timeout', firstMs: 1, ...words }));
  const totals = (...options: string[]) => gateway(['usage', 'totals', ...options]);
  await expect.poll(() => totals()).toMatch(/^MODEL +REQUESTS .*\nfast +2 +1 +2 +14 +4 +- +2 +-$/);
  expect(await totals('--by', 'tag:team', '--tag', 'team:search', '--project', 'lab')).toMatch(
    /\nsearch +2 /,
  );
  expect(await totals('--by', 'owner', '--to', new Date().toISOString())).toMatch(/\n- +2 /);
  expect(JSON.parse(await totals('--tag', 'team:search', '--tag', 'env:prod', '--json'))).toEqual({
    by: 'model',
    data: [],
  });
  await expect(totals('--by', 'mood')).rejects.toThrow('by: must be one of token,');
  const list = (...options: string[]) => gateway(['usage', 'list', ...options]);
  expect(await list('--project', 'lab', '--limit', '1')).toMatch(
    /^REQUEST +AT +.* OUTCOME +MS +FIRST MS +.*\nreq_usage .* lab +fast +p +failed: timeout +1 +1 +.*\n\nFurther ones: --cursor [-\w]+$/,
  );
  expect(JSON.parse(await list('--request', 'req_usage', '--json')).data).toHaveLength(2);
  expect(await list('--request', 'req_usage', '--outcome', 'failed')).toMatch(
    /failed: timeout.* 504 Try later\./,
  );
  expect(JSON.parse(await list('--project', 'none', '--json'))).toEqual({ data: [], next: null });
  const csv = await run(['usage', 'export', '--project', 'lab']);
  expect(csv).toMatchObject({ code: 0, err: '' });
  expect(csv.out.split('\r\n')).toEqual([
    expect.stringMatching(/^id,requestId,/),
    expect.stringContaining(',lab,'),
    expect.stringContaining(',lab,'),
    '',
  ]);
  const lines = (await run(['usage', 'export', '--format', 'jsonl', '--tag', 'team:search'])).out;
  expect(
    lines
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line).tags.team),
  ).toEqual(['search', 'search']);
  expect(await run(['usage', 'export', '--format', 'xml'])).toMatchObject({
    code: 2,
    err: "gateway: --format must be csv or jsonl, but is 'xml'\n",
  });
  await writer.close();
});

test('the CLI counts and lists refused requests', async () => {
  const writer = new UsageWriter(stage.bus);
  const refusal = {
    tokenId: 't',
    project: 'lab',
    model: 'fast',
    status: 429,
    reason: 'rate-limited',
  } as const;
  const start = Math.floor(Date.now() / 60_000) * 60_000;
  writer.addBeside({ refused: 'count', process: 'p', start, ...refusal, count: 7 });
  writer.addBeside({
    ...{ refused: 'request', recordId: '019a0000-0000-7000-8000-000000000001', requestId: 'req_refused' },
    ...{ at: Date.now(), endpoint: '/v1/chat/completions', ...refusal, code: 'rate_limit_exceeded' },
  });
  await expect
    .poll(() => gateway(['usage', 'refused', '--project', 'lab']))
    .toMatch(/^REFUSED +STATUS +REASON +TOKEN .*\n +7 +429 +rate-limited +t +lab +- +/);
  expect(await gateway(['request', 'refused', '--reason', 'rate-limited', '--limit', '1'])).toMatch(
    /\nreq_refused +.* 429 +rate-limited +rate_limit_exceeded +- +fast +t +lab$/,
  );
  expect(await gateway(['usage', 'refused', '--token', 'other'])).not.toContain('429');
  expect(JSON.parse(await gateway(['request', 'refused', '--json'])).data).toHaveLength(1);
});

test('the CLI lists, shows and deletes logged requests', async () => {
  const writer = new LoggedRequestWriter(stage.bus);
  const at = Date.now();
  writer.add({
    ...{ id: '019a0000-0000-7000-8000-000000000001', requestId: 'req_1', at, ms: 7, format: 'chat' },
    ...{ model: 'fast', tokenId: 't', project: 'lab', status: 200, outcome: 'answered', retentionDays: 1 },
    request: { text: '{"model":"fast"}', bytes: 16, cut: false },
    response: { text: '{"id":', bytes: 99, cut: true },
  });
  await expect
    .poll(() => command('request list --project lab --limit 5'))
    .toMatch(/\nreq_1 +(?:now|\d+ seconds? ago) +lab +fast +chat +200 +answered +7 +16 +99$/);
  expect(await command('request show req_1')).toMatch(
    /\n\nRequest, 16 bytes:\n\{"model":"fast"\}\n\nResponse, 99 bytes, of which this is the beginning:\n\{"id":$/,
  );
  expect(JSON.parse(await command('request show req_1 --json'))).toMatchObject({
    requestId: 'req_1',
    response: { text: '{"id":', bytes: 99, cut: true },
    attempts: [],
  });
  expect(await command('request delete req_1')).toBe('The texts of req_1 are deleted.');
  await expect(command('request show req_1')).rejects.toThrow('There is no logged request with this id');
  await expect(command('request list --limit 0')).rejects.toThrow('limit: ');
  await writer.close();
});

test.each([
  [[], 'no command was given'],
  [['tokens'], "unknown command 'tokens'\n(Did you mean token?)"],
  [['token', 'make'], "unknown command 'make'"],
  [['token'], 'token needs another word'],
  [['help', 'tokens'], "there is no help for 'tokens'"],
  [['token', 'create'], '--name is required'],
  [['token', 'create', 'ci', '--name', 'ci'], 'too many arguments'],
  [['token', 'revoke'], "missing required argument 'ID'"],
  [['token', 'change', 'x', '--budget', '5'], '--budget must be such as 100/month'],
  [['token', 'change', 'x', '--budget', 'five/day'], '--budget must hold numbers'],
  [['token', 'list', '--colour', 'x'], "unknown option '--colour'"],
  [['project', 'set'], "missing required argument 'NAME'"],
  [['user', 'set', 'ada', '--weight', '1'], "unknown option '--weight'"],
  [['project', 'set', 'a', '--budget', '5'], '--budget must be such as 100/month'],
  [['project', 'set', 'a', '--budget', 'x/day'], "--budget must hold numbers, but has 'x'"],
  [['project', 'set', 'a', '--limits', '5'], '--limits must be such as requestsPerMinute=NUMBER,'],
  [
    ['project', 'set', 'a', '--allow-unpriced', 'maybe'],
    "--allow-unpriced must be yes or no, but is 'maybe'",
  ],
  [['project', 'set', 'a', '--logging', 'sample'], '--logging must be such as sample=NUMBER,'],
  [['project', 'set', 'a', '--logging', 'sample=x'], "--logging must hold numbers, but has 'x'"],
  [['project', 'set', 'a', '--logging', 'sample=1,redact=name'], "but not 'name'"],
  [['usage', 'totals', '--project', ''], '--project must not be empty'],
  [['token', 'make'], "unknown command 'make'"],
  [['token', 'create', '--nmae', 'x'], "unknown option '--nmae'\n(Did you mean --name?)"],
  [['token', 'create', '--name'], "option '--name <NAME>' argument missing"],
])('the command line %j is invalid: %s', async (args, message) => {
  const attempt = gateway(args, {});
  await expect(attempt).rejects.toBeInstanceOf(UsageError);
  await expect(attempt).rejects.toThrow(message);
});

test('the CLI sets and removes a budget', async () => {
  const token = async (...args: string[]) => JSON.parse(await gateway(['token', ...args, '--json']));
  const made = await token('create', '--name', 'spender', '--budget', '100/month');
  expect(made.budget).toEqual({ amount: 100, period: 'month' });
  const changed = await token('change', made.id, '--budget', '0.5/day,streams-go-on');
  expect(changed.budget).toEqual({ amount: 0.5, period: 'day', endsStreams: false });
  expect((await token('change', made.id, '--budget', '')).budget).toBeNull();
});

test('token show shows what a token may do', async () => {
  const options =
    '--owner ada --models gpt-*,fast --limits concurrency=5 --budget 100/month --tags team=search';
  const { id } = JSON.parse(await command(`token create --name ci ${options} --json`));
  const shown = await command(`token show ${id}`);
  expect(Object.fromEntries(shown.split('\n').map(line => line.split(/ {2,}/)))).toMatchObject({
    ...{ ID: id, NAME: 'ci', PROJECT: 'default', OWNER: 'ada', EXPIRES: 'never', DISABLED: 'no' },
    ...{ MODELS: 'gpt-*, fast', ENDPOINTS: 'all', 'ALLOWED ADDRESSES': 'all' },
    ...{ LIMITS: 'concurrency=5', BUDGET: '100/month', TAGS: 'team=search' },
  });
  expect(JSON.parse(await command(`token show ${id} --json`))).toMatchObject({
    id,
    tags: { team: 'search' },
  });
  await expect(command('token show nothing')).rejects.toThrow('There is no such token.');
});

describe('help', () => {
  const help = (...args: string[]) => gateway(args, {});

  test('of everything lists every command and the settings', async () => {
    expect(await help('--help')).toBe(await help('help'));
    expect(await help('help')).toMatch(
      /\n {2}token create .*Create a token[\s\S]*\n {2}audit list [\s\S]*GATEWAY_URL/,
    );
  });

  test('of a subject lists its commands', async () => {
    const text = await help('help', 'token');
    expect(text).toMatch(/\n {2}token rotate /);
    expect(text).not.toContain('audit list');
    expect(await help('token', '--help')).toBe(text);
  });

  test('of a command shows its argument and options', async () => {
    const text = await help('member', 'set', '--help');
    expect(text).toContain('Usage: gateway member set [options] <NAME>');
    expect(text).toMatch(/--role <ROLE> +The role: manager, member, viewer\s+\(required\)/);
    expect(await help('help', 'member', 'set')).toBe(text);
  });

  test('lists the exit codes', async () => {
    expect(await help('help', 'exit-codes')).toContain('\n  4  There is no such thing.');
  });
});

test('without GATEWAY_ADMIN_TOKEN the token is read from the data folder', async () => {
  writeFileSync(join(folder, 'admin-token'), `${adminToken}\n`);
  expect(await gateway(['token', 'list'], { GATEWAY_URL: control.url, GATEWAY_DATA: folder })).toMatch(
    /^ID /,
  );
});
