import { useEffect, useMemo, useState } from 'react';
import { usePageQuery } from '../layout/use-page-query.ts';
import { type ConversationState, useConversation } from './ask/use-conversation.ts';
import { noConversation } from './conversation/conversation.ts';
import { type FormatName, formatNames, type MediaPart } from './conversation/part.ts';
import type { Settings } from './conversation/settings.ts';
import { startInTab, takeTab } from './saved/own-tab.ts';
import type { Saved } from './saved/saved.ts';
import { type Opened, useKept } from './saved/use-saved.ts';

/** The state of the chat: the conversation, and how the next question is asked. */
export interface PlaygroundState {
  chat: ConversationState;
  /** The model that was chosen; empty for the first one of the token. */
  model: string;
  format: FormatName;
  settings: Settings;
  attached: MediaPart[];
  /** What is kept in the browser and written to files. */
  saved: Saved;
  /** False while the browser refuses to keep the conversation. */
  kept: boolean;
  setModel(model: string): void;
  setFormat(format: FormatName): void;
  setSettings(settings: Settings): void;
  attach(files: MediaPart[]): void;
  /** Opens a conversation in place of this one, which stays kept. `id` is that of one that is kept. */
  open(saved: Saved, id?: string): void;
  /** Begins a new conversation with the same settings. This one stays kept. */
  clear(): void;
}

/** Model and format are in the address, so that a link opens the same; the rest is kept in the browser. */
export function usePlayground({ id, saved: opened }: Opened): PlaygroundState {
  const [keptAs, setKeptAs] = useState(id);
  const [query, setQuery] = usePageQuery();
  const chat = useConversation(opened.conversation);
  const [model, setModel] = useState(query.get('model') ?? opened.model);
  const [format, setFormat] = useState(formatIn(query) ?? opened.format);
  const [settings, setSettings] = useState(opened.settings);
  const [attached, attach] = useState(() => filesOf(opened));
  useEffect(() => {
    const timer = setTimeout(() => {
      if (query.get('model') !== (model || null) || (formatIn(query) ?? 'chat') !== format)
        setQuery(old => addressed(old, model, format));
    }, addressMs);
    return () => clearTimeout(timer);
  }, [model, format, query, setQuery]);

  const { conversation } = chat;
  const saved = useMemo(
    (): Saved => ({
      type: 'model-gateway-conversation',
      version: 1,
      ...{ model, format, settings, conversation, attached },
    }),
    [model, format, settings, conversation, attached],
  );
  return {
    ...{ chat, model, format, settings, attached, saved, setModel, setFormat, setSettings, attach },
    kept: useKept(keptAs, saved, chat.running),
    async open(other, otherId) {
      setKeptAs(otherId === undefined ? startInTab() : await takeTab(otherId));
      chat.replace(other.conversation);
      setModel(other.model);
      setFormat(other.format);
      setSettings(other.settings);
      attach(filesOf(other));
    },
    clear() {
      setKeptAs(startInTab());
      chat.replace(noConversation);
      attach([]);
    },
  };
}

/** The address changes this long after the last change, in milliseconds: browsers limit how often it may. */
const addressMs = 400;

function addressed(old: URLSearchParams, model: string, format: FormatName): URLSearchParams {
  const next = new URLSearchParams(old);
  if (model) next.set('model', model);
  else next.delete('model');
  if (format === 'chat') next.delete('format');
  else next.set('format', format);
  return next;
}

function formatIn(query: URLSearchParams): FormatName | undefined {
  return formatNames.find(name => name === query.get('format'));
}

function filesOf(saved: Saved): MediaPart[] {
  return saved.attached.filter(part => part.type === 'media');
}
