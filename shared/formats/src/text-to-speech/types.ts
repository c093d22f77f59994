/** The body of `POST /v1/text-to-speech/{voice_id}` and `…/stream`, as far as the gateway sends it. */
export interface TextToSpeechParams {
  text: string;
  model_id: string;
  voice_settings?: { speed: number };
}

/** The slowest and the fastest speech that ElevenLabs makes: https://elevenlabs.io/docs/overview/capabilities/text-to-speech/best-practices */
export const textToSpeechSpeeds = { slowest: 0.7, fastest: 1.2 };
