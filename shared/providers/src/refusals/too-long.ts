import type { RefusalRow } from './rows.ts';

/** Refusals of a prompt, or of a prompt and its output, that do not fit the model's context. Those of embedding and rerank servers are among them. */
export const tooLong: readonly RefusalRow[] = [
  {
    of: 'openai',
    source: 'https://platform.openai.com/docs/guides/error-codes',
    codes: ['context_length_exceeded'],
    words: [/maximum context length/i, /\bmaximum (?:input length|request size) is [\d,]+ tokens/i],
  },
  {
    of: 'anthropic',
    source: 'https://docs.claude.com/en/api/errors',
    words: [/prompt is too long/i, /too many total text bytes/i],
  },
  {
    of: 'gemini',
    source: 'https://ai.google.dev/gemini-api/docs/troubleshooting',
    words: [/input token count\b.{0,80}\b(?:exceeds|supports)\b/i, /\bcontext is too long/i],
  },
  {
    of: 'bedrock',
    source: 'https://github.com/strands-agents/sdk-python/blob/main/src/strands/models/bedrock.py',
    words: [
      /\binput is too long/i,
      /too many input tokens/i,
      /exceeds? the (?:maximum|max) (?:number of )?(?:input )?tokens/i,
      /exceeds? the max input token limit/i,
    ],
  },
  {
    of: 'xai',
    source: 'https://github.com/jin-bo/agentao/pull/88',
    words: [/maximum prompt length is/i],
  },
  {
    of: 'moonshot',
    source: 'https://platform.kimi.ai/docs/api/errors',
    words: [/exceeded model token limit/i, /input token length too long/i],
  },
  {
    of: 'zhipu',
    source: 'https://docs.bigmodel.cn/cn/api/api-code',
    codes: ['1261'],
    words: [/\btokens in request more than max tokens allowed/i],
  },
  {
    of: 'dashscope',
    source: 'https://help.aliyun.com/en/model-studio/error-code',
    words: [/range of input length should be/i],
  },
  {
    of: 'github-copilot',
    source: 'https://github.com/jjleng/copilot-more/issues/35',
    codes: ['model_max_prompt_tokens_exceeded'],
    words: [/prompt token count of [\d,]+ exceeds the limit/i],
  },
  {
    of: 'github-models',
    source: 'https://github.com/cline/cline/issues/2115',
    codes: ['tokens_limit_reached'],
    words: [/\brequest body too large for \S{1,80} model\. max size: [\d,]+ tokens/i],
  },
  {
    of: 'groq',
    source: 'https://console.groq.com/docs/errors',
    words: [/reduce the length of the (?:messages|prompt|input)/i],
  },
  {
    of: 'mistral',
    source: 'https://github.com/earendil-works/pi/issues/129',
    codes: ['3051'],
    words: [/too large for model with [\d,]+ maximum context/i, /\bexceeding max [\d,]+ tokens/i],
  },
  {
    of: 'cohere',
    source: 'https://github.com/cohere-ai/sandbox-topically/issues/4',
    words: [/too many tokens/i, /number of tokens \(prompt and prediction\) cannot exceed/i],
  },
  {
    of: 'voyage',
    source: 'https://github.com/VeraTools/vera/pull/18',
    words: [/max allowed tokens per submitted batch/i],
  },
  {
    of: 'jina',
    source: 'https://github.com/pingcap/autoflow/issues/397',
    words: [/\btext cannot exceed [\d,]+ tokens/i],
  },
  {
    of: 'siliconflow',
    source: 'https://github.com/langgenius/dify/issues/19394',
    words: [/prompt_tokens \([\d,]+\) must be less than max_seq_len/i],
  },
  {
    of: 'sambanova',
    source: 'https://docs.sambanova.ai/cloud/api-reference/using-the-api/api-error-codes',
    words: [/maximum (?:supported )?sequence length/i],
  },
  {
    of: 'vllm',
    source: 'https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/openai/serving_engine.py',
    words: [
      /longer than the maximum model length/i,
      /context length is only/i,
      /too long to fit into the model/i,
      /\binput prompt \([\d,]+ tokens\) is too long/i,
    ],
  },
  {
    of: 'sglang',
    source: 'https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/managers/tokenizer_manager.py',
    words: [/longer than the model'?s context length/i, /\brequested token count exceeds/i],
  },
  {
    of: 'text-generation-inference',
    source: 'https://github.com/huggingface/text-generation-inference/blob/main/router/src/validation.rs',
    words: [/\binputs`? tokens \+ `?max_new_tokens`? must be/i],
  },
  {
    of: 'tei',
    source: 'https://github.com/huggingface/text-embeddings-inference/blob/main/core/src/tokenization.rs',
    words: [/\binputs?`? must have less than [\d,]+ tokens/i],
  },
  {
    of: 'llama-cpp',
    source: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/server.cpp',
    codes: ['exceed_context_size_error'],
    words: [/\binput (?:\([\d,]+ tokens\) )?is too (?:large|long) to process/i],
  },
  {
    of: 'lm-studio',
    source: 'https://github.com/jin-bo/agentao/pull/88',
    words: [/greater than the context length/i],
  },
  {
    of: 'litellm',
    source: 'https://docs.litellm.ai/docs/exception_mapping',
    words: [/\bContextWindowExceededError\b/],
  },
  {
    // Ollama, MiniMax, Cloudflare, DeepInfra, Volcengine, Together, OpenRouter and Fireworks among them.
    of: 'several',
    source: 'https://github.com/earendil-works/pi/blob/main/packages/ai/src/utils/overflow.ts',
    words: [
      /context[ _](?:length|window|size)[^.]{0,40}(?:\b|_)exceed/i,
      /exceed\w{0,10}[^.]{0,40}\bcontext[ _](?:length|window|size|limit)/i,
      /\btoken count\b.{0,60}\bexceeds\b/i,
      /\bcontains [\d,]+ (?:input )?tokens\b.{0,40}\b(?:exceeds|too large|maximum)\b/i,
      /\b(?:input|prompt|text|sequence)\b.{0,30}\b(?:exceeds?|longer than|larger than)\b.{0,40}\bmax\w*\b.{0,30}\b(?:length|tokens?|context)\b/i,
      /\b(?:prompt|input|messages?|conversation)\b(?: tokens?)? length\b.{0,60}\b(?:exceed\w{0,3}|longer|greater|too long)\b/i,
      /\b(?:prompt|inputs?|conversation)\b (?:is |are )?too (?:long|large)\b/i,
      /\b(?:prompt|input|total|context|requested|number of)\b.{0,30}\btokens?\b.{0,60}\bexceed/i,
      /\b(?:prompt|input|total|context|number of)\b.{0,30}\btokens?\b.{0,60}\b(?:greater|larger|more|longer) than\b/i,
      /\bexceed\w{0,3}\b.{0,20}\btoken limit\b/i,
      /\btoken limit exceeded/i,
      /\bconfigured context size is\b/i,
      /(?:输入|上下文|提示词|prompt).{0,10}(?:超长|过长|超过|超出)/i,
    ],
  },
];
