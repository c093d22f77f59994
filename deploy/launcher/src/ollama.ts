/** The models of an Ollama on this machine; none where it does not answer within 300 ms. */
export async function ollamaModels(origin = 'http://127.0.0.1:11434'): Promise<string[]> {
  try {
    const answer = await fetch(`${origin}/api/tags`, { signal: AbortSignal.timeout(300) });
    const { models } = (await answer.json()) as { models?: { name: string }[] };
    return answer.ok ? (models ?? []).map(model => model.name) : [];
  } catch {
    return [];
  }
}
