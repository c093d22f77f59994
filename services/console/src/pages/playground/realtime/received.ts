import type { Item, ResponseObject, ServerEvent } from './server-event.ts';
import type { Ended, Entry, Message, SessionState } from './session-state.ts';
import { logged } from './session-state.ts';

const mostEntries = 500;

/** Returns the state after an event that was sent. */
export function afterSent(
  state: SessionState,
  event: { type: string },
  text: string,
  ms: number,
): SessionState {
  const log = logged(state.log, 'sent', event.type, text, ms);
  if (event.type === 'input_audio_buffer.append') return { ...state, log };
  return { ...state, log, askedMs: event.type === 'response.create' ? ms : state.askedMs };
}

/** Returns the state after a message that was received; `event` is undefined if it cannot be parsed. */
export function afterReceived(
  state: SessionState,
  event: ServerEvent | undefined,
  text: string,
  ms: number,
): SessionState {
  const type = event?.type ?? 'not an event';
  const next = { ...state, log: logged(state.log, 'received', type, text, ms) };
  return event ? applied(next, event, ms) : next;
}

function applied(state: SessionState, event: ServerEvent, ms: number): SessionState {
  const { type, session, item, response, error, item_id: id = '', delta = '' } = event;
  switch (type) {
    case 'session.created':
    case 'session.updated':
      return { ...state, settings: session };
    case 'error':
      return added(state, faultOf(error));
    case 'input_audio_buffer.speech_stopped':
      return { ...state, askedMs: ms };
    case 'conversation.item.added':
    case 'conversation.item.created':
      return item ? withItem(state, item) : state;
    case 'conversation.item.input_audio_transcription.delta':
      return changed(state, id, message => ({ ...message, text: message.text + delta }));
    case 'conversation.item.input_audio_transcription.completed':
      return changed(state, id, message => ({
        ...message,
        text: event.transcript ?? message.text,
        state: 'done',
      }));
    case 'conversation.item.input_audio_transcription.failed':
      return added(
        changed(state, id, message => ({ ...message, text: '(no transcript)', state: 'done' })),
        faultOf(error),
      );
    case 'response.created':
      return { ...state, responding: response?.id, firstMs: undefined };
    case 'response.output_text.delta':
    case 'response.output_audio_transcript.delta':
    case 'response.output_audio.delta':
      return withAnswer(state, event, ms);
    case 'response.output_item.done':
      return item ? changed(state, item.id, message => ({ ...message, state: stateOf(item) })) : state;
    case 'response.done':
      return response ? withResponse(state, response, ms) : state;
    default:
      return state;
  }
}

function faultOf(error: ServerEvent['error']): Entry {
  return { type: 'error', message: error?.message ?? 'Unknown error.', code: error?.code ?? undefined };
}

/** Adds an entry, and drops the oldest one over the bound. */
function added(state: SessionState, entry: Entry): SessionState {
  const { entries } = state;
  return { ...state, entries: [...(entries.length >= mostEntries ? entries.slice(1) : entries), entry] };
}

function changed(state: SessionState, id: string, change: (message: Message) => Message): SessionState {
  const at = state.entries.findLastIndex(entry => entry.type === 'message' && entry.id === id);
  return at < 0 ? state : { ...state, entries: state.entries.with(at, change(state.entries[at] as Message)) };
}

/** Adds a message. The user's audio is running until its transcript is there. */
function withItem(state: SessionState, item: Item): SessionState {
  const { id, type, role, content = [] } = item;
  if (type !== 'message' || (role !== 'user' && role !== 'assistant')) return state;
  const texts = content.map(part => part.text ?? part.transcript ?? '');
  const spoken = content.some(part => part.type.endsWith('audio'));
  const text = texts.join('');
  const waits = role === 'assistant' || (spoken && text === '');
  return added(state, { type: 'message', id, role, text, spoken, state: waits ? 'running' : 'done' });
}

function withAnswer(state: SessionState, event: ServerEvent, ms: number): SessionState {
  const { type, item_id: id = '', delta = '' } = event;
  const audio = type === 'response.output_audio.delta';
  const next = { ...state, firstMs: state.firstMs ?? ms - state.askedMs };
  return changed(next, id, message => ({
    ...message,
    spoken: message.spoken || type !== 'response.output_text.delta',
    text: audio ? message.text : message.text + delta,
  }));
}

function stateOf({ status }: Item): Message['state'] {
  return status === 'incomplete' ? 'cut' : 'done';
}

function withResponse(state: SessionState, response: ResponseObject, ms: number): SessionState {
  const { id, status = 'completed', status_details: details, usage } = response;
  const own = state.responding === id;
  const ended: Ended = {
    type: 'response',
    ...{ id, status },
    reason: details?.error?.message ?? details?.reason ?? undefined,
    usage: usage ?? undefined,
    firstMs: own ? state.firstMs : undefined,
    totalMs: ms - state.askedMs,
  };
  return added(own ? { ...state, responding: undefined } : state, ended);
}
