import type { RefusalRow } from './row.ts';

/** Refusals since the gateway's account at the upstream has no money or quota left. */
export const outOfMoney: readonly RefusalRow[] = [
  {
    of: 'openai',
    source: 'https://platform.openai.com/docs/guides/error-codes',
    codes: ['insufficient_quota', 'billing_hard_limit_reached', 'billing_not_active'],
  },
  {
    of: 'anthropic',
    source: 'https://github.com/router-for-me/CLIProxyAPI/issues/3859',
    codes: ['billing_error'],
    words: [/^your credit balance is too low/i],
  },
  {
    of: 'anthropic',
    source: 'https://github.com/anthropics/claude-code/issues/2127',
    words: [/^you have reached your specified API usage limits/i, /^this organization has been disabled/i],
  },
  {
    of: 'gemini',
    source: 'https://github.com/dyad-sh/dyad/issues/3626',
    words: [/^your prepayment credits are depleted/i],
  },
  {
    of: 'deepseek',
    source: 'https://api-docs.deepseek.com/quick_start/error_codes',
    words: [/^insufficient (?:account )?(?:balance|funds|quota)/i],
  },
  {
    of: 'openrouter',
    source: 'https://openrouter.ai/docs/api-reference/errors',
    words: [/^insufficient credits/i, /^key limit exceeded/i],
  },
  {
    of: 'xai',
    source: 'https://github.com/continuedev/continue/issues/10373',
    words: [/^your (?:newly created )?teams?\b.{0,100}\b(?:credits|spending limit)\b/i],
  },
  {
    of: 'moonshot',
    source: 'https://platform.kimi.ai/docs/api/errors',
    codes: ['exceeded_current_quota_error'],
  },
  {
    of: 'kimi-code',
    source: 'https://www.kimi.com/code/docs/en/kimi-code/error-reference.html',
    words: [/^you've reached your usage limit for this billing cycle/i],
  },
  {
    of: 'zhipu',
    source: 'https://docs.bigmodel.cn/cn/api/api-code',
    codes: ['1113', '1309'],
    words: [/^.{0,12}(?:余额不足|欠费)/],
  },
  {
    of: 'minimax',
    source: 'https://platform.minimax.io/docs/api-reference/errorcode',
    codes: ['base_resp.1008', 'insufficient_balance_error'],
  },
  {
    of: 'dashscope',
    source: 'https://help.aliyun.com/en/model-studio/error-code',
    codes: ['Arrearage', 'AllocationQuota.FreeTierOnly'],
  },
  {
    of: 'volcengine',
    source: 'https://www.volcengine.com/docs/82379/1299023',
    codes: ['AccountOverdueError'],
  },
  {
    of: 'siliconflow',
    source: 'https://docs.siliconflow.cn/en/faqs/error-code',
    codes: ['30001'],
    words: [/^sorry, your account balance is insufficient/i],
  },
  {
    of: 'fireworks',
    source: 'https://github.com/pollinations/pollinations/issues/12136',
    words: [/^account \S{1,80} is suspended/i],
  },
  {
    of: 'together',
    source: 'https://docs.together.ai/docs/error-codes',
    words: [/^credit limit exceeded/i],
  },
  {
    of: 'huggingface',
    source: 'https://huggingface.co/docs/inference-providers/pricing',
    words: [/^you have exceeded your monthly included credits/i],
  },
  {
    of: 'github-copilot',
    source: 'https://docs.github.com/copilot/concepts/billing/copilot-requests',
    codes: ['quota_exceeded'],
  },
  {
    of: 'litellm',
    source: 'https://docs.litellm.ai/docs/proxy/users',
    codes: ['budget_exceeded'],
    words: [/^(?:ExceededBudget|budget has been exceeded)/i],
  },
  {
    of: 'new-api',
    source: 'https://github.com/QuantumNous/new-api/blob/main/types/error.go',
    codes: ['insufficient_user_quota', 'pre_consume_token_quota_failed'],
    words: [/^.{0,12}额度不足/],
  },
];
