import { call, png, result, says, system, tells, user } from '@model-gateway/canonical/testing/parts';
import { rows } from '@model-gateway/canonical/testing/rows';
import { describe, expect, test } from 'vitest';
import { open, saysText } from '../testing/open-emulation.ts';

describe('sessions', () => {
  test('session.created is the first event, with an event_id', () => {
    const { events } = open();
    const told = { object: 'realtime.session', type: 'realtime', model: 'talker' };
    const audio = { input: { turn_detection: null } };
    const session = { ...told, output_modalities: ['text'], audio };
    const event_id = expect.stringMatching(/^event_/);
    expect(events).toMatchObject([{ type: 'session.created', event_id, session }]);
  });

  test('session.update changes only the fields sent, and empty ones are cleared', () => {
    const { update, of } = open();
    const tool = { type: 'function', name: 'weather', parameters: { type: 'object' } };
    const reasoning = { effort: 'low' };
    const fields = { instructions: 'Be brief.', tools: [tool], tracing: 'auto', reasoning };
    update({ ...fields, max_output_tokens: 50, model: 'talker' });
    update({ tools: [] });
    update({ instructions: '', max_output_tokens: 'inf', reasoning: null });
    expect(of('session.updated')).toMatchObject([
      { session: fields },
      { session: { instructions: 'Be brief.', tools: [], max_output_tokens: 50, reasoning } },
      { session: { instructions: '', max_output_tokens: 'inf', model: 'talker', reasoning: null } },
    ]);
  });

  test('a session without helper models stays with text, whatever is requested', () => {
    const { update, first } = open();
    const input = { transcription: { model: 'unknown-1' }, turn_detection: { type: 'semantic_vad' } };
    update({ output_modalities: ['audio'], audio: { input } });
    const audio = { input: { transcription: null, turn_detection: null } };
    expect(first('session.updated').session).toMatchObject({ output_modalities: ['text'], audio });
  });

  test('a prepared session begins with its settings', () => {
    const prepared = { instructions: 'Sing.', audio: { output: { voice: 'ash' } } };
    expect(open([], { prepared }).first('session.created').session).toMatchObject(prepared);
    expect(() => open([], { prepared: { speed: 2 } })).toThrow("Unknown parameter: 'session.speed'.");
  });

  test.each(['ping', 'pong', 'heartbeat', 'response.processed'])('the notice %s is ignored', type => {
    const { send, events } = open();
    const before = events.length;
    send({ type });
    expect(events).toHaveLength(before);
  });

  test.each(
    rows<[string, string | null, Record<string, unknown> | string]>`
    - [invalid_json, null, '{"type": ']
    - [invalid_json, null, '[1]']
    - [invalid_value, type, {type: session.create}]
    - [invalid_value, type, {type: {of: an object}}]
    - [missing_required_parameter, type, {}]
    - [missing_required_parameter, session, {type: session.update}]
    - [missing_required_parameter, session.type, {type: session.update, session: {}}]
    - [invalid_value, session.type, {type: session.update, session: {type: transcription}}]
    - [unknown_parameter, session.temperature, {type: session.update, session: {type: realtime, temperature: 1}}]
    - [invalid_value, session.model, {type: session.update, session: {type: realtime, model: other}}]
    - - invalid_value
      - session.tools[0].type
      - {type: session.update, session: {type: realtime, tools: [{type: mcp, server_label: x}]}}
    - [invalid_value, session.output_modalities, {type: session.update, session: {type: realtime, output_modalities: [text, audio]}}]
    - [invalid_value, session.audio.output.speed, {type: session.update, session: {type: realtime, audio: {output: {speed: 4}}}}]
    - [missing_required_parameter, item.role, {type: conversation.item.create, item: {type: message}}]
    - - missing_required_parameter
      - item.content[0].text
      - {type: conversation.item.create, item: {type: message, role: user, content: [{type: input_text}]}}
    - [invalid_value, item.type, {type: conversation.item.create, item: {type: mcp_call}}]
    - [item_not_found, item.call_id, {type: conversation.item.create, item: {type: function_call_output, call_id: c, output: ''}}]
    - [item_not_found, item_id, {type: conversation.item.retrieve, item_id: nope}]
    - [item_not_found, item_id, {type: conversation.item.delete, item_id: nope}]
    - [invalid_value, audio, {type: input_audio_buffer.append, audio: AAAA}]
    - [input_audio_buffer_commit_empty, null, {type: input_audio_buffer.commit}]
    - [string_above_max_length, audio, {type: input_audio_buffer.append, audio: large}]
    - [response_cancel_not_active, null, {type: response.cancel}]
    - [item_not_found, 'response.input[0].id', {type: response.create, response: {input: [{type: item_reference, id: nope}]}}]
    - [invalid_value, response.max_output_tokens, {type: response.create, response: {max_output_tokens: 0}}]
  `,
  )('the error %s of %s follows the event %j, and the session goes on', async (code, param, event) => {
    const session = open([saysText('Still here.')]);
    const event_id = typeof event === 'string' ? null : 'mine';
    const large = Object(event).audio === 'large' && { audio: 'A'.repeat(15 * 1024 * 1024 + 1) };
    await session.send(typeof event === 'string' ? event : { ...event, ...large, event_id });
    const message = expect.not.stringMatching(/discriminator|Invalid input/);
    expect(session.error()).toMatchObject({ type: 'invalid_request_error', code, param, event_id, message });
    session.send({ type: 'response.create' });
    await session.done();
    expect(session.first('response.done').response.status).toBe('completed');
  });

  test('an error quotes only the beginning of a long client text', async () => {
    const { send, update, of } = open();
    const huge = 'x'.repeat(100_000);
    send({ type: huge });
    send({ type: 'conversation.item.retrieve', item_id: huge });
    update({ [huge]: 1 });
    await update({ instructions: huge.repeat(11) });
    update({ instructions: huge });
    await send({ type: 'response.create', response: { instructions: huge.repeat(11) } });
    const codes = ['invalid_value', 'item_not_found', 'unknown_parameter'];
    expect(of('error').map(({ error }) => error.code)).toEqual([
      ...[...codes, 'settings_too_large', 'settings_too_large'],
    ]);
    expect(of('error').every(event => JSON.stringify(event).length < 1_000)).toBe(true);
    expect(of('session.updated')).toHaveLength(1);
  });
});

