import { efforts } from '../../conversation/settings.ts';
import { soundFormat, type WireFormat } from '../format.ts';
import { buildChat } from './build.ts';
import { ChatReader } from './read.ts';

/** `POST /v1/chat/completions`. */
export const chat: WireFormat = {
  name: 'chat',
  label: 'Chat completions',
  build: ask => buildChat(chat, ask),
  reader: () => new ChatReader(),
  parameters: {
    temperature: { min: 0, max: 2, step: 0.1 },
    topP: { min: 0, max: 1, step: 0.05 },
    maxTokens: { min: 1 },
    stop: { most: 4 },
    seed: {},
    presencePenalty: { min: -2, max: 2, step: 0.1 },
    frequencyPenalty: { min: -2, max: 2, step: 0.1 },
    effort: { values: efforts },
    parallelToolCalls: {},
  },
  refuses: media =>
    media.kind === 'audio' && !soundFormat(media) ? 'The chat format takes audio as WAV and MP3.' : undefined,
};
