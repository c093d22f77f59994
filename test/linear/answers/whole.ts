import { list } from '../cost.ts';
import { callItem } from './responses.ts';
import type { Answers } from './sse.ts';

/** Whole answers that are sent in place of a stream. */
export const whole: Record<string, Answers> = {
  chat: {
    calls: n =>
      JSON.stringify({
        choices: [
          {
            message: {
              tool_calls: list(Math.min(n, 999), i => ({
                id: `c${i}`,
                function: { name: 'f', arguments: '{}' },
              })),
            },
            finish_reason: 'tool_calls',
          },
        ],
      }),
    choices: n =>
      JSON.stringify({
        choices: list(n, i => ({ index: i, message: { content: 'a' }, finish_reason: 'stop' })),
      }),
  },
  completions: {
    choices: n =>
      JSON.stringify({ choices: list(n, index => ({ index, text: 'a', finish_reason: 'stop' })) }),
  },
  messages: {
    calls: n =>
      JSON.stringify({
        type: 'message',
        content: list(n, i => ({ type: 'tool_use', id: `c${i}`, name: 'f', input: { a: i } })),
        stop_reason: 'tool_use',
      }),
  },
  responses: {
    calls: n =>
      JSON.stringify({
        id: 'r',
        object: 'response',
        status: 'completed',
        output: list(n, i => callItem(i, '{}')),
      }),
  },
  'generate-content': {
    chunks: n =>
      JSON.stringify(
        list(n, i => ({ candidates: [{ content: { parts: [{ text: `a${i}` }] }, finishReason: 'STOP' }] })),
      ),
  },
  'cohere-chat': {
    calls: n =>
      JSON.stringify({
        id: 'c',
        finish_reason: 'TOOL_CALL',
        message: { tool_calls: list(n, i => ({ id: `c${i}`, function: { name: 'f', arguments: '{}' } })) },
      }),
  },
  'converse with stops': {
    calls: n =>
      JSON.stringify({
        output: {
          message: {
            content: list(n, i => ({ toolUse: { toolUseId: `c${i}`, name: 'f', input: { a: i } } })),
          },
        },
        stopReason: 'tool_use',
      }),
  },
};
