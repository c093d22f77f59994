import { GatewayError } from '@model-gateway/canonical';
import { says, user } from '@model-gateway/canonical/testing/parts';
import { describe, expect, test, vi } from 'vitest';
import {
  finish,
  never,
  openAudio,
  type SessionEvent,
  saysText,
  sound,
  start,
  text,
} from '../testing/open-emulation.ts';

const commit = { type: 'input_audio_buffer.commit' };
const create = { type: 'response.create' };
const bytesOf = (base64: string) => Buffer.from(base64, 'base64');
const audioOf = (events: SessionEvent[]) => Buffer.concat(events.map(({ delta }) => bytesOf(delta)));
/** A session in which the client commits its audio. */
const manual = { audio: { input: { turn_detection: null } } };

/** The committed audio of a turn. */
function committed({ send, of }: ReturnType<typeof openAudio>, turn = 0): Buffer {
  const { item_id } = of('input_audio_buffer.committed')[turn] as SessionEvent;
  send({ type: 'conversation.item.retrieve', item_id });
  const { item } = of('conversation.item.retrieved').at(-1) as SessionEvent;
  return bytesOf((item.content[0] as { audio: string }).audio);
}

describe('audio', () => {
  test('committed audio is transcribed and answered in speech', async () => {
    const { update, append, send, types, of, first, done, heard, spoken, requests } = openAudio([
      saysText('All is well here. And how are you?'),
    ]);
    const query = { model: 'ears', language: 'en' };
    const input = { turn_detection: null, transcription: { ...query, model: 'whisper-1' } };
    update({ audio: { input, output: { voice: 'ash', speed: 1.5 } } });
    expect(first('session.updated').session.audio.input.transcription).toEqual(query);
    append(sound(60));
    send(commit);
    append(sound(60));
    send(commit);
    send(create);
    await done();
    expect(of('error')).toMatchObject([{ error: { code: 'input_audio_buffer_commit_empty' } }]);
    expect(heard).toEqual([{ bytes: 44 + 120 * 48, query }]);
    expect(requests[0]?.messages).toEqual([user('What is up?')]);
    expect(spoken).toEqual([
      { text: 'All is well here. ', voice: 'ash', speed: 1.5 },
      { text: 'And how are you?', voice: 'ash', speed: 1.5 },
    ]);
    expect(of('conversation.item.input_audio_transcription.completed')).toMatchObject([
      { content_index: 0, transcript: 'What is up?', usage: { type: 'duration', seconds: 0.12 } },
    ]);
    const names = types().slice(3);
    expect(names.filter((type, at) => type !== names[at - 1]).join(' ')).toBe(
      'input_audio_buffer.committed conversation.item.added conversation.item.done response.created ' +
        'conversation.item.input_audio_transcription.completed response.output_item.added ' +
        'conversation.item.added response.content_part.added response.output_audio_transcript.delta ' +
        'response.output_audio.delta response.output_audio.done response.output_audio_transcript.done ' +
        'response.content_part.done conversation.item.done response.output_item.done response.done',
    );
    expect(of('response.output_audio_transcript.delta')).toHaveLength(8);
    expect(of('response.output_audio.delta')).toHaveLength(4);
    expect(audioOf(of('response.output_audio.delta'))).toHaveLength(34 * 48);
    const content = [{ type: 'output_audio', transcript: 'All is well here. And how are you?' }];
    expect(first('response.output_item.done').item.content).toEqual(content);
    update({ audio: { output: { voice: 'verse' } } });
    const refused = { code: 'cannot_update_voice', param: 'session.audio.output.voice' };
    expect(of('error')[1]?.error).toMatchObject(refused);
    send({ type: 'conversation.item.retrieve', item_id: first('input_audio_buffer.committed').item_id });
    expect(first('conversation.item.retrieved').item.content).toEqual([
      { type: 'input_audio', transcript: 'What is up?', audio: sound(60) + sound(60) },
    ]);
  });

  test('a detected turn is committed and answered automatically', async () => {
    const { update, append, of, first, done, heard, types } = openAudio([saysText('Yes.')]);
    update({ output_modalities: ['text'] });
    for (let i = 0; i < 50; i++) append(sound(20, false));
    for (let i = 0; i < 25; i++) append(sound(20));
    for (let i = 0; i < 30; i++) append(sound(20, false));
    await done();
    expect(of('input_audio_buffer.speech_started')).toMatchObject([{ audio_start_ms: 700 }]);
    expect(of('input_audio_buffer.speech_stopped')).toMatchObject([{ audio_end_ms: 2_000 }]);
    expect(heard).toMatchObject([{ bytes: 44 + 1_300 * 48 }]);
    expect(types().slice(2, 7).join(' ')).toBe(
      'input_audio_buffer.speech_started input_audio_buffer.speech_stopped input_audio_buffer.committed ' +
        'conversation.item.added conversation.item.done',
    );
    const { item_id } = first('input_audio_buffer.committed');
    expect(first('input_audio_buffer.speech_started').item_id).toBe(item_id);
    const response = { status: 'completed', output_modalities: ['text'] };
    expect(first('response.done')).toMatchObject({ response });
  });

  test('silence is dropped from the buffer', () => {
    const session = openAudio();
    for (let i = 0; i < 300; i++) session.append(sound(100, false));
    session.send(commit);
    expect(committed(session).length).toBeLessThan(2_000 * 48);
  });

  test('audio with many turns is cut into one item per turn', async () => {
    const session = openAudio();
    const { append, of, update } = session;
    const turn_detection = { type: 'server_vad', create_response: false, interrupt_response: true };
    update({ audio: { input: { turn_detection } } });
    const turn = [sound(200), sound(700, false)].map(bytesOf);
    const before = process.memoryUsage().arrayBuffers;
    await append(Buffer.concat(Array.from({ length: 100 }, () => turn).flat()).toString('base64'));
    expect(of('input_audio_buffer.committed')).toHaveLength(100);
    // A view of the sent audio would keep all of its 4 MB for each turn.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(150 * 1024 * 1024);
    const audio = committed(session, 99);
    expect(audio.length).toBe(900 * 48);
    expect(audio.indexOf(turn[0] as Buffer)).toBe(200 * 48);
  });

  test('a turn stays one if its settings change in between', () => {
    const { append, update, types } = openAudio([never]);
    append(sound(300));
    update({ audio: { input: { turn_detection: { type: 'server_vad', silence_duration_ms: 200 } } } });
    append(sound(300, false));
    const inputs = types().filter(type => type.startsWith('input_audio_buffer'));
    expect(inputs.map(type => type.slice(19))).toEqual(['speech_started', 'speech_stopped', 'committed']);
  });

  test('audio is transcribed a few recordings at a time, in order', async () => {
    const waiting: (() => void)[] = [];
    let requested = 0;
    const { append, update, send, of } = openAudio([], {
      async transcribe() {
        const text = `Turn ${++requested}`;
        await new Promise<void>(resolve => waiting.push(resolve));
        return { text, usage: null };
      },
    });
    update({ audio: { input: { turn_detection: null, transcription: {} } } });
    for (let i = 0; i < 9; i++) {
      append(sound(100));
      send(commit);
    }
    expect(requested).toBe(4);
    const completed = () => of('conversation.item.input_audio_transcription.completed');
    for (let i = 0; i < 9; i++) {
      waiting[i]?.();
      await vi.waitFor(() => expect(completed()).toHaveLength(i + 1));
    }
    const turns = of('input_audio_buffer.committed');
    expect(completed()).toMatchObject(
      turns.map(({ item_id }, i) => ({ item_id, transcript: `Turn ${i + 1}` })),
    );
  });

  test('audio of sentences is joined in whole samples, even if one ends with half a sample', async () => {
    const { say, send, of, first, done, requests } = openAudio([saysText('One two three. Four five six.')], {
      async speak(_query, _signal, onAudio) {
        onAudio(Buffer.from([1]));
        onAudio(Buffer.from([2]));
        onAudio(Buffer.alloc(959, Buffer.from([1, 2])));
      },
    });
    say('Count.');
    send(create);
    await done();
    const audio = audioOf(of('response.output_audio.delta'));
    expect(audio.equals(Buffer.alloc(audio.length, Buffer.from([1, 2])))).toBe(true);
    const { item_id } = first('response.output_audio.delta');
    const audio_end_ms = Math.floor(audio.length / 48 / 2);
    send({ type: 'conversation.item.truncate', item_id, content_index: 0, audio_end_ms });
    send(create);
    await done(2);
    expect(JSON.stringify(requests[1])).toMatch(/"One two (three\.)?"/);
  });

  test('speech without an end is committed when the buffer is full', async () => {
    const { append, of } = openAudio([never]);
    const minute = sound(60_000);
    for (let i = 0; i < 7; i++) await append(minute);
    expect(of('error')).toEqual([]);
    expect(of('input_audio_buffer.committed')).toHaveLength(1);
    expect(of('input_audio_buffer.speech_started')).toHaveLength(2);
  });

  test('a turn without interrupt_response is answered after the active response', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { append, update, of, send, done, requests } = openAudio([
      async say => {
        await promise;
        say([start, ...text('Done.'), finish()]);
      },
    ]);
    const turn_detection = { type: 'server_vad', interrupt_response: false };
    update({ output_modalities: ['text'], audio: { input: { turn_detection } } });
    send(create);
    append(sound(200));
    append(sound(700, false));
    expect(of('input_audio_buffer.committed')).toHaveLength(1);
    expect(of('response.created')).toHaveLength(1);
    resolve();
    await done(2);
    expect(of('response.done').map(({ response }) => response.status)).toEqual(['completed', 'completed']);
    expect(requests[1]?.messages[0]).toMatchObject({ role: 'user' });
    send(create);
    await done(3);
    expect(of('response.created')).toHaveLength(3);
  });

  test('speech interrupts a response, which can be truncated to the audio heard', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { append, of, first, send, say, done, requests } = openAudio(
      [saysText('One two three. Four five six.')],
      {
        async speak(query, _signal, onAudio) {
          onAudio(Buffer.alloc(query.text.length * 48));
          if (query.text.startsWith('Four')) await promise;
        },
      },
    );
    say('Count.');
    send(create);
    await vi.waitFor(() => expect(of('response.output_audio.delta')).toHaveLength(2));
    append(sound(100));
    const status_details = { type: 'cancelled', reason: 'turn_detected' };
    const cancelled = { status_details, output: [{ status: 'incomplete' }] };
    expect(first('response.done').response).toMatchObject(cancelled);
    resolve();
    const { item_id } = first('response.output_audio.delta');
    const truncate = { type: 'conversation.item.truncate', item_id, content_index: 0 };
    send({ ...truncate, audio_end_ms: 99 });
    expect(first('error').error).toMatchObject({ param: 'audio_end_ms' });
    send({ ...truncate, audio_end_ms: 23 });
    expect(of('conversation.item.truncated')).toMatchObject([{ item_id, audio_end_ms: 23 }]);
    send({ type: 'conversation.item.retrieve', item_id });
    expect(first('conversation.item.retrieved').item.content).toEqual([{ type: 'output_audio' }]);
    append(sound(600, false));
    await done(2);
    expect(requests[1]?.messages.slice(1)).toEqual([says('One two three. Four'), user('What is up?')]);
  });

  test('audio whose transcription fails is reported, and inaudible to the model', async () => {
    const { update, append, send, of, done, requests } = openAudio([], {
      async transcribe() {
        throw new GatewayError('timeout', 'Too slow.');
      },
    });
    update({ output_modalities: ['text'], audio: { input: { turn_detection: null } } });
    append(sound(200));
    send(commit);
    send(create);
    await done();
    const error = { code: 'timeout', message: 'Too slow.' };
    const failed = { content_index: 0, error };
    expect(of('conversation.item.input_audio_transcription.failed')).toMatchObject([failed]);
    expect(requests[0]?.messages).toMatchObject([user('(inaudible)')]);
  });

  test('a response that cannot be spoken fails, and its model call is aborted', async () => {
    const { send, first, done, signals } = openAudio(
      [
        async (say, request, signal) => {
          say([start, ...text('A whole sentence. And')]);
          await never(say, request, signal);
        },
      ],
      {
        async speak() {
          throw new GatewayError('upstream', 'No voice.');
        },
      },
    );
    send(create);
    await done();
    expect(signals[0]?.aborted).toBe(true);
    const status_details = { error: { message: 'No voice.' } };
    expect(first('response.done').response).toMatchObject({ status: 'failed', status_details });
  });

  test('telephone audio is 8 kHz in both directions', async () => {
    const { update, append, send, of, first, done, heard, spoken } = openAudio([saysText('Hello.')]);
    const format = { type: 'audio/pcmu' };
    update({ audio: { input: { format, turn_detection: null }, output: { format } } });
    append(Buffer.alloc(800, 0xff).toString('base64'));
    update({ audio: { input: { format: { type: 'audio/pcm', rate: 24_000 } } } });
    expect(first('error').error).toMatchObject({ param: 'session.audio.input.format' });
    send(commit);
    send(create);
    await done();
    expect(heard).toMatchObject([{ bytes: 44 + 1_600 }]);
    expect(spoken).toHaveLength(1);
    expect(audioOf(of('response.output_audio.delta'))).toEqual(Buffer.alloc(6 * 8, 0xff));
  });

  test('the audio buffer is limited, and loses no bytes', async () => {
    const session = openAudio();
    const { append, update, error, send, of } = session;
    update(manual);
    const large = Buffer.alloc(11 * 1024 * 1024).toString('base64');
    await append(large);
    await append(large);
    expect(error()).toMatchObject({ code: 'input_audio_buffer_full' });
    send({ type: 'input_audio_buffer.clear' });
    expect(of('input_audio_buffer.cleared')).toHaveLength(1);
    await append(large);
    append('no base64!');
    expect(error()).toMatchObject({ code: 'invalid_value', param: 'audio' });
    send({ type: 'input_audio_buffer.clear' });
    // No byte of many small pieces is lost.
    for (let i = 0; i < 5_000; i++) append(Buffer.from([i, i >> 8]).toString('base64'));
    append('');
    send(commit);
    const audio = committed(session);
    expect(audio.length).toBe(10_000);
    expect(audio.readInt16LE(9_998)).toBe(4_999);
  });
});
