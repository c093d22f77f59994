/** What every chunk of an answer says of it: the upstream's own words, else the request's. */
export function headOf(
  { id, model }: { id: string; model: string },
  requestId: string,
  asked: string,
): { modelVersion: string; responseId: string } {
  return { modelVersion: model || asked, responseId: id || requestId };
}

/** An id for the call at a place of the answer, where the upstream gave it none. */
export function callId(requestId: string, candidate: number, index: number): string {
  return `call_${requestId.replace(/^req_/, '')}_${candidate}_${index}`;
}
