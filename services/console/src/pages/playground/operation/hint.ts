/** The reason why nothing can be sent, whatever the model: the token, or no model of it supports the operation. */
export interface Blocked {
  by: 'token' | 'models';
  reason: string;
}

/** Returns why a request cannot be sent: the token, the model, or what is missing. */
export function hintFor(
  blocked: Blocked | undefined,
  model: { name: string; usable: boolean },
  missing: string | false | undefined,
): string | undefined {
  if (blocked) return blocked.reason;
  if (model.name === '') return 'Choose a model to begin.';
  if (!model.usable) return `The token may not use a model named ${model.name} for this.`;
  return missing || undefined;
}
