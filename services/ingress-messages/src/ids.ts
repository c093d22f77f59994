/** An answer's id as this format has it: the upstream's own, else one made of the request's. */
export function messageId(id: string, requestId: string): string {
  return id.startsWith('msg_') ? id : `msg_${bare(requestId)}`;
}

/** An id for the tool call at a place of the answer, where the upstream gave it none. */
export function callId(requestId: string, index: number): string {
  return `toolu_${bare(requestId)}_${index}`;
}

function bare(requestId: string): string {
  return requestId.replace(/^req_/, '');
}
