import type { ErrorKind, FinishReason } from '@model-gateway/canonical';

/** The meaning of a finish reason: the end of an answer, or the kind of its failure. */
export type ReasonMeaning = FinishReason | FailedReason;

/** A finish reason of an answer that failed. */
export interface FailedReason {
  fails: ErrorKind;
  /** True if the content that comes with it is the message of the error. */
  told?: true;
}

/** The finish reasons of a wire format, or those by which a kind of provider or a server departs from its format. */
export interface ReasonList {
  of: string;
  /** The vendor's document, or the code of its server. */
  source: string;
  reasons: Readonly<Record<string, ReasonMeaning>>;
}

const broken = { fails: 'upstream' } as const;

/** The finish reasons of providers and servers beyond those of their formats. `other` is a cut for a reason that the client cannot mend. */
export const reasonLists: readonly ReasonList[] = [
  {
    of: 'vertex',
    source:
      'https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/GenerateContentResponse#FinishReason',
    reasons: { MODEL_ARMOR: 'content-filter', JAILBREAK: 'content-filter' },
  },
  {
    // Its endpoint for chat writes such a reason before the one of generate content, as in `content_filter: RECITATION`.
    of: 'gemini',
    source: 'https://ai.google.dev/gemini-api/docs/openai',
    reasons: { function_call_filter: 'other' },
  },
  {
    of: 'cohere',
    source: 'https://github.com/cohere-ai/cohere-python/blob/main/src/cohere/types/finish_reason.py',
    reasons: { ERROR_TOXIC: 'content-filter', ERROR_LIMIT: 'length', USER_CANCEL: broken },
  },
  {
    of: 'zhipu',
    source: 'https://docs.z.ai/api-reference/llm/chat-completion',
    reasons: {
      sensitive: 'content-filter',
      model_context_window_exceeded: 'length',
      network_error: broken,
    },
  },
  {
    of: 'deepseek',
    source: 'https://api-docs.deepseek.com/api/create-chat-completion',
    reasons: { insufficient_system_resource: { fails: 'overloaded' }, aborted: broken },
  },
  {
    of: 'dashscope',
    source:
      'https://github.com/QwenLM/qwen-code/blob/main/packages/core/src/core/openaiContentGenerator/pipeline.ts',
    reasons: { error_finish: { fails: 'upstream', told: true } },
  },
  {
    of: 'mistral',
    source: 'https://docs.mistral.ai/api/endpoint/chat',
    reasons: { model_length: 'length', error: broken },
  },
  {
    of: 'openrouter',
    source: 'https://openrouter.ai/docs/api-reference/overview#finish-reason',
    reasons: { error: broken },
  },
  {
    of: 'together',
    source: 'https://docs.together.ai/reference/chat-completions-1',
    reasons: { eos: 'stop' },
  },
  {
    of: 'xai',
    source: 'https://docs.x.ai/docs/api-reference',
    reasons: { end_turn: 'stop' },
  },
  {
    of: 'minimax',
    source: 'https://platform.minimax.io/docs/api-reference/text-post',
    reasons: { max_output: 'length' },
  },
  {
    of: 'text-generation-inference',
    source: 'https://github.com/huggingface/text-generation-inference/blob/main/router/src/lib.rs',
    reasons: { eos_token: 'stop', stop_sequence: 'stop-sequence' },
  },
  {
    of: 'vllm',
    source:
      'https://github.com/vllm-project/vllm/blob/main/vllm/v1/engine/__init__.py (FINISH_REASON_STRINGS)',
    reasons: { abort: broken, error: broken, repetition: 'length' },
  },
  {
    of: 'sglang',
    source: 'https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/managers/schedule_batch.py',
    reasons: { abort: broken },
  },
  {
    of: 'tensorrt-llm',
    source: 'https://nvidia.github.io/TensorRT-LLM/llm-api/reference.html',
    reasons: { timeout: { fails: 'timeout' }, cancelled: broken },
  },
  {
    of: 'ollama',
    source: 'https://github.com/ollama/ollama/blob/main/server/routes.go',
    reasons: { load: 'stop', unload: 'stop' },
  },
  {
    of: 'lm-studio',
    source:
      'https://github.com/lmstudio-ai/lmstudio-js/blob/main/packages/lms-shared-types/src/llm/LLMPredictionStats.ts',
    reasons: {
      eosFound: 'stop',
      stopStringFound: 'stop-sequence',
      toolCalls: 'tool-calls',
      maxPredictedTokensReached: 'length',
      contextLengthReached: 'length',
      userStopped: broken,
      modelUnloaded: broken,
      failed: broken,
    },
  },
  {
    of: 'mimo',
    source: 'https://platform.xiaomimimo.com/docs/api/chat/openai-api',
    reasons: { repetition_truncation: 'length' },
  },
  {
    of: 'qianfan',
    source: 'https://cloud.baidu.com/doc/qianfan-api/s/3m7of64lb',
    reasons: { normal: 'stop' },
  },
  {
    of: 'watsonx',
    source: 'https://ibm.github.io/watsonx-ai-node-sdk/interfaces/0_1_x.WatsonXAI.TextGenResult-1.html',
    reasons: {
      eos_token: 'stop',
      token_limit: 'length',
      max_tokens: 'length',
      time_limit: 'length',
      not_finished: 'length',
      cancelled: broken,
      error: broken,
    },
  },
];
