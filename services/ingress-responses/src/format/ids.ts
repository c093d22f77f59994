/** An answer's id as this format has it: the upstream's own, else one made of the request's. */
export function responseId(id: string, requestId: string): string {
  return id.startsWith('resp_') ? id : `resp_${bare(requestId)}`;
}

const prefixes = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  tool_search_call: 'tsc',
  image_generation_call: 'ig',
} as const;

/** An id for the item at a place of the output. */
export function itemId(type: keyof typeof prefixes, requestId: string, place: number): string {
  return `${prefixes[type]}_${bare(requestId)}_${place}`;
}

/** An id for the call at a place of the answer, where the upstream gave it none. */
export function callId(requestId: string, place: number): string {
  return `call_${bare(requestId)}_${place}`;
}

/** The id of a response that is kept. */
export function storedId(requestId: string): string {
  return `resp_${bare(requestId)}`;
}

/** An id without what it is of. */
export function bare(id: string): string {
  return id.replace(/^[a-z]+_/, '');
}
