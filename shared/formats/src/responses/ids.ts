/** Returns the upstream's id if it is a response id, else one derived from the request id. */
export function responseId(id: string, requestId: string): string {
  return id.startsWith('resp_') ? id : `resp_${withoutPrefix(requestId)}`;
}

const prefixes = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  tool_search_call: 'tsc',
  image_generation_call: 'ig',
} as const;

/** Returns the id of the item at index `place` of the output. */
export function itemId(type: keyof typeof prefixes, requestId: string, place: number): string {
  return `${prefixes[type]}_${withoutPrefix(requestId)}_${place}`;
}

/** Returns an id for a call to which the upstream gave none. `place` is the index of its part. */
export function callId(requestId: string, place: number): string {
  return `call_${withoutPrefix(requestId)}_${place}`;
}

/** Returns the id of a stored response. */
export function storedId(requestId: string): string {
  return `resp_${withoutPrefix(requestId)}`;
}

/** Removes the type prefix of an id. */
export function withoutPrefix(id: string): string {
  return id.replace(/^[a-z]+_/, '');
}
