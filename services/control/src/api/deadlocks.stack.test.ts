import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestControl, until } from '../testing/control.ts';
import { makePerson, signIn } from '../testing/person.ts';
import { hasPostgres } from '../testing/shared-postgres.ts';
import { Stage } from '../testing/stage.ts';

describe.skipIf(!hasPostgres)('changes of a user and of its tokens at the same time', () => {
  let url: string;
  let stage: Stage;
  let control: TestControl;
  let clients: pg.Client[];
  beforeAll(async () => {
    stage = await Stage.set();
    url = await stage.postgres();
    control = await stage.control({ DATABASE_URL: url, GATEWAY_DATA: stage.emptyFolder() });
  });
  afterAll(() => stage.clear());
  beforeEach(() => {
    clients = [];
  });
  afterEach(async () => {
    for (const client of clients) await client.end();
  });

  /** Opens a transaction with a lock of its own, which it never gives up because of a deadlock. */
  async function locking(statement: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url });
    clients.push(client);
    await client.connect();
    await client.query("set deadlock_timeout = '1min'; begin");
    await client.query(statement);
    return client;
  }

  /** Waits until so many sessions wait for a lock. */
  async function untilWaiting(number: number): Promise<void> {
    const client = new pg.Client({ connectionString: url });
    clients.push(client);
    await client.connect();
    const text =
      "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
    await until(async () => Number((await client.query(text)).rows[0].count) === number);
  }

  const login = (user: string) =>
    `select 1 from logins where user_id = (select id from users where name = '${user}') for update`;
  const disabling = (user: string) =>
    control.api('PATCH', `/users/${user}/login`, { disabled: true, tokens: 'disable' });

  test('a token that gets an owner whose tokens are disabled', async () => {
    await makePerson(control, 'ada');
    const { id } = await control.issue({ name: 'of ada', owner: 'ada' });
    const holder = await locking(`select 1 from users where name = 'ada' for update`);
    const disabled = disabling('ada');
    await untilWaiting(1);
    const changed = control.api('PATCH', `/tokens/${id}`, { owner: 'ada', name: 'changed' });
    await untilWaiting(2);
    await holder.query('commit');
    expect([(await disabled).status, (await changed).status]).toEqual([200, 200]);
    expect((await control.api('GET', `/tokens/${id}`)).body).toMatchObject({
      name: 'changed',
      disabled: true,
    });
  });

  test('a user who signs in while the login is disabled', async () => {
    const { password } = await makePerson(control, 'bob');
    const holder = await locking(login('bob'));
    const signedIn = signIn(control, 'bob', password);
    await untilWaiting(1);
    const disabled = disabling('bob');
    await untilWaiting(2);
    await holder.query('commit');
    expect([(await signedIn).status, (await disabled).status]).toEqual([201, 200]);
  });

  test('one that is ended because of a deadlock has changed nothing, and may be sent again', async () => {
    await makePerson(control, 'eve');
    const { id } = await control.issue({ name: 'of eve', owner: 'eve' });
    const ofLogin = await locking(login('eve'));
    const disabled = disabling('eve');
    await untilWaiting(1);
    const ofToken = await locking(`select 1 from tokens where id = '${id}' for update`);
    const waiting = ofToken.query(`select 1 from users where name = 'eve' for update`);
    await untilWaiting(2);
    await ofLogin.query('commit');
    const answer = await disabled;
    await waiting;
    await ofToken.query('commit');
    expect(answer).toMatchObject({ status: 503, body: { code: 'server_is_overloaded' } });
    expect(answer.headers.get('retry-after')).toBe('1');
    expect((await control.api('GET', '/users/eve')).body).toMatchObject({ login: { disabled: false } });
    expect((await disabling('eve')).status).toBe(200);
  });
});
