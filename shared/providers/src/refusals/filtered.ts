import type { RefusalRow } from './row.ts';

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
