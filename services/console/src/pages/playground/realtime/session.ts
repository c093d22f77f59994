import { useCallback, useEffect, useRef, useState } from 'react';
import { toProblem } from '../../problem.ts';
import { Connection, makeSecret } from './connection.ts';
import { Microphone, microphoneProblem } from './microphone.ts';
import { base64Of, samplesOf, samplesPerSecond } from './pcm.ts';
import { Player } from './player.ts';
import { afterReceived, afterSent } from './received.ts';
import { parseServerEvent, type ServerEvent } from './server-event.ts';
import { endOf, type Fault, noSession, type SessionState } from './session-state.ts';

type ClientEvent = { type: string } & Record<string, unknown>;

/** The state of the microphone; `talking` is a turn that the user ends by hand. */
export type Hearing = { state: 'off' | 'asking' | 'talking' | 'open'; problem?: string | undefined };

/** The most bytes that wait to be sent, before audio is dropped: the network is too slow for it. */
const mostWaiting = 1_000_000;
/** The gateway refuses less. */
const leastTurnMs = 100;

/** A realtime session with its microphone and its player. It tells `onChange` when its state has changed. */
export class RealtimeSession {
  state: SessionState = noSession;
  hearing: Hearing = { state: 'off' };
  readonly #onChange: () => void;
  readonly #aborting = new AbortController();
  readonly #from = performance.now();
  #connection: Connection | undefined;
  #player: Player | undefined;
  #microphone: Microphone | undefined;
  #turnMs = 0;
  /** True if a response is to be requested once the running one has ended: there may be one at a time. */
  #asks = false;
  /** The id of the response that was interrupted, whose last audio may still arrive. */
  #interrupted: string | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Opens the session. Call it in the handler of a click, so that the browser allows audio. */
  async open(token: string, model: string, session: Record<string, unknown>): Promise<void> {
    this.#player = new Player();
    this.#player.resume();
    this.#set({ ...noSession, phase: 'connecting', model });
    try {
      const { signal } = this.#aborting;
      const secret = await makeSecret(token, { ...session, model }, signal);
      if (signal.aborted) return;
      this.#connection = new Connection(secret, model, {
        onOpen: () => this.#set({ ...this.state, phase: 'open' }),
        onMessage: text => this.#receive(text),
        onClose: (code, reason) => {
          const last = this.state.entries.at(-1);
          this.#end(endOf(code, reason, last?.type === 'error' ? last : undefined));
        },
      });
    } catch (thrown) {
      if (this.#aborting.signal.aborted) return;
      this.#set({ ...this.state, phase: 'closed', problem: toProblem(thrown) });
      this.#free();
    }
  }

  /** Ends the session, and frees the microphone and the player. */
  close(): void {
    this.#aborting.abort();
    this.#connection?.close();
    this.#end('You closed the session.');
  }

  update(session: Record<string, unknown>): void {
    this.#send({ type: 'session.update', session });
  }

  say(text: string): void {
    this.interrupt();
    const content = [{ type: 'input_text', text }];
    this.#send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
    this.#ask();
  }

  /** Stops the response and its audio. The model is told what of it was heard. */
  interrupt(): void {
    if (this.state.responding) this.#send({ type: 'response.cancel' });
    this.#stopPlaying();
  }

  /** Opens the microphone: for one turn, or for as long as the gateway detects turns. */
  async hear(state: 'talking' | 'open'): Promise<void> {
    this.#hear({ state: 'asking' });
    try {
      const microphone = await Microphone.open(bytes => this.#append(bytes));
      if (this.state.phase !== 'open') return microphone.close();
      this.#microphone = microphone;
      this.#turnMs = 0;
      if (state === 'talking') this.interrupt();
      this.#hear({ state });
    } catch (thrown) {
      this.#hear({ state: 'off', problem: microphoneProblem(thrown) });
    }
  }

  /** Closes the microphone. A turn that the user ends by hand is answered. */
  stopHearing(answer: boolean): void {
    const byHand = this.hearing.state === 'talking';
    this.#microphone?.close();
    this.#microphone = undefined;
    this.#hear({ state: 'off' });
    if (!byHand) return;
    if (answer && this.#turnMs >= leastTurnMs) {
      this.#send({ type: 'input_audio_buffer.commit' });
      this.#ask();
      return;
    }
    this.#send({ type: 'input_audio_buffer.clear' });
    if (answer) this.#hear({ state: 'off', problem: 'Speak for at least 0.1 s.' });
  }

  #ask(): void {
    this.#asks = this.state.responding !== undefined;
    if (!this.#asks) this.#send({ type: 'response.create' });
  }

  #append(bytes: Uint8Array): void {
    const { state } = this.hearing;
    const heard = state === 'talking' || state === 'open';
    if (!heard || (this.#connection?.waiting ?? 0) > mostWaiting) return;
    this.#turnMs += (bytes.length / 2 / samplesPerSecond) * 1_000;
    this.#send({ type: 'input_audio_buffer.append', audio: base64Of(bytes) });
  }

  #send(event: ClientEvent): void {
    if (this.state.phase !== 'open') return;
    const text = JSON.stringify(event);
    this.#connection?.send(text);
    this.#set(afterSent(this.state, event, text, this.#ms));
  }

  #receive(text: string): void {
    const event = parseServerEvent(text);
    this.#set(afterReceived(this.state, event, text, this.#ms));
    if (event?.type === 'response.output_audio.delta') this.#play(event);
    if (event?.type === 'response.done' && this.#asks) this.#ask();
    // The gateway cancels the response itself, if its settings say so.
    if (event?.type === 'input_audio_buffer.speech_started') this.#stopPlaying();
  }

  #play({ response_id, item_id = '', content_index = 0, delta = '' }: ServerEvent): void {
    if (response_id !== undefined && response_id === this.#interrupted) return;
    if (this.#player?.push(item_id, content_index, samplesOf(delta))) return;
    const fault: Fault = {
      type: 'error',
      message: 'Too much audio waits: the rest is not played.',
      code: undefined,
    };
    const { entries } = this.state;
    const last = entries.at(-1);
    if (last?.type !== 'error' || last.message !== fault.message)
      this.#set({ ...this.state, entries: [...entries, fault] });
  }

  #stopPlaying(): void {
    this.#interrupted = this.state.responding;
    for (const { itemId, contentIndex, heardMs } of this.#player?.stop() ?? [])
      this.#send({
        type: 'conversation.item.truncate',
        item_id: itemId,
        content_index: contentIndex,
        audio_end_ms: heardMs,
      });
  }

  #end(ended: string): void {
    if (this.state.phase === 'closed') return;
    this.#set({ ...this.state, phase: 'closed', ended, responding: undefined });
    this.#free();
  }

  #free(): void {
    this.#microphone?.close();
    this.#microphone = undefined;
    this.#player?.close();
    this.#player = undefined;
    this.#hear({ state: 'off' });
  }

  get #ms(): number {
    return performance.now() - this.#from;
  }

  #set(state: SessionState): void {
    this.state = state;
    this.#onChange();
  }

  #hear(hearing: Hearing): void {
    this.hearing = hearing;
    this.#onChange();
  }
}

/** The session of the tab. */
interface TabSession {
  state: SessionState;
  hearing: Hearing;
  /** The session that is open or was; undefined before the first. */
  session: RealtimeSession | undefined;
  open(token: string, model: string, settings: Record<string, unknown>): void;
}

/** Holds one session at a time. Leaving the tab closes it, and the microphone. */
export function useSession(): TabSession {
  const session = useRef<RealtimeSession>(undefined);
  const [shown, show] = useState<{ state: SessionState; hearing: Hearing }>({
    state: noSession,
    hearing: { state: 'off' },
  });
  const frame = useRef(0);
  useEffect(
    () => () => {
      session.current?.close();
      session.current = undefined;
      cancelAnimationFrame(frame.current);
    },
    [],
  );
  const open = useCallback((token: string, model: string, settings: Record<string, unknown>) => {
    session.current?.close();
    // A session has more events than the screen has frames.
    const made = new RealtimeSession(() => {
      cancelAnimationFrame(frame.current);
      frame.current = requestAnimationFrame(() => {
        if (session.current === made) show({ state: made.state, hearing: made.hearing });
      });
    });
    session.current = made;
    made.open(token, model, settings);
  }, []);
  return { ...shown, session: session.current, open };
}
