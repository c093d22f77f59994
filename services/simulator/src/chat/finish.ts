import type { Finish } from '../mind/answer.ts';

export const finishReasons = {
  stop: 'stop',
  length: 'length',
  calls: 'tool_calls',
  refusal: 'stop',
  blocked: 'content_filter',
} as const satisfies Record<Finish, string>;
