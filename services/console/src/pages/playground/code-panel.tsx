import { useMemo } from 'react';
import type { CodeRequest } from '../snippets/request.ts';
import { RequestCode } from '../snippets/request-code.tsx';
import type { AskOptions } from './ask/use-conversation.ts';
import { historyOf } from './conversation/history.ts';
import type { Turn } from './conversation/turn.ts';
import { formats } from './formats/formats.ts';

/** Code for the last question of a conversation, or for a first one, in the chosen format with all that is set. */
export function CodePanel({ options, path }: { options: AskOptions; path: readonly Turn[] }) {
  const { format, settings, secret } = options;
  const model = options.model || 'MODEL_NAME';
  const request = useMemo((): CodeRequest => {
    const asked = path.slice(0, path.findLastIndex(({ role }) => role === 'user') + 1);
    const turns = historyOf(asked);
    const hello = { role: 'user' as const, parts: [{ type: 'text' as const, text: 'Hello' }] };
    const built = formats[format].build({ model, turns: turns.length > 0 ? turns : [hello], settings });
    return { ...built, format, model, baseUrl: window.location.origin };
  }, [path, format, settings, model]);
  return <RequestCode request={request} secret={secret} />;
}
