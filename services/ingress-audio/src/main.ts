import { run } from '@model-gateway/service';
import { ingressAudio } from './service.ts';

await run(ingressAudio);
