import type { RefusalRow } from './row.ts';

/** Refusals by a limit of the account's rate. */
export const rateLimited: readonly RefusalRow[] = [
  {
    of: 'openai',
    source: 'https://platform.openai.com/docs/guides/error-codes',
    codes: ['rate_limit_exceeded'],
  },
  {
    of: 'moonshot',
    source: 'https://platform.kimi.ai/docs/api/errors',
    codes: ['rate_limit_reached_error'],
  },
  {
    of: 'zhipu',
    source: 'https://docs.bigmodel.cn/cn/api/api-code',
    codes: ['1302', '1303', '1304', '1305', '1308', '1310', '1313'],
  },
  {
    of: 'minimax',
    source: 'https://platform.minimax.io/docs/api-reference/errorcode',
    codes: ['base_resp.1002', 'base_resp.1039', 'base_resp.1041', 'base_resp.2045', 'base_resp.2056'],
  },
  {
    of: 'dashscope',
    source: 'https://help.aliyun.com/en/model-studio/error-code',
    codes: [
      ...['Throttling', 'Throttling.RateQuota', 'Throttling.AllocationQuota', 'Throttling.BurstRate'],
      ...['limit_requests', 'limit_burst_rate'],
    ],
    words: [/^throttling\b/i],
  },
];

/** Refusals since the upstream has no room for a request now. */
export const outOfResources: readonly RefusalRow[] = [
  {
    of: 'openai',
    source: 'https://platform.openai.com/docs/guides/error-codes',
    codes: ['server_is_overloaded', 'slow_down', 'engine_overloaded'],
  },
  {
    of: 'anthropic',
    source: 'https://docs.claude.com/en/api/errors',
    codes: ['overloaded_error'],
  },
  {
    of: 'moonshot',
    source: 'https://platform.kimi.ai/docs/api/errors',
    codes: ['engine_overloaded_error'],
  },
  {
    of: 'zhipu',
    source: 'https://docs.bigmodel.cn/cn/api/api-code',
    codes: ['1312'],
  },
  {
    of: 'volcengine',
    source: 'https://www.volcengine.com/docs/82379/1299023',
    codes: ['ServerOverloaded'],
  },
  {
    of: 'cerebras',
    source: 'https://github.com/sandialabs/atlas-ui-3/issues/111',
    codes: ['queue_exceeded'],
  },
  {
    of: 'text-generation-inference',
    source: 'https://github.com/huggingface/text-generation-inference/blob/main/router/src/infer/mod.rs',
    codes: ['overloaded'],
  },
];
