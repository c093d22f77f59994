/** The settings of a session as they are typed. What is null or empty is not sent, so the model's default applies. */
export interface Draft {
  message: string;
  instructions: string;
  output: string | null;
  voice: string;
  speed: number | null;
  turns: string | null;
  /** The model that makes transcripts of what the user says; a session that the gateway holds has its own. */
  transcription: string;
}

export const emptyDraft: Draft = {
  message: '',
  instructions: '',
  output: null,
  voice: '',
  speed: null,
  turns: null,
  transcription: 'gpt-4o-mini-transcribe',
};

/** By hand: the user says when the turn ends. The others are types of turn detection. */
export const byHand = 'none';

type Fields = Record<string, unknown>;

/** Returns the `session` of `session.update`, and of a client secret beside its model. */
export function sessionOf(draft: Draft): Fields {
  const { instructions, output, voice, speed, turns, transcription } = draft;
  const heard = withoutUnset({
    transcription: transcription.trim() === '' ? undefined : { model: transcription.trim() },
    turn_detection: turns === byHand ? null : turns === null ? undefined : { type: turns },
  });
  const spoken = withoutUnset({ voice: voice.trim() || undefined, speed: speed ?? undefined });
  const audio = withoutUnset({ input: orUndefined(heard), output: orUndefined(spoken) });
  return withoutUnset({
    type: 'realtime',
    output_modalities: output === null ? undefined : [output],
    instructions: instructions.trim() === '' ? undefined : instructions,
    audio: orUndefined(audio),
  });
}

function withoutUnset(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function orUndefined(fields: Fields): Fields | undefined {
  return Object.keys(fields).length > 0 ? fields : undefined;
}
