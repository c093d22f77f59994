import { type NewApiRows, optionsOf } from './new-api-database.ts';

/** The key of `laptop` as its client sends it. */
export const laptopKey = `sk-${'a'.repeat(48)}`;

/** A small installation of new-api. `upstream` is the address of the channel `house`. */
export function newApiSample(upstream = 'http://127.0.0.1:9'): NewApiRows {
  const channel = (id: number, name: string, type: number, models: string, more = {}) => ({
    ...{
      id,
      name,
      type,
      models,
      key: `secret-of-${name.replaceAll(' ', '-')}`,
      created_time: 1_700_000_000,
      ...more,
    },
  });
  return {
    channels: [
      channel(1, 'house', 1, 'sim-1,fast,gpt-4o', {
        base_url: upstream,
        model_mapping: '{"fast":"step","step":"sim-2"}',
        group: 'default,vip',
        priority: 10,
        weight: 3,
        header_override: '{"X-Team":"search","X-Api-Key":"secret-header"}',
      }),
      channel(2, 'openai', 1, 'gpt-4o,dall-e-3,text-embedding-3-small', {
        group: 'default',
        priority: 10,
        weight: 1,
        open_ai_organization: 'org-1',
        setting: '{"proxy":"http://proxy:3128","force_format":false}',
      }),
      channel(3, 'claude keys', 14, 'claude-sonnet-5', {
        key: 'claude-1\nclaude-2\nclaude-3',
        group: 'vip',
        channel_info:
          '{"is_multi_key":true,"multi_key_size":3,"multi_key_status_list":{"1":2},"multi_key_mode":"polling"}',
      }),
      channel(4, 'second', 43, 'gpt-4o,deepseek-chat', { group: 'vip', priority: 0, used_quota: 7 }),
      channel(5, 'bedrock', 33, 'claude-3-haiku'),
      channel(6, 'switched off', 1, 'gpt-4', { status: 2 }),
      channel(7, 'azure', 3, 'gpt-4o', {
        base_url: 'https://my.openai.azure.com',
        other: '2024-02-01',
        group: 'vip',
      }),
    ],
    users: [
      { id: 1, aff_code: 'r', username: 'root', password: 'bcrypt-hash', role: 100, quota: 100_000_000 },
      {
        id: 2,
        aff_code: 'a',
        username: 'ada',
        password: 'bcrypt-hash',
        quota: 2_500_000,
        group: 'vip',
        email: 'ada@example.com',
      },
      {
        id: 3,
        username: 'bob',
        password: 'bcrypt-hash',
        quota: 0,
        aff_code: 'b',
        access_token: 'token-of-bob',
      },
      { id: 4, username: 'eve', password: 'bcrypt-hash', status: 2, quota: 5, aff_code: 'e' },
    ],
    tokens: [
      { id: 1, user_id: 2, name: 'laptop', key: 'a'.repeat(48), unlimited_quota: 1, expired_time: -1 },
      {
        ...{
          id: 2,
          user_id: 1,
          name: 'limited',
          key: 'b'.repeat(48),
          unlimited_quota: 0,
          remain_quota: 750_000,
        },
        ...{
          model_limits_enabled: 1,
          model_limits: 'gpt-4o,claude-sonnet-5',
          allow_ips: '10.0.0.0/8\nnonsense',
        },
        expired_time: 4_102_444_800,
      },
      {
        id: 3,
        user_id: 1,
        name: 'used up',
        key: 'c'.repeat(48),
        unlimited_quota: 0,
        remain_quota: 0,
        status: 4,
      },
      {
        id: 4,
        user_id: 1,
        name: 'old',
        key: 'd'.repeat(48),
        unlimited_quota: 1,
        expired_time: 1_600_000_000,
      },
      { id: 5, user_id: 3, name: 'of bob', key: 'e'.repeat(48), unlimited_quota: 1 },
      { id: 6, user_id: 1, name: 'deleted', key: 'f'.repeat(48), deleted_at: '2025-01-01 00:00:00' },
    ],
    options: optionsOf({
      ModelRatio: {
        'sim-1': 0.5,
        'gpt-4o': 1.25,
        'text-embedding-3-small': 0.01,
        'deepseek-chat': 0.135,
        unserved: 3,
      },
      CompletionRatio: { 'sim-1': 4, unserved: 2 },
      CacheRatio: { 'sim-1': 0.5 },
      ModelPrice: { 'dall-e-3': 0.04, 'deepseek-chat': 0.1 },
      GroupRatio: { default: 1, vip: 2 },
      RetryTimes: '3',
      SMTPToken: 'secret-of-smtp',
    }),
    abilities: [{ group: 'default', model: 'sim-1', channel_id: 1, enabled: 1 }],
    logs: [{ user_id: 1, content: 'hello' }],
  };
}
