import { randomKey } from '../../layout/random-key.ts';

const key = 'model-gateway.conversation';
const channelName = 'model-gateway.playground';
/** The time in which another tab says that it has a conversation, in milliseconds. */
const answerMs = 100;

/** Takes a conversation for this tab. Returns the id under which the tab keeps it: a new one if another tab has it open. */
export async function takeTab(wanted: string): Promise<string> {
  // A page that was left and opened again within this tab does not answer itself.
  answering?.close();
  const id = (await isOpenElsewhere(wanted)) ? randomKey() : wanted;
  write(id);
  answerFor(id);
  return id;
}

/** Begins another conversation in this tab. Returns the id under which the tab keeps it. */
export function startInTab(): string {
  const id = randomKey();
  write(id);
  answerFor(id);
  return id;
}

/** The conversation of this tab. A tab that was duplicated gets the id of the original, so the tabs ask one another. */
interface OwnTab {
  /** The conversation that this tab had before a reload; undefined in a new tab. */
  from: string | undefined;
  /** The id under which this tab keeps its conversation. */
  id: string;
}

/** Returns the conversation of this tab, under a new id if another tab has it open. */
export async function ownTab(): Promise<OwnTab> {
  const from = read() ?? undefined;
  return { from, id: from === undefined ? startInTab() : await takeTab(from) };
}

function isOpenElsewhere(id: string): Promise<boolean> {
  const channel = new BroadcastChannel(channelName);
  return new Promise<boolean>(resolve => {
    channel.onmessage = ({ data }) => data?.here === id && resolve(true);
    channel.postMessage({ who: id });
    setTimeout(() => resolve(false), answerMs);
  }).finally(() => channel.close());
}

let answering: BroadcastChannel | undefined;

function answerFor(id: string): void {
  answering?.close();
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = ({ data }) => data?.who === id && channel.postMessage({ here: id });
  answering = channel;
}

function read(): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(id: string): void {
  try {
    sessionStorage.setItem(key, id);
  } catch {
    // Without storage, the conversation lasts as long as the page.
  }
}