describe('conversations', () => {
  test('items have the order and the ids that clients set', () => {
    const { say, of, send, error } = open();
    const item = (id: string) => ({
      item: { id, type: 'message', role: 'user', content: [{ type: 'input_text', text: id }] },
    });
    say('', item('a'));
    say('', item('c'));
    say('', { ...item('b'), previous_item_id: 'a' });
    say('', { ...item('first'), previous_item_id: 'root' });
    const places = of('conversation.item.added').map(event => event.previous_item_id);
    expect(places).toEqual([null, 'a', 'a', null]);
    expect(of('conversation.item.done')).toHaveLength(4);
    say('', item('a'));
    expect(error()).toMatchObject({ param: 'item.id' });
    say('', { ...item('z'), previous_item_id: 'nope' });
    expect(error()).toMatchObject({ param: 'previous_item_id', code: 'item_not_found' });
    send({ type: 'conversation.item.delete', item_id: 'b' });
    expect(of('conversation.item.deleted')).toMatchObject([{ item_id: 'b' }]);
    send({ type: 'conversation.item.retrieve', item_id: 'c' });
    expect(of('conversation.item.retrieved')).toMatchObject([{ item: { content: [{ text: 'c' }] } }]);
  });

  test('items become messages, with calls beside their outputs', async () => {
    const { send, say, requests, done, update } = open();
    update({ instructions: 'Be brief.', tools: [{ type: 'function', name: 'f' }] });
    const item = (fields: object) => send({ type: 'conversation.item.create', item: fields });
    say('One?');
    item({ type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' });
    item({ type: 'function_call', call_id: 'c2', name: 'f', arguments: '{}' });
    say('Two?');
    item({ type: 'function_call_output', call_id: 'c1', output: 'out' });
    item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Well.' }] });
    const image = { type: 'input_image', image_url: 'data:image/png;base64,iVBO' };
    item({ type: 'message', role: 'user', content: [image] });
    send({ type: 'response.create', response: { max_output_tokens: 9, tool_choice: 'required' } });
    await done();
    const messages = [
      ...[system('Be brief.'), user('One?'), says(call('c1', '{"a":1}'), call('c2'))],
      tells(result('c1', 'out'), result('c2', '(The result is not there yet.)')),
      ...[user('Two?'), says('Well.'), user(png)],
    ];
    const tools = [{ type: 'function', name: 'f' }];
    expect(requests).toEqual([{ tools, toolChoice: { type: 'required' }, maxTokens: 9, messages }]);
  });

  test('old items are dropped beyond the context, unless truncation is disabled', async () => {
    const { say, send, requests, done, update } = open([], { context: 200 });
    for (const word of ['old', 'newer', 'newest']) say(`${word} ${'x'.repeat(200)}`);
    send({ type: 'response.create', response: { max_output_tokens: 80 } });
    await done();
    update({ truncation: 'disabled' });
    send({ type: 'response.create' });
    await done(2);
    // The previous answer is followed by a placeholder user turn.
    expect(requests.map(({ messages }) => messages.length)).toEqual([2, 5]);
    expect(JSON.stringify(requests[0])).not.toContain('old');
  });

  test('messages begin and end with the user, also for a response without a user turn', async () => {
    const { send, say, requests, done, update } = open([saysText('Welcome.')]);
    update({ instructions: 'Greet.' });
    send({ type: 'response.create' });
    await done();
    send({ type: 'response.create' });
    await done(2);
    say('Hi');
    send({ type: 'response.create', response: { conversation: 'none', input: [], instructions: '' } });
    await done(3);
    expect(requests.map(({ messages }) => messages)).toEqual([
      [system('Greet.'), user('.')],
      [system('Greet.'), user('.'), says('Welcome.'), user('.')],
      [user('.')],
    ]);
  });
});
