import { run } from '@model-gateway/service';
import { ingressMessages } from './service.ts';

await run(ingressMessages);
