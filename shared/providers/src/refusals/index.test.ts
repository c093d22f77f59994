import { expect, test } from 'vitest';
import { meaningOfCodes, meaningOfWords, type RefusalMeaning, refusals } from './index.ts';

const meanings = Object.entries(refusals) as [RefusalMeaning, (typeof refusals)[RefusalMeaning]][];

test.each(meanings)('each row of %s has a source, and codes that no other reason has', (meaning, rows) => {
  for (const { source, codes = [] } of rows) {
    expect(source).toMatch(/^https:\/\//);
    for (const code of codes) expect(meaningOfCodes([code])).toBe(meaning);
  }
});

test('the first code that says something counts, whether it is a number or a name', () => {
  expect(meaningOfCodes([undefined, null, 400, 1261, 'insufficient_quota'])).toBe('too-long');
  expect(meaningOfCodes([400, 'bad_request'])).toBeUndefined();
});

/** Each vendor's own words. */
const words: [RefusalMeaning, string[]][] = [
  [
    'too-long',
    [
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      "Invalid 'input[0]': maximum input length is 8192 tokens.",
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
      'prompt is too long: 210000 tokens > 200000 maximum',
      'input length and `max_tokens` exceed context limit: 198157 + 21333 > 200000',
      'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
      'Unable to submit request because the input token count is 9000 but model only supports up to 8192.',
      'An internal error has occurred. Your input context is too long.',
      'Input is too long for requested model.',
      'Too many input tokens. Max input tokens: 8192, request input token count: 9000',
      "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      'Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)',
      'Prompt 超长',
      '输入长度超过模型上限',
      '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]',
      'prompt token count of 93854 exceeds the limit of 90000',
      'Request body too large for gpt-4o model. Max size: 8000 tokens.',
      'Please reduce the length of the messages or completion.',
      'Prompt contains 65673 tokens, too large for model with 32768 maximum context length',
      'Input id 0 has 8500 tokens, exceeding max 8192 tokens.',
      'too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354.',
      "total tokens exceeds the model's max of 4096",
      'The max allowed tokens per submitted batch is 120000. Your batch has 200000 tokens after truncation.',
      'Single text cannot exceed 8194 tokens. 11512 tokens given.',
      'length of prompt_tokens (140000) must be less than max_seq_len (131072).',
      'input must have less than 512 tokens',
      'The decoder prompt (length 8357) is longer than the maximum model length of 8192.',
      "You passed 8193 input tokens and requested 0 output tokens. However, the model's context length is only 8192 tokens.",
      'The prompt (total length 25938) is too long to fit into the model (context length 4096).',
      "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
      "Requested token count exceeds the model's maximum context length of 131072 tokens.",
      'Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).',
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens',
      'Input validation error: `inputs` must have less than 512 tokens. Given: 700',
      'input (534 tokens) is too large to process. increase the physical batch size (current batch size: 512)',
      'the request exceeds the available context size, try increasing it',
      'The number of tokens to keep from the initial prompt is greater than the context length.',
      'prompt too long; exceeded max context length by 100918 tokens',
      'the input length exceeds the context length',
      'invalid params, context window exceeds limit (2013)',
      'Requested input length 9000 exceeds maximum input length 8191',
      'The estimated number of input and maximum output tokens (9000) exceeded this model context window limit (8192).',
      'Total tokens of image and text exceed max message tokens',
      'ContextWindowExceededError: Hosted_vllmException - too large',
      'Prompt has 5,958,968 tokens, but the configured context size is 256,000 tokens',
      'tokens in request more than max tokens allowed',
      'Error code: context_length_exceeded',
      'model_context_window_exceeded',
      'Input length 5000 exceeds the maximum allowed input length of 4096 tokens.',
      'The number of input tokens (9000) is greater than the maximum (8192).',
      'Your request exceeds the token limit of 8192.',
      'Input length 600 exceeds maximum allowed token size 512',
    ],
  ],
  [
    'filtered',
    [
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
      'Your request was rejected as a result of our safety system.',
      'openai/gpt requires moderation on x. Your input was flagged for "harassment".',
      'Content Exists Risk',
      'Input data may contain inappropriate content.',
      'The request was rejected because it was considered high risk',
      "This prompt contains sensitive words that violate Google's Responsible AI practices.",
    ],
  ],
  [
    'out-of-money',
    [
      'Your credit balance is too low to access the Anthropic API.',
      'You have reached your specified API usage limits. You will regain access on 2027-01-01 at 00:00 UTC.',
      'Insufficient Balance',
      '您的账户已欠费,请充值后重试',
      '用户额度不足, 剩余额度: ＄0.00',
      'Insufficient credits. Add more using https://openrouter.ai/credits',
      'Sorry, your account balance is insufficient',
      "Your newly created team doesn't have any credits or licenses yet.",
      "Your newly created teams doesn't have any credits yet.",
      "You've reached your usage limit for this billing cycle.",
      'Budget has been exceeded! Current cost: 11, Max budget: 10',
    ],
  ],
  ['rate-limited', ['Throttling: TPM(10680324/10000000)']],
];

test.each(words.flatMap(([meaning, list]) => list.map(message => [meaning, message] as const)))(
  '%s: %s',
  (meaning, message) => {
    expect(meaningOfWords(message)).toBe(meaning);
  },
);

test.each([
  '',
  'Missing required parameter: messages.',
  'max_tokens is too large: 100000. This model supports at most 16384 completion tokens.',
  "Invalid 'metadata.a': string too long. Expected a string with maximum length 512.",
  "Invalid 'input': string too long. Expected a string with maximum length 4096 characters.",
  "This request would exceed your organization's rate limit of 30,000 input tokens per minute.",
  'Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 9000',
  "Invalid value: 'Your credit balance is too low'.",
  "The model 'insufficient balance' does not exist.",
])('says nothing beyond its status: %s', message => {
  expect(meaningOfWords(message)).toBeUndefined();
});
