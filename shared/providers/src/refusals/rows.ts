/** The codes, types of errors and words by which one format, kind of provider or server refuses requests for one reason. */
export interface RefusalRow {
  of: string;
  /** The vendor's document or the code of its server; else a report with the vendor's words. */
  source: string;
  /** Values of an error's `code` or `type`. A code of MiniMax's `base_resp` follows that name. */
  codes?: readonly string[];
  /**
   * Words of its message, for refusals without a code. An error may repeat the client's text, so words about the account are those
   * that a message begins with.
   */
  words?: readonly RegExp[];
}

/** Refusals by a content policy. */
export const filtered: readonly RefusalRow[] = [
  {
    of: 'openai',
    source: 'https://platform.openai.com/docs/guides/error-codes',
    codes: [
      ...['content_policy_violation', 'image_content_policy_violation', 'moderation_blocked'],
      'invalid_prompt',
    ],
    words: [/\bsafety system/i],
  },
  {
    of: 'azure-openai',
    source: 'https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter',
    codes: ['content_filter', 'ResponsibleAIPolicyViolation'],
    words: [/content (?:management |filtering |safety |usage )?polic/i, /content[ _]filter/i],
  },
  {
    of: 'openrouter',
    source: 'https://openrouter.ai/docs/api-reference/errors#moderation-errors',
    words: [
      /\b(?:prompt|input|request|message|text|image)s?\b.{0,60}\bflagged\b/i,
      /\b(?:flagged|blocked|rejected|refused|failed|violat\w+)\b.{0,60}\bmoderation\b/i,
      /\bmoderation\b.{0,60}\b(?:flagged|blocked|rejected|refused|failed|violat\w+)\b/i,
    ],
  },
  {
    of: 'deepseek',
    source: 'https://github.com/deepseek-ai/awesome-deepseek-integration/issues/13',
    words: [/content exists risk/i],
  },
  {
    of: 'dashscope',
    source: 'https://help.aliyun.com/en/model-studio/error-code',
    codes: ['DataInspectionFailed', 'data_inspection_failed'],
    words: [/\bmay contain inappropriate content/i],
  },
  {
    of: 'zhipu',
    source: 'https://docs.bigmodel.cn/cn/api/api-code',
    codes: ['1301'],
  },
  {
    of: 'minimax',
    source: 'https://platform.minimax.io/docs/api-reference/errorcode',
    codes: ['base_resp.1026', 'base_resp.1027'],
  },
  {
    of: 'moonshot',
    source: 'https://platform.kimi.ai/docs/api/errors',
    words: [/\bconsidered high risk/i],
  },
  {
    of: 'volcengine',
    source: 'https://www.volcengine.com/docs/82379/1099476',
    codes: [
      ...['SensitiveContentDetected', 'InputTextSensitiveContentDetected'],
      ...['OutputTextSensitiveContentDetected', 'InputImageSensitiveContentDetected'],
      ...['OutputImageSensitiveContentDetected', 'InputTextRiskDetection', 'InputImageRiskDetection'],
      ...['OutputTextRiskDetection', 'OutputImageRiskDetection'],
    ],
  },
  {
    of: 'xai',
    source: 'https://github.com/UKGovernmentBEIS/inspect_ai/pull/2267',
    words: [/^content violates\b/i, /\bgenerated image rejected by content/i],
  },
  {
    of: 'vertex',
    source: 'https://cloud.google.com/vertex-ai/generative-ai/docs/image/responsible-ai-imagen',
    words: [/\bviolates? .{0,20}Responsible AI practices/i],
  },
];

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
