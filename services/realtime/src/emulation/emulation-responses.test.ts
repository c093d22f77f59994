import { GatewayError, type GenerateEvent, type GenerateRequest } from '@model-gateway/canonical';
import { describe, expect, test, vi } from 'vitest';
import {
  finish,
  never,
  open,
  openAudio,
  says,
  saysText,
  sound,
  start,
  text,
} from '../testing/open-emulation.ts';

describe('responses', () => {
  test('events of a text response have the order of the protocol', async () => {
    const { say, send, types, done, of, first, events } = open([saysText('Hello there.')]);
    say('Hi');
    send({ type: 'response.create', response: { metadata: { a: 'b' } } });
    await done();
    expect(types().slice(3)).toEqual([
      'response.created',
      'response.output_item.added',
      'conversation.item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'conversation.item.done',
      'response.output_item.done',
      'response.done',
    ]);
    const created = first('response.created').response;
    expect(created).toMatchObject({ status: 'in_progress', status_details: null, output: [], usage: null });
    const item = {
      id: expect.any(String),
      object: 'realtime.item',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hello there.' }],
    };
    expect(of('response.output_item.added')[0]).toMatchObject({
      response_id: created.id,
      output_index: 0,
      item: { status: 'in_progress', content: [] },
    });
    expect(first('response.content_part.added').part).toEqual({ type: 'text', text: '' });
    expect(of('conversation.item.added')[1]?.previous_item_id).toBe(first('conversation.item.added').item.id);
    expect(first('response.output_item.done').item).toEqual(item);
    expect(first('response.done').response).toEqual({
      ...created,
      status: 'completed',
      output: [item],
      metadata: { a: 'b' },
      usage: {
        total_tokens: 10,
        input_tokens: 7,
        output_tokens: 3,
        input_token_details: {
          text_tokens: 7,
          audio_tokens: 0,
          image_tokens: 0,
          cached_tokens: 2,
          cached_tokens_details: { text_tokens: 2, audio_tokens: 0, image_tokens: 0 },
        },
        output_token_details: { text_tokens: 3, audio_tokens: 0 },
      },
    });
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length);
  });

  test('reasoning is hidden from clients and returned to the model with the next item', async () => {
    const signature = { format: 'messages', value: 'sig' } as const;
    const { say, send, done, of, first, requests } = open([
      says(
        { type: 'part-start', index: 0, part: { type: 'reasoning' } },
        { type: 'part-delta', index: 0, text: 'Hmm.' },
        { type: 'part-end', index: 0, signature },
        ...text('Yes.', 1),
        { type: 'part-start', index: 2, part: { type: 'tool-call', id: 'c', name: 'f' } },
        finish(),
      ),
    ]);
    send({ type: 'response.create' });
    await done();
    expect(first('response.done').response.output).toHaveLength(2);
    expect(JSON.stringify(of('response.done'))).not.toContain('Hmm');
    say('Sure?');
    send({ type: 'response.create' });
    await done(2);
    expect(requests[1]?.messages[1]).toEqual({
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hmm.', signature },
        { type: 'text', text: 'Yes.' },
        { type: 'tool-call', id: 'c', name: 'f', arguments: '{}' },
      ],
    });
  });

  test('parallel calls become items, and their outputs reach the model', async () => {
    const call = (index: number, id: string): GenerateEvent => ({
      type: 'part-start',
      index,
      part: { type: 'tool-call', id, name: 'weather' },
    });
    const { send, done, of, types, requests } = open([
      says(
        ...text('Let me see.'),
        call(1, 'c1'),
        call(2, 'c2'),
        { type: 'part-delta', index: 1, text: '{"city":' },
        { type: 'part-delta', index: 2, text: '' },
        { type: 'part-delta', index: 1, text: '"Oslo"}' },
        { type: 'part-end', index: 1 },
        { type: 'part-end', index: 2 },
        finish('tool-calls'),
      ),
      saysText('Cold.'),
    ]);
    send({ type: 'response.create' });
    await done();
    const items = of('response.output_item.done').map(({ output_index, item }) => [output_index, item]);
    expect(items).toMatchObject([
      [0, { type: 'message', status: 'completed' }],
      [
        1,
        {
          type: 'function_call',
          call_id: 'c1',
          name: 'weather',
          arguments: '{"city":"Oslo"}',
          status: 'completed',
        },
      ],
      [2, { type: 'function_call', call_id: 'c2', arguments: '{}', status: 'completed' }],
    ]);
    expect(of('response.function_call_arguments.done')).toMatchObject([
      { call_id: 'c1', name: 'weather', arguments: '{"city":"Oslo"}', output_index: 1 },
      { call_id: 'c2', output_index: 2 },
    ]);
    expect(types().indexOf('response.function_call_arguments.done')).toBeLessThan(
      types().indexOf('response.done'),
    );
    for (const call_id of ['c1', 'c2'])
      send({
        type: 'conversation.item.create',
        item: { type: 'function_call_output', call_id, output: '1' },
      });
    send({ type: 'response.create' });
    await done(2);
    expect(requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });

  test.each([
    ['length', 'max_output_tokens'],
    ['content-filter', 'content_filter'],
    ['refusal', 'content_filter'],
  ] as const)('a response that ends by %s is incomplete', async (reason, expected) => {
    const { send, done, first } = open([says(...text('Cut o'), finish(reason))]);
    send({ type: 'response.create' });
    await done();
    expect(first('response.done').response).toMatchObject({
      status: 'incomplete',
      status_details: { type: 'incomplete', reason: expected },
      output: [{ status: 'incomplete', content: [{ text: 'Cut o' }] }],
    });
  });

  test('a refusal becomes an incomplete response with its text', async () => {
    const { send, done, first } = open([
      says(
        { type: 'part-start', index: 0, part: { type: 'refusal' } },
        { type: 'part-delta', index: 0, text: 'No.' },
        { type: 'part-end', index: 0 },
        finish(),
      ),
    ]);
    send({ type: 'response.create' });
    await done();
    expect(first('response.done').response).toMatchObject({
      status_details: { reason: 'content_filter' },
      output: [{ content: [{ text: 'No.' }] }],
    });
  });

  test('a failed response has its error, and the session goes on', async () => {
    const { send, done, of, first } = open([
      say => {
        say([start, ...text('I was')]);
        throw new GatewayError('rate-limited', 'Too many requests.');
      },
    ]);
    send({ type: 'response.create' });
    await done();
    expect(first('response.done').response).toMatchObject({
      status: 'failed',
      status_details: {
        type: 'failed',
        error: { type: 'rate_limit_error', code: 'rate_limit_exceeded', message: 'Too many requests.' },
      },
      output: [{ status: 'incomplete' }],
    });
    send({ type: 'response.create' });
    await done(2);
    expect(of('response.done')[1]?.response.status).toBe('completed');
  });

  test('a cancelled response ends at once, and the next can begin', async () => {
    const { send, of, first, signals, requests, done, error } = open([
      (say, _request, signal) => {
        say([
          start,
          ...text('Once upon'),
          { type: 'part-start', index: 1, part: { type: 'tool-call', id: 'c', name: 'f' } },
          { type: 'part-delta', index: 1, text: '{"a' },
        ]);
        return never(say, {} as GenerateRequest, signal);
      },
    ]);
    send({ type: 'response.create' });
    await vi.waitFor(() => expect(of('response.function_call_arguments.delta')).toHaveLength(1));
    send({ type: 'response.create', event_id: 'second' });
    expect(error()).toMatchObject({
      code: 'conversation_already_has_active_response',
      event_id: 'second',
    });
    send({ type: 'response.cancel', response_id: 'other' });
    expect(error()).toMatchObject({ code: 'response_cancel_not_active' });
    send({ type: 'response.cancel', response_id: first('response.created').response.id });
    expect(signals[0]?.aborted).toBe(true);
    expect(first('response.done').response).toMatchObject({
      status: 'cancelled',
      status_details: { type: 'cancelled', reason: 'client_cancelled' },
      output: [{ status: 'completed' }, { type: 'function_call', status: 'incomplete' }],
      usage: { output_tokens: 1 },
    });
    expect(of('response.function_call_arguments.done')).toEqual([]);
    send({ type: 'response.create' });
    await done(2);
    expect(of('response.done')[1]?.response.status).toBe('completed');
    // An incomplete call is left out.
    expect(requests[1]?.messages).toContainEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'Once upon' }],
    });
    expect(JSON.stringify(requests[1])).not.toContain('tool-call');
  });

  test('a response outside of the conversation runs in parallel, on its own input', async () => {
    const { send, say, of, first, done, requests } = open([never, saysText('Weather.')]);
    say('What is the weather?');
    const id = first('conversation.item.added').item.id;
    send({ type: 'response.create' });
    await vi.waitFor(() => expect(requests).toHaveLength(1));
    const input = [
      { type: 'item_reference', id },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'One word.' }] },
    ];
    send({
      type: 'response.create',
      response: { conversation: 'none', input, instructions: 'Classify.', output_modalities: ['text'] },
    });
    await done();
    expect(first('response.done').response).toMatchObject({ conversation_id: null, status: 'completed' });
    expect(of('conversation.item.added')).toHaveLength(1);
    expect(requests[1]?.messages).toHaveLength(3);
    for (let i = 0; i < 8; i++) send({ type: 'response.create', response: { conversation: 'none' } });
    expect(of('error')).toMatchObject([{ error: { code: 'too_many_responses' } }]);
  });

  test('cancelling a response outside of the conversation leaves a waiting turn to be answered', async () => {
    const turn = Promise.withResolvers<void>();
    const { append, update, send, of, done, requests } = openAudio([
      async say => {
        await turn.promise;
        say([start, ...text('Done.'), finish()]);
      },
      never,
    ]);
    const turn_detection = { type: 'server_vad', interrupt_response: false };
    update({ output_modalities: ['text'], audio: { input: { turn_detection } } });
    send({ type: 'response.create' });
    send({ type: 'response.create', response: { conversation: 'none' } });
    await vi.waitFor(() => expect(requests).toHaveLength(2));
    append(sound(200));
    append(sound(700, false));
    send({ type: 'response.cancel', response_id: of('response.created')[1]?.response.id });
    await done();
    turn.resolve();
    await done(3);
    expect(of('response.done').map(({ response }) => response.status)).toEqual([
      'cancelled',
      'completed',
      'completed',
    ]);
  });

  test('a response stops when the client has left', async () => {
    const { emulation, send, signals } = open([never]);
    send({ type: 'response.create' });
    await vi.waitFor(() => expect(signals).toHaveLength(1));
    emulation.end();
    expect(signals[0]?.aborted).toBe(true);
  });
});
