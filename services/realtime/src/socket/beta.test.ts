import { describe, expect, test } from 'vitest';
import { fromBeta, toBeta } from './beta.ts';

test('session.update of a beta client is translated to the current protocol', () => {
  const session = {
    ...{ modalities: ['text', 'audio'], instructions: 'Be brief.', voice: 'ash', turn_detection: null },
    ...{ input_audio_format: 'pcm16', output_audio_format: 'g711_ulaw', temperature: 0.7 },
    ...{ input_audio_transcription: { model: 'whisper-1' }, max_response_output_tokens: 'inf' },
  };
  const format = { type: 'audio/pcm', rate: 24_000 };
  const input = { format, transcription: { model: 'whisper-1' }, turn_detection: null };
  const audio = { input, output: { voice: 'ash', format: { type: 'audio/pcmu' } } };
  const limits = { instructions: 'Be brief.', max_output_tokens: 'inf' };
  expect(fromBeta({ type: 'session.update', event_id: 'e', session })).toEqual({
    ...{ type: 'session.update', event_id: 'e' },
    session: { type: 'realtime', output_modalities: ['audio'], ...limits, audio },
  });
});

test('session.created is translated to the beta, followed by conversation.created', () => {
  const told = { object: 'realtime.session', id: 'sess_1' };
  const turn_detection = { type: 'server_vad' };
  const output = { format: { type: 'audio/pcm', rate: 24_000 }, voice: 'ash', speed: 1 };
  const audio = { input: { format: { type: 'audio/pcma' }, transcription: null, turn_detection }, output };
  const session = {
    type: 'realtime',
    ...told,
    output_modalities: ['audio'],
    max_output_tokens: 'inf',
    audio,
  };
  const beta = {
    ...{ ...told, modalities: ['text', 'audio'], max_response_output_tokens: 'inf', voice: 'ash', speed: 1 },
    ...{ input_audio_format: 'g711_alaw', output_audio_format: 'pcm16', input_audio_transcription: null },
    ...{ turn_detection, temperature: 0.8 },
  };
  const conversation = { id: 'conv_1', object: 'realtime.conversation' };
  expect(toBeta({ type: 'session.created', event_id: 'e', session })).toEqual([
    { type: 'session.created', event_id: 'e', session: beta },
    { type: 'conversation.created', event_id: 'e_conversation', conversation },
  ]);
});

test.each([
  ['response.output_text.delta', ['response.text.delta']],
  ['response.output_text.done', ['response.text.done']],
  ['response.output_audio.delta', ['response.audio.delta']],
  ['response.output_audio_transcript.done', ['response.audio_transcript.done']],
  ['response.output_item.done', ['response.output_item.done']],
  ['response.function_call_arguments.delta', ['response.function_call_arguments.delta']],
  ['input_audio_buffer.committed', ['input_audio_buffer.committed']],
  ['conversation.item.added', ['conversation.item.created']],
  ['conversation.item.done', []],
])('the event %s is sent to a beta client as %j', (type, expected) => {
  expect(toBeta({ type, event_id: 'e' }).map(event => event.type)).toEqual(expected);
});

test("content types of the model's messages are translated, those of the user's are not", () => {
  const item = (role: string, type: string) => ({ type: 'message', role, content: [{ type, text: 'Hi' }] });
  const create = (message: object) => fromBeta({ type: 'conversation.item.create', item: message }).item;
  expect(create(item('assistant', 'text'))).toEqual(item('assistant', 'output_text'));
  expect(create(item('user', 'input_text'))).toEqual(item('user', 'input_text'));
  const response = { output_modalities: ['text'], output: [item('assistant', 'output_text')] };
  const beta = { modalities: ['text'], output: [item('assistant', 'text')] };
  expect(toBeta({ type: 'response.done', response })).toMatchObject([{ response: beta }]);
});

test('an error names the field by its beta name', () => {
  const error = { param: 'session.audio.input.turn_detection.threshold' };
  expect(toBeta({ type: 'error', error })).toEqual([
    { type: 'error', error: { param: 'session.turn_detection.threshold' } },
  ]);
});

describe('null of a beta client means not set, which current servers take only by its absence', () => {
  const update = (session: object) => fromBeta({ type: 'session.update', session }).session;
  const vad = { type: 'server_vad', create_response: null, interrupt_response: null, threshold: 0.5 };

  test.each<[object, object]>([
    [
      { turn_detection: vad },
      { audio: { input: { turn_detection: { type: 'server_vad', threshold: 0.5 } } } },
    ],
    [
      { input_audio_transcription: { model: 'whisper-1', language: null, prompt: null } },
      { audio: { input: { transcription: { model: 'whisper-1' } } } },
    ],
    [{ instructions: null, voice: null, modalities: null, tools: null, tool_choice: null, speed: null }, {}],
    [{ input_audio_format: null, output_audio_format: null, max_response_output_tokens: null }, {}],
  ])('%j', (session, expected) => {
    expect(update(session)).toEqual({ type: 'realtime', ...expected });
  });

  test('but null that turns something off is sent', () => {
    expect(
      update({
        ...{ turn_detection: null, input_audio_transcription: null, input_audio_noise_reduction: null },
        tracing: null,
      }),
    ).toEqual({
      type: 'realtime',
      audio: { input: { turn_detection: null, transcription: null, noise_reduction: null } },
      tracing: null,
    });
  });

  test('in a response, an item and an event, and not in a tool', () => {
    const parameters = { type: 'object', properties: { q: { enum: ['a', null], default: null } } };
    const tools = [{ type: 'function', name: 'f', parameters }];
    const item = { id: null, type: 'message', role: 'user', status: null };
    const content = [{ type: 'input_text', text: 'Hi', audio: null, transcript: null }];
    const sent = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] };
    expect(
      fromBeta({
        type: 'response.create',
        event_id: null,
        response: { modalities: ['text'], instructions: null, tools, input: [{ ...item, content }] },
      }),
    ).toEqual({
      type: 'response.create',
      response: { output_modalities: ['text'], tools, input: [sent] },
    });
    expect(
      fromBeta({ type: 'conversation.item.create', previous_item_id: null, item: { ...item, content } }),
    ).toEqual({ type: 'conversation.item.create', item: sent });
    expect(fromBeta({ type: 'response.create', response: null })).toEqual({ type: 'response.create' });
  });
});
