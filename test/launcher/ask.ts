import type { ReadyFile } from './launched.ts';

type Gateway = Pick<ReadyFile, 'baseUrl' | 'token'>;

/** Sends a chat completion to a gateway with its first token. */
export function chat({ baseUrl, token }: Gateway, model: string, stream = false): Promise<Response> {
  return fetch(`${baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'What are you?' }] }),
  });
}

/** The names of a gateway's models. */
export async function listModels({ baseUrl, token }: Gateway): Promise<string[]> {
  const answer = await fetch(`${baseUrl}/v1/models`, { headers: { authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`the model list answered ${answer.status}: ${await answer.text()}`);
  const { data } = (await answer.json()) as { data: { id: string }[] };
  return data.map(model => model.id);
}
