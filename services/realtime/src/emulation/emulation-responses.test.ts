import { GatewayError, type GenerateEvent, type GenerateRequest } from '@model-gateway/canonical';
import { partEvents } from '@model-gateway/canonical/testing/events';
import { call as callOf, says as saysAll, signed, thought } from '@model-gateway/canonical/testing/parts';
import { describe, expect, test, vi } from 'vitest';
import {
  finish,
  never,
  open,
  openAudio,
  type Script,
  says,
  saysText,
  sound,
  start,
  text,
} from '../testing/open-emulation.ts';

const create = { type: 'response.create' };
const call = (index: number, id: string, pieces: string[] = []) =>
  partEvents(index, { type: 'tool-call', id, name: 'f' }, pieces);

/** The first response of a session. */
async function respond(...script: Script[]) {
  const session = open(script);
  session.send(create);
  await session.done();
  return { ...session, response: session.first('response.done').response };
}

describe('responses', () => {
  test('events of a text response have the order of the protocol', async () => {
    const { say, send, types, done, of, first, events } = open([saysText('Hello there.')]);
    say('Hi');
    send({ type: 'response.create', response: { metadata: { a: 'b' } } });
    await done();
    expect(types().slice(3).join(' ')).toBe(
      'response.created response.output_item.added conversation.item.added response.content_part.added ' +
        'response.output_text.delta response.output_text.delta response.output_text.done ' +
        'response.content_part.done conversation.item.done response.output_item.done response.done',
    );
    const created = first('response.created').response;
    expect(created).toMatchObject({ status: 'in_progress', status_details: null, output: [], usage: null });
    const item = {
      ...{ id: expect.any(String), object: 'realtime.item', type: 'message', role: 'assistant' },
      ...{ status: 'completed', content: [{ type: 'output_text', text: 'Hello there.' }] },
    };
    const begun = { output_index: 0, item: { status: 'in_progress', content: [] } };
    expect(first('response.output_item.added')).toMatchObject({ response_id: created.id, ...begun });
    expect(first('response.content_part.added').part).toEqual({ type: 'text', text: '' });
    expect(of('conversation.item.added')[1]?.previous_item_id).toBe(first('conversation.item.added').item.id);
    expect(first('response.output_item.done').item).toEqual(item);
    const none = { audio_tokens: 0, image_tokens: 0 };
    const cached = { cached_tokens: 2, cached_tokens_details: { text_tokens: 2, ...none } };
    const usage = {
      ...{ total_tokens: 10, input_tokens: 7, output_tokens: 3 },
      input_token_details: { text_tokens: 7, ...none, ...cached },
      output_token_details: { text_tokens: 3, audio_tokens: 0 },
    };
    expect(first('response.done').response).toEqual({
      ...{ ...created, status: 'completed', output: [item], metadata: { a: 'b' }, usage },
    });
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length);
  });

  test('reasoning is hidden from clients and returned to the model with the next item', async () => {
    const reasoning = partEvents(0, { type: 'reasoning' }, ['Hmm.'], signed('sig'));
    const { say, send, done, of, response, requests } = await respond(
      says(...reasoning, ...text('Yes.', 1), ...call(2, 'c'), finish()),
    );
    expect(response.output).toHaveLength(2);
    expect(JSON.stringify(of('response.done'))).not.toContain('Hmm');
    say('Sure?');
    send(create);
    await done(2);
    expect(requests[1]?.messages[1]).toEqual(saysAll(thought('Hmm.', signed('sig')), 'Yes.', callOf('c')));
  });

  test('parallel calls become items, and their outputs reach the model', async () => {
    const [[begin1, a, b, end1], [begin2, none, end2]] = [
      call(1, 'c1', ['{"city":', '"Oslo"}']),
      call(2, 'c2', ['']),
    ] as [GenerateEvent[], GenerateEvent[]];
    const calls = [begin1, begin2, a, none, b, end1, end2] as GenerateEvent[];
    const { send, done, of, types, requests } = await respond(
      says(...text('Let me see.'), ...calls, finish('tool-calls')),
      saysText('Cold.'),
    );
    const first = { call_id: 'c1', name: 'f', arguments: '{"city":"Oslo"}' };
    const second = { call_id: 'c2', arguments: '{}' };
    const item = { type: 'function_call', status: 'completed' };
    expect(of('response.output_item.done')).toMatchObject([
      { output_index: 0, item: { type: 'message', status: 'completed' } },
      { output_index: 1, item: { ...item, ...first } },
      { output_index: 2, item: { ...item, ...second } },
    ]);
    expect(of('response.function_call_arguments.done')).toMatchObject([
      { ...first, output_index: 1 },
      { call_id: 'c2', output_index: 2 },
    ]);
    expect(types().indexOf('response.function_call_arguments.done')).toBeLessThan(
      types().indexOf('response.done'),
    );
    for (const call_id of ['c1', 'c2'])
      send({
        ...{ type: 'conversation.item.create' },
        item: { type: 'function_call_output', call_id, output: '1' },
      });
    send(create);
    await done(2);
    expect(requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });

  test.each([
    ['length', 'max_output_tokens'],
    ['content-filter', 'content_filter'],
    ['refusal', 'content_filter'],
    ['pause', 'max_output_tokens'],
    ['other', 'max_output_tokens'],
  ] as const)('a response that ends by %s is incomplete', async (end, reason) => {
    const { response } = await respond(says(...text('Cut o'), finish(end)));
    expect(response).toMatchObject({
      ...{ status: 'incomplete', status_details: { type: 'incomplete', reason } },
      output: [{ status: 'incomplete', content: [{ text: 'Cut o' }] }],
    });
  });

  test('a refusal becomes an incomplete response with its text', async () => {
    const { response } = await respond(says(...partEvents(0, { type: 'refusal' }, ['No.']), finish()));
    const status_details = { reason: 'content_filter' };
    expect(response).toMatchObject({ status_details, output: [{ content: [{ text: 'No.' }] }] });
  });

  test('a failed response has its error, and the session goes on', async () => {
    const { send, done, of, response } = await respond(say => {
      say([start, ...text('I was')]);
      throw new GatewayError('rate-limited', 'Too many requests.');
    });
    const error = { type: 'rate_limit_error', code: 'rate_limit_exceeded', message: 'Too many requests.' };
    const failed = { status: 'failed', status_details: { type: 'failed', error } };
    expect(response).toMatchObject({ ...failed, output: [{ status: 'incomplete' }] });
    send(create);
    await done(2);
    expect(of('response.done')[1]?.response.status).toBe('completed');
  });

  test('a cancelled response ends at once, and the next can begin', async () => {
    const { send, of, first, signals, requests, done, error } = open([
      (say, _request, signal) => {
        say([start, ...text('Once upon'), ...call(1, 'c', ['{"a']).slice(0, -1)]);
        return never(say, {} as GenerateRequest, signal);
      },
    ]);
    send(create);
    await vi.waitFor(() => expect(of('response.function_call_arguments.delta')).toHaveLength(1));
    send({ type: 'response.create', event_id: 'second' });
    const code = 'conversation_already_has_active_response';
    expect(error()).toMatchObject({ code, event_id: 'second' });
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
    send(create);
    await done(2);
    expect(of('response.done')[1]?.response.status).toBe('completed');
    // An incomplete call is left out.
    expect(requests[1]?.messages).toContainEqual(saysAll('Once upon'));
    expect(JSON.stringify(requests[1])).not.toContain('tool-call');
  });

  test('a response outside of the conversation runs in parallel, on its own input', async () => {
    const { send, say, of, first, done, requests } = open([never, saysText('Weather.')]);
    say('What is the weather?');
    const id = first('conversation.item.added').item.id;
    send(create);
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
    send(create);
    send({ type: 'response.create', response: { conversation: 'none' } });
    await vi.waitFor(() => expect(requests).toHaveLength(2));
    append(sound(200));
    append(sound(700, false));
    send({ type: 'response.cancel', response_id: of('response.created')[1]?.response.id });
    await done();
    turn.resolve();
    await done(3);
    const statuses = of('response.done').map(({ response }) => response.status);
    expect(statuses).toEqual(['cancelled', 'completed', 'completed']);
  });

  test('a response stops when the client has left', async () => {
    const { emulation, send, signals } = open([never]);
    send(create);
    await vi.waitFor(() => expect(signals).toHaveLength(1));
    emulation.end();
    expect(signals[0]?.aborted).toBe(true);
  });
});
